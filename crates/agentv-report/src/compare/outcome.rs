//! What became of one pair.

use serde::Serialize;

/// Differences of decimals are not exact: 0.9 − 0.8 is a little less than 0.1, and is 0.1.
pub(super) const ROUNDING: f64 = 1e-9;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Win,
    Loss,
    Tie,
    /// Either side could not be evaluated: there is no difference.
    Error,
}

impl Outcome {
    pub(super) fn of(first: Option<f64>, second: Option<f64>, min_delta: f64) -> Self {
        let (Some(first), Some(second)) = (first, second) else { return Self::Error };
        let delta = second - first;
        // Equal scores are a tie, however small a difference counts.
        if delta.abs() <= ROUNDING || delta.abs() < min_delta - ROUNDING {
            Self::Tie
        } else if delta > 0.0 {
            Self::Win
        } else {
            Self::Loss
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Loss => "loss",
            Self::Tie => "tie",
            Self::Error => "error",
        }
    }
}

/// The difference as people would compute it, without the noise of binary fractions.
pub(super) fn delta(first: Option<f64>, second: Option<f64>) -> Option<f64> {
    Some(clean(second? - first?))
}

/// A number without the noise of binary fractions, and without a sign where it is 0.
pub(super) fn clean(number: f64) -> f64 {
    const SCALE: f64 = 1e12;
    (number * SCALE).round() / SCALE + 0.0
}

/// As the original tool rounds the mean.
pub(super) fn rounded(number: f64) -> f64 {
    (number * 1000.0 + ROUNDING.copysign(number)).round() / 1000.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(first: f64, second: f64, min_delta: f64) -> Outcome {
        Outcome::of(Some(first), Some(second), min_delta)
    }

    #[test]
    fn nine_tenths_are_a_tenth_more_than_eight() {
        assert_eq!(check(0.8, 0.9, 0.1), Outcome::Win);
        assert_eq!(check(0.9, 0.8, 0.1), Outcome::Loss);
        assert_eq!(check(0.9, 0.8001, 0.1), Outcome::Tie);
        assert_eq!(delta(Some(0.8), Some(0.9)), Some(0.1));
    }

    #[test]
    fn equal_scores_are_a_tie_even_where_any_difference_counts() {
        assert_eq!(check(0.5, 0.5, 0.0), Outcome::Tie);
        assert_eq!(check(0.5, 0.500_001, 0.0), Outcome::Win);
        let zero = delta(Some(0.3), Some(0.3)).unwrap();
        assert!(zero.is_sign_positive());
    }

    #[test]
    fn an_error_on_either_side_is_no_difference() {
        assert_eq!(Outcome::of(None, Some(1.0), 0.1), Outcome::Error);
        assert_eq!(Outcome::of(Some(1.0), None, 0.1), Outcome::Error);
        assert_eq!(delta(None, Some(1.0)), None);
    }

    #[test]
    fn a_mean_is_rounded_to_three_digits_and_is_never_minus_nothing() {
        assert_eq!(rounded(0.054_000_000_001).to_string(), "0.054");
        assert_eq!(rounded(-0.0004).to_string(), "0");
        assert_eq!(rounded(0.0005).to_string(), "0.001");
    }
}
