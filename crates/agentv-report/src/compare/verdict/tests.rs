//! The four findings, and what each of them needs.

use super::*;
use crate::statistics::ClusterDelta;

fn sample(values: &[(f64, u32)]) -> PairedSample {
    let all = values.iter().flat_map(|(value, count)| (0..*count).map(|_| *value));
    PairedSample::new(all.map(|sum| ClusterDelta { sum, pairs: 1 }))
}

#[track_caller]
fn check(values: &[(f64, u32)], margin: f64, expected: Finding) {
    let statistics = PairedStatistics::of(&sample(values), margin);
    let corrected = correct([&statistics]);
    let found = statistics.finding(corrected[0].permutation, corrected[0].shifted);
    assert_eq!(found, expected, "{statistics:?}");
}

#[test]
fn each_finding_is_made_where_the_rows_say_so() {
    check(&[(0.3, 10), (0.1, 10), (-0.1, 2)], 0.0, Finding::Better);
    check(&[(-0.3, 10), (-0.1, 10), (0.1, 2)], 0.0, Finding::Worse);
    check(&[(0.0, 190), (1.0, 2), (-1.0, 2)], 0.1, Finding::NoWorse);
    check(&[(-0.3, 3), (0.1, 2)], 0.0, Finding::Inconclusive);
}

#[test]
fn nothing_one_case_and_no_difference_are_inconclusive() {
    check(&[], 0.0, Finding::Inconclusive);
    check(&[], 0.1, Finding::Inconclusive);
    check(&[(-1.0, 1)], 0.0, Finding::Inconclusive);
    check(&[(0.0, 1_000)], 0.0, Finding::Inconclusive);
}

#[test]
fn all_cases_lower_by_the_same_are_worse_although_their_interval_is_wide() {
    check(&[(-0.1, 20)], 0.0, Finding::Worse);
    check(&[(0.1, 20)], 0.0, Finding::Better);
    check(&[(-0.1, 5)], 0.0, Finding::Inconclusive);
}

#[test]
fn a_loss_within_the_margin_is_not_worse_and_few_ties_are_not_safe() {
    check(&[(-0.1, 10), (-0.05, 10), (0.0, 4)], 0.0, Finding::Worse);
    check(&[(-0.1, 20), (-0.05, 20), (0.0, 8)], 0.2, Finding::NoWorse);
    // Twenty cases that are as before could all miss the one in twenty that fails.
    check(&[(0.0, 20)], 0.05, Finding::Inconclusive);
    check(&[(0.0, 100)], 0.05, Finding::NoWorse);
}

#[test]
fn better_is_said_rather_than_no_worse() {
    check(&[(0.3, 60), (0.1, 60), (0.0, 100)], 0.05, Finding::Better);
}

#[test]
fn a_family_is_corrected_and_what_was_not_tested_is_no_part_of_it() {
    let of = |values: &[(f64, u32)]| PairedStatistics::of(&sample(values), 0.0);
    // Six of six: 2 / 64 alone, and twice that among two.
    let (six, nothing) = (of(&[(-0.2, 6)]), of(&[]));
    let alone = correct([&six, &nothing]);
    assert!((alone[0].permutation - 0.031_25).abs() < 1e-12);
    assert_eq!((alone[1].permutation, alone[1].shifted), (1.0, None));
    let both = correct([&six, &six]);
    assert!((both[1].permutation - 0.0625).abs() < 1e-12);
    assert_eq!(six.finding(alone[0].permutation, None), Finding::Worse);
    assert_eq!(six.finding(both[0].permutation, None), Finding::Inconclusive);
}

#[test]
fn how_numbers_came_about_is_written_with_them() {
    let statistics = PairedStatistics::of(&sample(&[(0.25, 8), (0.5, 1), (-0.125, 1)]), 0.0);
    let json = serde_json::to_value(&statistics).unwrap();
    assert_eq!(json["permutation"]["method"], "exact");
    assert_eq!(json["interval_how"]["method"], "resampled");
    assert_eq!(json["interval_how"]["draws"], 10_000);
    assert!(json["shifted"].is_null());
}
