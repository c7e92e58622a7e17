//! How much something changes from one run to the next: the line of least squares.

use serde::Serialize;

use crate::statistics::{Confidence, Interval, student_reach};

/// Of values in order, a step apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slope {
    pub per_step: f64,
    /// Student's; unknown for fewer than three values, and where all lie on the line.
    pub interval: Option<Interval>,
    /// Values that it is taken of.
    pub count: u64,
}

/// The slope of values over the steps they were taken at; nothing for fewer than two steps.
pub fn slope(points: &[(f64, f64)], confidence: Confidence) -> Option<Slope> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (mean_step, mean_value) = (mean(|it| it.0), mean(|it| it.1));
    let spread: f64 = points.iter().map(|(step, _)| (step - mean_step).powi(2)).sum();
    if points.len() < 2 || spread <= 0.0 || !spread.is_finite() {
        return None;
    }
    let together = points.iter().map(|(step, value)| (step - mean_step) * (value - mean_value));
    let per_step = together.sum::<f64>() / spread;
    let left = points
        .iter()
        .map(|(step, value)| (value - mean_value - per_step * (step - mean_step)).powi(2));
    let left: f64 = left.sum();
    let freedom = (points.len() as u64).checked_sub(2).filter(|freedom| *freedom > 0);
    // On a line to the last digit there is no telling how far the next one would be off.
    let is_exact = left <= 1e-24 * count;
    let interval = freedom.filter(|_| !is_exact).and_then(|freedom| {
        let error = (left / freedom as f64 / spread).sqrt();
        let reach = student_reach(freedom, confidence)? * error;
        Some(Interval { low: per_step - reach, high: per_step + reach })
    });
    Some(Slope { per_step, interval, count: points.len() as u64 })
}
