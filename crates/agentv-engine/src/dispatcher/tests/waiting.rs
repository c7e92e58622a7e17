//! Slots that wait for others, and repeats that end when their case is decided.

use super::*;

/// Decided when so many scores are there.
struct AfterScores(usize);

impl StopRule for AfterScores {
    fn is_decided(&self, threshold: f64, scores: &[f64]) -> bool {
        assert!((threshold - 0.8).abs() < 1e-9, "the threshold is the assessment's");
        scores.len() >= self.0
    }
}

fn decided_after(scores: usize, mut agenda: Agenda) -> Agenda {
    agenda.stop_rule = Some(Arc::new(AfterScores(scores)));
    agenda
}

fn chain(count: usize, most: usize) -> Agenda {
    let mut agenda = cases(count, 4, most);
    agenda.after = (1..count).map(|slot| (slot, vec![after(slot - 1)])).collect();
    agenda
}

#[test]
fn a_slot_is_asked_when_what_it_waits_for_has_passed() {
    let (mut story, begun) = Story::fit_of(limits(0), chain(2, 1));
    assert_eq!(begun, ["invoke 0: slots [0] attempt 0"]);
    assert_eq!(
        story.answered(0, scored(0.9)),
        ["record 0 after 1 (0 failed): ok", "release 0", "invoke 1: slots [1] attempt 0"]
    );
}

#[test]
fn what_waits_for_a_failed_case_is_skipped_and_so_is_what_waits_for_that() {
    for settlement in
        [scored(0.7), Settlement::NotAnswered(Answer::Failed(failure(FailureKind::Exit)))]
    {
        let (mut story, _) = Story::fit_of(limits(0), chain(3, 1));
        let said = story.answered(0, settlement);
        assert_eq!(said[2..], ["skip 1: After(0)", "skip 2: After(1)", "finish 1/3 settled"]);
    }
}

#[test]
fn the_first_that_did_not_pass_is_named_whichever_ended_first() {
    let mut agenda = cases(4, 4, 1);
    agenda.after.insert(3, vec![after(0), after(1), after(2)]);
    let (mut story, _) = Story::fit_of(limits(0), agenda);
    story.answered(2, scored(0.0));
    story.answered(1, scored(0.0));
    assert!(story.answered(0, scored(1.0)).contains(&"skip 3: After(1)".to_owned()));
}

#[test]
fn a_gate_that_asks_for_no_pass_opens_with_any_end_that_dependencies_lead_to() {
    let mut agenda = cases(4, 4, 1);
    let any = |slot| vec![After { slot, must_pass: false }];
    agenda.after = [(1, any(0)), (2, vec![after(0)]), (3, any(2))].into();
    let (mut story, _) = Story::fit_of(limits(0), agenda);
    assert_eq!(
        story.failed(0, FailureKind::Exit)[1..],
        ["skip 2: After(0)", "invoke 1: slots [1] attempt 0", "invoke 2: slots [3] attempt 0"],
        "what tidies up comes also after what was skipped for the sake of another"
    );
}

#[test]
fn a_gate_that_asks_for_no_pass_stays_shut_where_money_or_failures_hold_it_back() {
    let mut agenda = cases(3, 1, 1);
    agenda.after = [(2, vec![After { slot: 1, must_pass: false }])].into();
    let limits = Limits { fail_fast: Some(1), ..limits(0) };
    let (mut story, _) = Story::fit_of(limits, agenda);
    assert_eq!(
        story.failed(0, FailureKind::Exit)[1..],
        ["skip 1: FailFast", "skip 2: FailFast", "finish 1/3 settled"]
    );
}

#[test]
fn circles_and_slots_that_are_not_there_are_skipped_at_the_end() {
    let mut agenda = cases(5, 4, 1);
    let gates = [(0, 1), (1, 0), (2, 2), (3, 99)];
    agenda.after = gates.into_iter().map(|(slot, on)| (slot, vec![after(on)])).collect();
    let (mut story, begun) = Story::fit_of(limits(0), agenda);
    assert_eq!(begun, ["invoke 0: slots [4] attempt 0"]);
    assert_eq!(
        story.answered(0, given())[2..],
        [
            "skip 0: After(1)",
            "skip 1: After(0)",
            "skip 2: After(2)",
            "skip 3: After(99)",
            "finish 1/5 settled"
        ]
    );
}

#[test]
fn an_unfit_target_fails_also_what_its_slots_release() {
    let mut agenda = repeated(1, 3, 1);
    agenda = decided_after(9, agenda);
    let (mut story, _) = Story::of(limits(0), agenda);
    let result = Err(failure(FailureKind::Healthcheck));
    let said = story.then(Input::Checked { target: 0, result });
    assert_eq!(said.len(), 4, "{said:?}");
    assert_eq!(said[3], "finish 3/3 settled");
}

#[test]
fn released_slots_of_a_batching_target_are_asked_in_waves() {
    // Two roots, and two that wait for each of them.
    let mut agenda = cases(6, 4, 9);
    agenda.after = (2..6).map(|slot| (slot, vec![after(slot % 2)])).collect();
    let (mut story, begun) = Story::fit_of(limits(0), agenda);
    assert_eq!(begun, ["invoke 0: slots [0, 1] attempt 0"]);
    story.then(Input::Answered { unit: 0, kept: false });
    assert_eq!(
        story.settled(0, 1, scored(1.0)),
        ["record 1 after 1 (0 failed): ok"],
        "what it releases waits for the rest of the wave"
    );
    assert_eq!(
        story.settled(0, 0, scored(1.0)).last().unwrap(),
        "invoke 1: slots [2, 3, 4, 5] attempt 0"
    );
}

#[test]
fn a_wave_waits_for_what_is_tried_again() {
    let mut agenda = cases(3, 4, 9);
    agenda.after.insert(2, vec![after(0)]);
    let (mut story, _) = Story::fit_of(limits(1), agenda);
    story.then(Input::Answered { unit: 0, kept: false });
    story.settled(0, 0, scored(1.0));
    let failed = Answer::Failed(failure(FailureKind::Target));
    assert_eq!(
        story.settled(0, 1, Settlement::NotAnswered(failed)),
        ["release 0", "wait 0: retry 1 of target 0"]
    );
    story.then(Input::Due { token: 0 });
    assert_eq!(
        story.failed(1, FailureKind::Exit),
        ["record 1 after 2 (1 failed): exit", "invoke 2: slots [2] attempt 0"]
    );
}

#[test]
fn a_wave_mixes_neither_repeats_nor_suites_and_keeps_to_the_size_of_a_batch() {
    let mut agenda = repeated(4, 2, 2);
    agenda.slots[7].suite = 1;
    agenda.after = (1..8).map(|slot| (slot, vec![after(0)])).collect();
    let (mut story, _) = Story::fit_of(limits(0), agenda);
    assert_eq!(
        story.answered(0, scored(1.0))[2..],
        [
            "invoke 1: slots [1, 3] attempt 0",
            "invoke 2: slots [2, 4] attempt 0",
            "invoke 3: slots [5] attempt 0",
            "invoke 4: slots [6] attempt 0",
            "invoke 5: slots [7] attempt 0"
        ]
    );
}

#[test]
fn repeats_are_asked_one_after_the_other_until_their_case_is_decided() {
    let (mut story, begun) = Story::fit_of(limits(0), decided_after(2, repeated(2, 4, 1)));
    assert_eq!(begun, ["invoke 0: slots [0] attempt 0", "invoke 1: slots [4] attempt 0"]);
    assert_eq!(story.answered(0, scored(0.0)).last().unwrap(), "invoke 2: slots [1] attempt 0");
    assert_eq!(
        story.failed(2, FailureKind::Exit),
        ["record 1 after 1 (0 failed): exit", "invoke 3: slots [2] attempt 0"],
        "an error adds no score"
    );
    assert_eq!(
        story.answered(3, scored(1.0)),
        ["record 2 after 1 (0 failed): ok", "release 3", "skip 3: Decided"]
    );
    story.answered(1, scored(1.0));
    assert_eq!(
        story.answered(4, scored(1.0))[2..],
        ["skip 6: Decided", "skip 7: Decided", "finish 5/8 settled, 3 decided"]
    );
    assert_eq!(story.dispatcher.totals.not_run, 0);
}

#[test]
fn repeats_of_a_batching_target_go_in_waves_too() {
    let (mut story, begun) = Story::fit_of(limits(0), decided_after(2, repeated(2, 3, 9)));
    assert_eq!(begun, ["invoke 0: slots [0, 3] attempt 0"]);
    story.then(Input::Answered { unit: 0, kept: false });
    story.settled(0, 0, scored(1.0));
    assert_eq!(
        story.settled(0, 1, scored(1.0)).last().unwrap(),
        "invoke 1: slots [1, 4] attempt 0"
    );
}

/// Case 0 and case 1, three repeats each; each repeat of case 1 waits for that of case 0.
fn dependent_repeats() -> Agenda {
    let mut agenda = repeated(2, 3, 1);
    agenda.after = (0..3).map(|repeat| (3 + repeat, vec![after(repeat)])).collect();
    decided_after(2, agenda)
}

#[test]
fn a_repeat_that_is_not_needed_releases_as_the_last_that_was_graded() {
    for (score, end) in [(1.0, "skip 2: Decided"), (0.0, "skip 2: Decided")] {
        let (mut story, _) = Story::fit_of(limits(0), dependent_repeats());
        // Unit 1 is the second repeat of case 0, unit 2 the first of case 1.
        assert_eq!(
            story.answered(0, scored(1.0))[2..],
            ["invoke 1: slots [1] attempt 0", "invoke 2: slots [3] attempt 0"]
        );
        assert_eq!(story.answered(1, scored(score))[2..], [end]);
        let said = story.failed(2, FailureKind::Exit);
        if score > 0.5 {
            assert_eq!(said[1..], ["invoke 3: slots [4] attempt 0"]);
            story.failed(3, FailureKind::Exit);
            assert_eq!(
                story.answered(4, scored(1.0)).last().unwrap(),
                "finish 5/6 settled, 1 decided"
            );
        } else {
            let ends = ["skip 4: After(1)", "skip 5: After(2)", "finish 3/6 settled, 1 decided"];
            assert_eq!(said[1..], ends);
        }
    }
}

#[test]
fn a_skipped_repeat_does_not_hold_back_the_next() {
    let (mut story, _) = Story::fit_of(limits(0), dependent_repeats());
    assert_eq!(
        story.answered(0, scored(0.0))[2..],
        ["skip 3: After(0)", "invoke 1: slots [1] attempt 0"]
    );
    assert_eq!(
        story.answered(1, scored(1.0))[2..],
        ["skip 2: Decided", "invoke 2: slots [4] attempt 0"]
    );
}

#[test]
fn a_long_row_of_slots_is_asked_one_by_one_and_its_rest_is_skipped_in_one_go() {
    let count = 20_000;
    let (mut story, _) = Story::fit_of(limits(0), chain(count, 1));
    for unit in 0..count / 2 {
        story.answered(unit, given());
    }
    let said = story.failed(count / 2, FailureKind::Exit);
    assert_eq!(said.len(), count / 2 + 1);
    assert_eq!(said.last().unwrap(), "finish 10001/20000 settled");
}
