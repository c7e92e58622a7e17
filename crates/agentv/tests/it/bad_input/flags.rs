//! Flags that nobody knows, and values that a flag cannot have.

use insta::assert_snapshot;

use super::{refused, sound};

fn with_flags(flags: &[&str]) -> String {
    refused(&sound(), &[&["eval", "suite.yaml"], flags].concat())
}

#[test]
fn a_misspelt_flag_names_the_nearest() {
    assert_snapshot!(with_flags(&["--traget", "agent"]), @"
    error: unexpected argument '--traget' found

      tip: a similar argument exists: '--target'

    Usage: agentv eval --target <NAME> <PATH>...

    For more information, try '--help'.
    ");
}

#[test]
fn a_misspelt_command_names_the_nearest() {
    assert_snapshot!(refused(&sound(), &["evla", "suite.yaml"]), @"
    error: unrecognized subcommand 'evla'

      tip: a similar subcommand exists: 'eval'

    Usage: agentv [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn no_suite_at_all_is_told_with_the_usage() {
    assert_snapshot!(refused(&sound(), &["eval"]), @"
    error: the following required arguments were not provided:
      <PATH>...

    Usage: agentv eval <PATH>...

    For more information, try '--help'.
    ");
}

#[test]
fn a_threshold_above_one_is_refused() {
    assert_snapshot!(with_flags(&["--threshold", "2"]), @"
    error: invalid value '2' for '--threshold <S>': must be a number from 0 to 1

    For more information, try '--help'.
    ");
}

#[test]
fn no_workers_are_refused() {
    assert_snapshot!(with_flags(&["--workers", "0"]), @"
    error: invalid value '0' for '--workers <N>': must be a whole number of at least 1

    For more information, try '--help'.
    ");
}

#[test]
fn a_deadline_that_is_no_number_is_refused() {
    assert_snapshot!(with_flags(&["--agent-timeout", "soon"]), @"
    error: invalid value 'soon' for '--agent-timeout <SECONDS>': must be a number of seconds, 0 or more

    For more information, try '--help'.
    ");
}

#[test]
fn an_output_in_a_folder_that_does_not_exist_is_refused_before_anything_runs() {
    assert_snapshot!(with_flags(&["--out", "reports/results.jsonl"]), @"
    error: cannot write `reports/results.jsonl`: the folder `reports` does not exist

    1 error
    ");
}

#[test]
fn an_output_that_is_a_folder_is_refused() {
    let project = sound().file("results.jsonl/file", "");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml", "--out", "results.jsonl"]), @"
    error: cannot write `results.jsonl`: it is a directory

    1 error
    ");
}

#[test]
fn an_output_with_an_unknown_ending_is_told_with_the_known_ones() {
    assert_snapshot!(with_flags(&["--out", "results.txt"]), @"
    error: no output format has the ending of `results.txt`
     |
     = help: known: .jsonl, .ndjson, .yaml, .yml, .json, .csv, .xml, .md, .markdown, .html, .htm

    1 error
    ");
}

#[test]
fn an_output_without_an_ending_is_told_with_the_known_ones() {
    assert_snapshot!(with_flags(&["--out", "results"]), @"
    error: cannot tell the format of `results`: it has no ending
     |
     = help: known: .jsonl, .ndjson, .yaml, .yml, .json, .csv, .xml, .md, .markdown, .html, .htm

    1 error
    ");
}

#[test]
fn an_unknown_output_format_names_the_nearest() {
    assert_snapshot!(with_flags(&["--out", "results.txt", "--output-format", "jsnol"]), @"
    error: unknown output format `jsnol`
     |
     = help: did you mean `jsonl`?

    1 error
    ");
}

#[test]
fn a_suite_behind_a_flag_with_an_optional_folder_is_given_back() {
    assert_snapshot!(refused(&sound(), &["eval", "--dump-prompts", "suite.yaml"]), @"
    error: invalid value 'suite.yaml' for '--dump-prompts [<DIR>]': a suite, not a folder; put suites before this flag, or write `=DIR`

    For more information, try '--help'.
    ");
    assert_snapshot!(with_flags(&["--dump-traces", "suite.yaml"]), @"
    error: invalid value 'suite.yaml' for '--dump-traces [<DIR>]': a suite, not a folder; put suites before this flag, or write `=DIR`

    For more information, try '--help'.
    ");
}

#[test]
fn the_only_target_of_invoke_must_be_named() {
    assert_snapshot!(refused(&sound(), &["invoke", "suite.yaml"]), @"
    error: the following required arguments were not provided:
      --target <NAME>

    Usage: agentv invoke --target <NAME> <PATH>...

    For more information, try '--help'.
    ");
}
