//! The seeds' suite format: what it means, and what is said when it is not right.

use std::sync::Arc;

use insta::assert_snapshot;

use crate::project::{Project, one_case};

/// What is said about one suite.
fn problems(text: &str) -> String {
    Project::new().file("s.yaml", text).problems(&["s.yaml"])
}

#[test]
fn a_suite_becomes_cases_with_their_places() {
    let project = Project::new().file(
        "evals/math.yaml",
        "$schema: agentv-eval-v2
description: sums
target: slow
evaluators: [{type: contains, value: '4'}]
evalcases:
  - id: plus
    expected_outcome: four
    conversation_id: c-1
    note: easy
    metadata: {a: 1}
    x-owner: me
    input_messages:
      - {role: user, content: 2+2}
    expected_messages:
      - {role: assistant, content: '4'}
  - conversation_id: c-2
    id: ünder
    outcome: ' '
    input_messages: []
",
    );
    let loaded = project.load(&["evals"]);
    assert_eq!(project.describe(&loaded), "");
    assert_eq!(loaded.root, project.path(""));
    assert_eq!(loaded.files_checked, 2);
    let suite = &loaded.suites[0].suite;
    assert_eq!(suite.file, project.path("evals/math.yaml"));
    assert_eq!(&*suite.path, "evals/math.yaml");
    assert_eq!(suite.content_hash.len(), 64);
    let [plus, under] = suite.cases.as_slice() else {
        panic!("two cases");
    };
    assert_eq!(plus.id(), "plus");
    assert_eq!((plus.place.line, plus.place.column), (6, 9));
    assert_eq!(&*plus.dataset, "math");
    assert_eq!(&*plus.suite, "evals/math.yaml");
    assert_eq!(plus.expected_outcome.as_deref(), Some("four"));
    assert_eq!(plus.input.question(), "2+2");
    assert_eq!(plus.input.conversation_id.as_deref(), Some("c-1"));
    assert_eq!(&*plus.input.suite_file, suite.file);
    assert_eq!(plus.reference_answer(), "4");
    assert_eq!(
        plus.expected_messages.to_json().to_string(),
        r#"[{"role":"assistant","content":"4"}]"#
    );
    assert_eq!(&*plus.targets[0].name, "slow");
    assert_eq!((under.place.line, under.place.column), (17, 9));
    assert_eq!(under.expected_outcome, None);
    assert_eq!(under.reference_answer(), "");
    assert_eq!(under.expected_messages.to_json().to_string(), "[]");
    assert!(Arc::ptr_eq(&plus.graders, &under.graders));
}

#[test]
fn graders_and_targets_of_a_case_replace_those_of_the_suite() {
    let project = Project::new().file(
        "s.yaml",
        "dataset: named
execution: {target: a, evaluators: [{type: suite}]}
evalcases:
  - {id: plain, input_messages: []}
  - {id: empty-execution, input_messages: [], execution: {}}
  - {id: target, input_messages: [], execution: {target: b}}
  - {id: graders, input_messages: [], execution: {evaluators: [{type: inner}]}}
  - {id: direct, input_messages: [], evaluators: [{type: direct}]}
  - {id: none, input_messages: [], evaluators: []}
  - {id: kind, input_messages: [], evaluator: llm_judge}
",
    );
    let loaded = project.load(&["s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    let cases = loaded.suites[0].suite.cases.iter().map(|case| {
        let kinds: Vec<&str> = case
            .graders
            .iter()
            .map(|grader| grader.get("type").unwrap().as_str().unwrap())
            .collect();
        let target = &case.targets[0];
        format!("{} {} {} {kinds:?}", case.dataset, case.id(), target.name)
    });
    assert_snapshot!(cases.collect::<Vec<_>>().join("\n"), @r#"
    named plain a ["suite"]
    named empty-execution a ["suite"]
    named target b ["suite"]
    named graders a ["inner"]
    named direct a ["direct"]
    named none a []
    named kind a ["llm_judge"]
    "#);
}

#[test]
fn a_setting_that_another_one_hides_is_told() {
    assert_snapshot!(problems(&format!("target: a\nexecution: {{target: b}}\n{}", one_case("    evaluators: []\n    execution: {evaluators: []}"))), @"
    s.yaml:1:1 warning: `target` is not used
      s.yaml:2:13 this one, in `execution`, wins
    s.yaml:6:5 warning: `evaluators` is not used
      s.yaml:7:17 this one, in `execution`, wins
    ");
}

#[test]
fn a_setting_that_means_something_only_elsewhere_is_told() {
    assert_snapshot!(problems(&format!("execution: {{skipDefaults: true}}\n{}", one_case("    execution: {workers: 2}"))), @"
    s.yaml:1:13 warning: `skipDefaults` has no effect here
      hint: `workers` is for suites, `skip_defaults` for cases
    s.yaml:5:17 warning: `workers` has no effect here
      hint: `workers` is for suites, `skip_defaults` for cases
    ");
}

#[test]
fn rows_of_data_that_prompts_are_filled_with_need_no_id() {
    let project = Project::new()
        .file("rows.jsonl", "{\"vars\": {\"x\": 1}}\n{\"vars\": {\"x\": 2}}\n")
        .file("rows.yaml", "prompts: ['say {{ x }}']\n");
    let loaded = project.load(&["rows.jsonl"]);
    assert_eq!(project.describe(&loaded), "");
    let ids: Vec<&str> = loaded.suites[0].suite.cases.iter().map(|case| case.id()).collect();
    assert_eq!(ids, ["rows-1", "rows-2"]);
}

#[test]
fn every_unknown_key_is_told_with_the_nearest_known_one() {
    assert_snapshot!(problems("evalcase: []"), @"
    s.yaml:1:1 error: unknown key `evalcase` in suite
      hint: did you mean `evalcases`?
    s.yaml:1:11 error: the suite has no cases
      hint: add one:
        evalcases:
          - id: first
            input_messages:
              - role: user
                content: What is 2 + 2?
            evaluators:
              - type: contains
                value: '4'
    ");
    assert_snapshot!(problems("evaluater: x
evalcases:
  - id: a
    input_message: []
    input_messages: [{role: user, contents: x, content: y, tool_calls: [{tool: t, args: 1}]}, {role: user, content: [{type: text, text: x, value: y}]}]
    execution: {targets: x}
    banana: 1
"), @"
    s.yaml:1:1 error: unknown key `evaluater` in suite
      hint: did you mean `evaluator`?
    s.yaml:4:5 error: unknown key `input_message` in eval case
      hint: did you mean `input_messages`?
    s.yaml:5:35 error: unknown key `contents` in message
      hint: did you mean `content`?
    s.yaml:5:83 error: unknown key `args` in tool call
      hint: known keys: tool, input, output, id, timestamp, duration_ms; keys of your own start with `x-`
    s.yaml:5:131 error: unknown key `text` in block
      hint: known keys: type, value; keys of your own start with `x-`
    s.yaml:7:5 error: unknown key `banana` in eval case
      hint: known keys: id, input_messages, input, expected_outcome, expected_messages, expected_output, evaluators, assert, evaluator, rubrics, execution, threshold, judge_target, repeat, depends_on, on_dependency_failure, input_files, vars, tags, conversation_id, category; keys of your own start with `x-`
    ");
}

#[test]
fn a_suite_without_cases_is_an_error() {
    assert_snapshot!(problems("evalcases: []"), @"
    s.yaml:1:12 error: the suite has no cases
      hint: add one:
        evalcases:
          - id: first
            input_messages:
              - role: user
                content: What is 2 + 2?
            evaluators:
              - type: contains
                value: '4'
    ");
    assert_snapshot!(problems("evalcases:"), @"
    s.yaml:1:1 error: suite needs `evalcases`
      hint: add `evalcases: …`
    ");
    assert_snapshot!(problems("description: x"), @"
    s.yaml:1:1 error: suite needs `evalcases`
      hint: add `evalcases: …`
    ");
    assert_snapshot!(problems("- {id: a, input_messages: []}"), @"s.yaml:1:1 error: suite must be a map, not a list");
    assert_snapshot!(problems("evalcases: {a: 1}"), @"s.yaml:1:12 error: `evalcases` must be a list, not a map");
    assert_snapshot!(problems("# nothing\n"), @"
    s.yaml:1:1 error: `s.yaml` is empty
      hint: a minimal suite:
        evalcases:
          - id: first
            input_messages:
              - role: user
                content: What is 2 + 2?
            evaluators:
              - type: contains
                value: '4'
    ");
}

#[test]
fn an_id_is_a_string_of_its_own() {
    assert_snapshot!(problems(r#"evalcases:
  - {id: 012, input_messages: []}
  - {id: true, input_messages: []}
  - {id: ' ', input_messages: []}
  - {id: "a\0b", input_messages: []}
  - {id: [a], input_messages: []}
  - {id: , input_messages: []}
  - {input_messages: []}
  - {id: x, input_messages: [], conversation_id: 7}
  - not a case
"#), @r#"
    s.yaml:2:10 error: `id` must be a string, not a number
      hint: write `id: "012"`
    s.yaml:3:10 error: `id` must be a string, not a boolean
      hint: write `id: "true"`
    s.yaml:4:10 error: `id` is blank
    s.yaml:5:10 error: `id` contains a NUL character
    s.yaml:6:10 error: `id` must be a string, not a list
    s.yaml:7:6 error: eval case needs `id`
      hint: add `id: …`
    s.yaml:8:5 error: eval case needs `id`
      hint: add `id: …`
    s.yaml:9:50 error: `conversation_id` must be a string, not a number
      hint: write `conversation_id: "7"`
    s.yaml:10:5 error: eval case must be a map, not a string
      hint: cases of another file are taken by `file://PATH`
    "#);
}

#[test]
fn a_doubled_id_is_told_at_its_second_place_also_where_a_case_is_not_right() {
    assert_snapshot!(problems("evalcases:
  - {id: a, input_messages: []}
  - {id: b}
  - {id: b, input_messages: []}
  - {id: a, input_messages: []}
"), @"
    s.yaml:3:5 error: eval case needs `input_messages`
      hint: add `input_messages: …`
    s.yaml:4:10 error: an eval case with the id `b` exists already
      s.yaml:3:10 first used here
    s.yaml:5:10 error: an eval case with the id `a` exists already
      s.yaml:2:10 first used here
    ");
}

#[test]
fn values_of_the_wrong_type_are_told() {
    assert_snapshot!(problems("$schema: 1
dataset: [x]
target: ' '
execution: x
evaluators: contains
evalcases:
  - id: a
    expected_outcome: 5
    input_messages: hi
    expected_messages: {role: user}
    execution: []
    rubrics: [x]
"), @"
    s.yaml:1:10 error: `$schema` must be a string, not a number
    s.yaml:2:10 error: `dataset` must be a string, not a list
    s.yaml:3:9 error: `target` of suite is blank
    s.yaml:4:12 error: execution must be a map, not a string
    s.yaml:5:13 error: `evaluators` must be a list, not a string
    s.yaml:8:23 error: `expected_outcome` must be a string, not a number
    s.yaml:9:21 error: `input_messages` must be a list, not a string
      hint: write it as a message:
        input_messages:
          - role: user
            content: …
        or as `input: …`
    s.yaml:10:24 error: `expected_messages` must be a list, not a map
    s.yaml:11:16 error: execution must be a map, not a list
    ");
}

#[test]
fn every_problem_of_all_files_comes_in_the_order_of_files_and_places() {
    let project = Project::new()
        .file("a.yaml", "dataset: 1\nevalcases: [{id: 1, input_messages: []}]\nx: 1")
        .file("b.yaml", "evalcases: [")
        .file("c.yaml", "a: 1\na: 2\nevalcases: []\n");
    assert_snapshot!(project.problems(&["c.yaml", "a.yaml", "b.yaml"]), @r#"
    c.yaml:1:1 error: unknown key `a` in suite
      hint: known keys: $schema, dataset, evalcases, target, providers, execution, evaluators, assert, evaluator, threshold, judge_target, repeat, on_dependency_failure, input, input_files, tags, vars, prompts, default_test, scenarios, evaluate_options, version, author, license, category; keys of your own start with `x-`
    c.yaml:2:1 error: key `a` stands twice in one map
      c.yaml:1:1 first given here
    c.yaml:3:12 error: the suite has no cases
      hint: add one:
        evalcases:
          - id: first
            input_messages:
              - role: user
                content: What is 2 + 2?
            evaluators:
              - type: contains
                value: '4'
    a.yaml:1:10 error: `dataset` must be a string, not a number
    a.yaml:2:18 error: `id` must be a string, not a number
      hint: write `id: "1"`
    a.yaml:3:1 error: unknown key `x` in suite
      hint: known keys: $schema, dataset, evalcases, target, providers, execution, evaluators, assert, evaluator, threshold, judge_target, repeat, on_dependency_failure, input, input_files, tags, vars, prompts, default_test, scenarios, evaluate_options, version, author, license, category; keys of your own start with `x-`
    b.yaml:1:12 error: not valid YAML: `[` is never closed
    "#);
}

#[test]
fn files_that_are_no_text_are_refused_with_the_place() {
    let project = Project::new()
        .file("latin.yaml", b"evalcases:\n  - id: caf\xe9\n")
        .file("nul.yaml", b"evalcases: []\n\0")
        .file("bom.yaml", format!("\u{feff}{}", one_case("")));
    assert_snapshot!(project.problems(&["latin.yaml", "nul.yaml", "bom.yaml"]), @"
    latin.yaml:2:12 error: `latin.yaml` cannot be read: a byte that is not UTF-8 at byte 22 (line 2)
      hint: save the file as UTF-8 text
    nul.yaml:2:1 error: `nul.yaml` cannot be read: a NUL byte at byte 14 (line 2)
      hint: save the file as UTF-8 text
    ");
}

#[test]
fn a_suite_on_one_line_has_columns() {
    let cases: Vec<String> =
        (0..3000).map(|number| format!(r#"{{"id":"c{number}","input_messages":[]}}"#)).collect();
    let text = format!(r#"{{"evalcases":[{}]}}"#, cases.join(","));
    let project = Project::new().file("s.yaml", &text);
    let loaded = project.load(&["s.yaml"]);
    let last = loaded.suites[0].suite.cases.last().unwrap();
    let column = text.find("\"c2999\"").unwrap() + 1;
    assert_eq!((last.place.line, last.place.column), (1, column));
}

#[test]
fn cases_may_share_by_anchor_and_merge() {
    let project = Project::new().file(
        "s.yaml",
        "x-base: &base {input_messages: [{role: user, content: hi}], evaluators: [{type: a}]}
evalcases:
  - {<<: *base, id: one}
  - {<<: *base, id: two, evaluators: []}
",
    );
    let loaded = project.load(&["s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    let cases = &loaded.suites[0].suite.cases;
    assert_eq!(cases[0].input.question(), "hi");
    assert_eq!(cases[0].graders.len(), 1);
    assert_eq!(cases[1].graders.len(), 0);
}

#[test]
fn a_case_with_a_mistake_keeps_what_is_right_of_it() {
    let project = Project::bare().file(
        "s.yaml",
        "evalcases:
  - id: 7
    input_messages: hello
    execution: {target: x}
    evaluators: [{type: contains, value: ok}]
",
    );
    let loaded = project.load(&["s.yaml"]);
    assert!(loaded.problems.has_errors());
    let case = &loaded.suites[0].suite.cases[0];
    assert_eq!(case.graders.len(), 1);
    assert_eq!(case.targets.first().map(|target| &*target.name), Some("x"));
}

#[test]
fn the_hash_of_a_suite_covers_every_file_that_its_cases_are_made_of() {
    let hash = |prompt: &str, rows: &str, vars: &str| {
        let project = Project::new()
            .file("prompt.txt", prompt)
            .file("rows.jsonl", rows)
            .file("vars.yaml", vars)
            .file(
                "s.yaml",
                "prompts: file://prompt.txt\ndefault_test: {vars: file://vars.yaml}\n\
                 tests: file://rows.jsonl\n",
            );
        let loaded = project.load(&["s.yaml"]);
        assert_eq!(project.describe(&loaded), "");
        loaded.suites[0].suite.content_hash.clone()
    };
    let row = r#"{"id": "a", "vars": {"x": "1"}}"#;
    let first = hash("{{ x }}", row, "y: 1");
    assert_eq!(first, hash("{{ x }}", row, "y: 1"));
    for other in [
        hash("{{ x }}!", row, "y: 1"),
        hash("{{ x }}", &row.replace('1', "2"), "y: 1"),
        hash("{{ x }}", row, "y: 2"),
    ] {
        assert_ne!(first, other);
    }
}

#[test]
fn the_hash_of_a_suite_covers_the_files_that_are_attached_to_its_messages() {
    let hash = |input: &str, other: &str, patterns: &str| {
        let case = |id: &str, file: &str| {
            format!(
                "  - id: {id}\n    input_messages:\n      - role: user\n        content:\n          \
                 - {{type: file, value: {file}}}\n          - {{type: text, value: Look.}}\n"
            )
        };
        let suite = format!("evalcases:\n{}{}", case("a", "input.md"), case("b", "rules/other.md"));
        let project = Project::new()
            .file(".agentv/config.yaml", format!("guideline_patterns: [{patterns}]\n"))
            .file("input.md", input)
            .file("rules/other.md", other)
            .file("s.yaml", suite);
        let loaded = project.load(&["s.yaml"]);
        assert_eq!(project.describe(&loaded), "");
        loaded.suites[0].suite.content_hash.clone()
    };
    let first = hash("one", "two", "'rules/**'");
    assert_eq!(first, hash("one", "two", "'rules/**'"));
    for (what, other) in [
        ("a file of the question", hash("three", "two", "'rules/**'")),
        ("a guideline", hash("one", "three", "'rules/**'")),
        ("the texts in each other's places", hash("two", "one", "'rules/**'")),
        ("what is a guideline", hash("one", "two", "'other/**'")),
    ] {
        assert_ne!(first, other, "{what}");
    }
}

#[test]
fn settings_behind_the_cases_hold_for_all_of_them() {
    let project = Project::new().file(
        "s.yaml",
        "evalcases:
  - {id: a, input: 'x'}
  - {id: b, input: 'y'}
dataset: last
evaluators: [{type: contains, value: '4'}]
",
    );
    let loaded = project.load(&["s.yaml"]);
    assert_eq!(project.describe(&loaded), "");
    let cases = &loaded.suites[0].suite.cases;
    assert!(cases.iter().all(|case| &*case.dataset == "last" && case.graders.len() == 1));
    assert_eq!(cases.len(), 2);
}

#[test]
fn of_a_broken_file_nothing_is_said_but_where_it_breaks() {
    // What the cases before it say may be something else once it is mended.
    assert_snapshot!(problems("evalcases:\n  - {id: a, inptu: x}\n  - {id: a, input: [}\n"), @"s.yaml:3:20 error: not valid YAML: `[` is closed by `}`");
    let behind = "evalcases:\n  - {id: a, inptu: x}\n  - {id: a, input: y}\nevaluators: [}\n";
    assert_snapshot!(problems(behind), @"s.yaml:4:13 error: not valid YAML: `[` is closed by `}`");
}

#[test]
fn what_is_wrong_with_a_suite_and_with_its_cases_is_told_at_once() {
    assert_snapshot!(problems("tags: {}\nevalcases:\n  - {id: a, inptu: x}\n  - {id: a, input: y, input: z}\n"), @"
    s.yaml:1:7 error: `tags` takes strings, not a map
    s.yaml:3:13 error: unknown key `inptu` in eval case
      hint: did you mean `input`?
    s.yaml:4:10 error: an eval case with the id `a` exists already
      s.yaml:3:10 first used here
    s.yaml:4:23 error: key `input` stands twice in one map
      s.yaml:4:13 first given here
    ");
}
