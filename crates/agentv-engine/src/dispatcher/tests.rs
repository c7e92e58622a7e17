//! The dispatcher fed by hand: no process, no task, no clock.

use std::{collections::BTreeSet, sync::Arc};

use agentv_base::{CommandRaw, Raw, Response};
use proptest::prelude::*;

use super::*;

fn unit(target: usize, slots: &[usize]) -> Unit {
    Unit { target, slots: slots.to_vec(), attempt: 0, retries: 0, asked_again: 0 }
}

fn limits(max_retries: u32) -> Limits {
    Limits { workers: None, grading: 8, max_retries }
}

fn given() -> Settlement {
    let raw = Raw::Command(CommandRaw {
        command: "".into(),
        exit_code: Some(0),
        stderr: "".into(),
        cwd: Arc::from(std::path::Path::new("")),
        output_file: None,
        record_id: None,
    });
    Settlement::Done(Outcome::Answered {
        response: Box::new(Response {
            text: String::new(),
            output_messages: None,
            trace: None,
            token_usage: None,
            cost_usd: None,
            duration_ms: None,
            dropped_elements: 0,
            leaked: Arc::from([]),
            raw,
        }),
    })
}

fn failure(kind: FailureKind) -> Failure {
    Failure::new(kind, "x")
}

fn unanswered(ask: AskAgain) -> Settlement {
    Settlement::NotAnswered(Answer::Unanswered { ask, failure: failure(FailureKind::Missing) })
}

/// The actions in short words, so that a test reads like a story.
fn words(actions: &[Action]) -> Vec<String> {
    actions
        .iter()
        .map(|action| match action {
            Action::Check { target } => format!("check {target}"),
            Action::Invoke { unit, work } => {
                format!("invoke {unit}: slots {:?} attempt {}", work.slots, work.attempt)
            }
            Action::Settle { unit, index, slot } => format!("settle {unit}[{index}] = {slot}"),
            Action::Release { unit } => format!("release {unit}"),
            Action::Record { slot, attempts, failed_attempts, outcome } => format!(
                "record {slot} after {attempts} ({} failed): {}",
                failed_attempts.len(),
                match outcome {
                    Outcome::Failed { failure } => failure.kind.name(),
                    Outcome::Answered { .. } | Outcome::Assessed { .. } => "ok",
                }
            ),
            Action::Warn(text) => format!("warn {text}"),
            Action::Halt(level) => format!("halt {level:?}"),
            Action::Finish(totals) => {
                let begun = match totals.unfinished {
                    0 => String::new(),
                    count => format!(", {count} unfinished"),
                };
                format!("finish {}/{} settled{begun}", totals.settled, totals.planned)
            }
        })
        .collect()
}

struct Story {
    dispatcher: Dispatcher,
}

impl Story {
    fn begin(limits: Limits, workers: &[usize], units: Vec<Unit>) -> Self {
        let mut dispatcher = Dispatcher::new(limits, workers, units);
        dispatcher.handle(Input::Begin);
        Self { dispatcher }
    }

    fn then(&mut self, input: Input) -> Vec<String> {
        words(&self.dispatcher.handle(input))
    }

    fn fit(&mut self, target: usize) -> Vec<String> {
        self.then(Input::Checked { target, result: Ok(()) })
    }

    fn settled(&mut self, unit: UnitId, index: usize, settlement: Settlement) -> Vec<String> {
        self.then(Input::Settled { unit, index, settlement })
    }
}

#[test]
fn nothing_is_invoked_before_its_target_was_found_fit() {
    let mut dispatcher = Dispatcher::new(limits(0), &[1], vec![unit(0, &[0])]);
    assert_eq!(words(&dispatcher.handle(Input::Begin)), ["check 0"]);
    let fit = dispatcher.handle(Input::Checked { target: 0, result: Ok(()) });
    assert_eq!(words(&fit), ["invoke 0: slots [0] attempt 0"]);
}

#[test]
fn a_failing_healthcheck_fails_every_case_of_its_target_and_starts_none() {
    let mut story = Story::begin(limits(5), &[1, 1], vec![unit(0, &[0, 1]), unit(1, &[2])]);
    let result = Err(failure(FailureKind::Healthcheck));
    assert_eq!(
        story.then(Input::Checked { target: 0, result }),
        ["record 0 after 0 (0 failed): healthcheck", "record 1 after 0 (0 failed): healthcheck"]
    );
    assert_eq!(story.fit(1), ["invoke 0: slots [2] attempt 0"]);
}

#[test]
fn a_target_never_runs_more_invocations_than_its_workers() {
    let units = (0..5).map(|slot| unit(0, &[slot])).collect();
    let mut story = Story::begin(limits(0), &[2], units);
    assert_eq!(story.fit(0), ["invoke 0: slots [0] attempt 0", "invoke 1: slots [1] attempt 0"]);
    assert_eq!(
        story.then(Input::Answered { unit: 0 }),
        ["settle 0[0] = 0", "invoke 2: slots [2] attempt 0"]
    );
}

#[test]
fn the_overall_limit_is_shared_evenly_between_targets() {
    let units = (0..6).map(|slot| unit(slot % 2, &[slot])).collect();
    let limits = Limits { workers: Some(2), ..limits(0) };
    let mut dispatcher = Dispatcher::new(limits, &[4, 4], units);
    dispatcher.handle(Input::Begin);
    dispatcher.targets[1].health = Health::Fit;
    let started = dispatcher.handle(Input::Checked { target: 0, result: Ok(()) });
    assert_eq!(words(&started), ["invoke 0: slots [0] attempt 0", "invoke 1: slots [1] attempt 0"]);
}

#[test]
fn a_batch_is_settled_record_by_record_up_to_the_grading_limit() {
    let limits = Limits { grading: 2, ..limits(0) };
    let mut story = Story::begin(limits, &[1], vec![unit(0, &[0, 1, 2])]);
    story.fit(0);
    assert_eq!(story.then(Input::Answered { unit: 0 }), ["settle 0[0] = 0", "settle 0[1] = 1"]);
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
fn members_of_a_batch_that_failed_are_tried_again_together_with_their_evidence() {
    let mut story = Story::begin(limits(1), &[1], vec![unit(0, &[0, 1, 2])]);
    story.fit(0);
    story.then(Input::Answered { unit: 0 });
    story.settled(0, 0, given());
    for index in [1, 2] {
        let failed = Answer::Failed(failure(FailureKind::Target));
        let said = story.settled(0, index, Settlement::NotAnswered(failed));
        if index == 2 {
            assert_eq!(said, ["release 0", "invoke 1: slots [1, 2] attempt 1"]);
        }
    }
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
    let mut story = Story::begin(limits(0), &[1], vec![unit(0, &[0])]);
    story.fit(0);
    let failure = failure(FailureKind::Timeout);
    assert_eq!(
        story.then(Input::Failed { unit: 0, failure }),
        ["record 0 after 1 (0 failed): timeout", "finish 1/1 settled"]
    );
}

#[test]
fn what_a_batch_left_out_is_asked_for_again_three_times_and_no_more() {
    let mut story = Story::begin(limits(0), &[1], vec![unit(0, &[0, 1])]);
    story.fit(0);
    story.then(Input::Answered { unit: 0 });
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
        story.then(Input::Answered { unit });
        story.settled(unit, 0, unanswered(AskAgain::Together));
    }
    story.then(Input::Answered { unit: 3 });
    assert_eq!(
        story.settled(3, 0, unanswered(AskAgain::Together)),
        ["record 1 after 4 (3 failed): missing", "release 3", "finish 2/2 settled"]
    );
}

#[test]
fn what_a_batch_left_out_can_be_asked_for_one_by_one_and_only_once() {
    let mut story = Story::begin(limits(0), &[2], vec![unit(0, &[0, 1])]);
    story.fit(0);
    story.then(Input::Answered { unit: 0 });
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
    story.then(Input::Answered { unit: 1 });
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
        let mut story = Story::begin(limits(max_retries), &[1], vec![unit(0, &[3, 4, 5])]);
        story.fit(0);
        story.then(Input::Answered { unit: 0 });
        story.settled(0, 2, settlement());
        story.settled(0, 0, settlement());
        let last = story.settled(0, 1, settlement());
        assert_eq!(last.last().unwrap(), "invoke 1: slots [3, 4, 5] attempt 1");
    }
}

#[test]
fn a_stop_starts_nothing_new_and_grades_what_is_answered() {
    let limits = Limits { grading: 1, ..limits(3) };
    let mut story = Story::begin(limits, &[1], vec![unit(0, &[0, 1]), unit(0, &[2])]);
    story.fit(0);
    story.then(Input::Answered { unit: 0 });
    assert_eq!(story.then(Input::Stop(StopLevel::Terminate)), ["halt Terminate"]);
    assert_eq!(
        story.settled(0, 0, given()),
        ["record 0 after 1 (0 failed): ok", "settle 0[1] = 1"]
    );
    assert_eq!(
        story.settled(0, 1, Settlement::Interrupted),
        ["release 0", "finish 1/3 settled, 1 unfinished"]
    );
}

#[test]
fn a_second_stop_grades_nothing_more() {
    let limits = Limits { grading: 1, ..limits(3) };
    let mut story = Story::begin(limits, &[1], vec![unit(0, &[0, 1, 2])]);
    story.fit(0);
    story.then(Input::Answered { unit: 0 });
    story.then(Input::Stop(StopLevel::Terminate));
    assert_eq!(story.then(Input::Stop(StopLevel::Kill)), ["halt Kill"]);
    assert_eq!(
        story.settled(0, 0, given()),
        ["record 0 after 1 (0 failed): ok", "release 0", "finish 1/3 settled, 2 unfinished"]
    );
}

#[test]
fn an_interrupted_invocation_leaves_no_record() {
    let mut story = Story::begin(limits(3), &[1], vec![unit(0, &[0])]);
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
fn an_empty_plan_is_finished_at_once() {
    let mut dispatcher = Dispatcher::new(limits(0), &[1], Vec::new());
    assert_eq!(words(&dispatcher.handle(Input::Begin)), ["finish 0/0 settled"]);
}

#[test]
fn targets_wait_while_answers_pile_up_before_the_graders() {
    let limits = Limits { grading: 1, ..limits(0) };
    let units = (0..9).map(|slot| unit(0, &[slot])).collect();
    let mut story = Story::begin(limits, &[2], units);
    story.fit(0);
    story.then(Input::Answered { unit: 0 });
    // Unit 0 is being graded; unit 1 would have to wait, so nothing new is started for it.
    assert_eq!(story.then(Input::Answered { unit: 1 }), Vec::<String>::new());
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

/// Answers whatever the dispatcher asks for by a list of small numbers, until it is finished.
fn play(choices: &[u8], limits: Limits, sizes: &[usize]) -> (Vec<usize>, Totals) {
    let mut slot = 0;
    let units = sizes
        .iter()
        .map(|size| {
            let slots: Vec<usize> = (slot..slot + size).collect();
            slot += size;
            unit(slot % 2, &slots)
        })
        .collect();
    let mut dispatcher = Dispatcher::new(limits, &[2, 3], units);
    let mut todo: VecDeque<Action> = dispatcher.handle(Input::Begin).into();
    let mut choices = choices.iter().copied().cycle();
    let mut recorded = Vec::new();
    while let Some(action) = todo.pop_front() {
        let choice = choices.next().unwrap_or(0);
        let input = match action {
            Action::Check { target } => {
                let result =
                    if choice == 7 { Err(failure(FailureKind::Healthcheck)) } else { Ok(()) };
                Input::Checked { target, result }
            }
            Action::Invoke { unit, .. } => match choice % 4 {
                0 => Input::Failed { unit, failure: failure(FailureKind::Exit) },
                _ => Input::Answered { unit },
            },
            Action::Settle { unit, index, .. } => {
                let settlement = match choice % 5 {
                    0 => unanswered(AskAgain::Together),
                    1 => unanswered(AskAgain::Alone),
                    2 => Settlement::NotAnswered(Answer::Failed(failure(FailureKind::Target))),
                    _ => given(),
                };
                Input::Settled { unit, index, settlement }
            }
            Action::Record { slot, .. } => {
                recorded.push(slot);
                if choice == 13 {
                    Input::Stop(StopLevel::Terminate)
                } else {
                    continue;
                }
            }
            Action::Finish(totals) => {
                assert!(todo.is_empty(), "nothing happens after the end");
                return (recorded, totals);
            }
            Action::Release { .. } | Action::Warn(_) | Action::Halt(_) => continue,
        };
        todo.extend(dispatcher.handle(input));
    }
    panic!("the run never finished");
}

proptest! {
    #[test]
    fn every_slot_ends_exactly_once_whatever_happens(
        choices in proptest::collection::vec(0u8..16, 1..60),
        sizes in proptest::collection::vec(1usize..5, 0..8),
        max_retries in 0u32..3,
        grading in 1usize..4,
        workers in proptest::option::of(1usize..4),
    ) {
        let (recorded, totals) = play(&choices, Limits { workers, grading, max_retries }, &sizes);
        let once: BTreeSet<usize> = recorded.iter().copied().collect();
        prop_assert_eq!(once.len(), recorded.len(), "a slot was recorded twice");
        prop_assert_eq!(recorded.len(), totals.settled);
        prop_assert_eq!(totals.settled + totals.not_run, totals.planned);
        prop_assert!(totals.unfinished <= totals.not_run);
        prop_assert_eq!(totals.planned, sizes.iter().sum::<usize>());
        if !totals.interrupted {
            prop_assert_eq!(totals.not_run, 0);
        }
    }
}
