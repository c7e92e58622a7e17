//! What is said of variables and templates that cannot be what their author means.

use insta::assert_snapshot;

use super::{refused, suite};

/// What is said of a suite with a mistake.
fn said(text: &str) -> String {
    refused(&suite(text), &["eval", "suite.yaml"])
}

#[test]
fn a_variable_that_nobody_gave_is_told_at_its_place() {
    assert_snapshot!(said("tests:
  - id: a
    vars: {name: Ann, place: Rome}
    input: 'Hello {{ name }} from {{ plaec }}'
    assert: ['contains: {{ answer }}']
"), @"
    error: there is no variable `plaec`
     --> suite.yaml:4:38
      |
    4 |     input: 'Hello {{ name }} from {{ plaec }}'
      |                                      ^^^^^
      |
      = help: did you mean `place`?

    error: there is no variable `answer`
     --> suite.yaml:5:28
      |
    5 |     assert: ['contains: {{ answer }}']
      |                            ^^^^^^
      |
      = help: `vars` of this case: name, place

    2 errors
    ");
}

#[test]
fn a_variable_of_a_prompt_that_cases_lack_is_told_once_with_the_first() {
    let project = suite(
        "prompts: file://ask.txt
default_test: {assert: ['contains: {{ town }}']}
tests:
  - {id: whole, vars: {name: Ann, town: Rome}}
  - {id: no-town, vars: {name: Bob}}
  - {id: no-town-either, vars: {name: Carl}}
",
    )
    .file("ask.txt", "Which town?\nWhere is {{ town }}, {{ name }}?\n");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @"
    error: there is no variable `town`
     --> suite.yaml:2:39
      |
    2 | default_test: {assert: ['contains: {{ town }}']}
      |                                       ^^^^
      |
     ::: suite.yaml:5:5
      |
    5 |   - {id: no-town, vars: {name: Bob}}
      |     -------------------------------- in this case
      |
      = help: `vars` of this case: name

    error: there is no variable `town`
     --> ask.txt:2:13
      |
    2 | Where is {{ town }}, {{ name }}?
      |             ^^^^
      |
     ::: suite.yaml:5:5
      |
    5 |   - {id: no-town, vars: {name: Bob}}
      |     -------------------------------- in this case
      |
      = help: `vars` of this case: name

    2 errors
    ");
}

#[test]
fn a_broken_template_is_told_with_a_way_to_write_braces() {
    assert_snapshot!(said("tests:
  - id: a
    vars: {name: Ann}
    input: 'Hello {{ name }, write {% now %} or {{ name | shout }}'
  - id: b
    vars: {name: Ann}
    input: |
      Hello,
      {{ name | shout }}
      Bye.
"), @"
    error: this template cannot be rendered: syntax error: unexpected `}`, expected end of variable block
     --> suite.yaml:4:12
      |
    4 |     input: 'Hello {{ name }, write {% now %} or {{ name | shout }}'
      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: texts of cases with `vars` are Jinja templates; `{{ '{{' }}` gives two braces

    error: this template cannot be rendered: unknown filter: filter shout is unknown
     --> suite.yaml:9:7
      |
    9 |       {{ name | shout }}
      |       ^^^^^^^^^^^^^^^^^^
      |
      = help: texts of cases with `vars` are Jinja templates; `{{ '{{' }}` gives two braces

    2 errors
    ");
}

#[test]
fn an_input_that_no_prompt_mentions_is_told() {
    assert_snapshot!(said("prompts: ['Say {{ word }}']\ntests:\n  - {id: a, vars: {word: x}, input: lost}\n"), @"
    error: `input` is not used: no `{{ input }}` is in the prompt
     --> suite.yaml:3:30
      |
    3 |   - {id: a, vars: {word: x}, input: lost}
      |                              ^^^^^
      |
     ::: suite.yaml:1:11
      |
    1 | prompts: ['Say {{ word }}']
      |           ---------------- this prompt
      |
      = help: mention `{{ input }}` in the prompt, or remove the key

    1 error
    ");
}

#[test]
fn braces_without_quotes_are_told_to_be_put_into_quotes() {
    assert_snapshot!(said("prompts: ['{{ input }}']\ntests:\n  - id: a\n    vars: {input: x}\n    assert:\n      - {type: contains, value: {{ input }}}\n"), @"
    error: `value` must be a text, not a map
     --> suite.yaml:6:33
      |
    6 |       - {type: contains, value: {{ input }}}
      |                                 ^^^^^^^^^^^

    error: a key must be a text, not a map
     --> suite.yaml:6:34
      |
    6 |       - {type: contains, value: {{ input }}}
      |                                  ^^^^^^^^^
      |
      = help: put a text that starts with `{` or `[` into quotes

    2 errors
    ");
}

#[test]
fn variables_that_are_made_of_each_other_in_a_circle_are_told() {
    assert_snapshot!(said("tests:\n  - {id: a, vars: {x: '{{ y }}', y: '{{ x }}'}, input: '{{ x }}'}\n"), @"
    error: the variable `x` is made of itself
     --> suite.yaml:2:23
      |
    2 |   - {id: a, vars: {x: '{{ y }}', y: '{{ x }}'}, input: '{{ x }}'}
      |                       ^^^^^^^^^

    error: the variable `y` is made of itself
     --> suite.yaml:2:37
      |
    2 |   - {id: a, vars: {x: '{{ y }}', y: '{{ x }}'}, input: '{{ x }}'}
      |                                     ^^^^^^^^^

    2 errors
    ");
}
