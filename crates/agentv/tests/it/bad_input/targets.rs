//! Targets that are not there, not named, not right; variables without a value.

use insta::assert_snapshot;

use super::{LEAVES_A_TRACE, refused, sound, with_suite, with_targets};
use crate::project::{empty, suite, targets};

#[test]
fn an_unset_variable_is_named_with_its_key() {
    let text = targets(LEAVES_A_TRACE, &["env: {TOKEN: '${{ AGENT_TOKEN }}'}"]);
    assert_snapshot!(with_targets(&text), @"
    error: environment variable `AGENT_TOKEN`, needed for `TOKEN`, is not set
     --> .agentv/targets.yaml:4:19
      |
    4 |     env: {TOKEN: '${{ AGENT_TOKEN }}'}
      |                   ^^^^^^^^^^^^^^^^^^
      |
      = help: set `AGENT_TOKEN` in the environment or in a `.env` file

    1 error
    ");
}

#[test]
fn a_variable_that_should_name_the_judge_is_named_and_nothing_else_is_said() {
    let text = targets(LEAVES_A_TRACE, &["judge_target: ${{ JUDGE }}"]);
    let judged = "evalcases: [{id: a, input: x, expected_outcome: y, evaluators: [llm_judge]}]";
    let project = sound().file(".agentv/targets.yaml", text).file("suite.yaml", judged);
    let told = refused(&project, &["eval", "suite.yaml"]);
    assert!(told.starts_with("error: environment variable `JUDGE`, needed for `judge_target`"));
    assert!(told.contains("--> .agentv/targets.yaml:4:19"), "{told}");
    assert!(told.trim_end().ends_with("\n1 error"), "{told}");
    assert_eq!(refused(&project, &["validate", "suite.yaml"]), told);
    assert_eq!(refused(&project, &["generate", "rubrics", "suite.yaml", "--dry-run"]), told);
}

#[test]
fn an_unset_variable_is_pointed_to_inside_a_longer_text() {
    let text = targets("touch started\nmy-agent --model ${{ MODEL }} {PROMPT}", &[]);
    assert_snapshot!(with_targets(&text), @"
    error: environment variable `MODEL`, needed for `command_template`, is not set
     --> .agentv/targets.yaml:6:24
      |
    6 |       my-agent --model ${{ MODEL }} {PROMPT}
      |                        ^^^^^^^^^^^^
      |
      = help: set `MODEL` in the environment or in a `.env` file

    1 error
    ");
}

#[test]
fn a_misspelt_variable_names_the_nearest() {
    let text = targets(LEAVES_A_TRACE, &["cwd: ${{ AGENT_DRI }}"]);
    let project = sound().file(".agentv/targets.yaml", text).env("AGENT_DIR", "x");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @"
    error: environment variable `AGENT_DRI`, needed for `cwd`, is not set
     --> .agentv/targets.yaml:4:10
      |
    4 |     cwd: ${{ AGENT_DRI }}
      |          ^^^^^^^^^^^^^^^^
      |
      = help: did you mean `AGENT_DIR`?

    1 error
    ");
}

#[test]
fn a_blank_variable_is_no_value() {
    let text = targets(LEAVES_A_TRACE, &["cwd: ${{ AGENT_DIR }}"]);
    let project = sound().file(".agentv/targets.yaml", text).env("AGENT_DIR", " ");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @"
    error: environment variable `AGENT_DIR`, needed for `cwd`, is blank
     --> .agentv/targets.yaml:4:10
      |
    4 |     cwd: ${{ AGENT_DIR }}
      |          ^^^^^^^^^^^^^^^^
      |
      = help: set `AGENT_DIR` in the environment or in a `.env` file

    1 error
    ");
}

#[test]
fn a_missing_targets_file_is_told_with_a_minimal_one() {
    let project = empty().file("evals/suite.yaml", suite(&["a"]));
    assert_snapshot!(refused(&project, &["eval", "evals"]), @"
    error: no targets file was found for `evals/suite.yaml`
     |
     = help: looked for .agentv/targets.yaml, .agentv/targets.yml, targets.yaml, targets.yml, .agentv/providers.yaml, .agentv/providers.yml in `evals`, `.`
             a minimal one:
             targets:
               - name: default
                 provider: cli
                 command_template: my-agent --prompt-file {PROMPT_FILE}

    1 error
    ");
}

#[test]
fn a_given_targets_file_that_does_not_exist_is_told() {
    assert_snapshot!(refused(&sound(), &["eval", "suite.yaml", "--targets", "other.yaml"]), @"
    error: no such targets file: `other.yaml`
     |
     = help: a targets file is one of .agentv/targets.yaml, .agentv/targets.yml, targets.yaml, targets.yml, .agentv/providers.yaml, .agentv/providers.yml
             a minimal one:
             targets:
               - name: default
                 provider: cli
                 command_template: my-agent --prompt-file {PROMPT_FILE}

    1 error
    ");
}

#[test]
fn an_empty_targets_file_is_told_with_a_minimal_one() {
    assert_snapshot!(with_targets(""), @"
    error: the targets file is empty
     --> .agentv/targets.yaml:1:1
      |
    1 |
      | ^
      |
      = help: a minimal one:
              targets:
                - name: default
                  provider: cli
                  command_template: my-agent --prompt-file {PROMPT_FILE}

    1 error
    ");
}

#[test]
fn a_target_that_does_not_exist_is_told_with_those_that_do() {
    assert_snapshot!(refused(&sound(), &["eval", "suite.yaml", "--target", "agnet"]), @"
    error: target `agnet` does not exist in `.agentv/targets.yaml`
     |
     = help: did you mean `agent`? there are: agent

    1 error
    ");
}

#[test]
fn a_target_that_a_case_asks_for_and_that_does_not_exist_is_told_with_its_place() {
    let text = format!("{}    execution:\n      target: banana\n", suite(&["a"]));
    assert_snapshot!(with_suite(&text), @"
    error: target `banana` does not exist in `.agentv/targets.yaml`
      --> suite.yaml:10:15
       |
    10 |       target: banana
       |               ^^^^^^
       |
       = help: there are: agent

    1 error
    ");
}

#[test]
fn a_target_that_many_cases_ask_for_and_that_does_not_exist_is_told_once() {
    assert_snapshot!(with_suite(&format!("target: banana\n{}", suite(&["a", "b", "c"]))), @"
    error: target `banana` does not exist in `.agentv/targets.yaml`
     --> suite.yaml:1:9
      |
    1 | target: banana
      |         ^^^^^^
      |
      = help: there are: agent

    1 error
    ");
}

/// The file of `targets` with a second target.
fn two(second: &str) -> String {
    let first = targets(LEAVES_A_TRACE, &[]);
    let more = first.replace("targets:\n", "").replace("name: agent", &format!("name: {second}"));
    first + &more
}

#[test]
fn several_targets_and_none_named_are_listed() {
    assert_snapshot!(with_targets(&two("other")), @"
    error: no target is named, and `.agentv/targets.yaml` has several
     |
     = help: pass --target NAME, set `execution.target`, or call one `default`; there are: agent, other

    1 error
    ");
}

#[test]
fn two_targets_of_one_name_are_told_with_both_places() {
    assert_snapshot!(with_targets(&two("agent")), @"
    error: a target called `agent` exists already
     --> .agentv/targets.yaml:6:11
      |
    6 |   - name: agent
      |           ^^^^^ named again here
      |
     ::: .agentv/targets.yaml:2:11
      |
    2 |   - name: agent
      |           ----- first named here

    1 error
    ");
}

#[test]
fn an_unknown_provider_is_told_with_the_known_ones() {
    let text = targets(LEAVES_A_TRACE, &[]).replace("provider: cli", "provider: banana");
    assert_snapshot!(with_targets(&text), @"
    error: unknown provider `banana`
     --> .agentv/targets.yaml:3:15
      |
    3 |     provider: banana
      |               ^^^^^^
      |
      = help: known providers: cli, openai, openrouter, azure, anthropic, gemini, mock, replay

    1 error
    ");
}

#[test]
fn a_target_without_a_command_is_told() {
    assert_snapshot!(with_targets("targets:\n  - name: agent\n    provider: cli\n"), @"
    error: target needs `command_template`
     --> .agentv/targets.yaml:2:5
      |
    2 |     - name: agent
      |  _____^
    3 | |     provider: cli
      | |_________________^
      |
      = help: add `command_template: …`

    1 error
    ");
}

#[test]
fn a_deadline_of_nothing_is_refused() {
    assert_snapshot!(with_targets(&targets(LEAVES_A_TRACE, &["timeout_seconds: 0"])), @"
    error: `timeout_seconds` must be greater than 0
     --> .agentv/targets.yaml:4:22
      |
    4 |     timeout_seconds: 0
      |                      ^

    1 error
    ");
}

#[test]
fn a_deadline_that_is_no_number_is_refused() {
    assert_snapshot!(with_targets(&targets(LEAVES_A_TRACE, &["timeout_seconds: soon"])), @"
    error: `timeout_seconds` must be a number, not a string
     --> .agentv/targets.yaml:4:22
      |
    4 |     timeout_seconds: soon
      |                      ^^^^

    1 error
    ");
}

#[test]
fn no_workers_are_refused() {
    assert_snapshot!(with_targets(&targets(LEAVES_A_TRACE, &["workers: 0"])), @"
    error: `workers` must be a whole number of at least 1
     --> .agentv/targets.yaml:4:14
      |
    4 |     workers: 0
      |              ^

    1 error
    ");
}

#[test]
fn a_key_of_batches_needs_batches() {
    assert_snapshot!(with_targets(&targets(LEAVES_A_TRACE, &["batch_size: 5"])), @"
    error: `batch_size` needs `provider_batching: true`
     --> .agentv/targets.yaml:4:5
      |
    4 |     batch_size: 5
      |     ^^^^^^^^^^
      |
      = help: add `provider_batching: true`, or remove the key

    1 error
    ");
}

#[test]
fn an_unknown_policy_names_the_nearest() {
    let settings = ["provider_batching: true", "on_batch_failure: retry_mising"];
    assert_snapshot!(with_targets(&targets(LEAVES_A_TRACE, &settings)), @"
    error: unknown on_batch_failure `retry_mising`
     --> .agentv/targets.yaml:5:23
      |
    5 |     on_batch_failure: retry_mising
      |                       ^^^^^^^^^^^^
      |
      = help: did you mean `retry_missing`? known: fail, retry_missing, per_case

    1 error
    ");
}

#[test]
fn a_healthcheck_of_an_unknown_type_is_told_with_the_known_ones() {
    let check = "healthcheck: {type: dns, url: 'http://127.0.0.1:1/'}";
    assert_snapshot!(with_targets(&targets(LEAVES_A_TRACE, &[check])), @"
    error: unknown healthcheck type `dns`
     --> .agentv/targets.yaml:4:25
      |
    4 |     healthcheck: {type: dns, url: 'http://127.0.0.1:1/'}
      |                         ^^^
      |
      = help: known: http, command

    1 error
    ");
}

#[test]
fn a_judge_that_is_no_target_of_the_file_is_told() {
    assert_snapshot!(with_targets(&targets(LEAVES_A_TRACE, &["judge_target: agnet"])), @"
    error: judge target `agnet` does not exist
     --> .agentv/targets.yaml:4:19
      |
    4 |     judge_target: agnet
      |                   ^^^^^
      |
      = help: did you mean `agent`? there are: agent

    1 error
    ");
}
