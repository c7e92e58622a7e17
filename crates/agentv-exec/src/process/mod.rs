//! Runs processes to their end, leaving none behind. It knows nothing of evals.
//!
//! The journey of one process: `turns` lets it begin, `input` holds what it will read, `command`
//! builds it, with its `limits`, `invocation` starts it and waits with the `ladder` in hand, `streams` and `capture`
//! move its bytes, and `leftovers` ends what it left behind, which the `household` (everything
//! below this runner) finds with a `census`.
//! What is specific to a system is in `linux` and `other_unix`, behind the same functions.
//!
//! What is deliberately absent: `pre_exec` hooks (they turn every spawn into a fork of the whole
//! runner) and `waitpid(-1)` (it would steal the children that the runtime waits for).

mod capture;
mod census;
mod command;
mod dead_run;
mod ending;
mod household;
mod input;
mod invocation;
mod ladder;
mod leader;
mod leftovers;
mod limits;
mod runner;
mod streams;
mod turns;
mod waiting;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;

#[cfg(not(target_os = "linux"))]
mod other_unix;
#[cfg(not(target_os = "linux"))]
use other_unix as system;

pub use leftovers::Sweep;
pub use runner::Processes;
pub use turns::Turns;

pub(crate) use dead_run::end_processes_of_dead_run;

/// The environment variable that marks every process of an invocation and all that come from it:
/// `<run token>.<number>`.
pub const MARKER_VARIABLE: &str = "AGENTV_INVOCATION";

/// Whether this program was started so as to outlive its terminal (`nohup`); only Linux tells.
pub fn hangup_is_ignored() -> bool {
    system::hangup_is_ignored()
}

/// For tests of this crate alone: children are found as on a kernel that has no lists of them.
#[doc(hidden)]
pub fn find_children_without_lists() {
    system::find_children_without_lists();
}
