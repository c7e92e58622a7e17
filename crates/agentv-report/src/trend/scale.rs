//! The range of scores that a plot shows: no more than there is, and never so little that noise
//! looks like a landslide.

use super::Trend;
use crate::{digest::Estimate, statistics::Interval};

/// The least that a plot shows from its bottom to its top.
const LEAST: f64 = 0.1;

/// Ends are multiples of this.
const STEP: f64 = 0.05;

/// From the lowest end of an interval to the highest, in whole steps within 0 and 1.
pub(super) fn range(trend: &Trend, of: fn(&super::TrendPoint) -> Option<Estimate>) -> Interval {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for estimate in trend.runs.iter().filter_map(of) {
        let interval = whole(&estimate);
        low = low.min(interval.low);
        high = high.max(interval.high);
    }
    if low > high {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (mut low, mut high) = ((low / STEP).floor() * STEP, (high / STEP).ceil() * STEP);
    if high - low < LEAST {
        (low, high) = (low - STEP, high + STEP);
    }
    low = low.clamp(0.0, 1.0 - LEAST);
    Interval { low, high: high.clamp(low + LEAST, 1.0) }
}

/// The interval, or the value alone where there is none.
pub(super) fn whole(estimate: &Estimate) -> Interval {
    estimate.interval.unwrap_or(Interval { low: estimate.value, high: estimate.value })
}

/// How far up a value lies, from 0 to 1.
pub(super) fn height(value: f64, range: Interval) -> f64 {
    ((value - range.low) / (range.high - range.low)).clamp(0.0, 1.0)
}
