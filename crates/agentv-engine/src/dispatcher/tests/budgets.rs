//! Nothing is begun that cannot be paid for.

use super::*;

fn dollars(budget: f64) -> Limits {
    Limits { budget_usd: Some(budget), ..limits(0) }
}

#[test]
fn one_slot_of_a_target_is_asked_alone_to_learn_its_price() {
    let (mut story, begun) = Story::fit_of(dollars(1.0), cases(5, 4, 1));
    assert_eq!(begun, ["invoke 0: slots [0] attempt 0"]);
    assert_eq!(
        story.answered(0, costing(0.3))[2..],
        ["invoke 1: slots [1] attempt 0", "invoke 2: slots [2] attempt 0"],
        "a third might cost 1.20 in all"
    );
    assert_eq!(
        story.answered(1, costing(0.1))[2..],
        ["invoke 3: slots [3] attempt 0"],
        "0.4 spent, 0.3 under way, 0.3 for one more"
    );
}

#[test]
fn what_cannot_be_paid_is_skipped_when_nothing_under_way_can_change_that() {
    let (mut story, _) = Story::fit_of(dollars(1.0), cases(5, 4, 1));
    story.answered(0, costing(0.4));
    assert_eq!(
        story.answered(1, costing(0.4))[2..],
        ["skip 2: Budget", "skip 3: Budget", "skip 4: Budget", "finish 2/5 settled"]
    );
    assert_eq!(story.dispatcher.totals.not_run, 3);
    assert!(!story.dispatcher.totals.interrupted);
}

#[test]
fn a_budget_of_nothing_begins_nothing_not_even_a_check() {
    let tokens = Limits { budget_tokens: Some(0), ..limits(0) };
    for limits in [dollars(0.0), tokens] {
        let (_, first) = Story::of(limits, cases(2, 1, 1));
        assert_eq!(first, ["skip 0: Budget", "skip 1: Budget", "finish 0/2 settled"]);
    }
}

#[test]
fn a_batch_is_cut_to_what_can_be_paid_and_the_rest_waits_for_its_end() {
    let (mut story, begun) = Story::fit_of(dollars(1.0), cases(9, 2, 9));
    assert_eq!(begun, ["invoke 0: slots [0] attempt 0"], "a batch of one, to learn the price");
    assert_eq!(story.answered(0, costing(0.3)).last().unwrap(), "invoke 1: slots [1, 2] attempt 0");
    story.then(Input::Answered { unit: 1, kept: false });
    assert_eq!(
        story.settled(1, 0, costing(0.05)),
        ["record 1 after 1 (0 failed): ok"],
        "0.35 are left, but no batch of one is begun beside the other"
    );
    assert_eq!(
        story.settled(1, 1, costing(0.05)).last().unwrap(),
        "invoke 2: slots [3, 4] attempt 0"
    );
}

#[test]
fn a_target_that_does_not_say_what_it_takes_is_named_once_and_goes_on() {
    let (mut story, _) = Story::fit_of(dollars(1.0), cases(4, 4, 1));
    assert_eq!(
        story.answered(0, given()),
        [
            "warn target `t0` does not say what it costs: --budget-usd cannot hold it back",
            "record 0 after 1 (0 failed): ok",
            "release 0",
            "invoke 1: slots [1] attempt 0",
            "invoke 2: slots [2] attempt 0",
            "invoke 3: slots [3] attempt 0"
        ]
    );
    assert_eq!(story.answered(1, given()), ["record 1 after 1 (0 failed): ok", "release 1"]);
}

#[test]
fn one_target_without_means_does_not_hold_back_another() {
    let units: Vec<Unit> = (0..6).map(|slot| unit(slot % 2, &[slot])).collect();
    let (mut story, _) = Story::of(dollars(1.0), agenda(&[1, 1], &units));
    story.fit(0);
    story.fit(1);
    story.answered(0, costing(0.1));
    assert_eq!(
        story.answered(1, costing(0.6))[2..],
        ["skip 3: Budget", "skip 5: Budget"],
        "0.7 are spent: another of 0.6 cannot be paid, one of 0.1 can"
    );
    story.answered(2, costing(0.1));
    assert_eq!(story.answered(3, costing(0.1)).last().unwrap(), "finish 4/6 settled");
}

#[test]
fn a_failed_attempt_is_paid_and_its_retry_is_not_begun_without_means() {
    let limits = Limits { max_retries: Some(3), ..dollars(1.0) };
    let (mut story, _) = Story::fit_of(limits, cases(2, 1, 1));
    let mut expensive = failure(FailureKind::Exit);
    expensive.cost_usd = Some(0.6);
    assert_eq!(
        story.then(Input::Failed { unit: 0, failure: expensive }),
        ["wait 0: retry 1 of target 0", "skip 0: Budget", "skip 1: Budget", "finish 0/2 settled"]
    );
}

#[test]
fn dependents_of_what_could_not_be_paid_are_skipped_for_the_same_reason() {
    let mut agenda = agenda(&[1, 1], &[unit(0, &[0]), unit(0, &[1]), unit(1, &[2])]);
    agenda.after.insert(2, vec![after(1)]);
    let (mut story, _) = Story::of(dollars(1.0), agenda);
    story.fit(1);
    story.fit(0);
    assert_eq!(
        story.answered(0, costing(0.9))[2..],
        ["skip 1: Budget", "skip 2: Budget", "finish 1/3 settled"]
    );
}

fn kept() -> Settlement {
    let mut response = answer(None, None);
    response.provenance = Provenance::Cache;
    Settlement::Done(Outcome::Answered { response })
}

#[test]
fn answers_that_were_kept_do_not_hold_the_place_of_the_one_that_teaches_the_price() {
    let (mut story, begun) = Story::fit_of(dollars(1.0), cases(6, 4, 1));
    assert_eq!(begun, ["invoke 0: slots [0] attempt 0"]);
    assert_eq!(
        story.then(Input::Answered { unit: 0, kept: true }),
        ["settle 0[0] = 0"],
        "nobody knows yet what judges take for it"
    );
    assert_eq!(story.settled(0, 0, kept()).last().unwrap(), "invoke 1: slots [1] attempt 0");
    for unit in 1..3 {
        assert_eq!(
            story.then(Input::Answered { unit, kept: true }),
            [
                format!("settle {unit}[0] = {unit}"),
                format!("invoke {0}: slots [{0}] attempt 0", unit + 1)
            ],
            "the next is looked for while this one is graded"
        );
    }
    assert_eq!(
        story.then(Input::Answered { unit: 3, kept: false }),
        ["settle 3[0] = 3"],
        "this one was asked: its price must be known before another is"
    );
    assert_eq!(story.settled(1, 0, kept()), ["record 1 after 1 (0 failed): ok", "release 1"]);
    assert_eq!(
        story.settled(3, 0, costing(0.3))[2..],
        ["invoke 4: slots [4] attempt 0"],
        "0.3 spent; one under way and one more at that price, and not enough for a third"
    );
}
