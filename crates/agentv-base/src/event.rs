//! What happens in a run, told to those who record and show it.

use std::sync::Arc;

use crate::{
    failure::Failure,
    outcome::{SettledCase, SkippedCase},
    stop::StopLevel,
};

/// Something that happened. Sinks hear every event in the same order.
#[derive(Clone, Debug)]
pub enum RunEvent {
    Started {
        cases: usize,
        /// Whether any case is asked more than once.
        repeated: bool,
    },
    /// An invocation has begun; `attempt` is 0 for the first.
    Invoking {
        unit: usize,
        target: Arc<str>,
        first_id: Arc<str>,
        /// Of the first case, from 1.
        repeat: u32,
        cases: usize,
        attempt: u32,
        /// Why the first case is asked for again.
        again: Option<Failure>,
    },
    /// The invocation is over; its cases are settled one by one.
    Invoked {
        unit: usize,
    },
    /// The answer at this place of the invocation is being graded, which can mean to ask a judge.
    Grading {
        unit: usize,
        index: usize,
        target: Arc<str>,
        id: Arc<str>,
        /// From 1.
        repeat: u32,
    },
    /// The grading is over, whatever came of it.
    Graded {
        unit: usize,
        index: usize,
    },
    /// How many cases wait for their next attempt, each time that it changes, and why the one that
    /// came last does.
    Waiting {
        cases: usize,
        last: Option<Failure>,
    },
    Settled(Box<SettledCase>),
    /// A planned case that will have no row, and why. One that a signal interrupts is not told.
    Skipped(Box<SkippedCase>),
    Warning(String),
    Stopping(StopLevel),
    Finished(Totals),
}

/// How many cases came to what end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub planned: usize,
    pub settled: usize,
    /// Cases without a row: skipped, or stopped by a signal before they were done.
    pub not_run: usize,
    /// Repeats that were planned and are not needed: the verdict of their case is settled.
    pub decided: usize,
    /// Those of them that were begun: the target was asked, and perhaps it had answered.
    pub unfinished: usize,
    pub interrupted: bool,
}

/// A sink that cannot go on; the run ends.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SinkFault {
    pub message: String,
}

/// Hears the events of a run. The record comes before the displays, so that nothing is shown that
/// is not kept.
pub trait Sink: Send {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault>;

    /// Several in order, which some can take at less cost than one by one. Where it fails, those
    /// before the fault may have been taken.
    fn hear_all(&mut self, events: &[&RunEvent]) -> Result<(), SinkFault> {
        events.iter().try_for_each(|event| self.hear(event))
    }
}
