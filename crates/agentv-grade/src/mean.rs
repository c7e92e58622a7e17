//! The weighted mean of scores.

/// The mean of `(score, weight)` pairs; nothing where no weight is above 0.
///
/// Weights are taken relative to the power of two below the largest, so that neither huge nor tiny
/// ones lose the sum and nothing is rounded on the way there. The result is kept between the lowest
/// and the highest score that counts: rounding never makes a mean better or worse than all of its
/// parts.
pub(crate) fn weighted_mean(parts: &[(f64, f64)]) -> Option<f64> {
    let heaviest = parts.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
    if heaviest <= 0.0 {
        return None;
    }
    // The logarithm of the very largest number is rounded up to a power that no number can hold.
    let unit = heaviest.log2().floor().min(1023.0).exp2();
    let mut sum = 0.0;
    let mut weights = 0.0;
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for (score, weight) in parts.iter().filter(|(_, weight)| *weight > 0.0) {
        let share = weight / unit;
        sum += score * share;
        weights += share;
        lowest = lowest.min(*score);
        highest = highest.max(*score);
    }
    Some((sum / weights).max(lowest).min(highest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn weights_count_relative_to_each_other() {
        assert_eq!(weighted_mean(&[(1.0, 3.0), (0.0, 1.0)]), Some(0.75));
        assert_eq!(weighted_mean(&[(1.0, 1.0), (0.5, 1.0)]), Some(0.75));
    }

    #[test]
    fn plain_weights_give_plain_numbers() {
        assert_eq!(weighted_mean(&[(1.0, 3.0), (0.5, 1.0)]), Some(0.875));
        assert_eq!(weighted_mean(&[(1.0, 2.0), (0.5, 3.0), (0.25, 3.0)]), Some(0.53125));
    }

    #[test]
    fn a_weight_of_zero_takes_no_part() {
        assert_eq!(weighted_mean(&[(0.25, 1.0), (1.0, 0.0)]), Some(0.25));
    }

    #[test]
    fn without_any_weight_there_is_no_mean() {
        assert_eq!(weighted_mean(&[]), None);
        assert_eq!(weighted_mean(&[(1.0, 0.0)]), None);
    }

    #[test]
    fn the_largest_and_the_smallest_weights_do_not_lose_the_sum() {
        assert_eq!(weighted_mean(&[(1.0, f64::MAX), (0.0, f64::MAX)]), Some(0.5));
        let tiny = f64::from_bits(1);
        assert_eq!(weighted_mean(&[(1.0, tiny), (0.0, tiny)]), Some(0.5));
    }

    #[test]
    fn rounding_never_lifts_a_mean_above_its_parts() {
        // 0.1 + 0.1 + 0.1 is a little more than 0.3.
        let mut parts = vec![(0.1, 1.0); 3];
        assert_eq!(weighted_mean(&parts), Some(0.1));
        parts.push((1.0, 0.0));
        assert_eq!(weighted_mean(&parts), Some(0.1));
    }

    proptest! {
        #[test]
        fn the_mean_lies_between_the_lowest_and_the_highest_score(
            parts in prop::collection::vec((0.0..=1.0, 0.0..1e300), 1..20)
        ) {
            let counted: Vec<f64> = parts
                .iter()
                .filter(|(_, weight)| *weight > 0.0)
                .map(|(score, _)| *score)
                .collect();
            prop_assume!(!counted.is_empty());
            let lowest = counted.iter().copied().fold(f64::INFINITY, f64::min);
            let highest = counted.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mean = weighted_mean(&parts).unwrap();
            prop_assert!((lowest..=highest).contains(&mean), "{mean} of {parts:?}");
        }
    }
}
