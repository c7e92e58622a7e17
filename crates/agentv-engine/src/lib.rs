//! Decides what runs when. Knows no provider, grader or format by name, prints nothing, and looks
//! at the clock only to stamp what is settled.
//!
//! A run is a loop around a pure state machine: `dispatcher` takes inputs and gives actions,
//! `executor` performs them as tasks, `run` carries messages between the two and tells the sinks.

mod dispatcher;
mod executor;
mod plan;
mod run;

pub use dispatcher::Limits;
pub use plan::{Plan, PlannedTarget, Slot};
pub use run::{RunEnd, run};
