//! Comparisons of rows that a test writes down: what matches, what came of it, and how each format
//! tells it.

mod formats;
mod matching;

use std::fs;

use serde_json::{Value, json};

use super::*;
use crate::style::Style;

fn no_yaml(_: &str) -> Result<Value, (usize, String)> {
    Err((1, "not here".to_owned()))
}

pub(super) fn options() -> CompareOptions {
    CompareOptions {
        min_delta: 0.1,
        margin: 0.0,
        cluster: ClusterBy::Case,
        gate: Gate::Case,
        targets: Vec::new(),
    }
}

/// A row of ours; a score of none is an error.
pub(super) fn row(id: &str, repeat: u32, score: impl Into<Option<f64>>) -> Value {
    let score = score.into();
    let status = match score {
        Some(score) if score >= 0.8 => "passed",
        Some(_) => "failed",
        None => "error",
    };
    let mut row = json!({
        "eval_id": id, "dataset": "demo", "suite": "evals/demo.yaml", "target": "agent",
        "repeat": repeat, "status": status, "score": score, "threshold": 0.8,
        "line": 3 + id.len(),
    });
    if score.is_none() {
        row["error"] = json!("timed out");
    }
    row
}

/// The same row with other keys.
pub(super) fn with(mut row: Value, keys: &Value) -> Value {
    for (key, value) in keys.as_object().unwrap() {
        row[key] = value.clone();
    }
    row
}

/// Compares runs called `a.jsonl`, `b.jsonl` and so on.
pub(super) fn compared(runs: &[&[Value]], options: CompareOptions) -> Comparison {
    let folder = tempfile::tempdir().unwrap();
    let recorded: Vec<Recorded> = ('a'..='z')
        .zip(runs)
        .map(|(letter, rows)| {
            let name = format!("{letter}.jsonl");
            let path = folder.path().join(&name);
            let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
            let text = rows.join("\n");
            fs::write(&path, text).unwrap();
            Recorded::of_file(&path, &name, no_yaml).unwrap()
        })
        .collect();
    Comparison::of(&recorded, options, &mut |_| {}).unwrap()
}

pub(super) fn told(comparison: &Comparison, format: CompareFormat) -> String {
    let mut out = Vec::new();
    write_comparison(comparison, format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

pub(super) fn json_of(comparison: &Comparison) -> Value {
    serde_json::from_str(&told(comparison, CompareFormat::Json)).unwrap()
}

pub(super) fn table_of(comparison: &Comparison, width: usize) -> String {
    let style = Style { color: false, width };
    told(comparison, CompareFormat::Table { style, verbose: false })
}

/// The example of the original tool's guide.
fn published() -> Comparison {
    let ids =
        ["code-review-001", "code-review-002", "code-review-003", "code-gen-001", "code-gen-002"];
    let rows = |key: &str, target: &str, scores: [f64; 5]| -> Vec<Value> {
        ids.iter()
            .zip(scores)
            .map(|(id, score)| json!({key: id, "score": score, "target": target, "timestamp": "2025-12-20T10:00:00Z"}))
            .collect()
    };
    let baseline = rows("test_id", "gpt-4.1", [0.72, 0.85, 0.68, 0.90, 0.75]);
    let now = rows("eval_id", "gpt-5", [0.88, 0.82, 0.75, 0.92, 0.80]);
    compared(&[&baseline, &now], options())
}

#[test]
fn the_published_example_comes_out_as_published() {
    let json = json_of(&published());
    let summary = &json["summary"];
    assert_eq!(summary["total"], 10);
    let counts = ["matched", "wins", "losses", "ties"].map(|key| summary[key].as_u64().unwrap());
    assert_eq!(counts, [5, 1, 0, 4]);
    assert_eq!(summary["meanDelta"], 0.054);
    assert_eq!(json["unmatched"], json!({"file1": 0, "file2": 0}));
    assert_eq!(json["matched"][0]["delta"], 0.16);
    assert_eq!(json["matched"][0]["outcome"], "win");
    assert_eq!(json["gate"]["passed"], true);
    assert_eq!(published().ruled(), Ruled::Passed);
}

#[test]
fn a_case_that_never_failed_may_not_fail() {
    let comparison = compared(&[&[row("a", 1, 1.0)], &[row("a", 1, 0.0)]], options());
    assert_eq!(comparison.ruled(), Ruled::Regressed);
    let json = json_of(&comparison);
    assert_eq!(json["gate"]["regressions"][0]["eval_id"], "a");
    assert_eq!(json["gate"]["regressions"][0]["place"], "evals/demo.yaml:4");
    assert_eq!(json["verdict"], "inconclusive");
}

#[test]
fn a_case_that_is_known_to_fail_now_and_then_may() {
    let scores = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0];
    let baseline: Vec<Value> = (1..).zip(scores).map(|(repeat, it)| row("a", repeat, it)).collect();
    let comparison = compared(&[&baseline, &[row("a", 1, 0.0)]], options());
    assert_eq!(comparison.ruled(), Ruled::Passed);
    let always: Vec<Value> = (1..=10).map(|repeat| row("a", repeat, 0.0)).collect();
    assert_eq!(compared(&[&baseline, &always], options()).ruled(), Ruled::Regressed);
}

#[test]
fn repeats_that_disagree_where_they_agreed_are_newly_flaky() {
    let of = |scores: [f64; 4]| -> Vec<Value> {
        (1..).zip(scores).map(|(repeat, score)| row("a", repeat, score)).collect()
    };
    let json = json_of(&compared(&[&of([0.0; 4]), &of([0.0, 1.0, 0.0, 0.0])], options()));
    assert_eq!(json["newlyFlaky"][0]["eval_id"], "a");
    assert_eq!(json["summary"]["passTest"]["test"], "sign_flip");
    let json = json_of(&compared(&[&of([0.0, 1.0, 0.0, 0.0]), &of([0.0; 4])], options()));
    assert_eq!(json["newlyFlaky"], json!([]));
}

#[test]
fn an_error_now_of_what_had_a_grade_is_not_evaluated_and_wins_over_a_regression() {
    let baseline = [row("a", 1, 1.0), row("b", 1, 1.0)];
    let now = [row("a", 1, None), row("b", 1, 0.0)];
    let comparison = compared(&[&baseline, &now], options());
    assert_eq!(comparison.ruled(), Ruled::Unevaluated);
    let json = json_of(&comparison);
    assert_eq!(json["matched"][0]["outcome"], "error");
    assert_eq!(json["matched"][0]["delta"], Value::Null);
    assert_eq!(json["matched"][0]["score2"], Value::Null);
    assert_eq!((&json["summary"]["errors"], &json["summary"]["graded"]), (&json!(1), &json!(1)));
    assert_eq!(json["gate"]["unevaluated"][0]["eval_id"], "a");
    let none = CompareOptions { gate: Gate::None, ..options() };
    assert_eq!(compared(&[&baseline, &now], none).ruled(), Ruled::Passed);
    // Where no case has a grade in both runs, nothing was compared.
    assert_eq!(compared(&[&now[..1], &now[..1]], options()).ruled(), Ruled::Unevaluated);
    // What was an error before says nothing about now.
    assert_eq!(compared(&[&now, &now], options()).ruled(), Ruled::Passed);
}

#[test]
fn the_mean_gate_looks_at_the_mean_and_its_margin() {
    let baseline = [row("a", 1, 0.9), row("b", 1, 0.9)];
    let now = [row("a", 1, 0.88), row("b", 1, 0.88)];
    let mean = |margin: f64| {
        let options = CompareOptions { gate: Gate::Mean, margin, ..options() };
        compared(&[&baseline, &now], options).ruled()
    };
    assert_eq!(
        (mean(0.0), mean(0.02), mean(0.01)),
        (Ruled::Regressed, Ruled::Passed, Ruled::Regressed)
    );
}

#[test]
fn the_significant_gate_needs_more_than_chance() {
    let rows = |count: usize, score: f64| -> Vec<Value> {
        (0..count)
            .map(|place| row(&format!("case-{place}"), 1, score - place as f64 / 1000.0))
            .collect()
    };
    let ruled = |count: usize| {
        let options = CompareOptions { gate: Gate::Significant, ..options() };
        let now: Vec<Value> = (0..count)
            .map(|place| row(&format!("case-{place}"), 1, 0.85 - (place % 3) as f64 / 50.0))
            .collect();
        compared(&[&rows(count, 0.99), &now], options).ruled()
    };
    assert_eq!(ruled(3), Ruled::Passed);
    assert_eq!(ruled(20), Ruled::Regressed);
}

#[test]
fn what_belongs_to_a_conversation_is_one_cluster() {
    let of = |scores: [f64; 4]| -> Vec<Value> {
        ["a", "b", "c", "d"]
            .iter()
            .zip(scores)
            .zip(["one", "one", "two", ""])
            .map(|((id, score), conversation)| match conversation {
                "" => row(id, 1, score),
                it => with(row(id, 1, score), &json!({"conversation_id": it})),
            })
            .collect()
    };
    let (before, now) = (of([0.5, 0.5, 0.5, 0.5]), of([0.6, 0.7, 0.5, 0.9]));
    let clusters = |cluster| {
        let json = json_of(&compared(&[&before, &now], CompareOptions { cluster, ..options() }));
        assert_eq!(json["summary"]["meanDelta"], 0.175);
        json["summary"]["clusters"].as_u64().unwrap()
    };
    assert_eq!(clusters(ClusterBy::Case), 4);
    assert_eq!(clusters(ClusterBy::Conversation), 3);
    assert_eq!(clusters(ClusterBy::Dataset), 1);
}

#[test]
fn many_comparisons_at_once_are_corrected_for_their_number() {
    let of = |shift: f64| -> Vec<Value> {
        (0..12)
            .map(|place| row(&format!("c{place}"), 1, 0.5 + shift + f64::from(place) / 100.0))
            .collect()
    };
    let two = json_of(&compared(&[&of(0.0), &of(0.1)], options()));
    let three = json_of(&compared(&[&of(0.0), &of(0.1), &of(0.0)], options()));
    let p = |json: &Value| json["summary"]["permutation"]["pCorrected"].as_f64().unwrap();
    let pairs = three["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 3);
    assert!(p(&pairs[0]) > p(&two), "{} {}", p(&pairs[0]), p(&two));
    assert_eq!(three["matrix"][0][1]["meanDelta"], 0.1);
    assert_eq!(three["matrix"][1][0], Value::Null);
    assert_eq!(pairs[2]["gate"], Value::Null, "neither is the baseline");
}

#[test]
fn different_thresholds_are_told() {
    let now = [with(row("a", 1, 0.9), &json!({"threshold": 0.95, "status": "failed"}))];
    let json = json_of(&compared(&[&[row("a", 1, 0.9)], &now], options()));
    let text = json["differingConditions"][0]["text"].as_str().unwrap();
    assert!(text.contains("another threshold"), "{text}");
}
