//! The histogram of distinct clusters: what all tests and intervals are computed on.

use std::collections::HashMap;

use super::{DRAWS, Resampled, Tested};
use crate::statistics::Confidence;

/// Sums that differ by less are the same: sums of decimals are not exact, and scores are not
/// written with more digits.
pub(super) const QUANTUM: f64 = 1e-9;

/// The differences of one cluster: their sum, and of how many pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterDelta {
    pub sum: f64,
    pub pairs: u32,
}

/// Clusters that are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) sum: f64,
    pub(super) pairs: u32,
    pub(super) count: u64,
}

/// A histogram of distinct clusters: a million rows are a few hundred entries.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedSample {
    /// Those that occur most first, so that few are left to be drawn after them.
    pub(super) cells: Vec<Cell>,
}

impl PairedSample {
    /// What is no number, or of no pair, counts for nothing.
    pub fn new(deltas: impl IntoIterator<Item = ClusterDelta>) -> Self {
        let mut counts: HashMap<(i64, u32), u64> = HashMap::new();
        for delta in deltas {
            if delta.sum.is_finite() && delta.pairs > 0 {
                *counts.entry((quanta(delta.sum), delta.pairs)).or_default() += 1;
            }
        }
        let mut counts: Vec<((i64, u32), u64)> = counts.into_iter().collect();
        counts.sort_unstable_by_key(|(key, count)| (std::cmp::Reverse(*count), *key));
        let cell = |((sum, pairs), count): ((i64, u32), u64)| Cell {
            sum: sum as f64 * QUANTUM,
            pairs,
            count,
        };
        Self { cells: counts.into_iter().map(cell).collect() }
    }

    /// The same clusters, with every pair's difference moved.
    #[must_use]
    pub fn shifted(&self, by: f64) -> Self {
        let moved = |cell: &Cell| Cell {
            sum: quanta(cell.sum + by * f64::from(cell.pairs)) as f64 * QUANTUM,
            ..*cell
        };
        Self { cells: self.cells.iter().map(moved).collect() }
    }

    pub fn clusters(&self) -> u64 {
        self.cells.iter().map(|cell| cell.count).sum()
    }

    pub fn pairs(&self) -> u64 {
        self.cells.iter().map(|cell| u64::from(cell.pairs) * cell.count).sum()
    }

    /// The sum of all differences.
    pub(super) fn total(&self) -> f64 {
        self.cells.iter().map(|cell| cell.sum * cell.count as f64).sum()
    }

    /// The mean of the pairs; nothing of nothing.
    pub fn mean(&self) -> Option<f64> {
        let pairs = self.pairs();
        (pairs > 0).then(|| self.total() / pairs as f64)
    }

    /// Whether every pair of every cluster shows the same difference, as far as sums tell.
    pub(super) fn is_constant(&self) -> bool {
        let mean = self.mean().unwrap_or(0.0);
        self.cells.iter().all(|cell| {
            (cell.sum - mean * f64::from(cell.pairs)).abs() <= 2.0 * QUANTUM * f64::from(cell.pairs)
        })
    }

    /// The interval of the mean: see `bootstrap.rs`. Nothing for fewer than two clusters.
    pub fn bootstrap(&self, confidence: Confidence) -> Option<Resampled> {
        self.bootstrap_of(confidence, DRAWS)
    }

    /// As [`Self::bootstrap`], of so many resamples.
    pub(crate) fn bootstrap_of(&self, confidence: Confidence, draws: u32) -> Option<Resampled> {
        super::bootstrap::interval(self, confidence, draws)
    }

    /// Whether chance explains the mean: see `permutation.rs`. 1 where nothing differs; nothing of
    /// nothing.
    pub fn permutation(&self) -> Option<Tested> {
        super::permutation::test(self)
    }

    /// The most that the probability of such a sample can be if the mean of all such pairs is 0 or
    /// less, whatever their distribution, where none can be below `lowest`: see `bounded.rs`.
    pub fn bounded_test(&self, lowest: f64) -> Option<f64> {
        super::bounded::test(self, lowest)
    }

    /// Cohen's d of paired differences; nothing where it is not defined.
    pub fn effect_size(&self) -> Option<f64> {
        super::effect::size(self)
    }

    /// The smallest mean difference that as many clusters as these, as different as these, show
    /// four times in five (two-sided, 5 %). Nothing for fewer than two, or where all are the same.
    pub fn smallest_effect(&self) -> Option<f64> {
        super::power::smallest_effect(self)
    }
}

pub(super) fn quanta(sum: f64) -> i64 {
    // Sums of fewer than a thousand million scores fit, and what does not stays at the end.
    #[expect(clippy::cast_possible_truncation, reason = "it saturates")]
    let quanta = (sum / QUANTUM).round() as i64;
    quanta
}
