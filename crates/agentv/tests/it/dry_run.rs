//! `--dry-run`: everything is done but asking.

use serde_json::{Value, json};

use crate::project::{empty, manifest, rows};

#[test]
fn nobody_is_asked_and_everything_else_is_done() {
    let targets = json!({"targets": [
        {"name": "default", "provider": "cli", "command": "touch asked; echo ok",
         "healthcheck": {"command": "touch checked; false"}, "judge_target": "judge"},
        {"name": "judge", "provider": "openai", "model": "m", "api_key": "${{ NO_SUCH_KEY }}"},
    ]});
    let rubrics = json!([
        {"id": "short", "description": "Is short"},
        {"id": "style", "description": "Has style", "score_ranges": [
            {"range": [1, 3], "description": "none"}, {"range": [4, 5], "description": "some"}]},
    ]);
    let code = "cat > told; echo '{\"score\": 1, \"reasoning\": \"looked\"}'";
    let suite = json!({
        "evaluators": [
            {"name": "whole", "type": "llm_judge", "prompt": "How good is {{ candidate_answer }}?"},
            {"name": "points", "type": "llm_judge", "rubrics": rubrics},
            {"name": "code", "type": "code_judge", "script": ["sh", "-c", code]},
        ],
        "evalcases": [{"id": "a", "input": "A?", "expected_outcome": "An answer"}],
    });
    let project =
        empty().file(".agentv/targets.yaml", targets.to_string()).file("s.yaml", suite.to_string());
    let run = project.run(&["eval", "s.yaml", "--dry-run", "--budget-usd", "1"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let told = "dry run: nobody is asked, the answers are made up\n";
    assert!(run.stderr.contains(told) && !run.stderr.contains("cost"), "{}", run.seen());
    let quiet = project.run(&["eval", "s.yaml", "--dry-run", "-q"]);
    assert!(!quiet.stderr.contains("dry run:"), "{}", quiet.seen());
    assert!(!project.path("asked").exists() && !project.path("checked").exists());
    assert!(project.path("told").exists());
    let row = &rows(&project)[0];
    let answer = row["candidate_answer"].as_str().unwrap();
    assert!(answer.contains("dry run"), "{answer}");
    let scores: Vec<&Value> =
        row["evaluator_results"].as_array().unwrap().iter().map(|it| &it["score"]).collect();
    assert_eq!(scores, [&json!(0.0), &json!(0.0), &json!(1.0)], "{row}");
    assert_eq!(row["evaluator_results"][0]["reasoning"], "dry run");
    assert_eq!(manifest(&project)["options"]["dry_run"], true);
}
