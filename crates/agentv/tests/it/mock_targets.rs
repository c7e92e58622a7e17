//! Targets of the kind `mock`: as targets, as judges, and with mistakes in them.

use agentv_testkit::{Project, Signal, wait_until};
use serde_json::json;

use crate::project::{column, empty, lines, rows, suite};

/// A project with a target `agent` of this kind, and what YAML it has besides.
fn mocked(settings: &str, ids: &[&str]) -> Project {
    let settings = settings.replace('\n', "\n    ");
    let targets = format!("targets:\n  - name: agent\n    provider: mock\n    {settings}\n");
    empty().file(".agentv/targets.yaml", targets).file("suite.yaml", suite(ids))
}

#[test]
fn answers_are_fixed_templated_or_by_case() {
    let project = mocked(
        "response: '{{ eval_id }} {{ attempt }} {{ question }} ok'\n\
         responses:\n  b: ok\n  c: {text: 'ok {{ id }}', cost_usd: 0.5, duration_ms: 3}",
        &["a", "b", "c"],
    );
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(column(&project, "candidate_answer"), ["a 0 a ok", "ok", "ok c"]);
    let last = rows(&project).pop().unwrap();
    assert_eq!((&last["cost_usd"], &last["duration_ms"]), (&json!(0.5), &json!(3.0)));
    assert!(rows(&project)[0]["duration_ms"].is_number());
}

#[test]
fn a_mock_without_settings_answers_that_it_is_one() {
    let project = mocked("", &["a"]);
    let run = project.run(&["invoke", "suite.yaml", "--target", "agent"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let line = &lines(&run.stdout)[0];
    assert!(line["response"]["text"].as_str().unwrap().contains("mock"), "{line}");
    assert_eq!(line["response"]["raw"], json!({}));
}

#[test]
fn a_case_without_an_answer_and_one_that_fails_are_errors_with_their_cause() {
    let project = mocked("responses:\n  b: {error: out of luck}\n  c: ok", &["a", "b", "c"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(&project, "error_kind"), [json!("missing"), json!("target"), json!(null)]);
    let errors = column(&project, "error");
    assert_eq!(
        errors[0],
        "mock target `agent` has no answer for `a`: its `responses` do not name it, and there is no \
         `response` for the others"
    );
    assert_eq!(errors[1], "out of luck");
}

#[test]
fn variables_of_the_environment_are_filled_in_before_blanks() {
    let project =
        mocked("response: '${{ GREETING }} {{ id }} ok'", &["a"]).env("GREETING", "{{ question }}");
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(column(&project, "candidate_answer"), ["a a ok"]);
}

#[test]
fn a_deadline_holds_for_a_mock_as_for_any_target() {
    let project = mocked("delay_ms: 600000", &["a"]);
    let run = project.run(&["eval", "suite.yaml", "--agent-timeout", "0.05"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(&project, "error"), ["timed out after 0.05 s"]);
    assert_eq!(column(&project, "error_kind"), ["timeout"]);
    let project = mocked("delayMinMs: 600000\ndelayMaxMs: 700000\ntimeout_seconds: 0.02", &["a"]);
    assert_eq!(project.run(&["eval", "suite.yaml"]).code, Some(3));
    assert_eq!(column(&project, "error"), ["timed out after 0.02 s"]);
}

#[test]
fn an_interrupt_ends_the_waiting_at_once() {
    let project = mocked("delay_ms: 600000", &["a", "b"]);
    let running = project.start(&["eval", "suite.yaml", "--agent-timeout", "0"]);
    wait_until("the run has begun", || !project.runs().is_empty());
    running.signal(Signal::SIGINT);
    let run = running.finish();
    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(project.rows_text(), "");
}

#[test]
fn a_mock_can_judge_by_the_case_that_it_is_asked_about() {
    let targets = json!({"targets": [
        {"name": "default", "provider": "mock", "response": "Paris", "judge_target": "judge"},
        {"name": "judge", "provider": "mock", "response": "{\"score\": 1}",
            "responses": {"b": "{\"score\": 0.25, \"reasoning\": \"no\"}"}},
    ]});
    let suite = json!({
        "evaluators": [{"name": "weighed", "type": "composite", "aggregator": "llm_judge",
            "evaluators": [{"type": "contains", "value": "Paris"}]}],
        "evalcases": [{"id": "a", "input": "x"}, {"id": "b", "input": "x"}],
    });
    let project = empty()
        .file(".agentv/targets.yaml", targets.to_string())
        .file("suite.yaml", suite.to_string());
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert_eq!(column(&project, "score"), [1.0, 0.25]);
}

#[test]
fn mistakes_in_settings_are_all_told_with_their_places() {
    let project = mocked(
        "response: 'Hi {{ questoin }}'\nresponses: {a: {text: x, error: y}}\n\
         delay_ms: 5\ndelay_min_ms: 1\nmodel: x",
        &["a"],
    );
    for command in [vec!["eval", "suite.yaml"], vec!["validate", "suite.yaml"]] {
        let run = project.run(&command);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        for told in [
            "a mock knows no `{{ questoin }}`",
            "did you mean `{{ question }}`?",
            "an answer has either `text` or `error`",
            "`delay_min_ms` and `delay_ms` both say how long it takes",
            "unknown key `model` in target",
            "targets.yaml:4:",
        ] {
            assert!(run.stderr.contains(told), "{told}\n{}", run.seen());
        }
    }
}
