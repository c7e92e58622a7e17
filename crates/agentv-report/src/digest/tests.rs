//! Numbers of none, one, many and repeated rows.

use super::*;
use crate::record::{
    Keeping,
    sample::{failed, scored, settled},
};
use agentv_base::{FailureKind, SettledCase};

fn check(cases: &[SettledCase]) -> Digest {
    let rows: Vec<Row<'_>> =
        cases.iter().map(|it| Row::of(it, Keeping::default()).unwrap()).collect();
    Digest::of(&rows)
}

fn repeat(number: u32, settled: SettledCase) -> SettledCase {
    SettledCase { repeat: number, ..settled }
}

#[test]
fn of_nothing_there_is_no_rate_and_no_mean() {
    let digest = check(&[]);
    assert_eq!(digest.all.pass_rate, None);
    assert_eq!(digest.all.mean_score, None);
    let json = serde_json::to_string(&digest).unwrap();
    assert!(!json.contains("NaN"), "{json}");
}

#[test]
fn errors_stand_beside_rates_and_are_no_part_of_them() {
    let digest = check(&[
        settled(0, "a", scored(1.0, &[])),
        settled(1, "b", scored(0.5, &[])),
        settled(2, "c", failed(FailureKind::Timeout, "timed out")),
    ]);
    let all = digest.all;
    assert_eq!((all.rows, all.graded, all.passed, all.errors), (3, 2, 1, 1));
    let rate = all.pass_rate.unwrap();
    assert_eq!((rate.value, rate.cases, rate.method), (0.5, 2, Some(Method::Wilson)));
    assert!((all.mean_score.unwrap().value - 0.75).abs() < 1e-12);
    assert_eq!(all.median_score, Some(0.75));
}

#[test]
fn repeats_of_a_case_count_as_one_case() {
    let digest = check(&[
        repeat(1, settled(0, "a", scored(1.0, &[]))),
        repeat(2, settled(0, "a", scored(1.0, &[]))),
        repeat(3, settled(0, "a", scored(0.0, &[]))),
        repeat(1, settled(1, "b", scored(0.0, &[]))),
    ]);
    let rate = digest.all.pass_rate.unwrap();
    assert_eq!((digest.all.rows, digest.all.cases, rate.cases), (4, 2, 2));
    assert!((rate.value - 1.0 / 3.0).abs() < 1e-12, "{rate:?}");
    assert_eq!(rate.method, Some(Method::T));
}

#[test]
fn equal_scores_have_an_interval_that_is_no_point() {
    let digest = check(&[settled(0, "a", scored(1.0, &[])), settled(1, "b", scored(1.0, &[]))]);
    let mean = digest.all.mean_score.unwrap();
    assert_eq!(mean.method, Some(Method::Hoeffding));
    assert!(mean.interval.unwrap().low < 0.9);
    let alone = check(&[settled(0, "a", scored(1.0, &[]))]).all.mean_score.unwrap();
    assert_eq!((alone.interval, alone.method), (None, None));
}

#[test]
fn of_many_tags_those_with_the_most_rows_are_told() {
    let mut case = settled(0, "a", scored(1.0, &[]));
    let tagged = |case: &mut SettledCase, tags: &[String]| {
        let mut copy = (*case.case).clone();
        copy.tags = tags.iter().map(|tag| tag.as_str().into()).collect();
        case.case = std::sync::Arc::new(copy);
    };
    let mut digester = Digester::default();
    for number in 0..200 {
        tagged(&mut case, &[format!("own-{number}"), "common".to_owned()]);
        digester.add(&Row::of(&case, Keeping::default()).unwrap());
    }
    let digest = digester.finish();
    assert_eq!((digest.tags.len(), digest.more_tags), (MOST_GROUPS, 201 - MOST_GROUPS));
    assert_eq!((digest.tags[0].name.as_str(), digest.tags[0].figures.rows), ("common", 200));
    assert_eq!(digest.tags[1].figures.rows, 1);
}
