//! Models that judge, for which commands stand in: what they are asked, what becomes of what they
//! say, and who they are.

mod prompts;
mod rubrics;
mod who;

use std::fs;

use agentv_testkit::{Project, Run, Signal, wait_until};
use serde_json::{Value, json};

use crate::project::{column, empty, rows};

/// A project whose agent says "It is Paris." and whose judge is this command.
fn judged_by(command: &str, graders: &Value) -> Project {
    let targets = json!({"targets": [
        {"name": "default", "provider": "cli", "command": "echo It is Paris.", "judge_target": "judge"},
        {"name": "alone", "provider": "cli", "command": "echo started > started; echo Paris"},
        {"name": "judge", "provider": "cli", "command": command},
        {"name": "other", "provider": "cli", "command": "echo '{\"score\": 0.25}'"},
    ]});
    let suite = json!({"evalcases": [{
        "id": "capital",
        "input": "The capital of France?",
        "expected_outcome": "Names Paris",
        "evaluators": graders,
    }]});
    // On lines of its own, for what is told of it.
    let suite = serde_json::to_string_pretty(&suite).unwrap();
    empty().file(".agentv/targets.yaml", targets.to_string()).file("suite.yaml", suite)
}

fn whole() -> Value {
    json!([{"name": "quality", "type": "llm_judge"}])
}

/// Says this, whatever it is asked.
fn says(answer: &Value) -> String {
    format!("echo x >> asked; echo '{answer}'")
}

fn eval(project: &Project, code: i32, args: &[&str]) -> Run {
    let run = project.run(&[&["eval", "suite.yaml"], args].concat());
    assert_eq!(run.code, Some(code), "{}", run.seen());
    run
}

/// What is said of the only case, which could not be evaluated.
fn said(project: &Project) -> String {
    eval(project, 3, &[]);
    let row = rows(project).remove(0);
    assert!(row["score"].is_null() && row["error_kind"] == "grader", "{row}");
    let error = row["error"].as_str().unwrap();
    error.strip_prefix("grader `quality` failed: ").unwrap_or(error).to_owned()
}

/// The judge's part of the only row.
fn judge(project: &Project) -> Value {
    rows(project)[0]["evaluator_results"][0]["judge"].clone()
}

fn asked(project: &Project) -> usize {
    fs::read_to_string(project.path("asked")).unwrap_or_default().lines().count()
}

#[test]
fn a_judge_reads_question_and_answer_and_its_score_counts() {
    let command = "cat {PROMPT_FILE} > told; echo 'So: {\"score\": 0.9, \"hits\": [\"names Paris\"], \
                   \"reasoning\": \"right\"}'";
    let project = judged_by(command, &whole());
    eval(&project, 0, &[]);
    let told = fs::read_to_string(project.path("told")).unwrap();
    for piece in ["The capital of France?", "Names Paris", "It is Paris.", "with one JSON object"] {
        assert!(told.contains(piece), "{piece}: {told}");
    }
    let result = &rows(&project)[0]["evaluator_results"][0];
    assert_eq!((&result["score"], &result["reasoning"]), (&json!(0.9), &json!("right")));
    assert_eq!(result["hits"], json!(["names Paris"]));
    let mut judge = judge(&project);
    let fingerprint = judge.as_object_mut().unwrap().remove("fingerprint").unwrap();
    assert_eq!(fingerprint.as_str().unwrap().len(), 64);
    assert_eq!(judge, json!({"target": "judge", "asks": 1}));
}

#[test]
fn an_answer_of_no_use_is_an_error_with_its_reason_and_never_a_zero() {
    for (command, fault) in [
        ("echo It is good.", "it gave no JSON object: `It is good.`"),
        (
            "echo '{\"score\": 0.5'",
            "it gave a JSON object that is broken or cut off: `{\"score\": 0.5`",
        ),
        ("echo '{\"score\": 7}'", "its `score` is 7, which is not between 0 and 1"),
        ("echo '{\"score\": \"0.9\"}'", "its `score` is not a number: `\"0.9\"`"),
        (
            "echo '{\"score\": NaN}'",
            "it gave no JSON object (JSON knows neither NaN nor Infinity): `{\"score\": NaN}`",
        ),
        (
            "echo '{\"score\": 1} {\"score\": 0}'",
            "it gave more than one JSON object with `score`: `{\"score\": 1} {\"score\": 0}`",
        ),
        (
            "printf '{\"score\": 1, \"reasoning\": \"'; head -c 10485760 /dev/zero | tr '\\0' x; echo '\"}'",
            "it gave 10240 KiB, and more than 1024 is no answer",
        ),
        ("echo '{}'", "its JSON object has no `score`: `{}`"),
    ] {
        let project = judged_by(&format!("echo x >> asked; {command}"), &whole());
        assert_eq!(
            said(&project),
            format!("the judge gave no score, nor when it was asked again: {fault}")
        );
        assert_eq!((asked(&project), judge(&project)["asks"].as_u64()), (2, Some(2)));
    }
}

#[test]
fn a_judge_is_shown_its_answer_of_no_use_and_what_is_wrong_with_it() {
    // The second question is longer by the first answer.
    let command = "cat {PROMPT_FILE} > told; if grep -q 'cannot be used' told; \
                   then echo '{\"score\": 1}'; else echo 'I like it, 7 of 10'; fi";
    let project = judged_by(command, &whole());
    eval(&project, 0, &[]);
    let told = fs::read_to_string(project.path("told")).unwrap();
    for piece in ["It is Paris.", "I like it, 7 of 10", "it gave no JSON object"] {
        assert!(told.contains(piece), "{piece}: {told}");
    }
    assert_eq!(judge(&project)["asks"], 2);
}

#[test]
fn samples_are_taken_and_their_spread_is_in_the_row() {
    // Each of the three finds a number of its own.
    let command = "n=0; until mkdir taken-$n 2>/dev/null; do n=$((n + 1)); done; \
                   case $n in 0) echo '{\"score\": 0.2}';; 1) echo '{\"score\": 0.9}';; \
                   *) echo '{\"score\": 1}';; esac";
    let graders = json!([{"name": "quality", "type": "llm_judge", "samples": 3}]);
    let project = judged_by(command, &graders);
    eval(&project, 1, &[]);
    let record = judge(&project);
    let mut samples: Vec<f64> =
        record["samples"].as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect();
    samples.sort_by(f64::total_cmp);
    assert_eq!((samples, record["asks"].as_u64()), (vec![0.2, 0.9, 1.0], Some(3)));
    assert!((record["spread"].as_f64().unwrap() - 0.435_889_894).abs() < 1e-6, "{record}");
    assert!((column(&project, "score")[0].as_f64().unwrap() - 0.7).abs() < 1e-9);

    let graders = json!([
        {"name": "quality", "type": "llm_judge", "samples": 3, "aggregate": "majority"}]);
    let project = judged_by(command, &graders);
    eval(&project, 0, &[]);
    let result = &rows(&project)[0]["evaluator_results"][0];
    assert_eq!(
        (&result["score"], &result["hits"]),
        (&json!(1.0), &json!(["2 of 3 samples reach 0.8"]))
    );
}

#[test]
fn what_judging_took_is_in_the_row_also_where_it_failed() {
    let reply = |text: &str| {
        let usage = json!({"input": 10, "output": 5});
        json!({"text": text, "token_usage": usage, "cost_usd": 0.25}).to_string()
    };
    for (text, code) in [("{\"score\": 1}", 0), ("no", 3)] {
        let project = judged_by("cat reply.json", &whole()).file("reply.json", reply(text));
        eval(&project, code, &[]);
        let asks = if code == 0 { 1.0 } else { 2.0 };
        let record = judge(&project);
        assert_eq!(record["cost_usd"], json!(0.25 * asks), "{record}");
        assert_eq!(record["token_usage"]["input"].as_f64(), Some(10.0 * asks), "{record}");
    }
}

#[test]
fn a_judge_that_is_interrupted_leaves_no_row() {
    let project = judged_by("touch busy; sleep 600", &whole());
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("the judge is at work", || project.path("busy").exists());
    run.signal(Signal::SIGINT);
    let run = run.finish();
    assert_eq!(run.code, Some(130), "{}", run.seen());
    assert_eq!(rows(&project).len(), 0);
    project.assert_nothing_is_left();
}
