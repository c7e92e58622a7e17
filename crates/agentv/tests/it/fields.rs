//! Graders of structure on the real command: fields of JSON answers, JSON among words, and schemas
//! that would reach out for others.

use std::net::TcpListener;

use agentv_testkit::Project;
use insta::assert_snapshot;
use serde_json::json;

use crate::project::{column, empty, rows, targets};

/// A project whose target answers every case with what is in `answer.txt`.
fn answering(answer: &str) -> Project {
    empty().file(".agentv/targets.yaml", targets("cat answer.txt", &[])).file("answer.txt", answer)
}

const CASES: &str = "\
evaluators:
  - type: field_accuracy
    fields:
      - {path: total, match: numeric_tolerance, tolerance: 0.01}
      - {path: due, match: date}
evalcases:
";

fn case(id: &str, expected: &str) -> String {
    format!("  - id: {id}\n    input: Read the invoice\n    expected_output: {expected}\n")
}

#[test]
fn fields_of_an_answer_are_scored_and_the_row_says_why() {
    let project = answering("```json\n{\"total\": 12.51, \"due\": \"03/04/2025\"}\n```\n")
        .file("suite.yaml", CASES.to_owned() + &case("a", "{total: 12.5, due: 2025-04-03}"));
    let run = project.run(&["eval", "suite.yaml", "--no-fail"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let row = rows(&project).remove(0);
    assert_eq!(row["score"], 0.5);
    assert_eq!(row["hits"], json!(["`total` is 12.51, within 0.01 of 12.5"]));
    assert_eq!(
        row["misses"],
        json!(["`due` is \"03/04/2025\", which could be 2025-03-04 or 2025-04-03 (`formats` can \
                say which): \"2025-04-03\" is expected"])
    );
}

#[test]
fn an_expected_answer_may_stand_in_a_file() {
    let project = answering("{\"total\": 1, \"due\": \"2025-04-03\"}")
        .file("good.json", "{\"total\": 1, \"due\": \"2025-04-03\"}\n")
        .file(
            "suite.yaml",
            CASES.to_owned()
                + "  - id: a\n    input: Read\n    expected_messages:\n      - role: assistant\n        \
                   content: [{type: file, value: good.json}]\n",
        );
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(column(&project, "score"), [1.0]);
}

/// A suite with a case that lacks nothing, one without JSON and some without one field.
fn lacking(short: usize) -> String {
    let mut suite = CASES.to_owned() + &case("right", "{total: 1, due: 2025-04-03}");
    suite += &case("text", "Twelve euros");
    for number in 0..short {
        suite += &case(&format!("short-{number}"), "{total: 1}");
    }
    suite
}

#[test]
fn what_cases_lack_is_told_with_grader_and_cases_and_nothing_is_run() {
    let project = answering("{}").file("suite.yaml", lacking(2));
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(project.runs().is_empty());
    assert_snapshot!(run.stderr, @"
    error: grader `field_accuracy` needs an expected answer that is JSON, or `value` in each of its fields
      --> suite.yaml:2:5
       |
     2 |     - type: field_accuracy
       |  _____^
     3 | |     fields:
     4 | |       - {path: total, match: numeric_tolerance, tolerance: 0.01}
       | |________________________________________________________________^
       |
      ::: suite.yaml:10:9
       |
    10 |     - id: text
       |           ---- case `text`

    error: grader `field_accuracy` needs `due` in the expected answer
      --> suite.yaml:2:5
       |
     2 |     - type: field_accuracy
       |  _____^
     3 | |     fields:
     4 | |       - {path: total, match: numeric_tolerance, tolerance: 0.01}
       | |________________________________________________________________^
       |
      ::: suite.yaml:13:9
       |
    13 |     - id: short-0
       |           ------- case `short-0`
       |
      ::: suite.yaml:16:9
       |
    16 |     - id: short-1
       |           ------- case `short-1`

    2 errors
    ");
}

#[test]
fn many_cases_that_lack_the_same_are_one_problem() {
    let run = answering("{}").file("suite.yaml", lacking(12)).run(&["validate", "suite.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert_eq!(run.stderr.matches("error: ").count(), 2, "{}", run.seen());
    assert!(run.stderr.contains("(2 more cases like those shown)"), "{}", run.seen());
}

#[test]
fn a_path_that_cannot_be_read_is_shown_at_its_part() {
    let suite = CASES.replace("path: due", "path: 'lines[0].due[x]'") + &case("a", "{total: 1}");
    let run = answering("{}").file("suite.yaml", suite).run(&["validate", "suite.yaml"]);
    assert_eq!(run.code, Some(2));
    assert_snapshot!(run.stderr, @"
    error: `path` cannot be read at character 14: a whole number or a name in quotes must stand in brackets
     --> suite.yaml:5:30
      |
    5 |       - {path: 'lines[0].due[x]', match: date}
      |                              ^^

    1 error
    ");
}

#[test]
fn nothing_is_fetched_for_a_schema() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}/schema.json", listener.local_addr().unwrap());
    for (schema, place) in [
        (format!("{{items: {{$ref: '{address}#/a'}}}}"), "suite.yaml:3:27"),
        (format!("{{$id: '{address}', items: {{$ref: other.json}}}}"), "suite.yaml:3:"),
        (format!("{{$schema: '{address}'}}"), "suite.yaml:3:22"),
        ("{$id: 'file:///etc/', items: {$ref: passwd}}".to_owned(), "suite.yaml:3:"),
        ("{items: {$ref: 'file:///etc/passwd'}}".to_owned(), "suite.yaml:3:27"),
    ] {
        for kind in ["json_schema", "is_json", "contains_json"] {
            let suite = format!(
                "evaluators:\n  - type: {kind}\n    value: {schema}\nevalcases:\n{}",
                case("a", "'1'")
            );
            let run = answering("[1]").file("suite.yaml", suite).run(&["eval", "suite.yaml"]);
            assert_eq!(run.code, Some(2), "{}", run.seen());
            assert!(run.stderr.contains(place), "{}", run.seen());
        }
    }
    let seen = listener.accept();
    assert!(seen.is_err(), "somebody came: {seen:?}");
}

#[test]
fn an_answer_that_is_large_or_deep_is_graded_all_the_same() {
    let suite = "evaluators:\n  - type: json_schema\n    schema: {items: {type: string}}\n  \
                 - type: is_json\n  - type: contains_json\n  - type: field_accuracy\n    fields: \
                 [{path: '[0]', value: 1}]\nevalcases:\n"
        .to_owned()
        + &case("a", "'1'");
    for (answer, score) in [
        ("[".repeat(100_000) + &"]".repeat(100_000), 0.5),
        (format!("[1{}]", ",1".repeat(1_000_000)), 0.75),
    ] {
        let project = answering(&answer).file("suite.yaml", &suite);
        let run = project.run_within(2048, &["eval", "suite.yaml", "--no-fail"]);
        assert_eq!(run.code, Some(0), "{}", run.seen().chars().take(2_000).collect::<String>());
        let row = rows(&project).remove(0);
        assert_eq!(row["score"], score);
        assert!(row["misses"].to_string().len() < 2_000, "{}", row["misses"]);
    }
}
