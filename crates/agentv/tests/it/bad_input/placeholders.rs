//! Placeholders that are unknown, or that stand where their quoting would not hold.

use insta::assert_snapshot;

use super::with_targets;
use crate::project::targets;

fn with_command(command: &str) -> String {
    with_targets(&targets(command, &[]))
}

#[test]
fn an_unknown_placeholder_names_the_nearest() {
    assert_snapshot!(with_command("touch started; my-agent {PROMT}"), @"
    error: unknown placeholder `{PROMT}`
     --> .agentv/targets.yaml:5:31
      |
    5 |       touch started; my-agent {PROMT}
      |                               ^^^^^^^
      |
      = help: did you mean `{PROMPT}`? (`{{PROMT}}` gives a literal `{PROMT}`)

    1 error
    ");
}

#[test]
fn a_placeholder_like_no_other_is_told_with_the_known_ones() {
    assert_snapshot!(with_command("touch started; my-agent {BANANA}"), @"
    error: unknown placeholder `{BANANA}`
     --> .agentv/targets.yaml:5:31
      |
    5 |       touch started; my-agent {BANANA}
      |                               ^^^^^^^^
      |
      = help: known: {PROMPT} {PROMPT_FILE} {GUIDELINES} {EVAL_ID} {ATTEMPT} {FILES} {OUTPUT_FILE} {EVAL_FILE} {BATCH_FILE} (`{{BANANA}}` gives a literal `{BANANA}`)

    1 error
    ");
}

#[test]
fn an_unknown_token_of_the_files_format_names_the_known_ones() {
    let text = targets("touch started; my-agent {FILES}", &["files_format: '--file {file}'"]);
    assert_snapshot!(with_targets(&text), @"
    error: unknown placeholder `{file}`
     --> .agentv/targets.yaml:4:27
      |
    4 |     files_format: '--file {file}'
      |                           ^^^^^^
      |
      = help: known: {path} {basename} (`{{file}}` gives a literal `{file}`)

    1 error
    ");
}

#[test]
fn a_placeholder_in_double_quotes_is_shown_without_them() {
    assert_snapshot!(with_command(r#"touch started; my-agent --prompt "{PROMPT}""#), @r#"
    error: `{PROMPT}` stands inside quotes, where its own quoting would not hold
     --> .agentv/targets.yaml:5:41
      |
    5 |       touch started; my-agent --prompt "{PROMPT}"
      |                                         ^^^^^^^^
      |
      = help: values are quoted for you: write {PROMPT}

    1 error
    "#);
}

#[test]
fn a_placeholder_in_the_midst_of_quotes_is_shown_with_the_quotes_around_the_rest() {
    assert_snapshot!(with_command("touch started; my-agent 'Say: {PROMPT}, please'"), @"
    error: `{PROMPT}` stands inside quotes, where its own quoting would not hold
     --> .agentv/targets.yaml:5:37
      |
    5 |       touch started; my-agent 'Say: {PROMPT}, please'
      |                                     ^^^^^^^^
      |
      = help: values are quoted for you: write 'Say: '{PROMPT}', please'

    1 error
    ");
}

#[test]
fn the_placeholder_that_is_meant_is_pointed_to_among_others_of_its_name() {
    let command = "touch started\nmy-agent {PROMPT_FILE} \\\n  --log \"{PROMPT_FILE}.log\"";
    assert_snapshot!(with_command(command), @r#"
    error: `{PROMPT_FILE}` stands inside quotes, where its own quoting would not hold
     --> .agentv/targets.yaml:7:16
      |
    7 |         --log "{PROMPT_FILE}.log"
      |                ^^^^^^^^^^^^^
      |
      = help: values are quoted for you: write {PROMPT_FILE}".log"

    1 error
    "#);
}

#[test]
fn a_placeholder_in_backticks_is_refused() {
    assert_snapshot!(with_command("touch started; my-agent `cat {PROMPT_FILE}`"), @"
    error: `{PROMPT_FILE}` stands inside backticks, where its quoting would not hold
     --> .agentv/targets.yaml:5:36
      |
    5 |       touch started; my-agent `cat {PROMPT_FILE}`
      |                                    ^^^^^^^^^^^^^
      |
      = help: write $(… {PROMPT_FILE} …) instead

    1 error
    ");
}

#[test]
fn a_placeholder_in_a_comment_is_refused() {
    assert_snapshot!(with_command("touch started; my-agent # {PROMPT}"), @"
    error: `{PROMPT}` stands inside a comment, which its value could end
     --> .agentv/targets.yaml:5:33
      |
    5 |       touch started; my-agent # {PROMPT}
      |                                 ^^^^^^^^
      |
      = help: remove the comment

    1 error
    ");
}

#[test]
fn a_placeholder_in_a_here_document_is_refused() {
    assert_snapshot!(with_command("touch started\nmy-agent <<END\n{PROMPT}\nEND"), @r"
    error: `{PROMPT}` stands inside a here-document, where its quoting would not hold
     --> .agentv/targets.yaml:7:7
      |
    7 |       {PROMPT}
      |       ^^^^^^^^
      |
      = help: write printf '%s\n' {PROMPT} | … instead, or pass {PROMPT_FILE}

    1 error
    ");
}

#[test]
fn a_placeholder_in_the_place_of_the_program_is_refused() {
    assert_snapshot!(with_command("touch started; {PROMPT} --now"), @"
    error: `{PROMPT}` would be the program that is run
     --> .agentv/targets.yaml:5:22
      |
    5 |       touch started; {PROMPT} --now
      |                      ^^^^^^^^
      |
      = help: name a program before it

    1 error
    ");
}

#[test]
fn a_placeholder_that_a_shell_would_run_is_refused() {
    assert_snapshot!(with_command("touch started; sh -c {PROMPT}"), @r#"
    error: `sh` would run `{PROMPT}` as code
     --> .agentv/targets.yaml:5:28
      |
    5 |       touch started; sh -c {PROMPT}
      |                            ^^^^^^^^
      |
      = help: hand it to a program of yours as an argument: tool {PROMPT}

    1 error
    "#);
}

#[test]
fn a_quote_that_is_not_closed_is_pointed_to() {
    assert_snapshot!(with_command("touch started; echo 'it"), @"
    error: a quote `'` is not closed
     --> .agentv/targets.yaml:5:27
      |
    5 |       touch started; echo 'it
      |                           ^^^

    1 error
    ");
}

#[test]
fn a_placeholder_of_a_healthcheck_is_held_to_the_same_rules() {
    let check = r#"healthcheck: {type: command, command: 'touch started; ping "{EVAL_ID}"'}"#;
    assert_snapshot!(with_targets(&targets("touch started", &[check])), @r#"
    error: `{EVAL_ID}` stands inside quotes, where its own quoting would not hold
     --> .agentv/targets.yaml:4:65
      |
    4 |     healthcheck: {type: command, command: 'touch started; ping "{EVAL_ID}"'}
      |                                                                 ^^^^^^^^^
      |
      = help: values are quoted for you: write {EVAL_ID}

    1 error
    "#);
}
