//! The part of the process suite that depends on how orphans are found, as on a kernel that does
//! not list the children of a process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on panics")]

#[path = "../process/leftovers.rs"]
mod leftovers;
#[path = "../process/mixture.rs"]
mod mixture;
#[path = "../process/orphans.rs"]
mod orphans;
#[path = "../process/sandbox.rs"]
mod sandbox;
