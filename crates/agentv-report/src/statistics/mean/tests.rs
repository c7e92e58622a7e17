//! Against a published library, and where its interval would claim too much.

use proptest::prelude::*;

use super::*;
use crate::statistics::vectors::{check, check_interval, vectors};

fn confidence(level: &serde_json::Value) -> Confidence {
    Confidence::new(level.as_f64().unwrap()).unwrap()
}

#[test]
fn quantiles_of_student_are_those_of_a_published_library() {
    for vector in vectors("quantiles") {
        let freedom = vector["freedom"].as_u64().unwrap();
        let reach = student_reach(freedom, confidence(&vector["confidence"]));
        check(reach, &vector["reach"], &vector);
    }
}

#[test]
fn intervals_of_means_are_those_of_a_published_library() {
    for vector in vectors("means") {
        let values: Vec<f64> = serde_json::from_value(vector["values"].clone()).unwrap();
        let moments: Moments = values.into_iter().collect();
        check(moments.mean(), &vector["mean"], &vector);
        let interval = moments.interval(confidence(&vector["confidence"]));
        check_interval(interval, &vector["interval"], &vector);
    }
}

#[test]
fn equal_values_have_an_interval_that_is_no_point() {
    for vector in vectors("equal") {
        let count = vector["count"].as_u64().unwrap();
        let value = vector["value"].as_f64().unwrap();
        let moments: Moments = (0..count).map(|_| value).collect();
        let interval = moments.interval(confidence(&vector["confidence"])).unwrap();
        check_interval(Some(interval), &vector["interval"], &vector);
        assert!(interval.low < interval.high, "{vector}");
    }
    // Eight tenths are eight tenths, however they were added up.
    let moments: Moments = [0.8, 0.1 + 0.7, 0.2 + 0.6].into_iter().collect();
    let interval = moments.interval(Confidence::default()).unwrap();
    assert!(interval.high - interval.low > 0.1, "{interval:?}");
}

#[test]
fn one_value_has_no_interval_and_none_has_no_mean() {
    let one: Moments = [0.7].into_iter().collect();
    assert_eq!((one.mean(), one.interval(Confidence::default())), (Some(0.7), None));
    assert_eq!(Moments::default().mean(), None);
    assert_eq!(MeanScore::of([Moments::default()], Confidence::default()), None);
}

#[test]
fn each_case_counts_once_however_often_it_was_asked() {
    let case = |values: &[f64]| values.iter().copied().collect::<Moments>();
    let of =
        |cases: &[Moments]| MeanScore::of(cases.iter().copied(), Confidence::default()).unwrap();
    let often: Vec<f64> = vec![1.0; 98];
    let found = of(&[case(&often), case(&[0.0]), Moments::default(), case(&[0.5, 0.5])]);
    assert_eq!((found.mean, found.cases), (0.5, 3));
    // Three means and not a hundred scores: the interval is that of 0, 0.5 and 1.
    assert_eq!(found.interval, case(&[0.0, 0.5, 1.0]).interval(Confidence::default()));
    // Of one case there is nothing but its repeats.
    let alone = of(&[case(&[0.2, 0.4])]);
    assert_eq!(
        (alone.cases, alone.interval),
        (1, case(&[0.2, 0.4]).interval(Confidence::default()))
    );
    assert_eq!(of(&[case(&[0.2])]).interval, None);
}

proptest! {
    #[test]
    fn an_interval_holds_its_mean_and_stays_within_the_scores(
        values in prop::collection::vec(0.0..=1.0_f64, 2..50),
    ) {
        let moments: Moments = values.iter().copied().collect();
        let (mean, interval) = (moments.mean().unwrap(), moments.interval(Confidence::default()).unwrap());
        prop_assert!((mean - values.iter().sum::<f64>() / values.len() as f64).abs() < 1e-12);
        prop_assert!(0.0 <= interval.low && interval.low <= mean + 1e-12);
        prop_assert!(mean <= interval.high + 1e-12 && interval.high <= 1.0);
    }
}
