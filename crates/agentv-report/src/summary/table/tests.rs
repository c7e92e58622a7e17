//! Tables in windows of every width.

use std::sync::Arc;

use agentv_base::{EvalCase, FailureKind, Outcome, Response, SettledCase};
use insta::assert_snapshot;

use super::*;
use crate::{
    record::{
        Keeping, Row,
        sample::{assessed, failed, full_response, grader, scored, settled},
    },
    style::Style,
};

/// The tables of rows of these targets and tags.
fn check(rows: &[(&str, &[&str], Outcome)], width: usize) -> String {
    let mut summary = Summary::default();
    for (slot, (target, tags, outcome)) in rows.iter().enumerate() {
        let mut settled: SettledCase = settled(slot, &format!("case-{slot}"), outcome.clone());
        settled.target = Arc::from(*target);
        let tags: Vec<Arc<str>> = tags.iter().map(|tag| Arc::from(*tag)).collect();
        settled.case = Arc::new(EvalCase { tags: tags.into(), ..EvalCase::clone(&settled.case) });
        summary.add(&Row::of(&settled, Keeping::default()).unwrap());
    }
    let mut page = Page::new(Style { color: false, width });
    summary.write_tables(&mut page, &summary.digester.finish());
    for line in page.text.lines() {
        assert!(measure_text_width(line) <= width.max(NARROWEST), "{width}: {line}");
    }
    page.text
}

fn answered(score: f64, milliseconds: f64) -> Outcome {
    let response = Response { duration_ms: Some(milliseconds), ..full_response() };
    assessed(response, vec![grader("has", score, &[], &[])])
}

fn two_targets() -> Vec<(&'static str, &'static [&'static str], Outcome)> {
    vec![
        ("old", &["math", "slow"], answered(1.0, 500.0)),
        ("old", &["math"], answered(0.5, 1500.0)),
        ("old", &[], failed(FailureKind::Timeout, "timed out")),
        ("a-target-with-a-very-long-name-indeed", &["math"], answered(1.0, 90_000.0)),
        ("a-target-with-a-very-long-name-indeed", &[], answered(1.0, 100.0)),
        ("a-target-with-a-very-long-name-indeed", &["数学の問題"], answered(0.9, 100.0)),
    ]
}

#[test]
fn a_wide_window_has_every_column() {
    assert_snapshot!(check(&two_targets(), 120));
}

#[test]
fn a_usual_window_leaves_out_what_matters_least() {
    assert_snapshot!(check(&two_targets(), 80));
}

#[test]
fn a_narrow_window_keeps_names_rates_and_what_is_behind_them() {
    assert_snapshot!(check(&two_targets(), 40));
}

#[test]
fn nothing_is_wrapped_at_any_width() {
    for width in 1..200 {
        check(&two_targets(), width);
    }
}

#[test]
fn one_target_without_tags_needs_no_table() {
    assert_eq!(check(&[("one", &[], scored(1.0, &[]))], 80), "");
    assert_eq!(check(&[], 80), "");
}

#[test]
fn errors_alone_have_no_rate() {
    let down = || failed(FailureKind::Timeout, "timed out");
    let rows = [("one", &[] as &[&str], down()), ("two", &[], down())];
    assert_snapshot!(check(&rows, 80).trim_start(), @"
    Targets    graded  errors
      one           0       1
      two           0       1
    ");
}

#[test]
fn many_tags_are_counted_and_odd_names_are_harmless() {
    let tags: Vec<String> = (0..70).map(|tag| format!("\u{1b}[2J{tag:02}")).collect();
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    let text = check(&[("one", &tags, scored(1.0, &[]))], 80);
    assert!(text.ends_with("  … and 60 more\n"), "{text}");
    assert!(text.contains("  \\u{1b}[2J00 "), "{text}");
}

#[test]
fn large_numbers_are_short() {
    for (count, told) in [(999, "999"), (1000, "1.0k"), (999_949, "999.9k"), (4_100_000, "4.1M")] {
        assert_eq!(short_count(count), told);
    }
}
