//! Against published libraries, and what must hold for any counts.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// What the libraries say; written by `tests/vectors/agreement.py`.
fn vectors(kind: &str) -> Vec<Value> {
    let all: Value =
        serde_json::from_str(include_str!("../../tests/vectors/agreement.json")).unwrap();
    all[kind].as_array().unwrap().clone()
}

/// The same number, or both unknown.
fn check(ours: Option<f64>, theirs: &Value, what: &str) {
    match (ours, theirs.as_f64()) {
        (None, None) => assert!(theirs.is_null(), "{what}: {theirs}"),
        (Some(ours), Some(theirs)) => {
            let allowed = 1e-9 * theirs.abs().max(1.0);
            assert!((ours - theirs).abs() <= allowed, "{what}: {ours}, and theirs is {theirs}");
        }
        (ours, _) => panic!("{what}: {ours:?}, and theirs is {theirs}"),
    }
}

fn check_interval(ours: Option<Interval>, theirs: &Value, what: &str) {
    check(ours.map(|it| it.low), &theirs[0], what);
    check(ours.map(|it| it.high), &theirs[1], what);
}

fn table_of(cells: [u64; 4]) -> Confusion {
    let [true_pass, false_fail, false_pass, true_fail] = cells;
    Confusion { true_pass, false_fail, false_pass, true_fail }
}

#[test]
fn intervals_of_shares_are_those_of_published_libraries() {
    for vector in vectors("shares") {
        let number = |key: &str| vector[key].as_u64().unwrap();
        let confidence = Confidence::new(vector["confidence"].as_f64().unwrap()).unwrap();
        let (count, of) = (number("count"), number("of"));
        check_interval(wilson(count, of, confidence), &vector["wilson"], &vector.to_string());
        let exact = clopper_pearson(count, of, confidence);
        check_interval(exact, &vector["clopper_pearson"], &vector.to_string());
    }
}

#[test]
fn agreement_is_that_of_published_libraries() {
    for vector in vectors("tables") {
        let what = vector.to_string();
        let cells: [u64; 4] = serde_json::from_value(vector["table"].clone()).unwrap();
        let agreement = Agreement::of(table_of(cells), Confidence::default());
        for (share, key) in [
            (agreement.accuracy, "accuracy"),
            (agreement.true_positive_rate, "true_positive_rate"),
            (agreement.true_negative_rate, "true_negative_rate"),
            (agreement.positive_predictive_value, "positive_predictive_value"),
            (agreement.negative_predictive_value, "negative_predictive_value"),
        ] {
            check(share.share, &vector[key], &format!("{key} of {what}"));
        }
        let kappa = agreement.kappa;
        check(kappa.map(|kappa| kappa.value), &vector["kappa"], &what);
        let error = kappa.map(|kappa| kappa.standard_error);
        check(error, &vector["kappa_standard_error"], &what);
        let interval = kappa.and_then(|kappa| kappa.interval);
        check_interval(interval, &vector["kappa_interval"], &what);
        check(agreement.bias.map(|bias| bias.p_value), &vector["mcnemar_p"], &what);
    }
}

#[test]
fn self_consistency_is_that_of_published_libraries() {
    for vector in vectors("repeats") {
        let what = vector.to_string();
        let passes: Vec<u64> = serde_json::from_value(vector["passes"].clone()).unwrap();
        let repeats = vector["repeats"].as_u64().unwrap();
        let found = SelfConsistency::of(&passes, repeats, Confidence::default()).unwrap();
        assert_eq!(found.unanimous.count, vector["unanimous"].as_u64().unwrap(), "{what}");
        check(Some(found.pairwise_agreement), &vector["pairwise"], &what);
        check(found.fleiss_kappa, &vector["fleiss_kappa"], &what);
    }
}

#[test]
fn of_nothing_nothing_is_known() {
    let agreement = Agreement::of(Confusion::default(), Confidence::default());
    assert_eq!((agreement.accuracy.share, agreement.accuracy.interval), (None, None));
    assert_eq!((agreement.kappa, agreement.bias), (None, None));
    assert_eq!(SelfConsistency::of(&[], 3, Confidence::default()), None);
    assert_eq!(SelfConsistency::of(&[1], 1, Confidence::default()), None);
    assert_eq!(wilson(1, 0, Confidence::default()), None);
    assert_eq!(clopper_pearson(2, 1, Confidence::default()), None);
}

#[test]
fn a_class_that_people_never_chose_has_no_rate() {
    let agreement = Agreement::of(table_of([3, 1, 0, 0]), Confidence::default());
    assert_eq!(agreement.true_negative_rate.share, None);
    assert_eq!(agreement.true_positive_rate.share, Some(0.75));
}

#[test]
fn kappa_is_unknown_where_chance_alone_would_always_agree() {
    for cells in [[7, 0, 0, 0], [0, 0, 0, 7]] {
        assert_eq!(cohen_kappa(&table_of(cells), Confidence::default()), None, "{cells:?}");
    }
    let perfect = cohen_kappa(&table_of([4, 0, 0, 6]), Confidence::default()).unwrap();
    assert_eq!((perfect.value, perfect.interval), (1.0, None));
    let opposite = cohen_kappa(&table_of([0, 5, 5, 0]), Confidence::default()).unwrap();
    assert_eq!((opposite.value, opposite.interval), (-1.0, None));
}

#[test]
fn a_confidence_is_neither_none_nor_certainty() {
    for level in [0.0, 1.0, -0.5, 1.5, f64::NAN] {
        assert_eq!(Confidence::new(level), None, "{level}");
    }
}

fn counts() -> impl Strategy<Value = [u64; 4]> {
    prop_oneof![prop::array::uniform4(0..4_u64), prop::array::uniform4(0..5000_u64)]
}

/// So many of so many, of which there are at most this many.
fn share_of(most: u64) -> impl Strategy<Value = (u64, u64)> {
    (1..most).prop_flat_map(|of| (0..=of, Just(of)))
}

proptest! {
    #[test]
    fn shares_lie_in_their_intervals_and_these_within_0_and_1(
        (count, of) in share_of(10_000), level in 0.01..0.9999_f64,
    ) {
        let confidence = Confidence::new(level).unwrap();
        let share = count as f64 / of as f64;
        for interval in [wilson(count, of, confidence), clopper_pearson(count, of, confidence)] {
            let Interval { low, high } = interval.unwrap();
            prop_assert!(0.0 <= low && low <= share + 1e-12);
            prop_assert!(share - 1e-12 <= high && high <= 1.0);
        }
    }

    #[test]
    fn more_confidence_is_a_wider_interval(
        (count, of) in share_of(1000), level in 0.1..0.9_f64,
    ) {
        let width = |level| {
            let interval = wilson(count, of, Confidence::new(level).unwrap()).unwrap();
            interval.high - interval.low
        };
        prop_assert!(width(level) <= width(level + 0.05) + 1e-12);
    }

    #[test]
    fn kappa_is_the_same_whoever_is_asked_first_and_whatever_a_pass_is_called(
        [a, b, c, d] in counts(),
    ) {
        let of = |cells| cohen_kappa(&table_of(cells), Confidence::default());
        let kappa = of([a, b, c, d]);
        for other in [of([a, c, b, d]), of([d, b, c, a])] {
            prop_assert_eq!(kappa.is_some(), other.is_some());
            if let (Some(kappa), Some(other)) = (kappa, other) {
                prop_assert!((kappa.value - other.value).abs() < 1e-9);
                prop_assert!((kappa.standard_error - other.standard_error).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn every_number_of_an_agreement_is_within_its_bounds(cells in counts()) {
        let agreement = Agreement::of(table_of(cells), Confidence::default());
        if let Some(kappa) = agreement.kappa {
            prop_assert!((-1.0 - 1e-9..=1.0 + 1e-9).contains(&kappa.value));
            if let Some(interval) = kappa.interval {
                prop_assert!(interval.low <= kappa.value && kappa.value <= interval.high);
            }
        }
        if let Some(bias) = agreement.bias {
            prop_assert!((0.0..=1.0).contains(&bias.p_value));
            prop_assert!((bias.judge_pass_rate - bias.human_pass_rate - bias.difference).abs() < 1e-9);
        }
    }

    #[test]
    fn a_judge_that_always_says_the_same_of_an_answer_agrees_with_itself(
        passed in prop::collection::vec(any::<bool>(), 1..50), repeats in 2..10_u64,
    ) {
        let passes: Vec<u64> = passed.iter().map(|it| if *it { repeats } else { 0 }).collect();
        let found = SelfConsistency::of(&passes, repeats, Confidence::default()).unwrap();
        prop_assert_eq!(found.unanimous.share, Some(1.0));
        prop_assert!((found.pairwise_agreement - 1.0).abs() < 1e-12);
        prop_assert!(found.fleiss_kappa.is_none_or(|kappa| (kappa - 1.0).abs() < 1e-9));
    }
}
