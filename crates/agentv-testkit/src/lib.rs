//! For tests only. The program `fake-agent` misbehaves on command, and so does a server that speaks
//! as the services of models do; the library builds projects, runs the real binary in them, and says
//! whether processes were left behind.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::format_push_string,
    clippy::wildcard_enum_match_arm,
    reason = "a test that cannot go on panics"
)]

mod browser;
mod certificates;
mod fake_agent;
mod listening;
mod model_server;
mod processes;
mod project;
mod proxy;
mod running;
mod terminal;
mod waiting;

pub use browser::{Browser, Seen};
pub use fake_agent::fake_agent;
pub use listening::Nobody;
pub use model_server::{Answer, Asked, Finish, MODEL_HOST, ModelServer, Vendor};
pub use nix::sys::signal::Signal;
pub use processes::{Found, assert_no_process_with, processes_with};
pub use project::{Project, Run};
pub use proxy::{Passed, Proxy};
pub use running::{Running, closed_pipe};
pub use terminal::Terminal;
pub use waiting::{wait_for_some, wait_until};
