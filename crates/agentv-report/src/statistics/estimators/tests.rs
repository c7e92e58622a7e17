//! Against exact fractions, against every choice of repeats, and what must hold for any counts.

use proptest::prelude::*;

use super::*;
use crate::statistics::vectors::{check, vectors};

#[test]
fn estimators_are_the_exact_fractions_up_to_ten_thousand_repeats() {
    for vector in vectors("estimators") {
        let number = |key: &str| vector[key].as_u64().unwrap();
        let (graded, passed, k) = (number("graded"), number("passed"), number("k"));
        check(pass_at_k(graded, passed, k), &vector["pass_at_k"], &vector);
        check(pass_hat_k(graded, passed, k), &vector["pass_hat_k"], &vector);
        check(flake_rate(graded, passed), &vector["flake_rate"], &vector);
    }
}

#[test]
fn three_of_five_by_hand() {
    // Of the ten pairs of five, one has two failures and three have two passes.
    assert_eq!(pass_at_k(5, 3, 2), Some(0.9));
    assert!((pass_hat_k(5, 3, 2).unwrap() - 0.3).abs() < 1e-15);
    assert!((flake_rate(5, 3).unwrap() - 0.6).abs() < 1e-15);
    assert_eq!((pass_at_k(5, 3, 3), pass_hat_k(5, 3, 4)), (Some(1.0), Some(0.0)));
}

#[test]
fn what_cannot_be_chosen_is_unknown_and_not_a_zero() {
    for (graded, passed, k) in [(0, 0, 0), (0, 0, 1), (3, 2, 0), (3, 2, 4), (3, 4, 1)] {
        assert_eq!(pass_at_k(graded, passed, k), None, "{passed} of {graded} at {k}");
        assert_eq!(pass_hat_k(graded, passed, k), None, "{passed} of {graded} at {k}");
    }
    for (graded, passed) in [(0, 0), (1, 0), (1, 1), (2, 3)] {
        assert_eq!(flake_rate(graded, passed), None, "{passed} of {graded}");
    }
}

#[test]
fn estimators_are_the_shares_of_all_choices() {
    for graded in 1..=10_u64 {
        for passed in 0..=graded {
            for k in 1..=graded {
                // A choice is a number with a bit for each repeat; the first `passed` of them passed.
                let choices = (0..1_u32 << graded).filter(|it| u64::from(it.count_ones()) == k);
                let (mut all, mut some_pass, mut each_passes) = (0_u32, 0_u32, 0_u32);
                for choice in choices {
                    let passes = choice & ((1 << passed) - 1);
                    all += 1;
                    some_pass += u32::from(passes != 0);
                    each_passes += u32::from(passes == choice);
                }
                let share = |count: u32| f64::from(count) / f64::from(all);
                let at = pass_at_k(graded, passed, k).unwrap();
                let hat = pass_hat_k(graded, passed, k).unwrap();
                assert!((at - share(some_pass)).abs() < 1e-14, "{passed} of {graded} at {k}: {at}");
                assert!((hat - share(each_passes)).abs() < 1e-14, "{passed} of {graded}: {hat}");
                if k == 2 {
                    let flakes = flake_rate(graded, passed).unwrap();
                    assert!((flakes - share(some_pass - each_passes)).abs() < 1e-14, "{flakes}");
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn more_passes_never_lower_an_estimate(graded in 1..10_000_u64, some in 0.0..1.0_f64, k in 1..60_u64) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of it")]
        let passed = (graded as f64 * some) as u64;
        let k = k.min(graded);
        let of = |estimate: fn(u64, u64, u64) -> Option<f64>, passed: u64, k: u64| {
            estimate(graded, passed, k).unwrap()
        };
        let (at, hat) = (of(pass_at_k, passed, k), of(pass_hat_k, passed, k));
        let (at_one, hat_one) = (of(pass_at_k, passed, 1), of(pass_hat_k, passed, 1));
        prop_assert!((0.0..=1.0).contains(&at) && (0.0..=1.0).contains(&hat));
        prop_assert!((at_one - hat_one).abs() < 1e-12);
        prop_assert!(hat <= at_one + 1e-12 && at_one <= at + 1e-12, "{hat} {at_one} {at}");
        prop_assert!(of(pass_at_k, passed + 1, k) >= at - 1e-12);
        prop_assert!(of(pass_hat_k, passed + 1, k) >= hat - 1e-12);
        // What passes and what fails change places.
        prop_assert!((of(pass_at_k, graded - passed, k) - (1.0 - hat)).abs() < 1e-12);
    }
}
