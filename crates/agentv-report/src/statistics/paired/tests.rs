//! Against published libraries (`tests/vectors/paired.py`), and what must hold for any differences.

mod simulation;

use proptest::prelude::*;
use serde_json::Value;

use super::{analytic, noncentral, power::smallest_size, *};
use crate::statistics::{
    Confidence,
    vectors::{check, check_interval},
};

fn vectors(kind: &str) -> Vec<Value> {
    let all: Value =
        serde_json::from_str(include_str!("../../../tests/vectors/paired.json")).unwrap();
    let vectors = all[kind].as_array().unwrap().clone();
    assert!(!vectors.is_empty(), "{kind}");
    vectors
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).unwrap()
}

/// Clusters of one pair each.
fn sample(values: &[f64]) -> PairedSample {
    PairedSample::new(values.iter().map(|sum| ClusterDelta { sum: *sum, pairs: 1 }))
}

fn repeated(value: f64, count: usize) -> PairedSample {
    sample(&vec![value; count])
}

#[test]
fn flipped_signs_are_those_of_a_published_library() {
    for vector in vectors("permutations").into_iter().chain(vectors("convolved")) {
        let found = sample(&numbers(&vector["values"])).permutation().unwrap();
        check(Some(found.p), &vector["p"], &vector);
        assert_eq!(found.how, How::Exact, "{vector}");
    }
}

#[test]
fn all_ways_of_counting_flips_agree() {
    // Multiples of an eighth are on a lattice; the same ones with an odd part are not.
    for vector in vectors("permutations") {
        let values = numbers(&vector["values"]);
        let tiny = |(place, value): (usize, &f64)| value + 1e-7 * (place as f64 + 1.0).sqrt();
        let off: Vec<f64> = values.iter().enumerate().map(tiny).collect();
        let sizes = permutation::sizes(&sample(&off));
        let listed = flips::enumerated(&sizes);
        let drawn = flips::drawn(&sizes);
        // Five standard errors of ten thousand draws.
        let allowed = 5.0 * (listed * (1.0 - listed) / 1e4).sqrt() + 2e-4;
        assert!((listed - drawn.p).abs() <= allowed, "{vector}: {listed} and {}", drawn.p);
    }
}

#[test]
fn thirds_tie_although_no_number_holds_them() {
    // Three thirds and one whole: that the thirds add up to the whole must not depend on rounding.
    let third = 1.0 / 3.0;
    let found = sample(&[third, third, third, 1.0]).permutation().unwrap();
    assert!((found.p - 2.0 / 16.0).abs() < 1e-12);
    let found = sample(&[third, third, third, -1.0]).permutation().unwrap();
    assert!((found.p - 1.0).abs() < 1e-12);
    let tenths = sample(&[0.1 + 0.2, -0.3, 0.7 - 0.6, -0.1]).permutation().unwrap();
    assert!((tenths.p - 1.0).abs() < 1e-12);
}

#[test]
fn passes_of_many_cases_are_counted_exactly() {
    for vector in vectors("large_permutations") {
        let number = |key: &str| usize::try_from(vector[key].as_u64().unwrap()).unwrap();
        let ones = [(1.0, number("better")), (-1.0, number("worse")), (0.0, number("ties"))];
        let all = ones.into_iter().flat_map(|(value, count)| std::iter::repeat_n(value, count));
        let found = PairedSample::new(all.map(|sum| ClusterDelta { sum, pairs: 1 }));
        let found = found.permutation().unwrap();
        check(Some(found.p), &vector["p"], &vector);
        assert_eq!(found.how, How::Exact);
    }
}

#[test]
fn mcnemar_and_holm_are_those_of_a_published_library() {
    for vector in vectors("mcnemar") {
        let number = |key: &str| vector[key].as_u64().unwrap();
        let p = mcnemar_exact(number("better"), number("worse"));
        check(Some(p), &vector["p"], &vector);
    }
    for vector in vectors("holm") {
        let ours = holm(&numbers(&vector["p"]));
        for (ours, theirs) in ours.iter().zip(vector["corrected"].as_array().unwrap()) {
            check(Some(*ours), theirs, &vector);
        }
    }
    assert_eq!(holm(&[]), Vec::<f64>::new());
    assert_eq!(holm(&[f64::NAN, 0.01]), [1.0, 0.02]);
}

#[test]
fn the_noncentral_t_distribution_is_that_of_a_published_library() {
    for vector in vectors("noncentral") {
        let number = |key: &str| vector[key].as_f64().unwrap();
        let above = noncentral::above(number("t"), number("freedom"), number("noncentrality"));
        check(Some(above), &vector["above"], &vector);
    }
}

#[test]
fn the_smallest_effect_is_that_of_a_published_library() {
    for vector in vectors("powers") {
        let found = smallest_size(vector["clusters"].as_u64().unwrap());
        check(found, &vector["size"], &vector);
    }
    assert_eq!(smallest_size(1), None);
    assert_eq!(smallest_size(0), None);
}

#[test]
fn intervals_and_effects_are_those_of_a_published_library() {
    let mut resampled = 0;
    for vector in vectors("samples") {
        let sample = sample(&numbers(&vector["values"]));
        check(sample.mean(), &vector["mean"], &vector["mean"]);
        let student = analytic::interval(&sample, Confidence::default());
        check_interval(student.map(|it| it.interval), &vector["student"], &vector["mean"]);
        check(sample.effect_size(), &vector["effect_size"], &vector["mean"]);
        let found = sample.bootstrap(Confidence::default()).unwrap();
        if sample.clusters() < 10 {
            assert_eq!(found.how, How::Analytic);
            check_interval(Some(found.interval), &vector["student"], &vector["mean"]);
            continue;
        }
        resampled += 1;
        assert_eq!(found.how, How::Resampled { draws: DRAWS, seed: SEED });
        let between = |end: f64, range: &Value| {
            let range = numbers(range);
            assert!(range[0] - 1e-9 <= end && end <= range[1] + 1e-9, "{end} not in {range:?}");
        };
        between(found.interval.low, &vector["bootstrap_between"][0]);
        between(found.interval.high, &vector["bootstrap_between"][1]);
    }
    assert!(resampled > 0, "some samples are large enough");
}

#[test]
fn clusters_of_several_sizes_have_the_interval_of_a_ratio() {
    for vector in vectors("ratios") {
        let pairs: Vec<u32> = serde_json::from_value(vector["pairs"].clone()).unwrap();
        let clusters = numbers(&vector["sums"]).into_iter().zip(pairs);
        let sample = PairedSample::new(clusters.map(|(sum, pairs)| ClusterDelta { sum, pairs }));
        // Sums are held to nine digits.
        assert!((sample.mean().unwrap() - vector["mean"].as_f64().unwrap()).abs() < 1e-9);
        let found = analytic::interval(&sample, Confidence::default()).unwrap().interval;
        let theirs = numbers(&vector["student"]);
        assert!((found.low - theirs[0]).abs() < 1e-7 && (found.high - theirs[1]).abs() < 1e-7);
    }
}

#[test]
fn slopes_are_those_of_a_published_library() {
    for vector in vectors("slopes") {
        let values = numbers(&vector["values"]);
        let points = values.iter().enumerate().map(|(step, value)| (step as f64, *value));
        let found = slope(&points.collect::<Vec<_>>(), Confidence::default()).unwrap();
        check(Some(found.per_step), &vector["slope"], &vector["slope"]);
        check_interval(found.interval, &vector["interval"], &vector["slope"]);
    }
    assert_eq!(slope(&[(0.0, 0.5)], Confidence::default()), None);
    let two = slope(&[(0.0, 0.5), (1.0, 0.75)], Confidence::default()).unwrap();
    assert_eq!((two.per_step, two.interval), (0.25, None));
    let flat = slope(&[(0.0, 0.5), (1.0, 0.5), (2.0, 0.5)], Confidence::default()).unwrap();
    assert_eq!((flat.per_step, flat.interval), (0.0, None));
}

#[test]
fn of_nothing_and_of_one_cluster_nothing_is_claimed() {
    let nothing = sample(&[]);
    assert_eq!((nothing.mean(), nothing.permutation()), (None, None));
    assert_eq!(nothing.bootstrap(Confidence::default()), None);
    let one = sample(&[0.5]);
    assert_eq!(one.mean(), Some(0.5));
    assert!((one.permutation().unwrap().p - 1.0).abs() < 1e-12);
    assert_eq!(one.bootstrap(Confidence::default()), None);
    assert_eq!((one.effect_size(), one.smallest_effect()), (None, None));
    // Ten pairs in one cluster are one thing that was seen.
    let cluster = PairedSample::new([ClusterDelta { sum: 9.0, pairs: 10 }]);
    assert_eq!((cluster.mean(), cluster.bootstrap(Confidence::default())), (Some(0.9), None));
    let strange = [f64::NAN, f64::INFINITY].map(|sum| ClusterDelta { sum, pairs: 1 });
    let none = ClusterDelta { sum: 1.0, pairs: 0 };
    assert_eq!(PairedSample::new(strange.into_iter().chain([none])).clusters(), 0);
}

#[test]
fn equal_differences_have_an_interval_that_is_no_point() {
    let zeros = repeated(0.0, 100).bootstrap(Confidence::default()).unwrap();
    assert_eq!(zeros.how, How::Bounded);
    // The exact interval of a hundred cases of which none changed.
    let rare = 1.0 - 0.025_f64.powf(0.01);
    assert!((zeros.interval.high - rare).abs() < 1e-12, "{zeros:?}");
    assert!((zeros.interval.low + rare).abs() < 1e-12, "{zeros:?}");
    for (value, count) in [(-1.0, 2), (1.0, 3), (0.3, 50)] {
        let sample = repeated(value, count);
        let interval = sample.bootstrap(Confidence::default()).unwrap().interval;
        assert!(-1.0 <= interval.low && interval.low <= value, "{interval:?}");
        assert!(value <= interval.high && interval.high <= 1.0, "{interval:?}");
        assert_eq!((sample.effect_size(), sample.smallest_effect()), (None, None));
    }
}

#[test]
fn a_bet_is_won_by_as_many_ties_as_the_rule_of_three_asks_for_and_a_half() {
    let p = |count, margin| repeated(margin, count).bounded_test(margin - 1.0).unwrap();
    assert!(p(40, 0.05) > 0.025, "{}", p(40, 0.05));
    assert!(p(90, 0.05) < 0.025, "{}", p(90, 0.05));
    // One that lost everything cannot win, and no number is too large.
    assert_eq!(repeated(-0.95, 30).bounded_test(-0.95), Some(1.0));
    assert!(p(1_000_000, 0.05) < 1e-300);
}

#[test]
fn a_million_pairs_are_a_histogram() {
    let scores = (0..1_000_000_u32).map(|place| {
        let tenth = i32::try_from(place.wrapping_mul(2_654_435_761) % 21).unwrap() - 10;
        ClusterDelta { sum: f64::from(tenth) / 10.0, pairs: 1 }
    });
    let sample = PairedSample::new(scores);
    assert_eq!((sample.clusters(), sample.cells.len()), (1_000_000, 21));
    let resampled = sample.bootstrap(Confidence::default()).unwrap();
    let student = analytic::interval(&sample, Confidence::default()).unwrap().interval;
    assert_eq!(resampled.how, How::Resampled { draws: DRAWS, seed: SEED });
    let width = student.high - student.low;
    assert!((resampled.interval.low - student.low).abs() < 0.05 * width);
    assert!((resampled.interval.high - student.high).abs() < 0.05 * width);
    assert_eq!(sample.permutation().unwrap().how, How::Analytic);
}

#[test]
fn drawing_counts_and_drawing_clusters_come_to_the_same() {
    // So few distinct ones that counts are drawn, and the same with others that clusters are.
    let coarse: Vec<f64> = (0..400).map(|place| f64::from(place % 5) / 10.0 - 0.1).collect();
    let fine: Vec<f64> =
        coarse.iter().enumerate().map(|(at, it)| it + 1e-6 * (at % 50) as f64).collect();
    let of = |values: &[f64]| sample(values).bootstrap(Confidence::default()).unwrap().interval;
    let (coarse, fine) = (of(&coarse), of(&fine));
    let width = coarse.high - coarse.low;
    assert!((coarse.low - fine.low).abs() < 0.06 * width, "{coarse:?} {fine:?}");
    assert!((coarse.high - fine.high).abs() < 0.06 * width, "{coarse:?} {fine:?}");
}

#[test]
fn a_cluster_that_outweighs_thousands_is_not_taken_for_normal() {
    let mut clusters: Vec<ClusterDelta> = (0..20_000)
        .map(|place| ClusterDelta { sum: 0.01 + 1e-6 * f64::from(place).sqrt(), pairs: 1 })
        .collect();
    clusters.push(ClusterDelta { sum: -900.0, pairs: 1_000 });
    let found = PairedSample::new(clusters).permutation().unwrap();
    assert!(matches!(found.how, How::Resampled { .. }), "{found:?}");
    assert!(found.p > 0.9, "{found:?}");
}

proptest! {
    #[test]
    fn tests_and_intervals_are_the_same_whichever_run_is_first(
        values in prop::collection::vec(-1.0..=1.0_f64, 2..16),
    ) {
        let turned: Vec<f64> = values.iter().map(|value| -value).collect();
        let (one, other) = (sample(&values), sample(&turned));
        prop_assert!((one.permutation().unwrap().p - other.permutation().unwrap().p).abs() < 1e-9);
        let student = |of: &PairedSample| analytic::interval(of, Confidence::default()).unwrap().interval;
        prop_assert!((student(&one).low + student(&other).high).abs() < 1e-9);
    }

    #[test]
    fn a_probability_is_one(values in prop::collection::vec(-4..=4_i32, 1..60), by in -0.3..0.3_f64) {
        let values: Vec<f64> = values.iter().map(|value| f64::from(*value) / 4.0).collect();
        let moved = sample(&values).shifted(by);
        let p = moved.permutation().unwrap().p;
        prop_assert!(p > 0.0 && p <= 1.0, "{p}");
        prop_assert!((moved.mean().unwrap() - sample(&values).mean().unwrap() - by).abs() < 1e-8);
    }
}
