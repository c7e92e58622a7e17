//! How large a difference is, compared with how much it differs from case to case.

use super::{PairedSample, analytic, histogram::QUANTUM};

/// Cohen's d of paired differences (d_z): the mean by the standard deviation over clusters.
pub(super) fn size(sample: &PairedSample) -> Option<f64> {
    if sample.is_constant() {
        return None;
    }
    let deviation = analytic::deviation(sample)?;
    (deviation > QUANTUM).then(|| sample.mean().map(|mean| mean / deviation))?
}
