//! The mean difference as a ratio: the sum over clusters by the number of their pairs, its standard
//! error, and Student's interval.

use super::{How, PairedSample, Resampled};
use crate::statistics::{Confidence, Interval, student_reach};

/// How far clusters lie from the mean: the standard deviation of `(sum − mean · pairs) / pairs per
/// cluster`. Where all clusters are of the same size it is that of their means. Nothing for fewer
/// than two clusters.
///
/// Divided by the root of the number of clusters it is the standard error of a ratio (the
/// linearisation that surveys use for clusters of different sizes).
pub(super) fn deviation(sample: &PairedSample) -> Option<f64> {
    let clusters = sample.clusters();
    if clusters < 2 {
        return None;
    }
    let mean = sample.mean()?;
    let size = sample.pairs() as f64 / clusters as f64;
    let squares = sample.cells.iter().map(|cell| {
        let away = (cell.sum - mean * f64::from(cell.pairs)) / size;
        away * away * cell.count as f64
    });
    Some((squares.sum::<f64>() / (clusters as f64 - 1.0)).sqrt())
}

/// Student's, over clusters.
pub(super) fn interval(sample: &PairedSample, confidence: Confidence) -> Option<Resampled> {
    let clusters = sample.clusters();
    let error = deviation(sample)? / (clusters as f64).sqrt();
    let (mean, reach) = (sample.mean()?, student_reach(clusters - 1, confidence)? * error);
    let (low, high) = ((mean - reach).max(-1.0), (mean + reach).min(1.0));
    Some(Resampled { interval: Interval { low, high }, how: How::Analytic })
}
