//! Targets that judge the answers of others: who is asked, with what, and what comes of it.

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{empty, rows};

/// A project whose graders are weighed by a model, for which this command stands in. The judge has
/// further settings.
fn judged_by(command: &str, settings: &Value, cases: usize) -> Project {
    let mut judge = json!({"name": "judge", "provider": "cli", "command": command});
    judge.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let targets = json!({"targets": [
        {"name": "default", "provider": "cli", "command": "echo It is Paris", "judge_target": "judge"},
        {"name": "alone", "provider": "cli", "command": "echo started > started; echo It is Paris"},
        judge,
    ]});
    let cases: Vec<Value> =
        (0..cases).map(|n| json!({"id": format!("c{n}"), "input": "The capital?"})).collect();
    let suite = json!({
        "evaluators": [{
            "name": "weighed",
            "type": "composite",
            "evaluators": [{"name": "city", "type": "contains", "value": "Paris"}],
            "aggregator": "llm_judge",
        }],
        "evalcases": cases,
    });
    empty().file(".agentv/targets.yaml", targets.to_string()).file("suite.yaml", suite.to_string())
}

/// What is said of the only case, which could not be evaluated.
fn said(project: &Project) -> String {
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let rows = rows(project);
    assert!(rows[0]["score"].is_null() && rows[0]["error_kind"] == "grader", "{rows:?}");
    rows[0]["error"].as_str().unwrap().to_owned()
}

#[test]
fn a_judge_is_told_results_question_and_answer_and_its_score_counts() {
    let project = judged_by(
        "cat {PROMPT_FILE} > told; echo 'So: {\"score\": 0.9, \"reasoning\": \"near\"}'",
        &json!({}),
        1,
    );
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let told = std::fs::read_to_string(project.path("told")).unwrap();
    for piece in ["contains `Paris`", "The capital?", "It is Paris", "Answer with one JSON object"]
    {
        assert!(told.contains(piece), "{piece}: {told}");
    }
    let result = &rows(&project)[0]["evaluator_results"][0];
    assert_eq!((&result["score"], &result["reasoning"]), (&json!(0.9), &json!("near")));
    assert_eq!(result["evaluator_results"][0]["name"], "city");
}

#[test]
fn a_target_that_names_no_judge_is_told_before_anything_is_run() {
    let project = judged_by("echo '{\"score\": 1}'", &json!({}), 2);
    let run = project.run(&["eval", "suite.yaml", "--target", "alone"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    let told = "nobody is named to judge what target `alone` answers for grader `weighed`";
    assert_eq!(run.stderr.matches(told).count(), 1, "{}", run.seen());
    assert!(run.stderr.contains("judge_target"), "{}", run.seen());
    assert!(!project.path("started").exists());
}

#[test]
fn a_judge_that_cannot_be_asked_is_a_fault_with_its_cause() {
    let project = judged_by("echo no model here >&2; exit 4", &json!({}), 1);
    let error = said(&project);
    let told = "grader `weighed` failed: judge `judge`: exited with code 4: no model here";
    assert_eq!(error, told);
    let check = json!({"healthcheck": {"type": "command", "command": "exit 1"}});
    let project = judged_by("echo '{\"score\": 1}'", &check, 1);
    assert!(said(&project).contains("judge `judge`: "), "{}", said(&project));
}

#[test]
fn a_judge_that_gives_no_score_is_asked_once_more_and_is_no_zero() {
    let project = judged_by("echo x >> asked; echo 'It is good: {\"score\": 1'", &json!({}), 1);
    let error = said(&project);
    assert!(error.contains("the judge gave no score, nor when it was asked again"), "{error}");
    assert_eq!(std::fs::read_to_string(project.path("asked")).unwrap(), "x\nx\n");
}

#[test]
fn the_settings_of_a_judge_must_be_complete_only_where_one_is_asked() {
    let settings = json!({"env": {"KEY": "${{ NOBODY_SETS_THIS }}"}});
    let project = judged_by("echo '{\"score\": 1}'", &settings, 1)
        .file("plain.yaml", "evalcases:\n  - {id: a, input: x, assert: [{contains: Paris}]}\n");
    let run = project.run(&["eval", "plain.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("NOBODY_SETS_THIS"), "{}", run.seen());
}

#[test]
fn a_judge_without_a_number_of_its_own_takes_as_many_questions_as_the_run_or_the_suite_says() {
    // Nobody answers before six are there to be answered.
    let command = "touch here.$AGENTV_EVAL_ID; until test $(ls here.* | wc -l) -ge 6; do sleep \
                   0.05; done; echo '{\"score\": 1}'";
    let project = judged_by(command, &json!({"timeout_seconds": 30}), 6);
    let run = project.run(&["eval", "suite.yaml", "--workers", "6"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let project = judged_by(command, &json!({"timeout_seconds": 30}), 6);
    let text = std::fs::read_to_string(project.path("suite.yaml")).unwrap();
    let mut suite: Value = serde_json::from_str(&text).unwrap();
    suite["execution"] = json!({"workers": 6});
    project.write("suite.yaml", suite.to_string());
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
}

#[test]
fn a_judge_is_asked_no_more_questions_at_once_than_its_workers() {
    // Whoever finds the folder there already is not alone.
    let command = "mkdir busy || echo two >> crowd; sleep 0.02; rmdir busy; echo '{\"score\": 1}'";
    let project = judged_by(command, &json!({"workers": 1}), 12);
    let run = project.run(&["eval", "suite.yaml", "--workers", "12"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(!project.path("crowd").exists());
}
