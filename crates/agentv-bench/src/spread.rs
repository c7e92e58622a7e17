//! A ratio with its spread: of the middle of all rounds, and of the lowest and highest round.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The ratio of the medians, which one disturbed round does not move.
    pub ratio: f64,
    pub lowest: f64,
    pub highest: f64,
}

impl Spread {
    /// What the first took in times of the second. The ratios of the spread are taken within each
    /// round: what disturbs one of a round mostly disturbs the other too.
    pub fn of(measured: &[f64], floor: &[f64]) -> Self {
        let ratios = || measured.iter().zip(floor).map(|(one, other)| one / other);
        Self {
            ratio: median(measured) / median(floor),
            lowest: ratios().fold(f64::INFINITY, f64::min),
            highest: ratios().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// The middle of all values; of an even number of them, the mean of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let at = |place: usize| values.get(place).copied().unwrap_or(f64::NAN);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        at(middle)
    } else {
        f64::midpoint(at(middle.wrapping_sub(1)), at(middle))
    }
}

#[cfg(test)]
mod tests {
    use super::{Spread, median};

    #[test]
    fn the_median_is_the_middle_of_odd_and_the_mean_of_the_middle_of_even() {
        assert!((median(&[9.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(&[9.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn a_ratio_is_of_medians_and_its_spread_is_of_rounds() {
        // A round in which everything took ten times as long does not widen the spread.
        let spread = Spread::of(&[2.0, 30.0, 4.0], &[1.0, 10.0, 2.0]);
        let expected = Spread { ratio: 2.0, lowest: 2.0, highest: 3.0 };
        assert_eq!(spread, expected);
    }
}
