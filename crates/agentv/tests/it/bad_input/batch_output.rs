//! Batch files that break the rules of the format: no case of such a batch is graded.

use insta::assert_snapshot;

use super::{assert_clean, unevaluated};
use crate::project::{batch_project, column};

/// What is seen of a batch of `a` and `b` that wrote this; every case carries the same message.
fn with_output(output: &[u8]) -> String {
    let project =
        batch_project("cat answers > {OUTPUT_FILE}", &[], &["a", "b"]).file("answers", output);
    let seen = unevaluated(&project);
    let errors = column(&project, "error");
    assert_eq!(errors[0], errors[1]);
    seen
}

const A: &str = r#"{"id": "a", "text": "ok"}"#;
const B: &str = r#"{"id": "b", "text": "ok"}"#;

fn lines(lines: &[&str]) -> String {
    with_output((lines.join("\n") + "\n").as_bytes())
}

/// Cases of a batch are graded side by side, and come in any order.
fn sorted(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[test]
fn a_batch_file_that_was_not_written_is_told() {
    let project = batch_project("test -e {OUTPUT_FILE} || true", &[], &["a", "b"]);
    assert_snapshot!(unevaluated(&project), @"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          output: exited with code 0 but did not write {OUTPUT_FILE}
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): output: exited with code 0 but did not write {OUTPUT_FILE}
    ERROR b (agent): output: exited with code 0 but did not write {OUTPUT_FILE}
    ");
}

#[test]
fn an_empty_batch_file_is_told_with_the_missing_ids() {
    assert_snapshot!(with_output(b""), @"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          missing: batch output has no records: it is missing 2 of 2 requested ids: a, b
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): missing: batch output has no records: it is missing 2 of 2 requested ids: a, b
    ERROR b (agent): missing: batch output has no records: it is missing 2 of 2 requested ids: a, b
    ");
}

#[test]
fn a_batch_file_that_is_a_directory_is_told() {
    let project = batch_project("mkdir {OUTPUT_FILE}", &[], &["a", "b"]);
    assert_snapshot!(unevaluated(&project), @"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          output: exited with code 0 but its output file is a directory
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): output: exited with code 0 but its output file is a directory
    ERROR b (agent): output: exited with code 0 but its output file is a directory
    ");
}

#[test]
fn a_line_that_is_not_utf8_is_told_with_its_number() {
    let output = [A.as_bytes(), b"\n{\"id\": \"b\xff\"}\n"].concat();
    assert_snapshot!(with_output(&output), @r#"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          batch: line 2 of batch output is not UTF-8: {"id": "b�"}
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): batch: line 2 of batch output is not UTF-8: {"id": "b�"}
    ERROR b (agent): batch: line 2 of batch output is not UTF-8: {"id": "b�"}
    "#);
}

#[test]
fn a_line_that_is_not_json_is_told_with_its_number_blank_lines_counted() {
    assert_snapshot!(lines(&["", A, "", r#"{"id": "b", text}"#]), @r#"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          batch: line 4 of batch output is not valid JSON (key must be a string at column 13): {"id":
          "b", text}
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): batch: line 4 of batch output is not valid JSON (key must be a string at column 13): {"id": "b", text}
    ERROR b (agent): batch: line 4 of batch output is not valid JSON (key must be a string at column 13): {"id": "b", text}
    "#);
}

#[test]
fn a_long_line_that_is_not_json_is_cut() {
    let line = format!("{{\"id\": \"b\", \"text\": \"\u{1b}[2J{}", "x".repeat(100_000));
    let seen = lines(&[A, &line]);
    assert!(seen.len() < 2000, "{seen}");
    assert_snapshot!(seen, @r#"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          batch: line 2 of batch output is not valid JSON (control character (\u0000-\u001F) found while
          parsing a string at column 21): {"id": "b", "text":
          …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): batch: line 2 of batch output is not valid JSON (control character (\u0000-\u001F) …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    ERROR b (agent): batch: line 2 of batch output is not valid JSON (control character (\u0000-\u001F) …xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    "#);
}

#[test]
fn a_line_that_is_no_object_is_told_with_its_number() {
    assert_snapshot!(lines(&[A, r#"["b", "ok"]"#]), @r#"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          batch: line 2 of batch output is not a JSON object: ["b", "ok"]
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): batch: line 2 of batch output is not a JSON object: ["b", "ok"]
    ERROR b (agent): batch: line 2 of batch output is not a JSON object: ["b", "ok"]
    "#);
}

#[test]
fn a_record_without_an_id_is_told_with_its_line() {
    assert_snapshot!(lines(&[A, r#"{"text": "ok"}"#]), @r#"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          batch: line 2 of batch output has no `id`: {"text": "ok"}
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): batch: line 2 of batch output has no `id`: {"text": "ok"}
    ERROR b (agent): batch: line 2 of batch output has no `id`: {"text": "ok"}
    "#);
}

#[test]
fn a_record_whose_id_is_a_number_is_told_with_its_line() {
    assert_snapshot!(lines(&[A, r#"{"id": 2, "text": "ok"}"#]), @r#"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          batch: line 2 of batch output has an `id` that is not a string: {"id": 2, "text": "ok"}
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): batch: line 2 of batch output has an `id` that is not a string: {"id": 2, "text": "ok"}
    ERROR b (agent): batch: line 2 of batch output has an `id` that is not a string: {"id": 2, "text": "ok"}
    "#);
}

#[test]
fn an_id_that_stands_twice_is_told_with_both_lines() {
    assert_snapshot!(lines(&[A, "", B, A]), @"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          batch: id `a` of batch output stands on line 1 and again on line 4
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): batch: id `a` of batch output stands on line 1 and again on line 4
    ERROR b (agent): batch: id `a` of batch output stands on line 1 and again on line 4
    ");
}

#[test]
fn a_missing_id_is_named() {
    assert_snapshot!(lines(&[A]), @"
    exit: 3
    --- stdout
    2 cases: ✓ 0 passed, ✗ 0 failed, ! 2 errors

    Errors
      ! suite.yaml:5 a (agent)
          missing: batch output is missing 1 of 2 requested ids: b
          and the same for 1 more case of this target
    --- stderr
    ERROR a (agent): missing: batch output is missing 1 of 2 requested ids: b
    ERROR b (agent): missing: batch output is missing 1 of 2 requested ids: b
    ");
}

#[test]
fn ten_thousand_missing_ids_make_a_short_message_that_counts_them() {
    let ids: Vec<String> = (0..10_001).map(|number| format!("case-{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let command = r#"echo '{"id": "case-0", "text": "ok"}' > {OUTPUT_FILE}"#;
    let project = batch_project(command, &[], &ids);
    // How long a tenth took, and how long is left, is nobody's business here.
    let seen = unevaluated(&project);
    let lines = seen.lines().map(|line| line.split_once(" errors; ").map_or(line, |(it, _)| it));
    let seen: Vec<&str> = lines.collect();
    assert_snapshot!(seen.join("\n"), @"
    exit: 3
    --- stdout
    10001 cases: ✓ 0 passed, ✗ 0 failed, ! 10001 errors

    Errors
      ! suite.yaml:5 case-0 (agent)
          missing: batch output is missing 10000 of 10001 requested ids: case-1, case-2, case-3, case-4,
          case-5, case-6, case-7, case-8, case-9, case-10, case-11, … case-37, case-38, case-39,
          case-40, case-41, case-42, case-43, case-44, case-45, case-46, case-47, case-48, case-49,
          case-50 … and 9950 more
          and the same for 10000 more cases of this target
    --- stderr
    ERROR case-0 (agent): missing: batch output is missing 10000 of 10001 requested ids: case-1, case-2, case-3, … case-44, case-45, case-46, case-47, case-48, case-49, case-50 … and 9950 more
     10% 1001/10001: 0 passed, 0 failed, 1001
     20% 2001/10001: 0 passed, 0 failed, 2001
     30% 3001/10001: 0 passed, 0 failed, 3001
     40% 4001/10001: 0 passed, 0 failed, 4001
     50% 5001/10001: 0 passed, 0 failed, 5001
     60% 6001/10001: 0 passed, 0 failed, 6001
     70% 7001/10001: 0 passed, 0 failed, 7001
     80% 8001/10001: 0 passed, 0 failed, 8001
     90% 9001/10001: 0 passed, 0 failed, 9001
    100% 10001/10001: 0 passed, 0 failed, 10001
    ERROR 10000 more times: missing: batch output is missing 10000 of 10001 requested ids: case-1, case-2, case-3, case-4, case-5, case-6, case-7, case-8, case-9, case-10, case-11, case-1…
    ");
    let errors = column(&project, "error");
    assert_eq!(errors.len(), 10_001);
    assert!(errors.iter().all(|error| error == &errors[0]));
    assert!(errors[0].as_str().unwrap().len() < 1000);
}

#[test]
fn records_that_nobody_asked_for_are_a_warning() {
    let project = batch_project("cat answers > {OUTPUT_FILE}", &[], &["a", "b"])
        .file("answers", [A, r#"{"id": "x"}"#, B, r#"{"id": "y"}"#].join("\n"));
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_clean(&project);
    assert_snapshot!(sorted(&run.stderr), @"
    PASS 1.00 a (agent)
    PASS 1.00 b (agent)
    warning: batch output has 2 records nobody asked for (first id: `x`); ignored
    ");
}

#[test]
fn a_record_without_an_answer_is_an_error_of_its_case_alone() {
    let project = batch_project("cat answers > {OUTPUT_FILE}", &[], &["a", "b"])
        .file("answers", format!("{A}\n{{\"id\": \"b\"}}\n"));
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_clean(&project);
    assert_eq!(column(&project, "status"), ["passed", "error"]);
    assert_snapshot!(sorted(&run.stderr), @"
    ERROR b (agent): output: record on line 2 of batch output has neither `text` nor `output_messages`
    PASS 1.00 a (agent)
    ");
}
