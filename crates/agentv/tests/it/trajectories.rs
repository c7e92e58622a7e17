//! Calls of tools, graded by the real command: whatever form the trail has, and what is said where
//! calls are not those that were expected.

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{empty, rows, targets};

/// A project whose target answers with these records, each graded by these graders (YAML, indented
/// by two).
fn project(graders: &str, records: &[(&str, Value)]) -> Project {
    let mut suite = format!("evaluators:\n{graders}evalcases:\n");
    let mut lines = String::new();
    for (id, record) in records {
        suite.push_str(&format!(
            "  - id: {id}\n    input_messages: [{{role: user, content: go}}]\n"
        ));
        let mut record = record.clone();
        record["id"] = json!(id);
        lines.push_str(&format!("{record}\n"));
    }
    let command = targets("cp records.jsonl {OUTPUT_FILE}", &["provider_batching: true"]);
    empty()
        .file(".agentv/targets.yaml", command)
        .file("suite.yaml", suite)
        .file("records.jsonl", lines)
}

/// A trace of two calls, and the same calls as messages.
fn both_forms() -> [(&'static str, Value); 2] {
    let trace = json!([
        {"type": "model_step", "text": "thinking"},
        {"type": "tool_call", "name": "search", "id": "1", "input": {"q": "paris", "n": 3},
         "timestamp": "2026-01-02T03:04:05Z"},
        {"type": "tool_call", "name": "fetch", "id": "2", "input": {"url": "https://a.example"},
         "timestamp": "2026-01-02T03:04:05.100Z"},
        {"type": "tool_result", "id": "2", "output": {"status": 200},
         "timestamp": "2026-01-02T04:04:05.400+01:00"},
        {"type": "tool_result", "id": "1", "output": ["a"], "metadata": {"duration_ms": 120.5}},
    ]);
    let messages = json!([
        {"role": "assistant", "tool_calls": [
            {"tool": "search", "input": {"q": "paris", "n": 3}, "output": ["a"], "duration_ms": 120.5}
        ]},
        {"role": "assistant", "content": "done", "tool_calls": [
            {"tool": "fetch", "input": {"url": "https://a.example"}, "output": {"status": 200}, "duration_ms": 300}
        ]},
    ]);
    [
        ("messages", json!({"text": "done", "output_messages": messages})),
        ("trace", json!({"text": "done", "trace": trace, "output_messages": []})),
    ]
}

/// What the graders of a row said, without what differs from run to run.
fn said(row: &Value) -> Vec<Value> {
    let results = row["evaluator_results"].as_array().unwrap().iter();
    results
        .map(|result| json!([result["name"], result["score"], result["hits"], result["misses"]]))
        .collect()
}

#[test]
fn a_trace_and_messages_of_the_same_calls_are_graded_the_same() {
    let graders = "  - type: tool_trajectory
    mode: exact
    args_match: superset
    expected:
      - {tool: search, args: {q: {$regex: '^p'}}, output: [a], max_duration_ms: 121}
      - {tool: fetch, args: {$.url: https://a.example}, output: {status: 200}, max_duration_ms: 300}
    max_total_duration_ms: 420.5
  - {name: other, type: tool_trajectory, mode: unordered, expected: [search, {tool: fetch, args: {url: b}}]}
  - {name: limits, type: tool_trajectory, forbidden: [fetch], max_steps: 1, max_call_duration_ms: 200}
  - {type: 'trajectory:tool-used', value: [search, {pattern: 'f*', max: 1}, book]}
  - trajectory:tool-sequence: [search, fetch]
  - {type: 'trajectory:tool-args-match', value: {name: search, args: {n: 3.0}}}
  - {type: 'not-trajectory:step-count', value: {min: 3}}
";
    let project = project(graders, &both_forms());
    let run = project.run(&["eval", "suite.yaml", "--no-fail"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let rows = rows(&project);
    assert_eq!(said(&rows[0]), said(&rows[1]));
    let scores: Vec<f64> =
        said(&rows[0]).iter().map(|result| result[1].as_f64().unwrap()).collect();
    assert_eq!(scores.len(), 7);
    for (found, expected) in scores.iter().zip([1.0, 0.0, 0.0, 2.0 / 3.0, 1.0, 1.0, 1.0]) {
        assert!((found - expected).abs() < 1e-9, "{scores:?}");
    }
}

#[test]
fn a_row_and_the_summary_show_both_sequences_side_by_side() {
    let graders = "  - type: tool_trajectory
    mode: exact
    expected: [search, {tool: fetch, args: {url: https://b.example}}, answer]
";
    let project = project(graders, &both_forms());
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let expected = "the calls are not exactly the expected ones (3 expected, 2 made):\n  \
                    = search\n  \
                    ~ fetch: args.url: expected \"https://b.example\", got \"https://a.example\"\n  \
                    - answer";
    for row in rows(&project) {
        assert_eq!(row["misses"], json!([expected]));
    }
    let said = run.seen();
    let shown: Vec<&str> = said.lines().map(str::trim).collect();
    for line in ["= search", "- answer"] {
        assert!(shown.contains(&line), "{line}: {said}");
    }
    assert!(!said.contains("\\n"), "{said}");
}

#[test]
fn what_the_trail_does_not_say_is_an_error_that_names_the_call() {
    let graders = "  - {type: tool_trajectory, max_call_duration_ms: 100}\n";
    let call = json!({"tool": "search"});
    let record =
        json!({"text": "", "output_messages": [{"role": "assistant", "tool_calls": [call]}]});
    let project = project(graders, &[("untimed", record)]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let row = rows(&project).remove(0);
    assert_eq!((&row["status"], &row["score"]), (&json!("error"), &json!(null)));
    let error = row["error"].as_str().unwrap();
    assert!(error.contains("call 1, `search`, does not say how long it took"), "{error}");
}

#[test]
fn without_any_trail_a_trajectory_scores_0_and_nothing_passes_by_negation() {
    let silent = [("silent", json!({"text": "done"}))];
    let first = project("  - {type: tool_trajectory, max_steps: 3}\n", &silent);
    assert_eq!(first.run(&["eval", "suite.yaml"]).code, Some(1));
    assert_eq!(rows(&first)[0]["score"], json!(0.0));
    let second = project("  - {type: 'not-trajectory:tool-used', value: rm}\n", &silent);
    assert_eq!(second.run(&["eval", "suite.yaml"]).code, Some(3));
    let error = rows(&second)[0]["error"].as_str().unwrap().to_owned();
    assert!(error.contains("no trace"), "{error}");
}
