//! All problems of all files are told at once, in their order.

use insta::assert_snapshot;

use super::{refused, sound};

/// Mistakes in every room: of the reader of suites, of messages, of graders (also in a case that
/// has no target), of names, of templates, of settings. None of them hides another.
#[test]
fn every_mistake_of_a_suite_and_of_its_targets_is_told() {
    let suite = "\
evalcases:
  - id: 7
    input_messages:
      - rol: user
        content: hi
    evaluators:
      - type: contain
        value: ok
  - id: b
    input_messages:
      - role: user
        content: hi
    execution:
      target: banana
      evaluators:
        - type: regex
          value: '(ok'
          wieght: -1
";
    let targets = "\
targets:
  - name: agent
    provider: cli
    command_template: touch started; my-agent \"{PROMPT}\" {FLIES}
    timeout_seconds: soon
    env: {TOKEN: [1]}
    healthcheck: {type: command, command: 'ping {HOST}', timeout: 0}
";
    let project = sound().file("suite.yaml", suite).file(".agentv/targets.yaml", targets);
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]));
    let validated = refused(&project, &["validate", "suite.yaml"]);
    assert_eq!(validated, refused(&project, &["eval", "suite.yaml"]));
}

#[test]
fn mistakes_without_end_are_cut_and_counted() {
    let mut suite = String::from("evaluators: [{type: contains, value: ok}]\nevalcases:\n");
    for number in 0..10_000 {
        suite.push_str(&format!("  - id: {number}\n    input_messages: []\n"));
    }
    let said = refused(&sound().file("suite.yaml", suite), &["eval", "suite.yaml"]);
    assert_eq!(said.matches("error: `id` must be a string").count(), 100);
    assert!(said.ends_with("\n… and 9900 more\n\n10000 errors\n"), "{said}");
}
