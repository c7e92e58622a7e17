//! What a sample of this size could have shown.

use super::{PairedSample, analytic, histogram::QUANTUM, noncentral};
use crate::statistics::{Confidence, student_reach};

/// How often an effect shall be found that is there: four times in five, as is usual.
const POWER: f64 = 0.8;

pub(super) fn smallest_effect(sample: &PairedSample) -> Option<f64> {
    if sample.is_constant() {
        return None;
    }
    let deviation = analytic::deviation(sample).filter(|it| *it > QUANTUM)?;
    Some(smallest_size(sample.clusters())? * deviation)
}

/// In standard deviations, for so many clusters: where the power of the paired t test (two-sided,
/// 5 %) is [`POWER`].
pub(super) fn smallest_size(clusters: u64) -> Option<f64> {
    let freedom = clusters.checked_sub(1).filter(|freedom| *freedom > 0)?;
    let reach = student_reach(freedom, Confidence::default())?;
    let root = (clusters as f64).sqrt();
    // Found by halving in the noncentrality, which hardly depends on the size: power rises with it.
    let power = |noncentrality: f64| {
        let freedom = freedom as f64;
        noncentral::above(reach, freedom, noncentrality)
            + noncentral::above(reach, freedom, -noncentrality)
    };
    let (mut low, mut high) = (0.0, 4.0);
    while power(high) < POWER {
        (low, high) = (high, high * 2.0);
    }
    // Halves 4 until 1e-14 is left of it.
    for _ in 0..48 {
        let middle = f64::midpoint(low, high);
        if power(middle) < POWER {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(f64::midpoint(low, high) / root)
}
