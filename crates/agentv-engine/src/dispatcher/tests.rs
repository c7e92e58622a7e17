//! The dispatcher fed by hand: no process, no task, no clock.

mod asking;
mod budgets;
mod ending;
mod play;
mod prices;
mod retries;
mod sessions;
mod waiting;

use std::sync::Arc;

use agentv_base::{
    Answer, Assessment, CommandRaw, Grade, Provenance, Raw, Response, RetryPolicy, StopRule,
    TokenUsage, Verdict,
};

use super::*;
use crate::{
    agenda::{Asked, Place},
    plan::After,
};

fn unit(target: usize, slots: &[usize]) -> Unit {
    Unit { target, slots: slots.to_vec(), attempt: 0, retries: 0, asked_again: 0, alone: false }
}

fn limits(max_retries: u32) -> Limits {
    Limits { grading: 8, max_retries: Some(max_retries), ..Limits::default() }
}

/// An agenda that is grouped into these units: each is a suite of its own.
fn agenda(workers: &[usize], units: &[Unit]) -> Agenda {
    let targets = workers.iter().enumerate().map(|(target, workers)| Asked {
        name: format!("t{target}").into(),
        workers: *workers,
        most: if units.iter().any(|unit| unit.target == target && unit.slots.len() > 1) {
            usize::MAX
        } else {
            1
        },
        policy: RetryPolicy::default(),
    });
    let mut slots: Vec<(usize, Place)> = Vec::new();
    for (suite, unit) in units.iter().enumerate() {
        let place = |slot| Place::new(slot, unit.target, 1, suite);
        slots.extend(unit.slots.iter().map(|slot| (*slot, place(*slot))));
    }
    slots.sort_by_key(|(slot, _)| *slot);
    let slots = slots.into_iter().map(|(_, place)| place).collect();
    Agenda { targets: targets.collect(), slots, ..Agenda::default() }
}

/// Cases of one suite for one target.
fn cases(count: usize, workers: usize, most: usize) -> Agenda {
    let slots: Vec<usize> = (0..count).collect();
    let mut agenda = agenda(&[workers], &[unit(0, &slots)]);
    agenda.targets[0].most = most;
    agenda
}

/// Repeats of some cases, those of one case side by side.
fn repeated(count: usize, repeats: u32, most: usize) -> Agenda {
    let mut agenda = cases(0, 8, most);
    for case in 0..count {
        let place = |repeat| Place::new(case, 0, repeat, 0);
        agenda.slots.extend((1..=repeats).map(place));
    }
    agenda
}

fn after(slot: usize) -> After {
    After { slot, must_pass: true }
}

/// An answer, and what it took.
fn answer(cost_usd: Option<f64>, tokens: Option<u64>) -> Box<Response> {
    let raw = Raw::Command(CommandRaw { run: Arc::default(), record_id: None });
    Box::new(Response {
        text: String::new(),
        output_messages: None,
        trace: None,
        token_usage: tokens.map(|input| TokenUsage { input, output: 0, cached: None }),
        cost_usd,
        duration_ms: None,
        dropped_elements: 0,
        provenance: Provenance::Asked,
        leaked: Vec::new(),
        raw,
    })
}

fn given() -> Settlement {
    Settlement::Done(Outcome::Answered { response: answer(None, None) })
}

fn costing(cost_usd: f64) -> Settlement {
    Settlement::Done(Outcome::Answered { response: answer(Some(cost_usd), None) })
}

fn scored(score: f64) -> Settlement {
    let verdict = Verdict::of(score, 0.8);
    let assessment =
        Assessment { results: Vec::new(), grade: Ok(Grade { score, verdict }), threshold: 0.8 };
    Settlement::Done(Outcome::Assessed { response: answer(None, None), assessment })
}

fn failure(kind: FailureKind) -> Failure {
    Failure::new(kind, "x")
}

fn unanswered(ask: AskAgain) -> Settlement {
    Settlement::NotAnswered(Answer::Unanswered { ask, failure: failure(FailureKind::Missing) })
}

/// The actions in short words, so that a test reads like a story.
fn words(actions: &[Action]) -> Vec<String> {
    actions.iter().map(word).collect()
}

fn word(action: &Action) -> String {
    match action {
        Action::Check { target } => format!("check {target}"),
        Action::Invoke { unit, work } => {
            format!("invoke {unit}: slots {:?} attempt {}", work.slots, work.attempt)
        }
        Action::Settle { unit, index, slot } => format!("settle {unit}[{index}] = {slot}"),
        Action::Release { unit } => format!("release {unit}"),
        Action::Wait { token, target, retry } => {
            format!("wait {token}: retry {retry} of target {target}")
        }
        Action::Record { slot, attempts, failed_attempts, outcome } => format!(
            "record {slot} after {attempts} ({} failed): {}",
            failed_attempts.len(),
            match outcome {
                Outcome::Failed { failure } => failure.kind.name(),
                Outcome::Answered { .. } | Outcome::Assessed { .. } => "ok",
            }
        ),
        Action::Skip { slot, why } => format!("skip {slot}: {why:?}"),
        Action::Warn(text) => format!("warn {text}"),
        Action::Overdue => "overdue".to_owned(),
        Action::Halt(level) => format!("halt {level:?}"),
        Action::Finish(totals) => {
            let begun = match totals.unfinished {
                0 => String::new(),
                count => format!(", {count} unfinished"),
            };
            let decided = match totals.decided {
                0 => String::new(),
                count => format!(", {count} decided"),
            };
            format!("finish {}/{} settled{decided}{begun}", totals.settled, totals.planned)
        }
    }
}

struct Story {
    dispatcher: Dispatcher,
}

impl Story {
    fn begin(limits: Limits, workers: &[usize], units: &[Unit]) -> Self {
        Self::of(limits, agenda(workers, units)).0
    }

    /// With what is done first.
    fn of(limits: Limits, agenda: Agenda) -> (Self, Vec<String>) {
        let mut dispatcher = Dispatcher::new(limits, agenda);
        let first = words(&dispatcher.handle(Input::Begin));
        (Self { dispatcher }, first)
    }

    /// With what is begun once the only target is found fit.
    fn fit_of(limits: Limits, agenda: Agenda) -> (Self, Vec<String>) {
        let (mut story, first) = Self::of(limits, agenda);
        assert_eq!(first.last().unwrap(), "check 0");
        let begun = story.fit(0);
        (story, begun)
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

    fn failed(&mut self, unit: UnitId, kind: FailureKind) -> Vec<String> {
        self.then(Input::Failed { unit, failure: failure(kind) })
    }

    /// Answers a unit of one and settles it; what follows from the latter.
    fn answered(&mut self, unit: UnitId, settlement: Settlement) -> Vec<String> {
        self.then(Input::Answered { unit, kept: false });
        self.settled(unit, 0, settlement)
    }
}
