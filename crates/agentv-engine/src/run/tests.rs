//! The whole loop with a target in memory: waits, deadlines and reasons as sinks hear of them.

use std::{path::Path, sync::Mutex, time::Duration};

use agentv_base::{
    Answer, Answers, Backoff, Batching, BoxFuture, CasePlace, EvalCase, Failure, FailureKind,
    Input as Asked, Messages, Provider, Request, RetryPolicy, Span,
};

use futures_util::FutureExt as _;

use super::*;
use crate::{
    plan::{After, PlannedTarget},
    sample::OneAnswer,
};

/// What a target does when it is asked.
#[derive(Clone)]
enum Does {
    Answers,
    /// What comes back is no answer when somebody looks at it.
    AnswersBadly,
    Fails,
    /// Works until it is told to stop.
    Works(Stop),
}

struct Target {
    /// Which of its acts it shows at which attempt.
    does: fn(u32) -> usize,
    acts: Vec<Does>,
    policy: RetryPolicy,
}

struct NoAnswer;

impl Answers for NoAnswer {
    fn settle(&self, _: usize) -> Answer {
        Answer::Failed(Failure::new(FailureKind::Output, "y"))
    }
}

impl Provider for Target {
    fn batching(&self) -> Batching {
        Batching::Single
    }

    fn retry_policy(&self) -> RetryPolicy {
        self.policy.clone()
    }

    fn check(&self) -> BoxFuture<'_, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>> {
        let act = self.acts[(self.does)(requests[0].attempt)].clone();
        Box::pin(async move {
            match act {
                Does::Answers => Ok(Arc::new(OneAnswer) as Arc<dyn Answers>),
                Does::AnswersBadly => Ok(Arc::new(NoAnswer) as Arc<dyn Answers>),
                Does::Fails => Err(Failure::new(FailureKind::Exit, "x")),
                Does::Works(stop) => {
                    stop.reached(StopLevel::Terminate).await;
                    Err(Failure::new(FailureKind::Interrupted, "stopped"))
                }
            }
        })
    }
}

fn case(id: &str) -> Arc<EvalCase> {
    Arc::new(EvalCase {
        input: Arc::new(Asked {
            eval_id: id.into(),
            suite_file: Arc::from(Path::new("s.yaml")),
            messages: Messages::default(),
            files: Vec::new(),
            guideline_files: Vec::new(),
            conversation_id: None,
        }),
        dataset: "s".into(),
        suite: "s.yaml".into(),
        place: CasePlace { file: None, span: Span::default(), line: 1, column: 1 },
        expected_outcome: None,
        expected_messages: Messages::default(),
        graders: Arc::from([]),
        targets: Arc::from([]),
        judge_target: None,
        threshold: None,
        repeat: None,
        depends_on: Arc::from([]),
        tags: Arc::from([]),
        vars: None,
    })
}

/// One line for each end of a case.
#[derive(Clone, Default)]
struct Ear {
    said: Arc<Mutex<Vec<String>>>,
    stops_after_invocation: bool,
    hears_of_attempts: bool,
    /// Cannot bear to hear of a case.
    panics: bool,
    signals: Option<mpsc::UnboundedSender<StopLevel>>,
}

impl Sink for Ear {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault> {
        let said = match event {
            RunEvent::Settled(_) if self.panics => panic!("on purpose"),
            RunEvent::Settled(case) => {
                let ok =
                    if matches!(case.outcome, Outcome::Failed { .. }) { "failed" } else { "ok" };
                format!("{}: {ok} after {}", case.case.id(), case.attempts)
            }
            RunEvent::Skipped(case) => format!("{}: {:?}", case.case.id(), case.reason),
            RunEvent::Invoked { .. } if self.stops_after_invocation => {
                self.signals.as_ref().unwrap().send(StopLevel::Terminate).unwrap();
                return Ok(());
            }
            RunEvent::Invoking { first_id, attempt, again, .. } if self.hears_of_attempts => {
                let why = again.as_ref().map(|failure| failure.message.to_string());
                format!("{first_id}: attempt {attempt}, {why:?}")
            }
            RunEvent::Waiting { cases, last } if self.hears_of_attempts => {
                let why = last.as_ref().map(|failure| failure.message.to_string());
                format!("{cases} waiting, {why:?}")
            }
            RunEvent::Started { .. }
            | RunEvent::Invoking { .. }
            | RunEvent::Invoked { .. }
            | RunEvent::Grading { .. }
            | RunEvent::Graded { .. }
            | RunEvent::Waiting { .. }
            | RunEvent::Warning(_)
            | RunEvent::Stopping(_)
            | RunEvent::Finished(_) => return Ok(()),
        };
        self.said.lock().unwrap().push(said);
        Ok(())
    }
}

async fn play(
    cases: &[&str],
    target: Target,
    after: &[(usize, usize)],
    limits: Limits,
    stop: Stop,
) -> (Vec<String>, Totals) {
    play_to(Ear::default(), cases, target, after, limits, stop).await
}

/// Runs cases of one target one after the other.
async fn play_to(
    mut ear: Ear,
    cases: &[&str],
    target: Target,
    after: &[(usize, usize)],
    limits: Limits,
    stop: Stop,
) -> (Vec<String>, Totals) {
    let gate = |slot| vec![After { slot, must_pass: true }];
    let plan = Plan {
        cases: cases.iter().map(|id| case(id)).collect(),
        targets: vec![PlannedTarget { name: "t".into(), provider: Arc::new(target), workers: 1 }],
        slots: (0..cases.len()).map(|case| Slot { case, target: 0, repeat: 1 }).collect(),
        after: after.iter().map(|(slot, other)| (*slot, gate(*other))).collect(),
        ..Plan::default()
    };
    let (signals, receiver) = mpsc::unbounded_channel();
    ear.signals = Some(signals);
    let sinks: Vec<Box<dyn Sink>> = vec![Box::new(ear.clone())];
    let limits = Limits { grading: 1, ..limits };
    let end = run(Arc::new(plan), limits, None, stop, receiver, sinks).await;
    let said = ear.said.lock().unwrap().clone();
    (said, end.totals)
}

fn waiting(initial: Duration) -> RetryPolicy {
    let backoff = Backoff { initial, most: initial, factor: 1.0 };
    RetryPolicy { max_retries: Some(1), on: None, backoff }
}

#[tokio::test]
async fn a_failed_attempt_is_tried_again_when_its_wait_is_over() {
    let target = Target {
        does: |attempt| attempt as usize,
        acts: vec![Does::Fails, Does::Answers],
        policy: waiting(Duration::from_millis(1)),
    };
    let (mut said, totals) =
        play(&["a", "b"], target, &[], Limits::default(), Stop::default()).await;
    // Which wait ends first is chance.
    said.sort_unstable();
    assert_eq!(said, ["a: ok after 2", "b: ok after 2"]);
    assert_eq!(totals.settled, 2);
}

/// A case whose first attempt comes to this, for this reason, is told to wait and asked again.
async fn check_that_it_is_asked_again(first: Does, why: &str) {
    let target = Target {
        does: |attempt| attempt as usize,
        acts: vec![first, Does::Answers],
        policy: waiting(Duration::from_millis(1)),
    };
    let ear = Ear { hears_of_attempts: true, ..Ear::default() };
    let (said, _) = play_to(ear, &["a"], target, &[], Limits::default(), Stop::default()).await;
    assert_eq!(
        said,
        [
            "a: attempt 0, None".to_owned(),
            format!("1 waiting, Some({why:?})"),
            format!("a: attempt 1, Some({why:?})"),
            "0 waiting, None".to_owned(),
            "a: ok after 2".to_owned(),
        ]
    );
}

#[tokio::test]
async fn who_waits_for_another_attempt_is_told_and_why() {
    check_that_it_is_asked_again(Does::Fails, "x").await;
}

/// The loop sleeps while a hand finds out; then there is something to wake up for.
#[tokio::test]
async fn so_is_one_of_which_only_the_crew_sees_that_it_failed() {
    check_that_it_is_asked_again(Does::AnswersBadly, "y").await;
}

#[tokio::test]
async fn a_sink_that_panics_ends_the_program_and_not_only_a_thread() {
    let target = Target { does: |_| 0, acts: vec![Does::Answers], policy: RetryPolicy::default() };
    let ear = Ear { panics: true, ..Ear::default() };
    let stop = Stop::default();
    let run = play_to(ear, &["a", "b"], target, &[], Limits::default(), stop);
    let payload = std::panic::AssertUnwindSafe(run).catch_unwind().await.unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"on purpose"));
}

#[tokio::test]
async fn a_stop_lets_nobody_wait_any_more() {
    let target =
        Target { does: |_| 0, acts: vec![Does::Fails], policy: waiting(Duration::from_hours(1)) };
    let ear = Ear { hears_of_attempts: true, stops_after_invocation: true, ..Ear::default() };
    let (said, _) = play_to(ear, &["a"], target, &[], Limits::default(), Stop::default()).await;
    assert_eq!(said, ["a: attempt 0, None", "1 waiting, Some(\"x\")", "0 waiting, None"]);
}

#[tokio::test]
async fn the_deadline_ends_what_runs_and_names_what_is_not_run() {
    let stop = Stop::default();
    let target = Target {
        does: |_| 0,
        acts: vec![Does::Works(stop.clone())],
        policy: RetryPolicy::default(),
    };
    let limits = Limits { deadline: Some(Duration::from_millis(1)), ..Limits::default() };
    let (mut said, totals) = play(&["a", "b"], target, &[], limits, stop).await;
    // Whether the first was begun by then is chance.
    said.sort_unstable();
    assert_eq!(said, ["a: Deadline", "b: Deadline"]);
    assert!(!totals.interrupted);
    assert_eq!(totals.not_run, 2);
}

#[tokio::test]
async fn a_stop_does_not_wait_for_an_attempt_that_is_an_hour_away() {
    let target =
        Target { does: |_| 0, acts: vec![Does::Fails], policy: waiting(Duration::from_hours(1)) };
    let ear = Ear { stops_after_invocation: true, ..Ear::default() };
    let (said, totals) =
        play_to(ear, &["a"], target, &[], Limits::default(), Stop::default()).await;
    assert_eq!(said, Vec::<String>::new());
    assert!(totals.interrupted);
    assert_eq!((totals.not_run, totals.unfinished), (1, 1));
}

#[tokio::test]
async fn a_case_that_is_not_asked_names_the_one_that_it_depends_on() {
    let target = Target { does: |_| 0, acts: vec![Does::Fails], policy: RetryPolicy::default() };
    let gates = [(1, 0), (2, 7)];
    let (said, totals) =
        play(&["a", "b", "c"], target, &gates, Limits::default(), Stop::default()).await;
    assert_eq!(
        said,
        [
            "a: failed after 1",
            "b: Dependency { on: \"a\" }",
            "c: Dependency { on: \"a case that is not in the plan\" }"
        ]
    );
    assert_eq!(totals.not_run, 2);
}
