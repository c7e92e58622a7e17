//! Configurations of promptfoo and what becomes of them.

use std::fs;

use super::*;
use crate::convert::open;

struct Result {
    suite: String,
    targets: String,
    left: Vec<String>,
    problems: Vec<String>,
}

/// Converts `config` that stands among `files`, for a suite in `evals/`.
fn convert(config: &str, files: &[(&str, &str)]) -> Result {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    for (path, text) in files {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    fs::write(root.join("promptfooconfig.yaml"), config).unwrap();
    let Ok(opened) = open(Path::new("promptfooconfig.yaml"), &root) else { panic!("{config}") };
    let imported = import(opened, Some(&root.join("evals")), &root);
    let left = imported.left.iter().map(|left| {
        let source = imported.sources.get(left.span.source).unwrap();
        let (line, _) = source.line_and_column(left.span.start as usize);
        format!("{}:{line} {}", source.path.display(), left.what)
    });
    Result {
        suite: imported.suite_text(false),
        targets: imported.targets_text().unwrap_or_default(),
        left: left.collect(),
        problems: imported.problems.iter().map(|problem| problem.message.clone()).collect(),
    }
}

/// The suite as data.
fn suite(result: &Result) -> Value {
    let mut problems = Problems::default();
    let node = crate::yaml::parse(&result.suite, agentv_base::SourceId::default(), &mut problems);
    assert!(problems.is_empty(), "{}", result.suite);
    node.unwrap().to_json()
}

#[test]
fn lists_of_values_become_a_case_for_each_combination() {
    let result = convert(
        "\
prompts: ['{{a}} {{b}} {{c}}']
providers: [echo]
defaultTest: {vars: {c: [x, y], d: 1}}
tests:
  - vars: {a: [1, 2], b: [3, 4], c: z}
  - vars: {a: 5, b: [6, 7]}
    options: {disableVarExpansion: true}
",
        &[],
    );
    let suite = suite(&result);
    let vars = |index: usize| suite["evalcases"][index]["vars"].clone();
    assert_eq!(vars(0), json!({"a": 1, "b": 3, "c": "z"}));
    assert_eq!(vars(1), json!({"a": 1, "b": 4, "c": "z"}));
    assert_eq!(vars(3), json!({"a": 2, "b": 4, "c": "z"}));
    assert_eq!(vars(4), json!({"c": "x", "a": 5, "b": [6, 7]}));
    assert_eq!(vars(5), json!({"c": "y", "a": 5, "b": [6, 7]}));
    assert_eq!(suite["evalcases"].as_array().unwrap().len(), 6);
    assert_eq!(suite["default_test"], json!({"vars": {"d": 1}}));
    assert_eq!(result.left, Vec::<String>::new());
}

#[test]
fn how_often_and_how_many_at_once_is_carried_over() {
    let result = convert(
        "\
prompts: ['{{a}}']
providers: [echo]
evaluateOptions: {maxConcurrency: 2, repeat: 3, cache: false}
tests: [{vars: {a: 1}, assert: [{type: contains, value: '1'}]}]
",
        &[],
    );
    let suite = suite(&result);
    assert_eq!((&suite["execution"], &suite["repeat"]), (&json!({"workers": 2}), &json!(3)));
    assert_eq!(result.left, ["promptfooconfig.yaml:3 `cache` of `evaluateOptions`"]);
}

#[test]
fn every_test_of_a_scenario_is_asked_with_every_set() {
    let result = convert(
        "\
prompts: ['{{a}}']
providers: [echo]
scenarios:
  - config: [{vars: {a: 1}}, {vars: {a: 2}}]
    tests:
      - description: first
        assert: [{type: contains, value: '{{a}}'}]
      - vars: {a: own}
        assert: [{type: contains, value: o}]
",
        &[],
    );
    let suite = suite(&result);
    let of = |index: usize| suite["evalcases"][index]["vars"]["a"].clone();
    assert_eq!([of(0), of(1), of(2), of(3)], [json!(1), json!("own"), json!(2), json!("own")]);
    assert_eq!(suite["evalcases"][2]["id"], json!("test-3"));
}

#[test]
fn what_has_no_counterpart_is_on_the_list_with_its_line() {
    let result = convert(
        "\
prompts: ['Hi {{ name | dump }}']
providers:
  - exec: ./agent.sh
  - id: openai:gpt-4o
outputPath: out.json
tests:
  - assert:
      - {type: contains, value: a, threshold: 1}
      - {type: answer-relevance, threshold: 0.5}
      - {type: regex, value: 'a(?=b)'}
  - assert:
      - {type: perplexity, threshold: 5}
    providers: [x]
",
        &[],
    );
    assert_eq!(suite(&result)["target"], json!("agent"));
    assert_eq!(
        result.left,
        [
            "promptfooconfig.yaml:1 the filter `dump` in a template",
            "promptfooconfig.yaml:4 provider `openai:gpt-4o`",
            "promptfooconfig.yaml:5 `outputPath` of the configuration",
            "promptfooconfig.yaml:8 `threshold` of assertion `contains`",
            "promptfooconfig.yaml:9 assertion `answer-relevance`",
            "promptfooconfig.yaml:10 assertion `regex`",
            "promptfooconfig.yaml:11 case `test-2`",
            "promptfooconfig.yaml:12 assertion `perplexity`",
            "promptfooconfig.yaml:13 `providers` of a test",
        ]
    );
}

#[test]
fn paths_are_seen_from_where_the_suite_will_stand() {
    let result = convert(
        "\
prompts: [file://p/*.txt, 'file://chat.json']
providers:
  - file://ask.py:answer
  - {id: 'exec: python3 -u chat.py --x', label: mine, config: {a: 1}}
  - file://x.rb
env: {KEY: v}
tests:
  - assert: [{type: equals, value: file://want.txt}]
",
        &[
            ("p/a.txt", "one\n---\ntwo\n"),
            ("p/b.txt", "three"),
            ("chat.json", r#"[{"role": "user", "content": "{{x}}"}]"#),
        ],
    );
    let suite = suite(&result);
    let chat = json!([{"role": "user", "content": "{{x}}"}]);
    assert_eq!(suite["prompts"], json!(["one", "two", "three", chat]));
    assert_eq!(suite["evalcases"][0]["assert"][0]["value"], json!("file://../want.txt"));
    assert_eq!(suite["providers"], json!(["ask", "mine"]));
    assert!(
        result.targets.contains("    cwd: '..'\n    env:\n      KEY: v\n"),
        "{}",
        result.targets
    );
    assert!(result.targets.contains("python3 -u chat.py --x {PROMPT}\n"), "{}", result.targets);
    assert!(result.targets.contains("# Not carried over: file://x.rb"), "{}", result.targets);
    assert_eq!(
        result.left,
        [
            "promptfooconfig.yaml:1 a prompt of several messages",
            "promptfooconfig.yaml:4 `config` of provider `exec: python3 -u chat.py --x`",
            "promptfooconfig.yaml:5 provider `file://x.rb`",
        ]
    );
}

#[test]
fn the_columns_of_a_table_are_variables_assertions_and_notes() {
    let result = convert(
        "prompts: ['{{q}}']\nproviders: [echo]\ntests: file://t.csv\n",
        &[(
            "t.csv",
            "q,__expected,__expected2,__description,__metadata:kind,__threshold,__prefix\n\
             one,Paris,\"contains-any: a, b\",first,k,0.5,\n\
             two,not-icontains: x: y,latency(5),,,,pre\n\
             three,Note: this,,,,,\n",
        )],
    );
    let suite = suite(&result);
    assert_eq!(
        suite["evalcases"][0],
        json!({
            "id": "test-1", "description": "first", "vars": {"q": "one"}, "threshold": 0.5,
            "assert": [{"type": "equals", "value": "Paris"},
                       {"type": "contains_any", "value": ["a", "b"]}],
            "metadata": {"kind": "k"},
        })
    );
    let wanted =
        json!([{"type": "not_icontains", "value": "x: y"}, {"type": "latency", "max_ms": 5.0}]);
    assert_eq!(suite["evalcases"][1]["assert"], wanted);
    let wanted = json!([{"type": "equals", "value": "Note: this"}]);
    assert_eq!(suite["evalcases"][2]["assert"], wanted);
    assert_eq!(result.left, ["t.csv:3 the column `__prefix`"]);
}

#[test]
fn files_that_are_not_there_are_problems_at_the_place_that_names_them() {
    let result =
        convert("prompts: [file://none.txt]\nproviders: [echo]\ntests: file://none.yaml\n", &[]);
    assert_eq!(result.problems.len(), 2, "{:?}", result.problems);
    assert!(result.problems[1].contains("no such file: `none.yaml`"), "{:?}", result.problems);
}

#[test]
fn limits_and_json_are_carried_over() {
    let result = convert(
        "\
prompts: [hi]
providers: [echo]
tests:
  - assert:
      - {type: latency, threshold: 500, weight: 2}
      - {type: not-cost, threshold: 0.1, value: 1}
      - {type: equals, value: {a: [1]}}
      - {type: equals, value: [1, 2]}
      - {type: contains-json}
      - {type: not-contains-json, value: {type: object}}
",
        &[],
    );
    assert_eq!(
        suite(&result)["evalcases"][0]["assert"],
        json!([
            {"type": "latency", "max_ms": 500, "weight": 2},
            {"type": "not_cost", "max_usd": 0.1},
            {"type": "equals", "value": {"a": [1]}},
            {"type": "equals", "value": [1, 2]},
            {"type": "contains_json"},
            {"type": "not_contains_json", "value": {"type": "object"}},
        ])
    );
    assert_eq!(result.left, ["promptfooconfig.yaml:6 `value` of assertion `not-cost`"]);
}

/// The graders of a case with this test, and what was left.
fn graders_of(test: &str) -> (Value, Vec<String>) {
    let config = format!("prompts: [x]\nproviders: [echo]\ntests:\n  - {test}\n");
    let result = convert(&config, &[]);
    assert_eq!(result.problems, Vec::<String>::new());
    (suite(&result)["evalcases"][0]["assert"].clone(), result.left)
}

#[test]
fn a_set_of_assertions_is_a_composite() {
    let a = json!({"type": "contains", "value": "a"});
    let b = json!({"type": "contains", "value": "b", "weight": 2});
    let members = "assert: [{type: contains, value: a}, {type: contains, value: b, weight: 2}]";
    for (set, test, expected) in [
        (
            "",
            "",
            json!({"type": "composite", "aggregator": "all_or_nothing", "evaluators": [a, b]}),
        ),
        (
            ", threshold: 0.5, metric: both, weight: 3",
            "",
            json!({
                "name": "both", "type": "composite", "threshold": 0.5, "evaluators": [a, b],
                "weight": 3,
            }),
        ),
        // The threshold of the test is about the mean, and to that a set brings its own.
        (
            ", threshold: 0.5",
            ", threshold: 0.7",
            json!({"type": "composite", "evaluators": [a, b]}),
        ),
    ] {
        let (graders, left) =
            graders_of(&format!("{{assert: [{{type: assert-set, {members}{set}}}]{test}}}"));
        assert_eq!((graders, left), (json!([expected]), Vec::new()));
    }
}

#[test]
fn a_set_whose_programs_give_scores_compares_their_mean_with_its_threshold() {
    let (graders, left) = graders_of(
        "{assert: [{type: assert-set, threshold: 0.5, assert: [{type: contains, value: a}, \
         {type: python, value: len(output) / 10}]}]}",
    );
    assert_eq!(left, Vec::<String>::new());
    let [set] = graders.as_array().unwrap().as_slice() else { panic!("{graders}") };
    assert_eq!(set["aggregator"], "all_or_nothing");
    let mean = &set["evaluators"][0];
    assert_eq!((&mean["type"], &mean["min_score"]), (&json!("composite"), &json!(0.5)));
    let command = mean["evaluators"][1]["command"].as_array().unwrap();
    assert!(command.contains(&json!("score")), "{command:?}");
}

#[test]
fn a_set_with_a_threshold_is_carried_over_whole_or_not_at_all() {
    let (graders, left) = graders_of(
        "{assert: [{type: assert-set, threshold: 0.5, assert: [{type: contains, value: a}, \
         {type: answer-relevance}]}, {type: contains, value: c}]}",
    );
    assert_eq!(graders, json!([{"type": "contains", "value": "c"}]));
    assert_eq!(
        left,
        [
            "promptfooconfig.yaml:4 assertion `assert-set`",
            "promptfooconfig.yaml:4 assertion `answer-relevance`",
        ]
    );
}

#[test]
fn a_criterion_for_a_model_is_a_rubric_for_whoever_is_named_as_its_judge() {
    let (graders, left) = graders_of(
        "{assert: [{type: llm-rubric, value: is nice, metric: tone, weight: 2}, \
         {type: model-graded-closedqa, value: file://criterion.txt}, \
         {type: not-llm-rubric, value: is rude}, {type: llm-rubric, value: [a]}, \
         {type: llm-rubric, value: is brief, threshold: 0.5, provider: openai:gpt-4o}]}",
    );
    let judge = |rubric: &str| json!([{"description": rubric, "required": false}]);
    assert_eq!(
        graders,
        json!([
            {"name": "tone", "type": "llm_judge", "rubrics": judge("is nice"), "weight": 2},
            {"type": "llm_judge", "rubrics": judge("file://../criterion.txt")},
            {"type": "llm_judge", "rubrics": judge("is brief")},
        ])
    );
    let mut left: Vec<&str> =
        left.iter().filter_map(|it| it.strip_prefix("promptfooconfig.yaml:4 ")).collect();
    left.sort_unstable();
    assert_eq!(
        left,
        [
            "`provider` of assertion `llm-rubric`",
            "`threshold` of assertion `llm-rubric`",
            "assertion `llm-rubric`",
            "assertion `not-llm-rubric`",
            "who judges assertion `llm-rubric`",
            "who judges assertion `llm-rubric`",
            "who judges assertion `model-graded-closedqa`",
        ]
    );
}
