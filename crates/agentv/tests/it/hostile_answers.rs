//! Answers that are made, or happen, to do harm to those who grade them: huge ones, ones that other
//! engines never finish with, and ones with characters that nobody expects. Each is graded in
//! bounded memory, and what is said of it is short and harmless.

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{batch_project, empty, rows, targets};

const MEMORY_MIB: u64 = 3072;

/// A suite of one case, graded by these.
fn suite(graders: &[&str]) -> String {
    format!("evaluators:\n  - {}\nevalcases:\n  - {{id: a, input: Go}}\n", graders.join("\n  - "))
}

/// The row of the one case, which this target answers.
fn graded(project: &Project, code: i32) -> Value {
    let run = project.run_within(MEMORY_MIB, &["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(code), "{}", run.seen().chars().take(2000).collect::<String>());
    rows(project).remove(0)
}

fn answering(text: &str, graders: &[&str]) -> Project {
    batch_project("cp records.jsonl {OUTPUT_FILE}", &[], &[])
        .file("records.jsonl", json!({"id": "a", "text": text}).to_string())
        .file("suite.yaml", suite(graders))
}

#[test]
fn an_answer_of_a_hundred_megabytes_is_graded_by_every_text_grader() {
    let graders = &[
        "{type: contains, value: ab}",
        "{type: not-contains, value: ba}",
        "{type: contains-all, value: [a, aaa]}",
        "{type: icontains, value: AAA}",
        "{type: starts-with, value: AAA, ignore_case: true}",
        "{type: ends-with, value: aab}",
        "{type: equals, value: b}",
        "{type: regex, value: '(a+)+c'}",
        "{type: is-json}",
    ];
    let answer = "{ head -c 100000000 /dev/zero | tr '\\0' a; printf b; } > {OUTPUT_FILE}";
    let project = empty()
        .file(".agentv/targets.yaml", targets(answer, &[]))
        .file("suite.yaml", suite(graders));
    let row = graded(&project, 1);
    assert_eq!(row["candidate_answer"].as_str().unwrap().len(), 100_000_001);
    assert_eq!(
        row["hits"],
        json!([
            "contains `ab`",
            "does not contain `ba`",
            "contains `a`",
            "contains `aaa`",
            "contains `AAA` in any case",
            "starts with `AAA` in any case",
            "ends with `aab`",
        ])
    );
    let misses: Vec<&str> =
        row["misses"].as_array().unwrap().iter().map(|miss| miss.as_str().unwrap()).collect();
    let shown = format!("does not equal `b`: it is `{}…`", "a".repeat(199));
    assert_eq!(misses[..2], [&*shown, "does not match `(a+)+c`"]);
    assert!(misses[2].starts_with("is not JSON (") && misses[2].len() < 200, "{}", misses[2]);
}

#[test]
fn a_pattern_that_other_engines_never_finish_with_is_done() {
    let answer = "a".repeat(1_000_000) + "!";
    let project = answering(&answer, &["{type: regex, value: '^(a+)+$'}"]);
    assert_eq!(graded(&project, 1)["misses"], json!(["does not match `^(a+)+$`"]));
}

#[test]
fn a_pattern_that_would_need_all_memory_is_refused_before_anything_is_run() {
    let project = answering("a", &["{type: regex, value: '((a{1,999}){1,999}){1,999}'}"]);
    let run = project.run_within(MEMORY_MIB, &["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("exceeds size limit"), "{}", run.seen());
    assert!(project.runs().is_empty());
}

#[test]
fn characters_that_nobody_sees_count_and_are_shown() {
    let graders = &[
        r#"{type: equals, value: "a\nb"}"#,
        "{type: starts-with, value: a}",
        "{type: is-json}",
        r#"{type: contains, value: "\0"}"#,
        r"{type: regex, value: '\x1b\[31m'}",
        r#"{type: icontains, value: "B\u200b"}"#,
    ];
    let project = answering("\u{feff}a\r\nb\u{200b}\0\u{1b}[31m\u{202e}\\ud800", graders);
    let row = graded(&project, 1);
    assert_eq!(
        row["hits"],
        json!(["contains `\\u{0}`", "matches `\\x1b\\[31m`", "contains `B\\u{200b}` in any case",])
    );
    let shown = "`\\u{feff}a\\r\\nb\\u{200b}\\u{0}\\u{1b}[31m\\u{202e}\\ud800`";
    assert_eq!(
        row["misses"],
        json!([
            format!("does not equal `a\\nb`: it is {shown}"),
            "does not start with `a`",
            format!("is not JSON (expected value at line 1 column 1): {shown}"),
        ])
    );
}

#[test]
fn a_byte_order_mark_before_the_output_of_a_process_is_no_part_of_the_answer() {
    let answer = r"printf '\357\273\277{}\r\n' > {OUTPUT_FILE}";
    let graders = &["is_json", "{type: starts-with, value: '{'}", "{type: equals, value: '{}'}"];
    let project = empty()
        .file(".agentv/targets.yaml", targets(answer, &[]))
        .file("suite.yaml", suite(graders));
    assert_eq!(graded(&project, 0)["misses"], json!([]));
}

#[test]
fn json_of_any_depth_and_length_is_compared() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let graders = &["is_json", "{type: equals, value: [[1]]}"];
    let row = graded(&answering(&deep, graders), 1);
    let misses = row["misses"].as_array().unwrap();
    assert_eq!((&row["hits"], misses.len()), (&json!(["is JSON"]), 1));
    for miss in misses {
        let miss = miss.as_str().unwrap();
        assert!(miss.contains("it is nested deeper than 127 levels"), "{miss}");
        assert!(miss.chars().count() < 400, "{miss}");
    }
    let long = format!("[[{}]]", vec!["1"; 500_000].join(","));
    let row = graded(&answering(&long, graders), 1);
    assert_eq!(row["hits"], json!(["is JSON"]));
    assert_eq!(row["misses"], json!(["does not equal `[[1]]`: it also has `/0/1`"]));
}
