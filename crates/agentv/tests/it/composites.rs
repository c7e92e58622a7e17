//! Graders inside of graders, with the real command: what members see, what rows keep of them, and
//! how they fail.

use std::fmt::Write as _;

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{empty, rows, targets};

/// One case that expects `Paris`, with this grader, asked of a target that leaves this record.
fn project(grader: &Value, record: &Value) -> Project {
    let suite = json!({"evalcases": [{
        "id": "a",
        "expected_outcome": "Names Paris",
        "input_messages": [{"role": "user", "content": "What is the capital of France?"}],
        "expected_messages": [{"role": "assistant", "content": "Paris"}],
        "evaluators": [grader],
    }]});
    empty()
        .file(".agentv/targets.yaml", targets("cp record.json {OUTPUT_FILE}", &[]))
        .file("suite.yaml", suite.to_string())
        .file("record.json", record.to_string())
}

fn row(project: &Project) -> Value {
    let run = project.run(&["eval", "suite.yaml"]);
    assert!(matches!(run.code, Some(0 | 1 | 3)), "{}", run.seen());
    rows(project).remove(0)
}

#[test]
fn members_see_all_that_is_known_of_an_answer() {
    let seen = [
        r#""candidate_answer":"Paris""#,
        r#""reference_answer":"Paris""#,
        r#""expected_outcome":"Names Paris""#,
        r#""output_messages":\[{"#,
        r#""candidate_trace":\[{"#,
        r#""candidate_trace_summary":{"#,
        r#""token_usage":{"input":7"#,
        r#""cost_usd":0.5"#,
        r#""duration_ms":12"#,
    ];
    let mut judge = String::from("told=$(cat)\n");
    for text in seen {
        let _ = writeln!(
            judge,
            "printf '%s' \"$told\" | grep -q '{text}' || {{ echo '{text}' >&2; exit 1; }}"
        );
    }
    judge.push_str("echo '{\"score\": 1, \"hits\": [\"all is there\"]}'\n");
    let inner = json!({"name": "inner", "type": "composite", "evaluators": [
        {"name": "calls", "type": "tool_trajectory", "mode": "exact", "expected": ["atlas"]},
        {"name": "judge", "type": "code_judge", "script": "sh judge.sh"},
    ]});
    let outer = json!({"name": "outer", "type": "composite", "evaluators": [inner]});
    let record = json!({
        "text": "Paris",
        "output_messages": [{"role": "assistant", "content": "Paris"}],
        "trace": [{"type": "tool_call", "name": "atlas"}],
        "token_usage": {"input": 7, "output": 1},
        "cost_usd": 0.5,
        "duration_ms": 12,
    });
    let row = row(&project(&outer, &record).file("judge.sh", judge));
    assert_eq!(row["status"], "passed", "{row:#}");
    assert_eq!(
        row["hits"],
        json!(["[inner] [calls] called exactly: atlas", "[inner] [judge] all is there",])
    );
    let members = &row["evaluator_results"][0]["evaluator_results"][0]["evaluator_results"];
    assert_eq!(members[0]["name"], "calls");
    assert_eq!(members[0]["hits"], json!(["called exactly: atlas"]));
    assert_eq!(members[1]["name"], "judge");
    assert_eq!(members[1]["type"], "code_judge");
}

#[test]
fn a_failed_member_is_an_error_of_the_case_with_all_results() {
    let grader = json!({"name": "outer", "type": "composite", "evaluators": [
        {"type": "contains", "value": "Paris"},
        {"name": "inner", "type": "composite", "evaluators": [
            {"name": "judge", "type": "code_judge", "script": "exit 7"},
        ]},
    ]});
    let project = project(&grader, &json!({"text": "Paris"}));
    let row = row(&project);
    assert_eq!((&row["status"], &row["score"]), (&json!("error"), &Value::Null));
    assert_eq!(
        row["error"],
        "grader `outer` failed: member `inner` failed: member `judge` failed: it exited with code 7"
    );
    let outer = &row["evaluator_results"][0];
    assert_eq!((&outer["score"], &outer["verdict"]), (&Value::Null, &Value::Null));
    assert_eq!(outer["evaluator_results"][0]["score"], 1.0);
    let judge = &outer["evaluator_results"][1]["evaluator_results"][0];
    assert_eq!(judge["error"], "it exited with code 7");
}

#[test]
fn the_summary_of_a_failed_composite_says_which_member_missed_what() {
    let grader = json!({"name": "facts", "type": "composite", "threshold": 1, "evaluators": [
        {"type": "contains", "value": "Paris"},
        {"name": "country", "type": "contains", "value": "France"},
    ]});
    let run = project(&grader, &json!({"text": "Paris"})).run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    for text in [
        "1 of 2 graders passed, which is 0.5 of the weight; 1 is needed",
        "[country] does not contain `France`",
    ] {
        assert!(run.stdout.contains(text), "{}", run.seen());
    }
}

#[test]
fn variables_of_a_case_are_filled_in_for_members_and_not_in_the_prompts_of_models() {
    let suite = "\
evaluators:
  - type: composite
    evaluators:
      - contains: '{{ city }}'
      - type: composite
        evaluators: ['contains: {{ city }}']
        aggregator: {type: llm_judge, prompt: '{{ evaluator_results_json }}', unknown: '{{ city }}'}
evalcases:
  - {id: a, vars: {city: Paris}, input: 'Where is {{ city }}?'}
";
    let refused = with_suite(suite).run(&["validate", "suite.yaml"]);
    // Nothing but the key that we made up is wrong, also not the braces of the prompt.
    assert!(refused.stderr.contains("unknown key `unknown` in aggregator"), "{}", refused.seen());
    assert!(
        refused.stderr.contains("1 error") || refused.stdout.contains("1 error"),
        "{}",
        refused.seen()
    );
    let suite = suite.replace(
        "aggregator: {type: llm_judge, prompt: '{{ evaluator_results_json }}', unknown: '{{ city }}'}",
        "aggregator: minimum",
    );
    let project = with_suite(&suite);
    assert_eq!(
        row(&project)["hits"],
        json!(["[contains] contains `Paris`", "[composite] [contains] contains `Paris`",])
    );
}

fn with_suite(suite: &str) -> Project {
    project(&json!({"type": "is_json"}), &json!({"text": "Paris"})).file("suite.yaml", suite)
}

/// A grader for `Paris` in this many composites.
fn nested(levels: usize) -> Value {
    let leaf = json!({"name": "leaf", "type": "contains", "value": "Paris"});
    (0..levels).fold(leaf, |inner, _| json!({"type": "composite", "evaluators": [inner]}))
}

#[test]
fn the_row_of_the_deepest_composite_can_be_read_again() {
    let project = project(&nested(50), &json!({"text": "Paris"}));
    let mut results = &row(&project)["evaluator_results"];
    for _ in 0..50 {
        results = &results[0]["evaluator_results"];
    }
    assert_eq!(results[0]["name"], "leaf");
    let rows = project.newest_run().join("results.jsonl");
    let run = project.run(&["convert", rows.to_str().unwrap(), "--to", "yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
}

#[test]
fn deeper_composites_are_refused_before_anything_is_run() {
    for (levels, said) in [
        (51, "graders stand in each other more than 50 levels deep"),
        (200, "nested more than 255 levels deep"),
        (100_000, "nested more than 255 levels deep"),
    ] {
        // What JSON writers do with a tree as deep as this is not our business.
        let mut grader = String::from("{type: contains, value: Paris}");
        if levels < 1000 {
            grader = nested(levels).to_string();
        } else {
            grader.insert_str(0, &"{type: composite, evaluators: [".repeat(levels));
            grader.push_str(&"]}".repeat(levels));
        }
        let suite = format!("evaluators: [{grader}]\nevalcases: [{{id: a, input: x}}]\n");
        let run = with_suite(&suite).run(&["eval", "suite.yaml"]);
        assert_eq!(run.code, Some(2), "{levels}: {}", run.seen());
        assert!(run.stderr.contains(said), "{levels}: {}", run.seen());
    }
}

#[test]
fn aliases_that_stand_for_a_million_graders_are_refused_in_little_memory() {
    let mut suite = String::from("x-0: &l0 {type: contains, value: Paris}\n");
    for level in 1..=5 {
        let members = vec![format!("*l{}", level - 1); 10].join(", ");
        let _ =
            writeln!(suite, "x-{level}: &l{level} {{type: composite, evaluators: [{members}]}}");
    }
    suite.push_str("evaluators: [*l5, *l5, *l5]\nevalcases: [{id: a, input: x}]\n");
    let run = with_suite(&suite).run_within(1024, &["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(
        run.stderr.contains("a composite stands for more than 100000 graders"),
        "{}",
        run.seen()
    );
}
