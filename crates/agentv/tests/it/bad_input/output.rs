//! Outputs of a single case that hold no answer.

use insta::assert_snapshot;

use super::unevaluated;
use crate::project::{column, project};

fn with_command(command: &str) -> String {
    unevaluated(&project(command, &[], &["a"]))
}

#[test]
fn an_output_file_that_was_not_written_is_told_with_what_the_tool_said() {
    let command = "echo 'nothing to do' >&2; test -e {OUTPUT_FILE} || true";
    assert_snapshot!(with_command(command), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          output: exited with code 0 but did not write {OUTPUT_FILE}: nothing to do
    --- stderr
    ERROR a (agent) [TIME]: output: exited with code 0 but did not write {OUTPUT_FILE}: nothing to do
    ");
}

#[test]
fn an_empty_output_file_is_no_answer() {
    assert_snapshot!(with_command("echo 'no model' >&2; : > {OUTPUT_FILE}"), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          output: exited with code 0 but its output is empty: no model
    --- stderr
    ERROR a (agent) [TIME]: output: exited with code 0 but its output is empty: no model
    ");
}

#[test]
fn an_empty_standard_output_is_no_answer() {
    assert_snapshot!(with_command("true"), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          output: exited with code 0 but its output is empty
    --- stderr
    ERROR a (agent) [TIME]: output: exited with code 0 but its output is empty
    ");
}

#[test]
fn an_output_file_that_is_a_directory_is_no_answer() {
    assert_snapshot!(with_command("mkdir {OUTPUT_FILE}"), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          output: exited with code 0 but its output file is a directory
    --- stderr
    ERROR a (agent) [TIME]: output: exited with code 0 but its output file is a directory
    ");
}

#[test]
fn an_output_file_that_is_a_pipe_is_not_waited_for() {
    assert_snapshot!(with_command("mkfifo {OUTPUT_FILE}"), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          output: exited with code 0 but its output file is not a regular file
    --- stderr
    ERROR a (agent) [TIME]: output: exited with code 0 but its output file is not a regular file
    ");
}

#[test]
fn an_output_that_is_not_utf8_is_no_answer() {
    assert_snapshot!(with_command(r"printf 'ok \377' > {OUTPUT_FILE}"), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:5 a (agent)
          output: exited with code 0 but its output is not UTF-8 (byte 3 is the first that is not)
    --- stderr
    ERROR a (agent) [TIME]: output: exited with code 0 but its output is not UTF-8 (byte 3 is the first that is not)
    ");
}

/// What a screen shows of an error is cut; the row has it whole.
#[test]
fn the_row_says_what_the_screen_says() {
    let project = project(": > {OUTPUT_FILE}", &[], &["a"]);
    unevaluated(&project);
    assert_eq!(column(&project, "error"), ["exited with code 0 but its output is empty"]);
    assert_eq!(column(&project, "error_kind"), ["output"]);
    assert_eq!(column(&project, "candidate_answer"), [serde_json::Value::Null]);
}
