//! Graders of time, cost, tokens and calls on real runs: what a target reports, what is measured
//! for it, and what nobody knows.

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{batch_project, empty, rows, targets};

/// Cases `a` and `b`, graded by these.
fn suite(graders: &str) -> String {
    format!(
        "evaluators:\n{graders}evalcases:\n  - {{id: a, input: Go}}\n  - {{id: b, input: Go}}\n"
    )
}

/// A target that answers both cases with these records.
fn batch(records: &str, graders: &str) -> Project {
    batch_project("cp records.jsonl {OUTPUT_FILE}", &[], &[])
        .file("records.jsonl", records)
        .file("suite.yaml", suite(graders))
}

#[test]
fn one_answer_of_a_process_of_its_own_is_measured() {
    let project =
        empty().file(".agentv/targets.yaml", targets("echo ok > {OUTPUT_FILE}", &[])).file(
            "suite.yaml",
            suite("  - {type: latency, max_ms: 600000}\n  - {type: not-latency, max_ms: 0}\n"),
        );
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    for row in rows(&project) {
        let took = format!("took {} ms, ", row["duration_ms"]);
        let hits = [format!("{took}within 600000 ms"), format!("{took}more than 0 ms")];
        assert_eq!(row["hits"], json!(hits));
    }
}

#[test]
fn what_a_process_says_it_took_goes_before_what_was_measured() {
    let answer = r#"echo '{"text": "ok", "duration_ms": 900000}' > {OUTPUT_FILE}"#;
    let project = empty()
        .file(".agentv/targets.yaml", targets(answer, &[]))
        .file("suite.yaml", suite("  - latency: 600000\n"));
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert_eq!(rows(&project)[0]["misses"], json!(["took 900000 ms, more than 600000 ms"]));
}

#[test]
fn a_batch_is_graded_by_what_its_records_say() {
    let project = batch(
        r#"{"id": "a", "text": "ok", "duration_ms": 10, "cost_usd": 0.01, "token_usage": {"input": 5, "output": 5, "cached": 4}, "trace": [{"type": "tool_call", "name": "Read"}]}
{"id": "b", "text": "ok", "duration_ms": 30, "cost_usd": 0.03, "token_usage": {"input": 9, "output": 5}, "output_messages": [{"role": "assistant", "tool_calls": [{"tool": "a"}, {"tool": "b"}]}]}
"#,
        "  - {type: latency, max_ms: 20}\n  - {type: cost, budget: 0.02}\n  - {type: token-usage, max_total: 10}\n  - {type: execution-metrics, max_tool_calls: 1, max_tokens: 100}\n",
    );
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let [a, b] = rows(&project).try_into().unwrap();
    assert_eq!((&a["score"], &a["misses"]), (&json!(1.0), &json!([])));
    assert_eq!(
        a["hits"],
        json!([
            "took 10 ms, within 20 ms",
            "cost 0.01 USD, within 0.02 USD",
            "took 10 tokens, within 10",
            "made 1 tool call, within 1",
            "took 10 tokens, within 100",
        ])
    );
    assert_eq!(b["score"], json!(0.125));
    assert_eq!(
        b["misses"],
        json!([
            "took 30 ms, more than 20 ms",
            "cost 0.03 USD, more than 0.02 USD",
            "took 14 tokens, more than 10",
            "made 2 tool calls, more than 1",
        ])
    );
}

#[test]
fn what_no_record_says_is_an_error_of_the_case_and_not_a_score() {
    for (grader, reported) in [
        ("{type: latency, max_ms: 20}", "`duration_ms`"),
        ("{type: not-latency, max_ms: 20}", "`duration_ms`"),
        ("{type: cost, max_usd: 1}", "`cost_usd`"),
        ("{type: token_usage, max_output: 1}", "`token_usage: {input, output}`"),
        ("{type: execution_metrics, max_tool_calls: 1}", "`trace`"),
        ("{type: execution_metrics, max_errors: 1}", "`error` events"),
    ] {
        let records = "{\"id\": \"a\", \"text\": \"ok\"}\n{\"id\": \"b\", \"text\": \"ok\"}\n";
        let project = batch(records, &format!("  - {grader}\n"));
        let run = project.run(&["eval", "suite.yaml"]);
        assert_eq!(run.code, Some(3), "{grader}: {}", run.seen());
        for row in rows(&project) {
            assert_eq!((&row["status"], &row["error_kind"]), (&json!("error"), &json!("grader")));
            assert_eq!((&row["score"], &row["verdict"]), (&Value::Null, &Value::Null));
            let error = row["error"].as_str().unwrap();
            assert!(error.contains("nobody knows") && error.contains(reported), "{error}");
        }
    }
}

#[test]
fn an_answer_is_compared_with_what_its_case_expects_and_a_case_without_is_told_at_once() {
    let graded = |expected: &str| {
        empty().file(".agentv/targets.yaml", targets("echo Paris > {OUTPUT_FILE}", &[])).file(
            "suite.yaml",
            format!("evaluators: [equals]\nevalcases:\n  - {{id: a, input: Go{expected}}}\n"),
        )
    };
    let project = graded(", expected_output: Paris");
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(rows(&project)[0]["hits"], json!(["equals `Paris`"]));

    let project = graded("");
    for args in [["validate", "suite.yaml"], ["eval", "suite.yaml"]] {
        let run = project.run(&args);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(
            run.stderr.contains("grader `equals` has no `value`, and the case has no reference"),
            "{}",
            run.seen()
        );
    }
    assert!(project.runs().is_empty());
}
