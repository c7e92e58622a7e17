//! What failed or was left out, and is asked again.

use super::*;

#[test]
fn members_of_a_batch_that_failed_are_tried_again_together_with_their_evidence() {
    let mut story = Story::begin(limits(1), &[1], &[unit(0, &[0, 1, 2])]);
    story.fit(0);
    story.then(Input::Answered { unit: 0, kept: false });
    story.settled(0, 0, given());
    for index in [1, 2] {
        let failed = Answer::Failed(failure(FailureKind::Target));
        let said = story.settled(0, index, Settlement::NotAnswered(failed));
        if index == 2 {
            assert_eq!(said, ["release 0", "wait 0: retry 1 of target 0"]);
        }
    }
    assert_eq!(story.then(Input::Due { token: 0 }), ["invoke 1: slots [1, 2] attempt 1"]);
    let failure = failure(FailureKind::Exit);
    assert_eq!(
        story.then(Input::Failed { unit: 1, failure }),
        [
            "record 1 after 2 (1 failed): exit",
            "record 2 after 2 (1 failed): exit",
            "finish 3/3 settled"
        ]
    );
}

#[test]
fn without_retries_a_failure_is_final() {
    let mut story = Story::begin(limits(0), &[1], &[unit(0, &[0])]);
    story.fit(0);
    let failure = failure(FailureKind::Timeout);
    assert_eq!(
        story.then(Input::Failed { unit: 0, failure }),
        ["record 0 after 1 (0 failed): timeout", "finish 1/1 settled"]
    );
}

#[test]
fn what_a_batch_left_out_is_asked_for_again_three_times_and_no_more() {
    let mut story = Story::begin(limits(0), &[1], &[unit(0, &[0, 1])]);
    story.fit(0);
    story.then(Input::Answered { unit: 0, kept: false });
    story.settled(0, 0, given());
    assert_eq!(
        story.settled(0, 1, unanswered(AskAgain::Together)),
        [
            "release 0",
            "warn a batch left out 1 of 2 ids: asking again for those (try 1 of 3)",
            "invoke 1: slots [1] attempt 1"
        ]
    );
    for unit in 1..=2 {
        story.then(Input::Answered { unit, kept: false });
        story.settled(unit, 0, unanswered(AskAgain::Together));
    }
    story.then(Input::Answered { unit: 3, kept: false });
    assert_eq!(
        story.settled(3, 0, unanswered(AskAgain::Together)),
        ["record 1 after 4 (3 failed): missing", "release 3", "finish 2/2 settled"]
    );
}

#[test]
fn what_a_batch_left_out_can_be_asked_for_one_by_one_and_only_once() {
    let mut story = Story::begin(limits(0), &[2], &[unit(0, &[0, 1])]);
    story.fit(0);
    story.then(Input::Answered { unit: 0, kept: false });
    story.settled(0, 0, unanswered(AskAgain::Alone));
    assert_eq!(
        story.settled(0, 1, unanswered(AskAgain::Alone)),
        [
            "release 0",
            "warn a batch left out 2 of 2 ids: asking for each of them alone",
            "invoke 1: slots [0] attempt 1",
            "invoke 2: slots [1] attempt 1"
        ]
    );
    story.then(Input::Answered { unit: 1, kept: false });
    assert_eq!(
        story.settled(1, 0, unanswered(AskAgain::Alone)),
        ["record 0 after 2 (1 failed): missing", "release 1"]
    );
}

#[test]
fn what_is_asked_again_is_asked_in_the_order_of_the_plan_whatever_settled_first() {
    for (settlement, max_retries) in [
        ((|| unanswered(AskAgain::Together)) as fn() -> Settlement, 0),
        (|| Settlement::NotAnswered(Answer::Failed(failure(FailureKind::Target))), 1),
    ] {
        let mut story = Story::begin(limits(max_retries), &[1], &[unit(0, &[0, 1, 2])]);
        story.fit(0);
        story.then(Input::Answered { unit: 0, kept: false });
        story.settled(0, 2, settlement());
        story.settled(0, 0, settlement());
        let mut last = story.settled(0, 1, settlement());
        if max_retries > 0 {
            last = story.then(Input::Due { token: 0 });
        }
        assert_eq!(last.last().unwrap(), "invoke 1: slots [0, 1, 2] attempt 1");
    }
}

/// One slot that always fails: what is tried again, and what is not.
fn check(typed: Option<u32>, policy: RetryPolicy, kind: FailureKind, attempts: u32) {
    let mut agenda = cases(1, 1, 1);
    agenda.targets[0].policy = policy;
    let limits = Limits { max_retries: typed, ..limits(0) };
    let (mut story, _) = Story::fit_of(limits, agenda);
    for attempt in 1..attempts {
        let unit = attempt as usize - 1;
        let waits = format!("wait {unit}: retry {attempt} of target 0");
        assert_eq!(story.failed(unit, kind), [waits]);
        story.then(Input::Due { token: unit });
    }
    let name = kind.name();
    assert_eq!(
        story.failed(attempts as usize - 1, kind),
        [
            format!("record 0 after {attempts} ({} failed): {name}", attempts - 1),
            "finish 1/1 settled".to_owned()
        ]
    );
}

#[test]
fn the_command_line_says_how_often_else_the_target_else_nobody() {
    let policy = |max_retries| RetryPolicy { max_retries, ..RetryPolicy::default() };
    check(None, policy(None), FailureKind::Exit, 1);
    check(None, policy(Some(2)), FailureKind::Exit, 3);
    check(Some(1), policy(Some(2)), FailureKind::Exit, 2);
    check(Some(0), policy(Some(2)), FailureKind::Exit, 1);
}

#[test]
fn only_the_kinds_that_the_target_names_are_tried_again() {
    let policy = RetryPolicy { on: Some([FailureKind::Timeout].into()), ..RetryPolicy::default() };
    check(Some(2), policy.clone(), FailureKind::Timeout, 3);
    check(Some(2), policy, FailureKind::Exit, 1);
    check(Some(2), RetryPolicy::default(), FailureKind::Refused, 1);
}

#[test]
fn a_unit_that_waits_holds_no_place_and_keeps_the_run_alive() {
    let (mut story, _) = Story::fit_of(limits(1), cases(2, 1, 1));
    assert_eq!(
        story.failed(0, FailureKind::Exit),
        ["wait 0: retry 1 of target 0", "invoke 1: slots [1] attempt 0"]
    );
    assert_eq!(story.answered(1, given()), ["record 1 after 1 (0 failed): ok", "release 1"]);
    assert_eq!(story.then(Input::Due { token: 0 }), ["invoke 2: slots [0] attempt 1"]);
}

#[test]
fn a_stop_drops_what_waits_and_a_wait_that_ends_late_starts_nothing() {
    let (mut story, _) = Story::fit_of(limits(1), cases(2, 2, 1));
    story.failed(0, FailureKind::Exit);
    story.then(Input::Stop(StopLevel::Terminate));
    assert_eq!(story.then(Input::Due { token: 0 }), Vec::<String>::new());
    assert_eq!(story.failed(1, FailureKind::Interrupted), ["finish 0/2 settled, 2 unfinished"]);
}

/// Fails the last case of a batch of three and answers the others.
fn lose_one(story: &mut Story, unit: UnitId) -> Vec<String> {
    story.then(Input::Answered { unit, kept: false });
    story.settled(unit, 0, given());
    story.settled(unit, 1, given());
    let failed = Answer::Failed(failure(FailureKind::Target));
    story.settled(unit, 2, Settlement::NotAnswered(failed))
}

#[test]
fn batches_that_lose_one_case_each_get_them_back_in_one_batch() {
    let (mut story, begun) = Story::fit_of(limits(1), cases(21, 7, 3));
    assert_eq!(begun.len(), 7);
    // Which of them ends first is chance.
    assert_eq!(lose_one(&mut story, 6), ["release 6", "wait 0: retry 1 of target 0"]);
    for unit in 0..6 {
        assert_eq!(lose_one(&mut story, unit), [format!("release {unit}")]);
    }
    assert_eq!(
        story.then(Input::Due { token: 0 }),
        [
            "invoke 7: slots [2, 5, 8] attempt 1",
            "invoke 8: slots [11, 14, 17] attempt 1",
            "invoke 9: slots [20] attempt 1"
        ]
    );
}

#[test]
fn what_is_due_joins_what_was_due_before_and_is_not_begun() {
    let (mut story, _) = Story::fit_of(limits(2), cases(9, 1, 3));
    assert_eq!(lose_one(&mut story, 0), ["release 0", "wait 0: retry 1 of target 0"]);
    assert_eq!(story.then(Input::Due { token: 0 }), Vec::<String>::new(), "unit 1 runs");
    assert_eq!(lose_one(&mut story, 1), ["release 1", "wait 1: retry 1 of target 0"]);
    story.then(Input::Due { token: 1 });
    assert_eq!(
        lose_one(&mut story, 2),
        ["release 2", "wait 2: retry 1 of target 0"],
        "the third waits for a time of its own"
    );
    assert!(story.dispatcher.open.values().any(|open| open.work.slots == [2, 5]));
}

#[test]
fn what_waits_together_is_of_one_suite_one_repeat_and_one_count_of_tries() {
    let mut agenda = repeated(6, 2, 3);
    for place in agenda.slots.iter_mut().skip(6) {
        place.suite = 1;
    }
    let (mut story, begun) = Story::fit_of(limits(2), agenda);
    assert_eq!(begun.len(), 4, "two suites, two repeats: {begun:?}");
    for unit in 0..4 {
        let waits = format!("wait {unit}: retry 1 of target 0");
        assert_eq!(lose_one(&mut story, unit)[1..], [waits]);
    }
}

#[test]
fn single_cases_wait_each_for_themselves() {
    let (mut story, _) = Story::fit_of(limits(1), cases(2, 2, 1));
    assert_eq!(story.failed(0, FailureKind::Exit), ["wait 0: retry 1 of target 0"]);
    assert_eq!(story.failed(1, FailureKind::Exit), ["wait 1: retry 1 of target 0"]);
}

#[test]
fn what_is_asked_alone_is_also_tried_again_alone() {
    let (mut story, _) = Story::fit_of(limits(1), cases(2, 2, 9));
    story.then(Input::Answered { unit: 0, kept: false });
    story.settled(0, 0, unanswered(AskAgain::Alone));
    story.settled(0, 1, unanswered(AskAgain::Alone));
    assert_eq!(story.failed(1, FailureKind::Exit), ["wait 0: retry 1 of target 0"]);
    assert_eq!(story.failed(2, FailureKind::Exit), ["wait 1: retry 1 of target 0"]);
}
