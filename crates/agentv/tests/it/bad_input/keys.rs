//! Keys that nobody knows, in every file of ours.

use insta::assert_snapshot;

use super::{refused, sound, with_suite, with_targets};
use crate::project::{suite, targets};

#[test]
fn a_misspelt_key_of_a_suite_names_the_nearest() {
    assert_snapshot!(with_suite(&suite(&["a"]).replace("evaluators", "evaluaters")), @"
    error: unknown key `evaluaters` in suite
     --> suite.yaml:1:1
      |
    1 | evaluaters:
      | ^^^^^^^^^^
      |
      = help: did you mean `evaluators`?

    1 error
    ");
}

#[test]
fn a_misspelt_list_of_cases_is_told_once() {
    assert_snapshot!(with_suite(&suite(&["a"]).replace("evalcases", "evalcase")), @"
    error: unknown key `evalcase` in suite
     --> suite.yaml:4:1
      |
    4 | evalcase:
      | ^^^^^^^^
      |
      = help: did you mean `evalcases`?

    1 error
    ");
}

#[test]
fn a_key_like_no_other_is_told_with_the_known_ones() {
    assert_snapshot!(with_suite(&format!("{}banana: 1\n", suite(&["a"]))), @"
    error: unknown key `banana` in suite
     --> suite.yaml:9:1
      |
    9 | banana: 1
      | ^^^^^^
      |
      = help: known keys: $schema, dataset, evalcases, target, providers, execution, evaluators, assert, evaluator, threshold, judge_target, repeat, on_dependency_failure, input, input_files, tags, vars, prompts, default_test, scenarios, evaluate_options, version, author, license, category; keys of your own start with `x-`

    1 error
    ");
}

#[test]
fn a_misspelt_key_of_a_case_names_the_nearest() {
    assert_snapshot!(with_suite(&suite(&["a"]).replace("input_messages", "input_mesages")), @"
    error: unknown key `input_mesages` in eval case
     --> suite.yaml:6:5
      |
    6 |     input_mesages:
      |     ^^^^^^^^^^^^^
      |
      = help: did you mean `input_messages`?

    1 error
    ");
}

#[test]
fn a_misspelt_key_of_a_message_names_the_nearest() {
    assert_snapshot!(with_suite(&suite(&["a"]).replace("content", "contents")), @r#"
    error: unknown key `contents` in message
     --> suite.yaml:8:9
      |
    8 |         contents: "a"
      |         ^^^^^^^^
      |
      = help: did you mean `content`?

    1 error
    "#);
}

#[test]
fn a_misspelt_key_of_a_grader_names_the_nearest() {
    assert_snapshot!(with_suite(&suite(&["a"]).replace("value", "vlaue")), @"
    error: unknown key `vlaue` in contains
     --> suite.yaml:3:5
      |
    3 |     vlaue: ok
      |     ^^^^^
      |
      = help: did you mean `value`?

    1 error
    ");
}

#[test]
fn a_misspelt_key_of_execution_names_the_nearest() {
    assert_snapshot!(with_suite(&format!("execution:\n  tagret: agent\n{}", suite(&["a"]))), @"
    error: unknown key `tagret` in execution
     --> suite.yaml:2:3
      |
    2 |   tagret: agent
      |   ^^^^^^
      |
      = help: did you mean `target`?

    1 error
    ");
}

#[test]
fn a_misspelt_key_of_a_target_names_the_nearest() {
    assert_snapshot!(with_targets(&targets("touch started", &["timeout: 5"])), @"
    error: unknown key `timeout` in target
     --> .agentv/targets.yaml:4:5
      |
    4 |     timeout: 5
      |     ^^^^^^^
      |
      = help: did you mean `timeout_seconds`?

    1 error
    ");
}

#[test]
fn a_misspelt_name_of_a_target_is_told_once() {
    let text = targets("touch started", &[]).replace("name: agent", "nmae: agent");
    assert_snapshot!(with_targets(&text), @"
    error: unknown key `nmae` in target
     --> .agentv/targets.yaml:2:5
      |
    2 |   - nmae: agent
      |     ^^^^
      |
      = help: did you mean `name`?

    1 error
    ");
}

#[test]
fn a_misspelt_key_of_a_healthcheck_names_the_nearest() {
    let check = "healthcheck: {type: http, ulr: 'http://127.0.0.1:1/'}";
    assert_snapshot!(with_targets(&targets("touch started", &[check])), @"
    error: unknown key `ulr` in healthcheck
     --> .agentv/targets.yaml:4:31
      |
    4 |     healthcheck: {type: http, ulr: 'http://127.0.0.1:1/'}
      |                               ^^^
      |
      = help: did you mean `url`?

    1 error
    ");
}

#[test]
fn a_misspelt_key_of_the_targets_file_names_the_nearest() {
    let text = targets("touch started", &[]).replace("targets:", "target:");
    assert_snapshot!(with_targets(&text), @"
    error: unknown key `target` in targets file
     --> .agentv/targets.yaml:1:1
      |
    1 | target:
      | ^^^^^^
      |
      = help: did you mean `targets`?

    1 error
    ");
}

#[test]
fn a_misspelt_key_of_the_configuration_names_the_nearest() {
    let project = sound().file(".agentv/config.yaml", "guideline_pattern: ['*.md']\n");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @"
    error: unknown key `guideline_pattern` in config
     --> .agentv/config.yaml:1:1
      |
    1 | guideline_pattern: ['*.md']
      | ^^^^^^^^^^^^^^^^^
      |
      = help: did you mean `guideline_patterns`?

    1 error
    ");
}

#[test]
fn a_key_that_is_given_under_two_of_its_names_is_told_with_both_places() {
    let text = targets("touch started", &["command: touch started"]);
    assert_snapshot!(with_targets(&text), @"
    error: `command_template` and `command` are the same key of target
     --> .agentv/targets.yaml:5:5
      |
    5 |     command_template: |-
      |     ^^^^^^^^^^^^^^^^ given again here
      |
     ::: .agentv/targets.yaml:4:5
      |
    4 |     command: touch started
      |     ------- first given here

    1 error
    ");
}

#[test]
fn a_key_that_stands_twice_is_told_with_both_places() {
    assert_snapshot!(with_suite(&format!("{}    id: b\n", suite(&["a"]))), @r#"
    error: key `id` stands twice in one map
     --> suite.yaml:9:5
      |
    9 |     id: b
      |     ^^ given again here
      |
     ::: suite.yaml:5:5
      |
    5 |   - id: "a"
      |     -- first given here

    1 error
    "#);
}
