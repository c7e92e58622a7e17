//! A mean of scores, and the range in which the mean of all such scores lies.

use serde::{Deserialize, Serialize};

use super::proportion::{Confidence, Interval, beta_quantile};

/// Scores that differ by less are the same: sums of decimals are not exact.
const SAME: f64 = 1e-9;

/// Enough to leave two neighbouring numbers of a range within 0 and 1.
const HALVINGS: usize = 128;

/// A mean and how far values are from it, gathered one by one (Welford), which stays exact where
/// sums of squares do not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moments {
    count: u64,
    mean: f64,
    /// The sum of squared distances from the mean.
    squares: f64,
}

impl Moments {
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Takes a value that was added for another one.
    pub(crate) fn replace(&mut self, old: f64, new: f64) {
        if self.count > 0 {
            let before = self.mean;
            self.mean += (new - old) / self.count as f64;
            let squares = self.squares + (new - old) * (new - self.mean + old - before);
            self.squares = squares.max(0.0);
        }
    }

    /// Nothing of nothing.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Whether all values are the same.
    pub(crate) fn is_constant(&self) -> bool {
        self.deviation() < SAME
    }

    /// The standard deviation of the sample; none of fewer than two.
    pub(crate) fn deviation(&self) -> f64 {
        if self.count < 2 { 0.0 } else { (self.squares / (self.count as f64 - 1.0)).sqrt() }
    }

    /// The interval of the mean of values from 0 to 1 that do not depend on each other; nothing for
    /// fewer than two.
    ///
    /// It is Student's. Where all values are the same, that one would be a point and claim a
    /// certainty that nobody has: then it is the one that holds for any values from 0 to 1.
    pub(crate) fn interval(&self, confidence: Confidence) -> Option<Interval> {
        if self.count < 2 {
            return None;
        }
        let n = self.count as f64;
        let deviation = self.deviation();
        if self.is_constant() {
            return Some(bounded_interval(self.mean, self.count, confidence));
        }
        let reach = student_reach(self.count - 1, confidence)? * deviation / n.sqrt();
        let (low, high) = (self.mean - reach, self.mean + reach);
        Some(Interval { low: low.clamp(0.0, 1.0), high: high.clamp(0.0, 1.0) })
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        values.into_iter().fold(Self::default(), |mut all, value| {
            all.add(value);
            all
        })
    }
}

/// The mean score of a run in which cases are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanScore {
    /// The mean of the means of the cases: each case counts once, however often it was asked.
    pub mean: f64,
    pub cases: u64,
    /// Over the cases, because repeats of one case are like each other; of a single case, over its
    /// repeats. Unknown where there are no two.
    pub interval: Option<Interval>,
}

impl MeanScore {
    /// Of the moments of each case; those without a value count for nothing.
    pub(crate) fn of(
        cases: impl IntoIterator<Item = Moments>,
        confidence: Confidence,
    ) -> Option<Self> {
        let mut over_cases = Moments::default();
        let mut last = Moments::default();
        for case in cases {
            if let Some(mean) = case.mean() {
                over_cases.add(mean);
                last = case;
            }
        }
        let interval = match over_cases.count() {
            1 => last.interval(confidence),
            _ => over_cases.interval(confidence),
        };
        Some(Self { mean: over_cases.mean()?, cases: over_cases.count(), interval })
    }
}

/// How many standard errors Student's interval reaches to each side.
pub(super) fn student_reach(freedom: u64, confidence: Confidence) -> Option<f64> {
    let freedom = freedom as f64;
    // T lies within ±t as often as a Beta distribution below t² / (freedom + t²).
    let within = beta_quantile(0.5, freedom / 2.0, confidence.level())?;
    Some((freedom * within / (1.0 - within)).sqrt())
}

/// Hoeffding's interval in its sharp form: all means `m` for which `n · KL(mean ‖ m) ≤ ln(2 / α)`. It
/// holds for any independent values from 0 to 1, however few; for zeros and ones alone it is that of
/// Clopper and Pearson.
pub(crate) fn bounded_interval(mean: f64, count: u64, confidence: Confidence) -> Interval {
    let mean = mean.clamp(0.0, 1.0);
    let most = (2.0 / (1.0 - confidence.level())).ln() / count as f64;
    let edge = |end: f64| {
        let (mut inside, mut outside) = (mean, end);
        if divergence(mean, end) <= most {
            return end;
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(inside, outside);
            if divergence(mean, middle) <= most {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        inside
    };
    Interval { low: edge(0.0), high: edge(1.0) }
}

/// How far apart two coins are that show heads with these probabilities (Kullback and Leibler).
fn divergence(of: f64, from: f64) -> f64 {
    let part = |of: f64, from: f64| if of > 0.0 { of * (of / from).ln() } else { 0.0 };
    part(of, from) + part(1.0 - of, 1.0 - from)
}

#[cfg(test)]
mod tests;
