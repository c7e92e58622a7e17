//! A share of a number of things, and the range in which the share of all such things lies.

use serde::{Deserialize, Serialize};
use statrs::function::{beta::checked_beta_reg, erf::erfc_inv};

/// How often an interval shall hold what is looked for: a number between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Confidence(f64);

impl Confidence {
    /// Nothing where it would be no confidence at all, or a certainty that nobody has.
    pub fn new(level: f64) -> Option<Self> {
        (level > 0.0 && level < 1.0).then_some(Self(level))
    }

    pub fn level(self) -> f64 {
        self.0
    }

    /// How many standard errors an interval of a normal distribution reaches to each side.
    pub(super) fn reach(self) -> f64 {
        std::f64::consts::SQRT_2 * erfc_inv(1.0 - self.0)
    }
}

impl Default for Confidence {
    fn default() -> Self {
        Self(0.95)
    }
}

/// From a number to a number that is not smaller.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// So many of so many, and how sure that share is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proportion {
    pub count: u64,
    pub of: u64,
    /// Unknown where there is nothing to take a share of.
    pub share: Option<f64>,
    /// Wilson's; unknown where the share is.
    pub interval: Option<Interval>,
}

impl Proportion {
    pub fn new(count: u64, of: u64, confidence: Confidence) -> Self {
        let count = count.min(of);
        Self {
            count,
            of,
            share: (of > 0).then(|| count as f64 / of as f64),
            interval: wilson(count, of, confidence),
        }
    }
}

/// Wilson's score interval: stays within 0 and 1, and is of use for few things and for shares near
/// the ends, where the usual one is not.
pub fn wilson(count: u64, of: u64, confidence: Confidence) -> Option<Interval> {
    if of == 0 || count > of {
        return None;
    }
    let (n, z) = (of as f64, confidence.reach());
    let share = count as f64 / n;
    let scale = 1.0 + z * z / n;
    let centre = (share + z * z / (2.0 * n)) / scale;
    let reach = z / scale * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    // At the ends the formula gives 0 and 1, but for rounding.
    let low = if count == 0 { 0.0 } else { (centre - reach).clamp(0.0, share) };
    let high = if count == of { 1.0 } else { (centre + reach).clamp(share, 1.0) };
    Some(Interval { low, high })
}

/// Clopper and Pearson's interval, which holds the share at least as often as it says, and is
/// wider for that.
pub fn clopper_pearson(count: u64, of: u64, confidence: Confidence) -> Option<Interval> {
    if of == 0 || count > of {
        return None;
    }
    let outside = (1.0 - confidence.level()) / 2.0;
    let (hits, misses) = (count as f64, (of - count) as f64);
    let low = if count == 0 { 0.0 } else { beta_quantile(hits, misses + 1.0, outside)? };
    let high = if count == of { 1.0 } else { beta_quantile(hits + 1.0, misses, 1.0 - outside)? };
    Some(Interval { low, high })
}

/// Where a Beta distribution reaches a probability, found by halving: it rises all the way, and
/// nothing can keep this from ending.
pub(super) fn beta_quantile(a: f64, b: f64, probability: f64) -> Option<f64> {
    // Halves the range until two neighbouring numbers are left.
    const HALVINGS: usize = 128;
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if checked_beta_reg(a, b, middle).ok()? < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(f64::midpoint(low, high))
}
