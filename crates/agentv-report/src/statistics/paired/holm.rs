//! Holm's correction: of several tests made at once, none at all is wrong more often than 5 %.

/// The corrected probabilities, in the order of the given ones. What is no number counts as 1.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let known = |p: f64| if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) };
    let mut order: Vec<(usize, f64)> = p.iter().copied().map(known).enumerate().collect();
    order.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut corrected = vec![1.0; p.len()];
    let mut least: f64 = 0.0;
    for (rank, (place, p)) in order.into_iter().enumerate() {
        // The smallest is multiplied by the number of tests, the next by one less, and none
        // becomes smaller than one before it.
        least = least.max((corrected.len() - rank) as f64 * p).min(1.0);
        if let Some(corrected) = corrected.get_mut(place) {
            *corrected = least;
        }
    }
    corrected
}
