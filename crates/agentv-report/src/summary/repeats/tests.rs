//! Repeats as they are told, and what they cost to keep.

use agentv_base::{FailureKind, Outcome, SettledCase};
use insta::assert_snapshot;

use super::*;
use crate::{
    record::sample::{case, failed, scored, settled},
    statistics::Decision,
    style::Style,
    summary::Summary,
};

/// A case whose repeats came to this; NaN is an error.
fn repeats(id: &str, scores: &[f64]) -> Vec<SettledCase> {
    let outcome = |score: f64| -> Outcome {
        if score.is_nan() { failed(FailureKind::Timeout, "timed out") } else { scored(score, &[]) }
    };
    let numbered = (1..).zip(scores);
    numbered
        .map(|(repeat, score)| SettledCase { repeat, ..settled(0, id, outcome(*score)) })
        .collect()
}

fn add(summary: &mut Summary, cases: &[Vec<SettledCase>]) {
    for settled in cases.iter().flatten() {
        summary.add(&Row::of(settled, crate::record::Keeping::default()).unwrap());
    }
}

fn section(summary: &Summary) -> String {
    let text = summary.render(Style { color: false, width: 80 }, None, None);
    let rest = text.split_once("\nRepeats\n").map_or("", |(_, rest)| rest);
    rest.lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

const ERROR: f64 = f64::NAN;

#[test]
fn repeats_are_told_with_their_estimates_and_the_flakiest_cases() {
    let mut summary = Summary::default();
    add(
        &mut summary,
        &[
            repeats("steady", &[1.0; 5]),
            repeats("flaky", &[1.0, 0.0, 1.0, 0.0, 1.0]),
            repeats("slip", &[1.0, 0.9, 0.5, 1.0, 1.0]),
            repeats("wrong", &[0.0, 0.0, 0.1, 0.0, ERROR]),
            repeats("absent", &[ERROR; 3]),
        ],
    );
    assert_snapshot!(section(&summary), @"
    5 cases, 3 to 5 repeats each: 19 graded (4 errors not counted)
    pass@1 0.600 [0.00–1.00] over the 4 graded cases of 5
    pass@2 0.725 [0.00–1.00], pass^2 0.475 [0.00–1.00] over the 4 of 5 cases
    graded 2 times or more
    pass@4 0.750 [0.00–1.00], pass^4 0.300 [0.00–1.00] over the 4 of 5 cases
    graded 4 times or more
    pass@5 1.000 [0.29–1.00], pass^5 0.333 [0.00–1.00] over the 3 of 5 cases
    graded 5 times or more
    flake rate 0.250 [0.00–0.73] over the 4 of 5 cases graded 2 times or more (2
    flaky)
      3 of 5 passed  mean 0.60 [0.00–1.00]  flaky (agent)
      4 of 5 passed  mean 0.88 [0.61–1.00]  slip (agent)
    ");
}

#[test]
fn one_case_has_the_interval_of_its_repeats() {
    let mut summary = Summary::default();
    add(&mut summary, &[repeats("only", &[1.0, 0.9])]);
    assert_snapshot!(section(&summary), @"
    1 case, 2 repeats each: 2 graded
    mean 0.950 [0.31–1.00] over the repeats of the only graded case
    pass@1 1.000 [0.34–1.00] over 1 case
    pass@2 1.000, pass^2 1.000 over 1 case
    flake rate 0.000 over 1 case (0 flaky)
    ");
    let mean = summary.repeats().unwrap().estimates.unwrap().mean.unwrap();
    assert_eq!(mean.cases, 1);
}

#[test]
fn with_until_decided_it_is_told_what_is_settled_and_nothing_is_estimated() {
    let mut summary = Summary::default();
    summary.end_when_decided();
    add(
        &mut summary,
        &[
            repeats("good", &[1.0; 16]),
            repeats("bad", &[0.0; 3]),
            repeats("worse", &[ERROR, 0.0, 0.0, 0.0]),
            repeats("so-so", &[0.8; 20]),
            repeats("absent", &[ERROR; 20]),
        ],
    );
    assert_snapshot!(section(&summary), @"
    5 cases, 3 to 20 repeats each: 42 graded (21 errors not counted)
    3 of 5 decided after 7.3 graded repeats on average: 1 reaching the threshold,
    2 falling short
    falling short: bad (agent), worse (agent)
    2 not decided: absent (agent), so-so (agent)
    each is decided wrongly with a chance of at most 5 %; repeats ended by what
    came out, so means of this run are biased
    ");
    let stats = summary.repeats().unwrap();
    assert!(stats.estimates.is_none() && stats.until_decided.is_some());
}

#[test]
fn a_case_that_is_decided_by_its_first_answer_is_told_too() {
    let mut summary = Summary::default();
    summary.end_when_decided();
    let mut rows = repeats("x", &[0.5]);
    if let Outcome::Assessed { assessment, .. } = &mut rows[0].outcome {
        assessment.threshold = 1.0;
    }
    add(&mut summary, &[rows]);
    assert!(section(&summary).contains("1 of 1 decided after 1.0"), "{}", section(&summary));
}

#[test]
fn without_repeats_nothing_is_told_and_little_is_kept() {
    let mut summary = Summary::default();
    let once: Vec<_> = (0..100).map(|slot| repeats(&format!("case-{slot}"), &[1.0])).collect();
    add(&mut summary, &once);
    assert_eq!((section(&summary).as_str(), summary.repeats()), ("", None));
    assert!(summary.repeats.cases.is_empty(), "no case is kept by itself");
    assert!(size_of::<Kept>() <= 96);
    // From the first repeat on they are all cases, whenever it comes.
    add(&mut summary, &[repeats("case-7", &[1.0, 0.0]).split_off(1)]);
    let stats = summary.repeats().unwrap();
    assert_eq!((stats.cases, stats.graded, stats.most_repeats), (100, 101, 2));
    assert_eq!(stats.estimates.unwrap().flaky_cases, 1);
}

#[test]
fn targets_and_suites_tell_cases_of_one_name_apart() {
    let mut summary = Summary::default();
    let other_target = repeats("x", &[0.0, 0.0])
        .into_iter()
        .map(|settled| SettledCase { target: "other".into(), ..settled });
    add(&mut summary, &[repeats("x", &[1.0, 1.0]), other_target.collect()]);
    let elsewhere = settled(0, "x", scored(1.0, &[]));
    let mut row = Row::of(&elsewhere, crate::record::Keeping::default()).unwrap();
    row.suite = "evals/other.yaml".into();
    summary.add(&row);
    let stats = summary.repeats().unwrap();
    assert_eq!((stats.cases, stats.fewest_repeats), (3, 1));
    assert_eq!(stats.estimates.unwrap().flaky_cases, 0);
}

#[test]
fn the_order_in_which_repeats_settle_does_not_show() {
    let stats = |rows: &[SettledCase]| {
        let mut summary = Summary::default();
        add(&mut summary, &[rows.to_vec()]);
        (summary.repeats().unwrap(), section(&summary))
    };
    // The last bits of a sum may happen to be the same; not those of thirty.
    for cases in 1..30 {
        let mut rows: Vec<SettledCase> = (0..cases)
            .flat_map(|case| {
                let scores = (1..8).map(|it| f64::from(cases * 31 + case * 7 + it).sin().abs());
                repeats(&format!("case-{case}"), &scores.collect::<Vec<_>>())
            })
            .collect();
        let forwards = stats(&rows);
        rows.reverse();
        assert_eq!(stats(&rows), forwards, "{cases}");
    }
}

#[test]
fn names_of_flaky_cases_are_harmless() {
    let mut summary = Summary::default();
    add(&mut summary, &[repeats(&format!("\u{1b}[2J{}", "x".repeat(1000)), &[1.0, 0.0])]);
    let text = section(&summary);
    assert!(text.contains("\\u{1b}[2Jxxx") && text.len() < 800, "{text}");
}

#[test]
fn every_case_has_its_numbers_in_the_order_of_the_suites() {
    let mut summary = Summary::default();
    let at = |line: usize, rows: Vec<SettledCase>| -> Vec<SettledCase> {
        let id = rows[0].case.id().to_owned();
        rows.into_iter().map(|row| SettledCase { case: case(&id, line), ..row }).collect()
    };
    add(
        &mut summary,
        &[
            at(30, repeats("once", &[1.0])),
            at(20, repeats("absent", &[ERROR; 2])),
            at(4, repeats("z", &[1.0, 0.0])),
        ],
    );
    let stats = summary.repeats().unwrap();
    let told = |it: &CaseRepeats| (it.eval_id.clone(), it.graded, it.errors, it.passed, it.mean);
    assert_eq!(
        stats.by_case.iter().map(told).collect::<Vec<_>>(),
        [
            ("z".to_owned(), 2, 0, 1, Some(0.5)),
            ("absent".to_owned(), 0, 2, 0, None),
            ("once".to_owned(), 1, 0, 1, Some(1.0)),
        ]
    );
    let first = &stats.by_case[0];
    assert_eq!((&*first.suite, &*first.target), ("evals/demo.yaml", "agent"));
    assert_eq!((first.flake_rate, first.decided, stats.more_cases), (Some(1.0), None, 0));
}

#[test]
fn of_very_many_cases_the_first_of_the_suites_are_listed_whatever_came_first() {
    let listed = |ids: &mut dyn Iterator<Item = usize>| {
        let mut summary = Summary::default();
        for id in ids {
            add(&mut summary, &[repeats(&format!("case-{id:04}"), &[1.0, 1.0])]);
        }
        assert_eq!(summary.repeats.first.len(), MOST_LISTED);
        summary.repeats().unwrap()
    };
    let stats = listed(&mut (0..1200));
    assert_eq!((stats.by_case.len(), stats.more_cases), (MOST_LISTED, 200));
    assert_eq!(stats.by_case[999].eval_id, "case-0999");
    assert_eq!(listed(&mut (0..1200).rev()), stats);
}

#[test]
fn a_case_that_moved_within_its_suite_is_listed_once() {
    let mut summary = Summary::default();
    let mut rows = repeats("x", &[1.0, 0.0]);
    rows[1].case = case("x", 99);
    add(&mut summary, &[rows]);
    let stats = summary.repeats().unwrap();
    assert_eq!((stats.cases, stats.by_case.len(), stats.more_cases), (1, 1, 0));
    assert_eq!(stats.by_case[0].graded, 2);
}

#[test]
fn with_until_decided_every_case_has_its_verdict_and_few_are_named() {
    let mut summary = Summary::default();
    summary.end_when_decided();
    let short: Vec<_> = (0..12).map(|it| repeats(&format!("bad-{it:02}"), &[0.0; 3])).collect();
    add(&mut summary, &short);
    add(&mut summary, &[repeats("good", &[1.0; 16]), repeats("so-so", &[0.8; 4])]);
    let stats = summary.repeats().unwrap();
    let decided: Vec<_> = stats.by_case.iter().map(|case| case.decided).collect();
    assert_eq!(decided[..12], [Some(Decision::FallsShort); 12]);
    assert_eq!(decided[12..], [Some(Decision::Reaches), None]);
    let text = section(&summary);
    assert!(text.contains("bad-09 (agent) and 2 more\n  1 not decided: so-so (agent)"), "{text}");
}
