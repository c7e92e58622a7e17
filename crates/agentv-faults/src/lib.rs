//! Kills runs at random moments, tears their last rows, resumes them, and compares what comes out
//! with what an undisturbed run left. Nothing of this is part of the product.
//!
//! A `Campaign` is as many kills as wanted, in rounds: `scene` is what is run, `round` one run from
//! its start to its end through several deaths, `record` what is on disk, `tear` what a loss of
//! power does to it, `tally` what there was to see. `chance` makes every round one that can be had
//! again by its seed.

#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::format_push_string,
    reason = "a test that cannot go on panics"
)]

mod campaign;
mod chance;
mod record;
mod round;
mod scene;
mod tally;
mod tear;

pub use campaign::Campaign;
pub use scene::Mode;
pub use tally::Tally;
