//! The process suite: real processes that behave as badly as they can, after which none is left.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on panics")]

#[cfg(target_os = "linux")]
mod dead_runs;
mod ends;
mod leftovers;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod mixture;
#[cfg(target_os = "linux")]
mod orphans;
mod sandbox;
mod stops;
mod streams;
mod turns;
