//! Documents of none, one and odd rows; they are valid JSON and can be opened again.

use std::fs;

use serde_json::Value;

use super::*;
use crate::{
    record::{Row, sample::manifest},
    recorded::Recorded,
    render::sample::{hostile_rows, report_of, rows},
};

fn check(rows: &[Row<'static>]) -> (String, Value) {
    let mut out = Vec::new();
    Json.write(&report_of(rows), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let value = serde_json::from_str(&text).unwrap();
    (text, value)
}

#[test]
fn a_document_has_a_summary_a_run_and_the_rows() {
    let rows = rows();
    let (_, value) = check(&rows);
    assert_eq!(value["run"], Value::Null);
    assert_eq!(value["summary"]["rows"], 4);
    assert_eq!(value["summary"]["errors"], 1);
    assert!(value["summary"]["pass_rate"]["interval"].is_object());
    let results = value["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    assert_eq!(results[1], serde_json::to_value(&rows[1]).unwrap());
}

#[test]
fn without_rows_there_is_a_list_of_none_and_no_number() {
    let (_, value) = check(&[]);
    assert_eq!(value["results"], serde_json::json!([]));
    assert_eq!(value["summary"]["mean_score"], Value::Null);
}

#[test]
fn a_number_that_is_none_is_null() {
    let mut rows = rows();
    rows[0].duration_ms = Some(f64::NAN);
    rows[0].cost_usd = Some(f64::INFINITY);
    let (text, value) = check(&rows);
    assert_eq!(value["results"][0]["duration_ms"], Value::Null);
    assert!(!text.contains("NaN") && !text.contains("Infinity"), "{text}");
}

#[test]
fn it_is_read_back_row_by_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.json");
    let all: Vec<Row<'static>> = rows().into_iter().chain(hostile_rows()).collect();
    fs::write(&path, check(&all).0).unwrap();
    let recorded = Recorded::of_file(&path, "all.json", |_| Err((1, String::new()))).unwrap();
    assert!(recorded.notes.is_empty(), "{:?}", recorded.notes);
    let mut read: Vec<Row<'static>> = recorded.rows().unwrap().map(Result::unwrap).collect();
    let mut all = all;
    let by_name = |row: &Row<'_>| (row.eval_id.to_string(), row.repeat, row.target.to_string());
    read.sort_by_key(by_name);
    all.sort_by_key(by_name);
    assert_eq!(read, all);
}

#[test]
fn the_run_is_told_in_short() {
    let run = manifest();
    let rows = rows();
    let report = Report::new("x", Some(&run), || Ok(Box::new(rows.iter().cloned().map(Ok))));
    let mut out = Vec::new();
    Json.write(&report, &mut out).unwrap();
    let value: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(value["run"]["targets"][0]["name"], "agent");
    assert_eq!(value["run"]["suites"][0], "evals/demo.yaml");
    assert_eq!(value["run"]["targets"][0]["definition"], Value::Null, "settings stay in the run");
}
