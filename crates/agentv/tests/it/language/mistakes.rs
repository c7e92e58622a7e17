//! What is said of mistakes that only includes, data and several dialects allow.

use insta::assert_snapshot;

use super::{refused, suite};

/// What is said of a suite with a mistake.
fn said(text: &str) -> String {
    refused(&suite(text), &["eval", "suite.yaml"])
}

#[test]
fn a_suite_cannot_take_cases_from_itself() {
    assert_snapshot!(said("tests:\n  - {id: a, input: x}\n  - file://suite.yaml\n"), @"
    error: `suite.yaml` takes cases from itself
     --> suite.yaml:3:5
      |
    3 |   - file://suite.yaml
      |     ^^^^^^^^^^^^^^^^^
      |
      = help: name the other files one by one

    1 error
    ");
    let project = suite("tests: file://parts/a.yaml\n")
        .file("parts/a.yaml", "- file://b.yaml\n- {id: a, input: x}\n")
        .file("parts/b.yaml", "- {id: b, input: x}\n- file://../parts/a.yaml\n");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @"
    error: `parts/a.yaml` takes cases from itself
     --> parts/b.yaml:2:3
      |
    2 | - file://../parts/a.yaml
      |   ^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: name the other files one by one

    1 error
    ");
}

#[test]
fn an_include_that_leads_nowhere_is_told_where_it_stands() {
    let project = suite(
        "tests:
  - file://missing.yaml
  - file://empty/
  - 'file://*.jsonl'
  - just words
  - file://parts/list.yaml
",
    )
    .file("empty/notes.txt", "nothing")
    .file("parts/list.yaml", "- file://gone.csv\n- {id: a, input: x}\n");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @"
    error: file `missing.yaml` was not found
     --> suite.yaml:2:5
      |
    2 |   - file://missing.yaml
      |     ^^^^^^^^^^^^^^^^^^^
      |
      = help: looked in `.`

    error: `empty/` leads to no file with cases
     --> suite.yaml:3:5
      |
    3 |   - file://empty/
      |     ^^^^^^^^^^^^^
      |
      = help: cases are kept in files that end in yaml, yml, json, jsonl, csv

    error: `*.jsonl` leads to no file with cases
     --> suite.yaml:4:5
      |
    4 |   - 'file://*.jsonl'
      |     ^^^^^^^^^^^^^^^^
      |
      = help: cases are kept in files that end in yaml, yml, json, jsonl, csv

    error: eval case must be a map, not a string
     --> suite.yaml:5:5
      |
    5 |   - just words
      |     ^^^^^^^^^^
      |
      = help: cases of another file are taken by `file://PATH`

    error: file `gone.csv` was not found
     --> parts/list.yaml:1:3
      |
    1 | - file://gone.csv
      |   ^^^^^^^^^^^^^^^
      |
      = help: looked in `parts`

    5 errors
    ");
}

#[test]
fn an_id_of_another_file_is_not_given_twice() {
    let project = suite("tests:\n  - {id: a, input: x}\n  - file://more.jsonl\n").file(
        "more.jsonl",
        "{\"id\": \"b\", \"input\": \"x\"}\n{\"id\": \"a\", \"input\": \"y\"}\n",
    );
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @r#"
    error: an eval case with the id `a` exists already
     --> more.jsonl:2:8
      |
    2 | {"id": "a", "input": "y"}
      |        ^^^ used again here
      |
     ::: suite.yaml:2:10
      |
    2 |   - {id: a, input: x}
      |          - first used here

    1 error
    "#);
}

#[test]
fn settings_of_an_included_suite_have_no_effect_and_are_told() {
    let project = suite("tests: file://other.yaml\n")
        .file("other.yaml", "threshold: 0.5\ndescription: fine\ntests: [{id: a, input: x}]\n");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @"
    error: `threshold` of another file has no effect here
     --> other.yaml:1:1
      |
    1 | threshold: 0.5
      | ^^^^^^^^^
      |
      = help: only the cases are taken; move it to the suite, or run the file itself

    1 error
    ");
}

#[test]
fn two_names_for_one_thing_are_one_too_many() {
    assert_snapshot!(said("dataset: a
name: b
evalcases: [{id: a, input: x}]
tests: [{id: a, input: x}]
"), @"
    error: `name` and `dataset` are the same key of suite
     --> suite.yaml:2:1
      |
    2 | name: b
      | ^^^^ given again here
      |
     ::: suite.yaml:1:1
      |
    1 | dataset: a
      | ------- first given here

    error: `tests` and `evalcases` are the same key of suite
     --> suite.yaml:4:1
      |
    4 | tests: [{id: a, input: x}]
      | ^^^^^ given again here
      |
     ::: suite.yaml:3:1
      |
    3 | evalcases: [{id: a, input: x}]
      | --------- first given here

    2 errors
    ");
}

#[test]
fn two_forms_of_one_thing_are_one_too_many() {
    assert_snapshot!(said("tests:
  - id: a
    input: x
    input_messages: [{role: user, content: x}]
    expected_outcome: x
    criteria: y
"), @"
    error: `input_messages` and `input` say the same of eval case
     --> suite.yaml:3:5
      |
    3 |     input: x
      |     ^^^^^
      |
     ::: suite.yaml:4:5
      |
    4 |     input_messages: [{role: user, content: x}]
      |     -------------- given here too
      |
      = help: keep one of them

    error: `criteria` and `expected_outcome` are the same key of eval case
     --> suite.yaml:6:5
      |
    6 |     criteria: y
      |     ^^^^^^^^ given again here
      |
     ::: suite.yaml:5:5
      |
    5 |     expected_outcome: x
      |     ---------------- first given here

    2 errors
    ");
}

#[test]
fn a_table_with_mistakes_is_told_by_row_and_column() {
    let project = suite("tests: file://t.csv\n")
        .file("t.csv", "id,expected_ouput,input\na,b,c\nb,c\nc,d,\"e\n");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @r#"
    error: the column `expected_ouput` is nearly the key `expected_output`
     --> t.csv:1:1
      |
    1 | id,expected_ouput,input
      | ^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: write `expected_output`, or `vars.expected_ouput` for a variable of that name

    error: this row has 2 cells, and the table 3 columns
     --> t.csv:3:1
      |
    3 | b,c
      | ^^^
      |
      = help: put a cell with a comma or a line break into double quotes

    error: a quote of this row is never closed
     --> t.csv:4:1
      |
    4 | c,d,"e
      | ^^^^^^
      |
      = help: close it; a quote inside of a cell is written twice: "5"" wide"

    3 errors
    "#);
    let project = suite("tests: file://t.csv\n").file("t.csv", "id,input\na,x\nb,\n");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @"
    error: eval case needs `input_messages`
     --> t.csv:3:1
      |
    3 | b,
      | ^^
      |
      = help: add `input_messages: …`

    1 error
    ");
}

#[test]
fn rows_of_json_with_mistakes_are_told_by_line() {
    let rows = "{\"id\": \"a\", \"input\": \"x\"}\n{\"id\": \"b\", input: 1}\n[1]\n{\"id\": 3, \"input\": \"x\", \"inptu\": 1}\n";
    let project = suite("tests: file://rows.jsonl\n").file("rows.jsonl", rows);
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @r#"
    error: this is no JSON: key must be a string
     --> rows.jsonl:2:13
      |
    2 | {"id": "b", input: 1}
      |             ^
      |
      = help: the line begins with `{"id": "b", input: 1}`

    error: eval case must be a map, not a list
     --> rows.jsonl:3:1
      |
    3 | [1]
      | ^^^

    error: `id` must be a string, not a number
     --> rows.jsonl:4:8
      |
    4 | {"id": 3, "input": "x", "inptu": 1}
      |        ^
      |
      = help: write `id: "3"`

    error: unknown key `inptu` in eval case
     --> rows.jsonl:4:26
      |
    4 | {"id": 3, "input": "x", "inptu": 1}
      |                          ^^^^^
      |
      = help: did you mean `input`?

    4 errors
    "#);
}

#[test]
fn a_grader_by_its_kind_beside_a_list_is_told_as_unused() {
    let project = suite(
        "evaluator: code_judge
evaluators: ['contains: ok']
tests:
  - {id: a, input: x}
  - {id: b, input: x, evaluator: code_judge, execution: {evaluators: ['contains: o']}}
",
    );
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let warnings = run.stderr.split("\n2 warnings").next().unwrap();
    assert_snapshot!(warnings, @"
    warning: `evaluator` is not used
     --> suite.yaml:1:1
      |
    1 | evaluator: code_judge
      | ^^^^^^^^^
      |
     ::: suite.yaml:2:1
      |
    2 | evaluators: ['contains: ok']
      | ---------- these are used instead

    warning: `evaluator` is not used
     --> suite.yaml:5:23
      |
    5 |   - {id: b, input: x, evaluator: code_judge, execution: {evaluators: ['contains: o']}}
      |                       ^^^^^^^^^
      |
     ::: suite.yaml:5:58
      |
    5 |   - {id: b, input: x, evaluator: code_judge, execution: {evaluators: ['contains: o']}}
      |                                                          ---------- these are used instead
    ");
}

#[test]
fn keys_that_have_no_meaning_yet_say_what_to_do_instead() {
    assert_snapshot!(said("workspace: {template: x}
tests:
  - id: a
    input: x
    execution: {trials: {count: 3, cost_limit_usd: 1}, cache: true}
    turns: []
"), @"
    error: `workspace` of suite is known, but not supported yet
     --> suite.yaml:1:1
      |
    1 | workspace: {template: x}
      | ^^^^^^^^^
      |
      = help: prepare the folder in the target's command, and set its `cwd`

    error: `cost_limit_usd` of trials is known, but not supported yet
     --> suite.yaml:5:36
      |
    5 |     execution: {trials: {count: 3, cost_limit_usd: 1}, cache: true}
      |                                    ^^^^^^^^^^^^^^
      |
      = help: it is the run's: pass `--budget-usd X` to `agentv eval`

    error: `cache` of execution is known, but not supported yet
     --> suite.yaml:5:56
      |
    5 |     execution: {trials: {count: 3, cost_limit_usd: 1}, cache: true}
      |                                                        ^^^^^
      |
      = help: it is the run's: pass `--cache` to `agentv eval`

    error: `turns` of eval case is known, but not supported yet
     --> suite.yaml:6:5
      |
    6 |     turns: []
      |     ^^^^^
      |
      = help: write the earlier turns into `input_messages`

    4 errors
    ");
}

#[test]
fn graders_of_a_suite_are_checked_although_every_case_brings_its_own() {
    let text = "evaluators: [{type: containz, value: x}]\ntests:\n  - {id: a, input: x, assert: ['contains:x']}\n";
    let project = suite("").file("own.yaml", text);
    assert_snapshot!(refused(&project, &["eval", "own.yaml"]), @"
    error: unknown grader type `containz`
     --> own.yaml:1:21
      |
    1 | evaluators: [{type: containz, value: x}]
      |                     ^^^^^^^^
      |
      = help: did you mean `contains`?

    1 error
    ");
}

#[test]
fn a_whole_number_that_would_lose_digits_is_refused() {
    let project = suite(
        "tests:\n  - {id: a, input: x, expected_output: {n: 9223372036854775808}}\n",
    )
    .file(
        "rows.jsonl",
        "{\"id\": \"b\", \"input\": \"x\", \"expected_output\": {\"n\": -9223372036854775809}}\n",
    )
    .file("rows.yaml", "assert: [{equals: {n: 9223372036854775807}}]\n");
    let run = project.run(&["validate", "suite.yaml", "rows.jsonl"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    let told = "this whole number is beyond 64 bits and would lose its last digits";
    assert_eq!(run.stderr.matches(told).count(), 2, "{}", run.seen());
}
