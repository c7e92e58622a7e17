//! Paired differences of two runs: how large they are on average, how sure that is, and whether
//! chance explains them. Pure functions of differences: what was paired is not known here.
//!
//! Everything is computed on the histogram of distinct clusters (`histogram.rs`), so that a million
//! pairs cost as much as the different values among them. Formulas, constants and what is exact:
//! `docs/statistics.md`.

mod analytic;
mod bootstrap;
mod bounded;
mod effect;
mod flips;
mod histogram;
mod holm;
mod lattice;
mod mcnemar;
mod noncentral;
mod permutation;
mod power;
mod slope;

use serde::Serialize;

pub use histogram::{ClusterDelta, PairedSample};
pub use holm::holm;
pub use mcnemar::mcnemar_exact;
pub use slope::{Slope, slope};

use super::Interval;

/// Where every resampling starts, so that the same rows give the same numbers on every machine.
pub(crate) const SEED: u64 = 20_250_131;

/// How many resamples are drawn. The ends of a 95 % interval then move by about a hundredth of its
/// width from seed to seed, and a p-value of 0.05 by 0.002.
pub(crate) const DRAWS: u32 = 10_000;

/// How a number came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "method", rename_all = "snake_case")]
pub enum How {
    /// All that could have been was counted.
    Exact,
    Resampled {
        draws: u32,
        seed: u64,
    },
    /// By Student's or the normal distribution, which is all but exact for so many.
    Analytic,
    /// By a bound that holds for any differences from -1 to 1, because all of them are the same.
    Bounded,
}

/// An interval of a mean difference; from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Resampled {
    pub interval: Interval,
    pub how: How,
}

/// The probability of a mean that is at least as far from 0, to either side, were there no
/// difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tested {
    pub p: f64,
    #[serde(flatten)]
    pub how: How,
}

#[cfg(test)]
mod tests;
