//! Who is asked when, and how many at once.

use super::*;

#[test]
fn nothing_is_invoked_before_its_target_was_found_fit() {
    let mut dispatcher = Dispatcher::new(limits(0), agenda(&[1], &[unit(0, &[0])]));
    assert_eq!(words(&dispatcher.handle(Input::Begin)), ["check 0"]);
    let fit = dispatcher.handle(Input::Checked { target: 0, result: Ok(()) });
    assert_eq!(words(&fit), ["invoke 0: slots [0] attempt 0"]);
}

#[test]
fn a_failing_healthcheck_fails_every_case_of_its_target_and_starts_none() {
    let mut story = Story::begin(limits(5), &[1, 1], &[unit(0, &[0, 1]), unit(1, &[2])]);
    let result = Err(failure(FailureKind::Healthcheck));
    assert_eq!(
        story.then(Input::Checked { target: 0, result }),
        ["record 0 after 0 (0 failed): healthcheck", "record 1 after 0 (0 failed): healthcheck"]
    );
    assert_eq!(story.fit(1), ["invoke 0: slots [2] attempt 0"]);
}

#[test]
fn a_target_never_runs_more_invocations_than_its_workers() {
    let units: Vec<Unit> = (0..5).map(|slot| unit(0, &[slot])).collect();
    let mut story = Story::begin(limits(0), &[2], &units);
    assert_eq!(story.fit(0), ["invoke 0: slots [0] attempt 0", "invoke 1: slots [1] attempt 0"]);
    assert_eq!(
        story.then(Input::Answered { unit: 0, kept: false }),
        ["settle 0[0] = 0", "invoke 2: slots [2] attempt 0"]
    );
}

#[test]
fn the_overall_limit_is_shared_evenly_between_targets() {
    let units: Vec<Unit> = (0..6).map(|slot| unit(slot % 2, &[slot])).collect();
    let limits = Limits { workers: Some(2), ..limits(0) };
    let mut dispatcher = Dispatcher::new(limits, agenda(&[4, 4], &units));
    dispatcher.handle(Input::Begin);
    dispatcher.targets[1].health = Health::Fit;
    let started = dispatcher.handle(Input::Checked { target: 0, result: Ok(()) });
    assert_eq!(words(&started), ["invoke 0: slots [0] attempt 0", "invoke 1: slots [1] attempt 0"]);
}

#[test]
fn a_batch_is_settled_record_by_record_up_to_the_grading_limit() {
    let limits = Limits { grading: 2, ..limits(0) };
    let mut story = Story::begin(limits, &[1], &[unit(0, &[0, 1, 2])]);
    story.fit(0);
    assert_eq!(
        story.then(Input::Answered { unit: 0, kept: false }),
        ["settle 0[0] = 0", "settle 0[1] = 1"]
    );
    assert_eq!(
        story.settled(0, 1, given()),
        ["record 1 after 1 (0 failed): ok", "settle 0[2] = 2"]
    );
    story.settled(0, 0, given());
    assert_eq!(
        story.settled(0, 2, given()),
        ["record 2 after 1 (0 failed): ok", "release 0", "finish 3/3 settled"]
    );
}

#[test]
fn an_empty_plan_is_finished_at_once() {
    let mut dispatcher = Dispatcher::new(limits(0), agenda(&[1], &[]));
    assert_eq!(words(&dispatcher.handle(Input::Begin)), ["finish 0/0 settled"]);
}

#[test]
fn targets_wait_while_answers_pile_up_before_the_graders() {
    let limits = Limits { grading: 1, ..limits(0) };
    let units: Vec<Unit> = (0..9).map(|slot| unit(0, &[slot])).collect();
    let mut story = Story::begin(limits, &[2], &units);
    story.fit(0);
    story.then(Input::Answered { unit: 0, kept: false });
    // Unit 0 is being graded; unit 1 would have to wait, so nothing new is started for it.
    assert_eq!(story.then(Input::Answered { unit: 1, kept: false }), Vec::<String>::new());
    assert_eq!(
        story.settled(0, 0, given()),
        [
            "record 0 after 1 (0 failed): ok",
            "release 0",
            "settle 1[0] = 1",
            "invoke 3: slots [3] attempt 0"
        ]
    );
}
