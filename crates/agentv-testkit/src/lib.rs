//! For tests only. The program `fake-agent` misbehaves on command; the library finds it, builds
//! projects, runs the real binary in them, and says whether processes were left behind.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on panics"
)]

mod fake_agent;
mod processes;
mod project;
mod running;
mod waiting;

pub use fake_agent::fake_agent;
pub use nix::sys::signal::Signal;
pub use processes::{Found, assert_no_process_with, processes_with};
pub use project::{Project, Run};
pub use running::{Running, closed_pipe};
pub use waiting::{wait_for_some, wait_until};
