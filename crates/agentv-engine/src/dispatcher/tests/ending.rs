//! Stops, deadlines and enough failures: what is begun no more, and what becomes of the rest.

use super::*;

#[test]
fn a_stop_starts_nothing_new_and_grades_what_is_answered() {
    let limits = Limits { grading: 1, ..limits(3) };
    let mut story = Story::begin(limits, &[1], &[unit(0, &[0, 1]), unit(0, &[2])]);
    story.fit(0);
    story.then(Input::Answered { unit: 0, kept: false });
    assert_eq!(story.then(Input::Stop(StopLevel::Terminate)), ["halt Terminate"]);
    assert_eq!(
        story.settled(0, 0, given()),
        ["record 0 after 1 (0 failed): ok", "settle 0[1] = 1"]
    );
    assert_eq!(
        story.settled(0, 1, Settlement::Interrupted(None)),
        ["release 0", "finish 1/3 settled, 1 unfinished"]
    );
}

#[test]
fn a_second_stop_grades_nothing_more() {
    let limits = Limits { grading: 1, ..limits(3) };
    let mut story = Story::begin(limits, &[1], &[unit(0, &[0, 1, 2])]);
    story.fit(0);
    story.then(Input::Answered { unit: 0, kept: false });
    story.then(Input::Stop(StopLevel::Terminate));
    assert_eq!(
        story.then(Input::Stop(StopLevel::Kill)),
        ["halt Kill", "release 0", "finish 0/3 settled, 3 unfinished"]
    );
    assert_eq!(story.settled(0, 0, given()), [""; 0], "nobody listens any more");
}

#[test]
fn a_second_stop_waits_for_those_who_are_asked_and_not_for_graders() {
    let units = [unit(0, &[0]), unit(0, &[1])];
    let mut story = Story::begin(limits(3), &[2], &units);
    story.fit(0);
    story.then(Input::Answered { unit: 0, kept: false });
    story.then(Input::Stop(StopLevel::Terminate));
    assert_eq!(story.then(Input::Stop(StopLevel::Kill)), ["halt Kill", "release 0"]);
    assert_eq!(story.settled(0, 0, given()), [""; 0]);
    assert_eq!(
        story.then(Input::Answered { unit: 1, kept: false }),
        ["release 1", "finish 0/2 settled, 2 unfinished"]
    );
}

#[test]
fn an_interrupted_invocation_leaves_no_record() {
    let mut story = Story::begin(limits(3), &[1], &[unit(0, &[0])]);
    story.fit(0);
    story.then(Input::Stop(StopLevel::Terminate));
    assert_eq!(story.then(Input::Stop(StopLevel::Kill)), ["halt Kill"]);
    let failure = failure(FailureKind::Interrupted);
    assert_eq!(
        story.then(Input::Failed { unit: 0, failure }),
        ["finish 0/1 settled, 1 unfinished"]
    );
}

#[test]
fn what_would_have_been_tried_again_is_not_finished_when_the_run_is_stopped() {
    for (max_retries, last) in [
        (1, vec!["release 0", "finish 0/1 settled, 1 unfinished"]),
        (0, vec!["record 0 after 1 (0 failed): target", "release 0", "finish 1/1 settled"]),
    ] {
        let mut story = Story::begin(limits(max_retries), &[1], &[unit(0, &[0])]);
        story.fit(0);
        story.then(Input::Answered { unit: 0, kept: false });
        story.then(Input::Stop(StopLevel::Terminate));
        let failed = Settlement::NotAnswered(Answer::Failed(failure(FailureKind::Target)));
        assert_eq!(story.settled(0, 0, failed), last);
    }
}

#[test]
fn at_the_deadline_nothing_new_is_begun_and_what_runs_is_ended() {
    let (mut story, _) = Story::fit_of(limits(3), cases(4, 2, 1));
    assert_eq!(story.then(Input::Deadline), ["overdue", "skip 2: Deadline", "skip 3: Deadline"]);
    story.then(Input::Answered { unit: 0, kept: false });
    assert_eq!(
        story.settled(0, 0, given()),
        ["record 0 after 1 (0 failed): ok", "release 0"],
        "what is answered is still graded"
    );
    assert_eq!(
        story.failed(1, FailureKind::Interrupted),
        ["skip 1: Deadline", "finish 1/4 settled"],
        "it is skipped, and not also unfinished"
    );
    assert!(!story.dispatcher.totals.interrupted);
    assert_eq!(story.dispatcher.totals.not_run, 3);
}

#[test]
fn a_wish_to_stop_after_the_deadline_counts_as_one() {
    let (mut story, _) = Story::fit_of(limits(0), cases(1, 1, 1));
    story.then(Input::Deadline);
    assert_eq!(story.then(Input::Stop(StopLevel::Terminate)), Vec::<String>::new());
    assert_eq!(story.then(Input::Stop(StopLevel::Kill)), ["halt Kill"]);
    story.failed(0, FailureKind::Interrupted);
    assert!(story.dispatcher.totals.interrupted);
}

#[test]
fn a_deadline_after_a_wish_to_stop_changes_nothing() {
    let (mut story, _) = Story::fit_of(limits(0), cases(2, 1, 1));
    story.then(Input::Stop(StopLevel::Terminate));
    assert_eq!(story.then(Input::Deadline), Vec::<String>::new());
    assert_eq!(story.failed(0, FailureKind::Interrupted), ["finish 0/2 settled, 1 unfinished"]);
}

#[test]
fn what_failed_and_waits_at_the_deadline_leaves_no_row() {
    let (mut story, _) = Story::fit_of(limits(3), cases(2, 2, 1));
    for (unit, attempt) in [(0, 0), (2, 1)] {
        story.failed(unit, FailureKind::Exit);
        story.then(Input::Due { token: attempt });
    }
    story.failed(3, FailureKind::Timeout);
    assert_eq!(story.then(Input::Deadline), ["overdue", "skip 0: Deadline"]);
    story.failed(1, FailureKind::Interrupted);
}

#[test]
fn a_further_attempt_that_the_deadline_ends_leaves_no_row_either() {
    let (mut story, _) = Story::fit_of(limits(3), cases(1, 1, 1));
    story.failed(0, FailureKind::Exit);
    story.then(Input::Due { token: 0 });
    story.then(Input::Deadline);
    assert_eq!(
        story.failed(1, FailureKind::Interrupted),
        ["skip 0: Deadline", "finish 0/1 settled"]
    );
}

#[test]
fn members_of_a_batch_that_would_be_asked_again_leave_no_row_at_the_deadline() {
    let (mut story, _) = Story::fit_of(limits(3), cases(3, 1, 9));
    story.then(Input::Answered { unit: 0, kept: false });
    let failed = Answer::Failed(failure(FailureKind::Target));
    story.settled(0, 0, Settlement::NotAnswered(failed));
    story.settled(0, 1, unanswered(AskAgain::Together));
    story.then(Input::Deadline);
    assert_eq!(
        story.settled(0, 2, given()),
        [
            "record 2 after 1 (0 failed): ok",
            "release 0",
            "skip 0: Deadline",
            "skip 1: Deadline",
            "finish 1/3 settled"
        ]
    );
}

fn fail_fast(most: usize, max_retries: u32) -> Limits {
    Limits { fail_fast: Some(most), ..limits(max_retries) }
}

#[test]
fn after_enough_failures_nothing_new_is_begun_and_what_runs_is_finished() {
    let (mut story, _) = Story::fit_of(fail_fast(2, 0), cases(6, 2, 1));
    assert_eq!(
        story.answered(0, scored(0.5)),
        ["record 0 after 1 (0 failed): ok", "release 0", "invoke 2: slots [2] attempt 0"],
        "one is not enough"
    );
    assert_eq!(
        story.failed(1, FailureKind::Exit),
        [
            "record 1 after 1 (0 failed): exit",
            "skip 3: FailFast",
            "skip 4: FailFast",
            "skip 5: FailFast"
        ]
    );
    assert_eq!(
        story.answered(2, scored(1.0)),
        ["record 2 after 1 (0 failed): ok", "release 2", "finish 3/6 settled"]
    );
    assert!(!story.dispatcher.totals.interrupted);
}

#[test]
fn what_passed_never_counts_as_a_failure() {
    let (mut story, _) = Story::fit_of(fail_fast(1, 0), cases(2, 1, 1));
    story.answered(0, scored(0.8));
    assert_eq!(story.answered(1, given()).last().unwrap(), "finish 2/2 settled");
}

#[test]
fn what_waits_for_another_attempt_when_enough_failed_leaves_no_row() {
    let (mut story, _) = Story::fit_of(fail_fast(1, 1), cases(3, 3, 1));
    assert_eq!(story.failed(0, FailureKind::Exit), ["wait 0: retry 1 of target 0"]);
    assert_eq!(
        story.answered(1, scored(0.0)),
        ["record 1 after 1 (0 failed): ok", "release 1", "skip 0: FailFast"]
    );
    assert_eq!(
        story.failed(2, FailureKind::Exit),
        ["skip 2: FailFast", "finish 1/3 settled"],
        "it is not tried again either"
    );
}

#[test]
fn dependents_of_the_failure_that_was_enough_are_skipped_for_its_sake() {
    let mut agenda = cases(3, 1, 1);
    agenda.after.insert(1, vec![after(0)]);
    let (mut story, _) = Story::fit_of(fail_fast(1, 0), agenda);
    assert_eq!(
        story.failed(0, FailureKind::Exit),
        [
            "record 0 after 1 (0 failed): exit",
            "skip 1: After(0)",
            "skip 2: FailFast",
            "finish 1/3 settled"
        ]
    );
}

#[test]
fn nothing_is_begun_while_what_may_be_the_last_failure_is_graded() {
    let limits = Limits { workers: Some(1), ..fail_fast(1, 0) };
    let (mut story, begun) = Story::fit_of(limits, cases(3, 4, 1));
    assert_eq!(begun, ["invoke 0: slots [0] attempt 0"]);
    assert_eq!(story.then(Input::Answered { unit: 0, kept: false }), ["settle 0[0] = 0"]);
    assert_eq!(
        story.settled(0, 0, scored(1.0)).last().unwrap(),
        "invoke 1: slots [1] attempt 0",
        "it was none, and the next has its turn"
    );
    assert_eq!(
        story.answered(1, scored(0.0))[2..],
        ["skip 2: FailFast", "finish 2/3 settled"],
        "the very first failure is the last"
    );
}

#[test]
fn no_more_fail_than_enough_and_those_beside_the_last() {
    let (mut story, mut said) = Story::fit_of(fail_fast(3, 0), cases(50, 4, 1));
    let mut failures = 0;
    while !said.last().unwrap().starts_with("finish") {
        let begun: Vec<usize> =
            (0..50).filter(|unit| story.dispatcher.open.contains_key(unit)).collect();
        assert!(begun.len() <= 4, "{begun:?}");
        // Every answer comes before any grade.
        for unit in &begun {
            story.then(Input::Answered { unit: *unit, kept: false });
        }
        for unit in begun {
            said = story.settled(unit, 0, scored(0.0));
            failures += 1;
        }
    }
    assert!((3..=3 + 4 - 1).contains(&failures), "{failures}");
}
