//! Decides what runs when. Knows no provider, grader or format by name, prints nothing, and looks
//! at the clock only to stamp what is settled and to see that nobody is held up.
//!
//! A run is a loop around a pure state machine: `dispatcher` takes inputs and gives actions,
//! `executor` performs them as tasks, `crew` takes and grades the answers, `run` carries messages and time
//! between them and tells the sinks. Its state lies on a `desk`: a hand of the crew that has graded
//! something does all that follows from it, as the loop does for everything else.

mod agenda;
mod backoff;
mod crew;
mod dispatcher;
mod executor;
mod limits;
mod plan;
mod run;
#[cfg(test)]
mod sample;
mod timers;

pub use limits::Limits;
pub use plan::{After, Past, Plan, PlannedTarget, Slot};
pub use run::{RunEnd, run};
