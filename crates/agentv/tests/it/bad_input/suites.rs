//! Suites that are not there, are empty, or hold what a suite cannot hold.

use insta::assert_snapshot;

use super::{refused, sound, with_suite};
use crate::project::suite;

#[test]
fn a_suite_that_does_not_exist_names_the_nearest_file() {
    assert_snapshot!(refused(&sound(), &["eval", "siute.yaml"]), @"
    error: no such file or directory: `siute.yaml`
     |
     = help: did you mean `suite.yaml`?

    1 error
    ");
}

#[test]
fn a_folder_that_does_not_exist_is_told() {
    assert_snapshot!(refused(&sound(), &["eval", "evals/"]), @"
    error: no such file or directory: `evals/`
     |
     = help: give suite files, directories or globs such as `'evals/**/*.yaml'`

    1 error
    ");
}

#[test]
fn a_glob_that_matches_nothing_is_told() {
    assert_snapshot!(refused(&sound(), &["eval", "evals/**/*.yaml"]), @"
    error: `evals/**/*.yaml` matches no .yaml or .yml file
     |
     = help: `*` stays within one folder, `**` crosses folders

    1 error
    ");
}

#[test]
fn a_folder_without_suites_is_told() {
    let project = sound().file("other/compose.yaml", "services: {}\n");
    assert_snapshot!(refused(&project, &["eval", "other"]), @"
    error: no suite in `other`
     |
     = help: a suite is a YAML file with `evalcases`, or rows of data with a YAML file beside

    warning: `other/compose.yaml` is no suite and is skipped
     --> other/compose.yaml:1:1
      |
    1 | services: {}
      | ^

    1 error, 1 warning
    ");
}

#[test]
fn an_empty_file_is_told_with_a_minimal_suite() {
    assert_snapshot!(with_suite(""), @"
    error: `suite.yaml` is empty
     --> suite.yaml:1:1
      |
    1 |
      | ^
      |
      = help: a minimal suite:
              evalcases:
                - id: first
                  input_messages:
                    - role: user
                      content: What is 2 + 2?
                  evaluators:
                    - type: contains
                      value: '4'

    1 error
    ");
}

#[test]
fn a_suite_without_cases_is_told() {
    assert_snapshot!(with_suite("evalcases: []\n"), @"
    error: the suite has no cases
     --> suite.yaml:1:12
      |
    1 | evalcases: []
      |            ^^
      |
      = help: add one:
              evalcases:
                - id: first
                  input_messages:
                    - role: user
                      content: What is 2 + 2?
                  evaluators:
                    - type: contains
                      value: '4'

    1 error
    ");
}

#[test]
fn a_suite_that_is_no_yaml_is_told_with_the_place() {
    assert_snapshot!(with_suite("evalcases:\n  - id: a\n   input_messages: [\n"), @"
    error: not valid YAML: the indentation fits no line above
     --> suite.yaml:3:4
      |
    3 |    input_messages: [
      |    ^
      |
      = help: keys of one map start in the same column

    1 error
    ");
}

#[test]
fn a_suite_that_is_not_utf8_is_told_with_the_line() {
    let project = sound().file("suite.yaml", b"evalcases:\n  - id: caf\xe9\n");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @"
    error: `suite.yaml` cannot be read: a byte that is not UTF-8 at byte 22 (line 2)
     --> suite.yaml:2:12
      |
    2 |   - id: caf�
      |            ^
      |
      = help: save the file as UTF-8 text

    1 error
    ");
}

#[test]
fn an_id_filter_that_matches_nothing_is_told_with_ids_that_exist() {
    let args = ["eval", "suite.yaml", "--eval-id", "math-*", "--eval-id", "a"];
    assert_snapshot!(refused(&sound(), &args), @"
    error: no eval case matches `math-*`
     |
     = help: known ids: a

    1 error
    ");
}

#[test]
fn an_id_that_is_misspelt_names_the_nearest() {
    let project = sound().file("suite.yaml", suite(&["addition", "division"]));
    assert_snapshot!(refused(&project, &["eval", "suite.yaml", "--eval-id", "adition"]), @"
    error: no eval case matches `adition`
     |
     = help: did you mean `addition`?

    1 error
    ");
}

#[test]
fn two_cases_of_one_id_are_told_with_both_places() {
    assert_snapshot!(with_suite(&suite(&["a", "b", "a"])), @r#"
    error: an eval case with the id `a` exists already
      --> suite.yaml:13:9
       |
    13 |   - id: "a"
       |         ^^^ used again here
       |
      ::: suite.yaml:5:9
       |
     5 |   - id: "a"
       |         --- first used here

    1 error
    "#);
}

#[test]
fn an_id_that_is_a_number_is_shown_as_a_string() {
    assert_snapshot!(with_suite(&suite(&["a"]).replace("id: \"a\"", "id: 7")), @r#"
    error: `id` must be a string, not a number
     --> suite.yaml:5:9
      |
    5 |   - id: 7
      |         ^
      |
      = help: write `id: "7"`

    1 error
    "#);
}

#[test]
fn messages_that_are_a_string_are_shown_as_a_list() {
    let text = "evaluators: [{type: contains, value: ok}]\n\
                evalcases:\n  - id: a\n    input_messages: hello\n";
    assert_snapshot!(with_suite(text), @"
    error: `input_messages` must be a list, not a string
     --> suite.yaml:4:21
      |
    4 |     input_messages: hello
      |                     ^^^^^
      |
      = help: write it as a message:
              input_messages:
                - role: user
                  content: …
              or as `input: …`

    1 error
    ");
}

#[test]
fn an_unknown_role_names_the_nearest() {
    assert_snapshot!(with_suite(&suite(&["a"]).replace("role: user", "role: usr")), @"
    error: unknown role `usr`
     --> suite.yaml:7:15
      |
    7 |       - role: usr
      |               ^^^
      |
      = help: did you mean `user`? known: system, user, assistant, tool

    1 error
    ");
}

#[test]
fn an_attached_file_that_does_not_exist_is_told_with_where_it_was_looked_for() {
    let text = suite(&["a"])
        .replace("content: \"a\"", "content:\n          - {type: file, value: notes.txt}");
    assert_snapshot!(with_suite(&text), @"
    error: file `notes.txt` was not found
     --> suite.yaml:9:33
      |
    9 |           - {type: file, value: notes.txt}
      |                                 ^^^^^^^^^
      |
      = help: looked in `.`

    1 error
    ");
}
