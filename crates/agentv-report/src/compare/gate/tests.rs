//! Against a published library's binomial distribution, and what must hold for any counts.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn counts([graded1, failed1, graded2, failed2]: [u32; 4]) -> CaseCounts {
    CaseCounts { graded1, failed1, graded2, failed2 }
}

#[test]
fn a_case_regresses_where_the_binomial_distribution_says_so() {
    let all: Value =
        serde_json::from_str(include_str!("../../../tests/vectors/paired.json")).unwrap();
    for vector in all["regressions"].as_array().unwrap() {
        let of: [u32; 4] = serde_json::from_value(vector["counts"].clone()).unwrap();
        assert_eq!(has_regressed(counts(of)), vector["regressed"].as_bool().unwrap(), "{vector}");
        let [graded1, failed1, graded2, failed2] = of;
        if let Some(theirs) = vector["p"].as_f64().filter(|_| graded2 > 0) {
            let ours = at_least(failed2, graded2, f64::from(failed1) / f64::from(graded1));
            assert!((ours - theirs).abs() < 1e-9, "{vector}: {ours}");
        }
    }
}

#[test]
fn a_case_that_never_failed_may_not_fail() {
    assert!(has_regressed(counts([1, 0, 1, 1])));
    assert!(has_regressed(counts([100, 0, 100, 1])));
    assert!(!has_regressed(counts([1, 0, 1, 0])));
}

#[test]
fn one_that_did_not_pass_cannot_regress() {
    assert!(!has_regressed(counts([1, 1, 1, 1])));
    assert!(!has_regressed(counts([2, 1, 10, 10])));
}

#[test]
fn nothing_that_was_graded_is_no_regression() {
    assert!(!has_regressed(counts([0, 0, 5, 5])));
    assert!(!has_regressed(counts([5, 0, 0, 0])));
}

#[test]
fn a_flaky_case_may_fail_as_often_as_it_did() {
    // One failure in ten: three in ten are within one in twenty, four are not.
    assert!(!has_regressed(counts([10, 1, 10, 3])));
    assert!(has_regressed(counts([10, 1, 10, 4])));
}

proptest! {
    #[test]
    fn more_failures_never_undo_a_regression(
        graded1 in 0..30_u32, failed1 in 0..30_u32, graded2 in 1..30_u32, failed2 in 0..30_u32,
    ) {
        let (failed1, failed2) = (failed1.min(graded1), failed2.min(graded2 - 1));
        let of = |failed2| has_regressed(counts([graded1, failed1, graded2, failed2]));
        prop_assert!(!of(failed2) || of(failed2 + 1));
    }
}
