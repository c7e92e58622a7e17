//! Numbers over cases: which cases they are of, and what they are silent about.

use super::{super::sequential::Wager, *};

/// A case with these scores, at a threshold of 0.8, and so many errors.
fn case(scores: &[f64], errors: u32) -> RepeatedCase {
    let mut case = RepeatedCase { errors, ..RepeatedCase::default() };
    for score in scores {
        case.grade(*score, *score >= 0.8);
    }
    case
}

fn stats(cases: &[RepeatedCase]) -> RepeatStats {
    RepeatStats::of(cases.iter(), false).unwrap()
}

#[test]
fn estimates_are_means_over_the_cases_that_have_so_many_graded_repeats() {
    let found = stats(&[
        case(&[1.0, 1.0, 1.0, 0.0], 0),
        case(&[1.0, 0.0], 2),
        case(&[0.0], 3),
        case(&[], 4),
    ]);
    assert_eq!((found.cases, found.fewest_repeats, found.most_repeats), (4, 4, 4));
    assert_eq!((found.graded, found.errors), (7, 9));
    let estimates = found.estimates.unwrap();
    let close = |rates: &PassRates, k: u64, at: f64, hat: f64, cases: u64| {
        assert_eq!((rates.k, rates.cases), (k, cases));
        assert!((rates.pass_at_k - at).abs() < 1e-12, "{rates:?}");
        assert!((rates.pass_hat_k - hat).abs() < 1e-12, "{rates:?}");
    };
    let [one, two, four] = &estimates.pass[..] else { panic!("{estimates:?}") };
    close(one, 1, (0.75 + 0.5) / 3.0, (0.75 + 0.5) / 3.0, 3);
    close(two, 2, 1.0, 0.25, 2);
    close(four, 4, 1.0, 0.0, 1);
    let mean = estimates.mean.unwrap();
    assert!((mean.mean - (0.75 + 0.5) / 3.0).abs() < 1e-12 && mean.cases == 3, "{mean:?}");
    // Of four repeats three of six pairs disagree, of two the only one.
    assert_eq!(estimates.flake_rate, Some(0.75));
    assert_eq!((estimates.compared_cases, estimates.flaky_cases), (2, 2));
}

#[test]
fn where_no_case_has_a_grade_nothing_is_estimated() {
    let estimates = stats(&[case(&[], 3)]).estimates.unwrap();
    assert_eq!(estimates.pass, []);
    assert_eq!((estimates.mean, estimates.flake_rate), (None, None));
    assert!(RepeatStats::of([].iter(), false).is_none());
}

#[test]
fn few_sizes_are_told_of_many_repeats() {
    for (most, sizes_of) in [
        (1, vec![1]),
        (2, vec![1, 2]),
        (3, vec![1, 2, 3]),
        (8, vec![1, 2, 4, 8]),
        (10, vec![1, 2, 4, 8, 10]),
        (10_000, vec![1, 2, 4, 8, 16, 10_000]),
    ] {
        assert_eq!(sizes(most), sizes_of, "{most}");
    }
}

#[test]
fn where_repeats_end_early_it_is_told_what_was_decided_and_nothing_is_estimated() {
    let decided = |scores: &[f64]| {
        let mut case =
            RepeatedCase { wager: Some(Box::new(Wager::on(0.8))), ..RepeatedCase::default() };
        for score in scores {
            case.grade(*score, *score >= 0.8);
        }
        case
    };
    // One more than it takes, as where a batch asked for it before.
    let cases = [decided(&[1.0; 17]), decided(&[0.0; 3]), decided(&[0.0; 3]), decided(&[0.8; 20])];
    let found = RepeatStats::of(cases.iter(), true).unwrap();
    assert_eq!(found.estimates, None);
    let DecidedStats { error_level, reaching, falling_short, undecided, mean_repeats } =
        found.until_decided.unwrap();
    assert_eq!((error_level, reaching, falling_short, undecided), (0.05, 1, 2, 1));
    assert!((mean_repeats.unwrap() - 22.0 / 3.0).abs() < 1e-9, "{mean_repeats:?}");
}

#[test]
fn the_numbers_of_a_run_are_written_and_read_back() {
    let found = stats(&[case(&[1.0, 0.0], 1), case(&[0.5, 0.25, 0.125], 0)]);
    let json = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<RepeatStats>(&json).unwrap(), found);
    assert!(!json.contains("until_decided"), "{json}");
}

#[test]
fn a_case_is_told_with_its_interval_or_with_its_verdict_and_never_with_both() {
    let told = |case: &RepeatedCase, until_decided: bool| {
        let told = CaseRepeats::of(["s.yaml", "x", "agent"], case, until_decided);
        serde_json::to_value(told).unwrap()
    };
    let flaky = told(&case(&[1.0, 0.0, 1.0, 1.0], 1), false);
    assert_eq!(
        flaky,
        serde_json::json!({
            "suite": "s.yaml", "eval_id": "x", "target": "agent",
            "graded": 4, "errors": 1, "passed": 3, "mean": 0.75,
            "interval": {"low": 0.0, "high": 1.0},
            "flake_rate": 0.5,
        })
    );
    let absent = told(&case(&[], 2), false);
    assert!(absent["mean"].is_null() && absent.get("interval").is_none(), "{absent}");
    let mut bad = RepeatedCase { wager: Some(Box::new(Wager::on(0.8))), ..case(&[], 0) };
    (0..3).for_each(|_| bad.grade(0.0, false));
    let bad = told(&bad, true);
    assert_eq!((&bad["decided"], &bad["mean"]), (&"falls_short".into(), &0.0.into()));
    assert!(bad.get("interval").is_none() && bad.get("flake_rate").is_none(), "{bad}");
}
