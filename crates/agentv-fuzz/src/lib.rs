//! For tests only: what must hold for any bytes that a file of ours may consist of.
//!
//! Each check takes bytes, goes the way of the product, and panics where something does not hold.
//! The fuzz targets in `fuzz/` call them with what a fuzzer thinks of, and `tests/stored.rs` with
//! what was worth keeping of that. Nothing here knows a fuzzer.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a check that does not hold panics"
)]

mod batch_output;
mod suite_loader;

use std::path::{Path, PathBuf};

pub use batch_output::check as batch_output;
pub use suite_loader::check as suite_loader;

/// Where files of a check go: to memory where the system has such a folder, for speed.
fn scratch() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() }
}
