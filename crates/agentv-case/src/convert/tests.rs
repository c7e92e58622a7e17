//! Names change and nothing else does.

use std::{fmt::Write as _, path::Path};

use agentv_base::{Key, Node, Problems, Shape, SourceId};
use proptest::prelude::*;

use super::*;

const CLI_KEYS: &[Key] = &[
    Key::new("command_template", Shape::Name, "").or(&["command"]),
    Key::new("provider_batching", Shape::Bool, "").or(&["batch_requests"]),
    Key::new("timeout_seconds", Shape::Positive, ""),
    Key::new("env", Shape::MapOf(&Shape::Scalar), ""),
];

fn vocabulary() -> Vocabulary {
    Vocabulary {
        graders: vec![
            GraderName { name: "contains", aliases: &[], keys: &[] },
            GraderName { name: "code_judge", aliases: &["code_grader", "script"], keys: &[] },
        ],
        grader_keys: const {
            &[
                Key::new("type", Shape::Name, ""),
                Key::new("value", Shape::Any, ""),
                Key::new("min_score", Shape::Share, ""),
            ]
        },
        providers: vec![ProviderName { name: "cli", aliases: &["shell"], keys: CLI_KEYS }],
    }
}

fn parse(text: &str) -> Node {
    let mut problems = Problems::default();
    let node = crate::yaml::parse(text, SourceId::default(), &mut problems);
    assert!(problems.is_empty(), "{problems:?}\n{text}");
    node.unwrap()
}

fn check(text: &str) -> Result<String, Vec<String>> {
    let node = parse(text);
    let content = content_of(Path::new("a.yaml"), &node);
    let mut problems = Problems::default();
    let renamed = rename(text, &node, content, &vocabulary(), &mut problems);
    let messages = problems.iter().map(|problem| problem.message.clone()).collect();
    renamed.map(|renamed| renamed.text).ok_or(messages)
}

#[test]
fn names_of_every_level_are_exchanged_where_they_stand() {
    let given = "\
# head
name:   demo   # the name
tests: # cases
  - {id: a, 'criteria': x, \"assertions\": [{type: \"code-grader\", minScore: 1}, {type: not-contains, value: {criteria: 1}}]}
  - id: b
    vars: {criteria: mine, tests: [1]}
    outcome: |
      criteria: text
    metadata:
      tests: 1
";
    let wanted = "\
# head
dataset:   demo   # the name
evalcases: # cases
  - {id: a, 'expected_outcome': x, \"assert\": [{type: \"code_judge\", min_score: 1}, {type: not_contains, value: {criteria: 1}}]}
  - id: b
    vars: {criteria: mine, tests: [1]}
    expected_outcome: |
      criteria: text
    metadata:
      tests: 1
";
    assert_eq!(check(given).as_deref(), Ok(wanted));
    assert_eq!(check(wanted).as_deref(), Ok(wanted));
}

#[test]
fn what_is_shared_by_an_anchor_is_renamed_once_for_all() {
    let given = "\
x-base: &base
  criteria: same
tests:
  - <<: *base
    id: a
  - id: b
    <<: *base
    assertions: &checks
      - type: &kind code-grader
  - id: c
    assertions: *checks
    evaluators: [{type: *kind}]
";
    let wanted = "\
x-base: &base
  expected_outcome: same
evalcases:
  - <<: *base
    id: a
  - id: b
    <<: *base
    assert: &checks
      - type: &kind code_judge
  - id: c
    assert: *checks
    evaluators: [{type: code_judge}]
";
    assert_eq!(check(given).as_deref(), Ok(wanted));
}

#[test]
fn a_name_that_is_data_elsewhere_is_refused() {
    let shared = "evalcases:\n  - id: a\n    vars: &v {criteria: x}\n  - id: b\n    <<: *v\n";
    assert_eq!(
        check(shared),
        Err(vec![
            "this is called `expected_outcome` in one place that uses it, and not in another"
                .to_owned()
        ])
    );
    let text = "evalcases:\n  - id: &t code-grader\n    evaluators: [{type: *t}]\n";
    let renamed = "evalcases:\n  - id: &t code-grader\n    evaluators: [{type: code_judge}]\n";
    assert_eq!(check(text).as_deref(), Ok(renamed));
    let text = "evalcases:\n  - evaluators: [{type: &t code-grader}]\n    id: *t\n";
    assert_eq!(
        check(text),
        Err(vec!["with the current names this file would not say the same".to_owned()])
    );
}

#[test]
fn a_key_given_under_two_names_is_refused() {
    assert_eq!(
        check("tests: []\nevalcases: []\n"),
        Err(vec!["`tests` and `evalcases` are the same key: both would be `evalcases`".to_owned()])
    );
}

#[test]
fn nested_settings_of_a_target_become_its_own() {
    let given = "\
providers:
  - id: cli # kind
    label: mine
    config: # settings
      # the command
      command: |
        run
          {PROMPT}

      env:
        command: kept
    grader_target: judge
  - {id: cli, label: flow, config: {command: run}}
  - id: cli
    config:
      command: run
";
    let wanted = "\
targets:
  - provider: cli # kind
    name: mine
    # settings
    # the command
    command_template: |
      run
        {PROMPT}

    env:
      command: kept
    judge_target: judge
  - {id: cli, label: flow, config: {command_template: run}}
  - id: cli
    config:
      command_template: run
";
    assert_eq!(check(given).as_deref(), Ok(wanted));
    assert_eq!(check(wanted).as_deref(), Ok(wanted));
}

#[test]
fn settings_that_would_meet_others_of_the_target_stay_where_they_are() {
    let given = "\
targets:
  - id: cli
    label: a
    timeoutSeconds: 1
    config:
      timeoutSeconds: 2
  - id: cli
    label: b
    config:
      command: run
";
    let wanted = "\
targets:
  - id: cli
    label: a
    timeoutSeconds: 1
    config:
      timeout_seconds: 2
  - provider: cli
    name: b
    command_template: run
";
    assert_eq!(check(given).as_deref(), Ok(wanted));
}

#[test]
fn a_provider_is_known_by_its_other_names_and_with_a_model_behind_it() {
    for provider in ["cli", "Shell", "'shell: x'"] {
        let text = |key| format!("targets:\n  - {{name: a, provider: {provider}, {key}: run}}\n");
        assert_eq!(check(&text("command")).as_deref(), Ok(text("command_template").as_str()));
    }
}

#[test]
fn windows_line_ends_and_a_missing_last_one_are_kept() {
    assert_eq!(
        check("name: x\r\ntests:\r\n- id: a\r\n  outcome: y").as_deref(),
        Ok("dataset: x\r\nevalcases:\r\n- id: a\r\n  expected_outcome: y")
    );
}

/// A key of a case, its value and what comes after, in many ways to write them.
fn line() -> impl Strategy<Value = (&'static str, String)> {
    let key = prop::sample::select(vec!["criteria", "outcome", "category", "note", "x-own"]);
    let value = prop::sample::select(vec![
        "plain",
        "'criteria: # no'",
        "\"a\\ttests\"",
        "|\n      criteria: 1\n      # text\n",
        ">-\n      folded\n\n      tests:\n",
        "criteria tests",
        "~",
    ]);
    let comment = prop::sample::select(vec!["", " # criteria: x", "\n    # tests:"]);
    let quote = prop::sample::select(vec!["", "'", "\""]);
    (key, value, comment, quote).prop_map(|(key, value, comment, quote)| {
        let comment = if value.contains('\n') { "" } else { comment };
        (key, format!("{quote}@{quote}:  {value}{comment}"))
    })
}

proptest! {
    #[test]
    fn whatever_surrounds_a_name_stays(
        cases in prop::collection::vec(prop::collection::btree_map(0u8..5, line(), 0..3), 1..5)
    ) {
        let current = |key: &'static str| match key {
            "criteria" | "outcome" => "expected_outcome",
            other => other,
        };
        let (mut given, mut wanted) = ("tests:\n".to_owned(), "evalcases:\n".to_owned());
        for (number, lines) in cases.iter().enumerate() {
            for text in [&mut given, &mut wanted] {
                writeln!(text, "  - id: c{number}").unwrap();
            }
            let mut seen = Vec::new();
            for (key, line) in lines.values() {
                if seen.contains(&current(key)) {
                    continue;
                }
                seen.push(current(key));
                writeln!(given, "    {}", line.replacen('@', key, 1)).unwrap();
                writeln!(wanted, "    {}", line.replacen('@', current(key), 1)).unwrap();
            }
        }
        prop_assert_eq!(check(&given), Ok(wanted.clone()));
        prop_assert_eq!(check(&wanted), Ok(wanted));
    }
}
