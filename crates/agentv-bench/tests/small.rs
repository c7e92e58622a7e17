//! The benchmark in small: what it generates is in good order, it runs to its end, and it finds out
//! who does not do the work. What it measures is nobody's business here, because a test must not
//! depend on the speed of a machine.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Output},
};

use agentv_case::{LoadOptions, load};
use serde_json::Value;

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_agentv-bench")).args(args).output().unwrap()
}

/// A program that stands in for `agentv`, which is not built for these tests.
fn stand_in(folder: &Path, script: &str) -> String {
    let path = folder.join("stand-in");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_generated_suite_has_no_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let made = bench(&["generate", "yaml", "--number", "200"]);
    fs::write(folder.path().join("suite.yaml"), made.stdout).unwrap();
    let loaded = load(&LoadOptions {
        paths: vec!["suite.yaml".to_owned()],
        current_dir: folder.path().to_owned(),
        ..LoadOptions::default()
    });
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    assert_eq!(loaded.suites[0].suite.cases.len(), 200);
}

#[test]
fn generated_data_has_one_object_a_line() {
    let made = String::from_utf8(bench(&["generate", "jsonl", "--number", "200"]).stdout).unwrap();
    assert_eq!(made.lines().count(), 200);
    for line in made.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        assert!(case["input_messages"].is_array());
    }
}

#[test]
fn a_group_is_measured_to_its_end_and_every_sample_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    // It says how many cases it read: those of YAML have an `- id:`, those of JSONL a line each.
    let agentv = stand_in(folder.path(), r#"echo "$(grep -c -e '- id: ' -e '^{' "$2") case(s)""#);
    let samples = folder.path().join("samples.json");
    let json = ["--json", samples.to_str().unwrap()];
    let sizes = ["--quick", "--cases=50", "--lines=50", "--rounds=3", "--agentv", &agentv];
    let run = bench(&[&["load"], &sizes[..], &json[..]].concat());
    let said = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("| measurement | against | CPU | wall |"), "{said}");
    assert!(lines[2].starts_with("| load: 50 cases of YAML | bare YAML events | "), "{said}");
    assert!(lines[3].starts_with("| load: JSONL, each of 50 | each of 5 | "), "{said}");

    let all: Value = serde_json::from_slice(&fs::read(samples).unwrap()).unwrap();
    let contenders = all["measurements"][0]["contenders"].as_array().unwrap();
    assert_eq!(contenders.len(), 2);
    for contender in contenders {
        assert_eq!(contender["rounds"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn nobody_measures_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    for (script, why) in [
        ("exit 3", "it ended with code 3"),
        ("echo 49 case\\(s\\)", "it did not print `50 case(s)`"),
    ] {
        let agentv = stand_in(folder.path(), script);
        let run = bench(&["load", "--quick", "--cases=50", "--rounds=1", "--agentv", &agentv]);
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn results_are_measured_in_every_way_of_looking_at_them() {
    let folder = tempfile::tempdir().unwrap();
    let agentv = stand_in(
        folder.path(),
        r#"case "$1" in
compare) echo "Gate none" ;;
report) echo made > "$4" ;;
results) echo "$4" ;;
esac"#,
    );
    let run = bench(&["results", "--quick", "--rows=20", "--rounds=1", "--agentv", &agentv]);
    let said = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
    for what in
        ["`compare` of 2 × 20", "as .html", ", first look |", ", by the index |", "`list` of 50"]
    {
        assert!(said.contains(what), "{said}");
    }
}

#[test]
fn the_floors_count_what_they_parse_and_write_a_row_for_each() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (answers, rows) = (path("answers.jsonl"), path("rows.jsonl"));
    let text = r#"{"id": "a", "text": "by the rule"}
{"id": "b", "output_messages": [{"role": "assistant", "content": "no", "tool_calls": [{"tool": "t"}]}]}
"#;
    fs::write(&answers, text).unwrap();
    assert_eq!(bench(&["floor", "parse", &answers]).stdout, b"2 records\n");
    assert_eq!(bench(&["floor", "grade", &answers, "rule", &rows]).stdout, b"2 records\n");
    let written = fs::read_to_string(&rows).unwrap();
    let written: Vec<Value> =
        written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(written[0]["status"], "passed");
    assert_eq!(written[1]["status"], "failed");
    assert_eq!(written[1]["trace_summary"]["toolNames"][0], "t");
    assert_eq!(bench(&["floor", "rows", &rows, &rows]).stdout, b"4 rows\n");

    fs::write(&answers, "{\"id\": 7}\n").unwrap();
    assert_eq!(bench(&["floor", "parse", &answers]).status.code(), Some(2));
}
