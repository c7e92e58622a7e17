//! What is said of two runs: better, worse, no worse than the margin, or that nobody can tell.

use serde::Serialize;

use crate::statistics::{Confidence, DRAWS, How, Interval, PairedSample, Tested, holm};

/// How often, at most, one of the verdicts of a family is wrong where there is no difference.
pub const LEVEL: f64 = 0.05;

/// Of fewer clusters no difference can show, however large: the least p of n sign flips is 2^(1 − n).
pub(super) const FEWEST_CLUSTERS: u64 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    Better,
    Worse,
    /// Not worse by the margin or more.
    NoWorse,
    Inconclusive,
}

/// All statistics of one comparison before correction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairedStatistics {
    pub clusters: u64,
    pub pairs: u64,
    /// Nothing of nothing.
    pub mean_delta: Option<f64>,
    /// 95 %, of the mean; unknown for fewer than two clusters.
    pub interval: Option<Interval>,
    pub interval_how: Option<How>,
    /// That there is no difference.
    pub permutation: Option<Tested>,
    /// That exactly the margin is lost; unknown where the margin is 0.
    pub shifted: Option<Tested>,
    /// Cohen's d of paired differences.
    pub effect_size: Option<f64>,
    /// What this sample would have shown four times in five.
    pub smallest_effect: Option<f64>,
    pub margin: f64,
}

/// The probabilities of one comparison, corrected for the others of its family.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Corrected {
    pub permutation: f64,
    pub shifted: Option<f64>,
}

impl PairedStatistics {
    pub fn of(sample: &PairedSample, margin: f64) -> Self {
        Self {
            effect_size: sample.effect_size(),
            smallest_effect: sample
                .smallest_effect()
                .filter(|_| sample.clusters() >= FEWEST_CLUSTERS),
            ..Self::tests_only(sample, margin).with_interval(sample, DRAWS)
        }
    }

    /// With the interval of so many resamples.
    pub(crate) fn with_interval(self, sample: &PairedSample, draws: u32) -> Self {
        let interval = sample.bootstrap_of(Confidence::default(), draws);
        Self {
            interval: interval.map(|it| it.interval),
            interval_how: interval.map(|it| it.how),
            ..self
        }
    }

    /// Without anything that is not tested: what a simulation of thousands has time for.
    pub(crate) fn tests_only(sample: &PairedSample, margin: f64) -> Self {
        Self {
            clusters: sample.clusters(),
            pairs: sample.pairs(),
            mean_delta: sample.mean(),
            interval: None,
            interval_how: None,
            permutation: sample.permutation(),
            shifted: if margin > 0.0 { against_margin(sample, margin) } else { None },
            effect_size: None,
            smallest_effect: None,
            margin,
        }
    }

    /// `corrected`: Holm's probability of the test of the differences, and `corrected_shifted` of
    /// that of the differences + margin.
    pub fn finding(&self, corrected: f64, corrected_shifted: Option<f64>) -> Finding {
        let (Some(mean), Some(interval)) = (self.mean_delta, self.interval) else {
            return Finding::Inconclusive;
        };
        // The interval that holds for any differences is there only where all are the same, and
        // then says next to nothing: the test decides.
        let is_asked = self.interval_how != Some(How::Bounded);
        let is_above = |edge: f64| mean > edge && (!is_asked || interval.low > edge);
        let is_below = |edge: f64| mean < edge && (!is_asked || interval.high < edge);
        let is_more_than_chance = corrected <= LEVEL;
        let (edge, is_beyond_margin) = match corrected_shifted {
            Some(p) if self.margin > 0.0 => (-self.margin, p <= LEVEL),
            _ => (0.0, is_more_than_chance),
        };
        if is_more_than_chance && is_above(0.0) {
            Finding::Better
        } else if is_beyond_margin && is_below(edge) {
            Finding::Worse
        } else if self.margin > 0.0 && is_beyond_margin && is_above(edge) {
            Finding::NoWorse
        } else {
            Finding::Inconclusive
        }
    }
}

/// Whether chance explains that the mean is not the margin's loss. Above it, a bet that holds for
/// any differences has to be won as well: see `statistics/paired/bounded.rs`.
fn against_margin(sample: &PairedSample, margin: f64) -> Option<Tested> {
    let shifted = sample.shifted(margin);
    let tested = shifted.permutation()?;
    if shifted.mean().is_none_or(|mean| mean <= 0.0) {
        return Some(tested);
    }
    // Twice, because the other test is two-sided.
    let bet = (2.0 * shifted.bounded_test(margin - 1.0).unwrap_or(1.0)).min(1.0);
    Some(if bet > tested.p { Tested { p: bet, how: How::Bounded } } else { tested })
}

/// Holm's correction over all comparisons that are made at once. What was not tested is no part of
/// it, and has the probability 1.
pub fn correct<'s>(family: impl IntoIterator<Item = &'s PairedStatistics>) -> Vec<Corrected> {
    let family: Vec<&PairedStatistics> = family.into_iter().collect();
    let corrected = |of: fn(&PairedStatistics) -> Option<Tested>| {
        let known: Vec<f64> = family.iter().filter_map(|it| of(it)).map(|it| it.p).collect();
        let mut known = holm(&known).into_iter();
        let corrected = family.iter().map(|it| of(it).and_then(|_| known.next()));
        corrected.collect::<Vec<Option<f64>>>()
    };
    let (plain, shifted) = (corrected(|it| it.permutation), corrected(|it| it.shifted));
    let both = plain.into_iter().zip(shifted);
    both.map(|(plain, shifted)| Corrected { permutation: plain.unwrap_or(1.0), shifted }).collect()
}

#[cfg(test)]
mod tests;
