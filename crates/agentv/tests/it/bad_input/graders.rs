//! Graders that are missing, unknown, or told what they cannot do.

use insta::assert_snapshot;

use super::with_suite;
use crate::project::suite;

/// A suite of one case whose grader has these lines.
fn graded_by(lines: &str) -> String {
    suite(&["a"]).replace("  - type: contains\n    value: ok\n", lines)
}

#[test]
fn a_case_without_a_grader_is_told() {
    assert_snapshot!(with_suite(&graded_by("").replace("evaluators:\n", "")), @r#"
    error: case `a` has no grader
     --> suite.yaml:2:9
      |
    2 |   - id: "a"
      |         ^^^
      |
      = help: add `evaluators` to the case or to the suite

    1 error
    "#);
}

#[test]
fn many_cases_without_a_grader_are_told_once() {
    let text =
        suite(&["a", "b", "c"]).replace("evaluators:\n  - type: contains\n    value: ok\n", "");
    assert_snapshot!(with_suite(&text), @r#"
    error: case `a` and 2 more of this suite have no grader
      --> suite.yaml:2:9
       |
     2 |   - id: "a"
       |         ^^^
       |
      ::: suite.yaml:6:9
       |
     6 |   - id: "b"
       |         --- nor has this one
       |
      ::: suite.yaml:10:9
       |
    10 |   - id: "c"
       |         --- nor has this one
       |
       = help: add `evaluators` to the case or to the suite

    1 error
    "#);
}

#[test]
fn an_unknown_grader_names_the_nearest() {
    assert_snapshot!(with_suite(&graded_by("  - type: contain\n    value: ok\n")), @"
    error: unknown grader type `contain`
     --> suite.yaml:2:11
      |
    2 |   - type: contain
      |           ^^^^^^^
      |
      = help: did you mean `contains`?

    1 error
    ");
}

#[test]
fn a_grader_like_no_other_is_told_with_the_known_ones() {
    assert_snapshot!(with_suite(&graded_by("  - type: banana\n")), @"
    error: unknown grader type `banana`
     --> suite.yaml:2:11
      |
    2 |   - type: banana
      |           ^^^^^^
      |
      = help: known types: contains, contains_any, contains_all, icontains, icontains_any, icontains_all, starts_with, ends_with, equals, regex, similar, is_json, json_schema, contains_json, field_accuracy, tool_trajectory, trajectory:tool_used, trajectory:tool_sequence, trajectory:tool_args_match, trajectory:step_count, latency, cost, token_usage, execution_metrics, code_judge, llm_judge, composite

    1 error
    ");
}

#[test]
fn a_grader_that_cannot_be_run_yet_is_told_with_what_would_do() {
    assert_snapshot!(with_suite(&graded_by("  - type: javascript\n    value: true\n")), @"
    error: grader type `javascript` is known, but this version cannot run it yet
     --> suite.yaml:2:11
      |
    2 |   - type: javascript
      |           ^^^^^^^^^^
      |
      = help: use `code_judge`, such as `script: node judge.js`

    1 error
    ");
}

#[test]
fn a_grader_without_a_type_is_told() {
    assert_snapshot!(with_suite(&graded_by("  - value: ok\n")), @"
    error: a grader needs `type`
     --> suite.yaml:2:5
      |
    2 |   - value: ok
      |     ^^^^^^^^^
      |
      = help: known types: contains, contains_any, contains_all, icontains, icontains_any, icontains_all, starts_with, ends_with, equals, regex, similar, is_json, json_schema, contains_json, field_accuracy, tool_trajectory, trajectory:tool_used, trajectory:tool_sequence, trajectory:tool_args_match, trajectory:step_count, latency, cost, token_usage, execution_metrics, code_judge, llm_judge, composite

    1 error
    ");
}

#[test]
fn a_grader_without_a_value_is_told() {
    assert_snapshot!(with_suite(&graded_by("  - type: contains\n")), @"
    error: contains needs `value`
     --> suite.yaml:2:5
      |
    2 |   - type: contains
      |     ^^^^^^^^^^^^^^
      |
      = help: add `value: …`

    1 error
    ");
}

#[test]
fn a_criterion_is_told_to_need_a_judge() {
    assert_snapshot!(with_suite(&graded_by("  - Names the capital\n")), @"
    error: nobody is named to judge what target `agent` answers for grader `llm_judge`
     --> suite.yaml:2:5
      |
    2 |   - Names the capital
      |     ^^^^^^^^^^^^^^^^^
      |
     ::: .agentv/targets.yaml:2:11
      |
    2 |   - name: agent
      |           ----- this target has no `judge_target`
      |
      = help: describe a target that judges in `.agentv/targets.yaml`, and name it in `judge_target` of the grader, the case, the suite or the target

    1 error
    ");
}

#[test]
fn a_short_form_with_a_misspelt_type_is_not_taken_for_a_criterion() {
    assert_snapshot!(with_suite(&graded_by("  - contians:ok\n")), @r#"
    error: unknown grader type `contians`
     --> suite.yaml:2:5
      |
    2 |   - contians:ok
      |     ^^^^^^^^^^^
      |
      = help: did you mean `contains`? If this is a criterion for a judge, write it as `{type: llm_judge, rubrics: ["contians:ok"]}`

    1 error
    "#);
}

#[test]
fn a_short_form_is_checked_as_the_map_that_it_stands_for() {
    assert_snapshot!(with_suite(&graded_by("  - contains: ''\n  - 'regex: (ok'\n")), @"
    error: `value` is empty, so every answer would pass
     --> suite.yaml:2:15
      |
    2 |   - contains: ''
      |               ^^

    error: `value` is not a regular expression that can be used: unclosed group
     --> suite.yaml:3:5
      |
    3 |   - 'regex: (ok'
      |     ^^^^^^^^^^^^

    2 errors
    ");
}

#[test]
fn a_pattern_that_is_no_regular_expression_is_told() {
    assert_snapshot!(with_suite(&graded_by("  - type: regex\n    value: '(ok'\n")), @"
    error: `value` is not a regular expression that can be used: unclosed group
     --> suite.yaml:3:12
      |
    3 |     value: '(ok'
      |            ^^^^^

    1 error
    ");
}

#[test]
fn a_schema_that_is_none_is_told_at_the_part_that_is_wrong() {
    let lines =
        "  - type: json_schema\n    value:\n      properties:\n        age: {type: intger}\n";
    assert_snapshot!(with_suite(&graded_by(lines)), @r#"
    error: `value` is not a JSON Schema that can be used: "intger" is none of "array", "boolean", "integer", "null", "number", "object", "string"
     --> suite.yaml:5:21
      |
    5 |         age: {type: intger}
      |                     ^^^^^^

    1 error
    "#);
}

#[test]
fn a_negative_weight_is_refused() {
    let lines = "  - type: contains\n    value: ok\n    weight: -1\n";
    assert_snapshot!(with_suite(&graded_by(lines)), @"
    error: `weight` must not be negative
     --> suite.yaml:4:13
      |
    4 |     weight: -1
      |             ^^

    1 error
    ");
}

#[test]
fn a_trajectory_of_an_unknown_mode_is_told() {
    let lines = "  - type: tool_trajectory\n    mode: inorder\n    expected: [search]\n";
    assert_snapshot!(with_suite(&graded_by(lines)), @"
    error: unknown mode `inorder`
     --> suite.yaml:3:11
      |
    3 |     mode: inorder
      |           ^^^^^^^
      |
      = help: did you mean `in_order`? known: any_order, in_order, exact, unordered, subset, superset

    1 error
    ");
}

#[test]
fn a_judge_without_a_command_is_told() {
    assert_snapshot!(with_suite(&graded_by("  - type: code_judge\n")), @"
    error: code_judge needs `script` or `command`
     --> suite.yaml:2:5
      |
    2 |   - type: code_judge
      |     ^^^^^^^^^^^^^^^^
      |
      = help: add `script: python3 judge.py` or `command: [python3, judge.py]`

    1 error
    ");
}
