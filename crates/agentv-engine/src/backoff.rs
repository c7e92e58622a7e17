//! How long to wait before a further attempt.

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    time::Duration,
};

use agentv_base::Backoff;

/// By how much a wait may be stretched, so that what failed together is not tried again together.
const MOST_JITTER: f64 = 0.25;

/// The wait before retry `retry` (the first is 1): it grows up to a limit, and `chance` (from 0
/// to 1) only adds to it.
pub(crate) fn delay(backoff: &Backoff, retry: u32, chance: f64) -> Duration {
    let most = backoff.most.as_secs_f64();
    let exponent = i32::try_from(retry.saturating_sub(1)).unwrap_or(i32::MAX);
    let grown = backoff.initial.as_secs_f64() * backoff.factor.powi(exponent);
    // A growth beyond all numbers, or one that is none, ends at the limit too.
    let wait = if grown < most { grown.max(0.0) } else { most };
    let stretched = wait * (1.0 + MOST_JITTER * chance.clamp(0.0, 1.0));
    Duration::try_from_secs_f64(stretched).unwrap_or(backoff.most)
}

/// A number from 0 to 1 that differs from call to call.
pub(crate) fn chance() -> f64 {
    // The keys of the standard hasher are random, which spares a generator.
    let random = RandomState::new().build_hasher().finish();
    random as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(backoff: &Backoff, retry: u32, chance: f64, millis: u64) {
        let waited = delay(backoff, retry, chance);
        assert_eq!(waited, Duration::from_millis(millis), "retry {retry}, chance {chance}");
    }

    #[test]
    fn waits_grow_up_to_a_limit_and_chance_only_adds() {
        let backoff = Backoff {
            initial: Duration::from_millis(100),
            most: Duration::from_millis(500),
            factor: 2.0,
        };
        for (retry, millis) in [(1, 100), (2, 200), (3, 400), (4, 500), (u32::MAX, 500)] {
            check(&backoff, retry, 0.0, millis);
        }
        check(&backoff, 1, 1.0, 125);
        check(&backoff, 4, 0.4, 550);
    }

    #[test]
    fn a_growth_that_is_no_number_ends_at_the_limit() {
        for factor in [f64::NAN, f64::INFINITY] {
            let backoff = Backoff { factor, most: Duration::from_secs(3), ..Backoff::default() };
            check(&backoff, 3, 0.0, 3000);
        }
        let shrinking = Backoff { factor: -1.0, ..Backoff::default() };
        check(&shrinking, 2, 0.0, 0);
    }

    #[test]
    fn chance_differs_and_stays_between_nothing_and_all() {
        let drawn: Vec<f64> = (0..100).map(|_| chance()).collect();
        assert!(drawn.iter().all(|chance| (0.0..=1.0).contains(chance)));
        assert!(drawn.windows(2).any(|pair| (pair[0] - pair[1]).abs() > 1e-6));
    }
}
