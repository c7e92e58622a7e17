//! `agentv grade`: recorded answers, graded by what the suites say now.

use std::{fs, path::Path};

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{empty, lines, manifest, rows};

/// Writes down that it was asked, leaves a trail, and fails for `bad`.
const AGENT: &str = "echo $AGENTV_EVAL_ID >> ../asked; test $AGENTV_EVAL_ID != bad && echo \
    '{\"text\": \"It is Paris\", \"cost_usd\": 0.5, \"duration_ms\": 12, \"token_usage\": \
    {\"input\": 3, \"output\": 4}, \"output_messages\": [{\"role\": \"assistant\", \
    \"content\": \"It is Paris\", \"tool_calls\": [{\"tool\": \"look\"}]}]}'";

/// A suite of these cases with these graders.
fn graded_by(graders: &Value, ids: &[&str]) -> String {
    let cases: Vec<Value> =
        ids.iter().map(|id| json!({"id": id, "input": "The capital?"})).collect();
    json!({"evaluators": graders, "evalcases": cases}).to_string()
}

/// A project that was run once.
fn recorded(flags: &[&str]) -> Project {
    let targets = json!({"targets": [{"name": "default", "provider": "cli", "command": AGENT}]});
    let graders = json!([{"name": "city", "type": "contains", "value": "Rome"}]);
    let project = empty()
        .file(".agentv/targets.yaml", targets.to_string())
        .file("evals/s.yaml", graded_by(&graders, &["a", "b", "bad"]));
    let run = project.run(&[&["eval", "evals/s.yaml"], flags].concat());
    assert_eq!(run.code, Some(3), "{}", run.seen());
    fs::remove_file(project.path("asked")).unwrap();
    project
}

fn id_of(run: &Path) -> String {
    run.file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn answers_are_graded_anew_and_nobody_is_asked() {
    let project = recorded(&["--max-retries", "1"]);
    let parent = project.newest_run();
    let before = rows(&project);
    let kept = fs::read(parent.join("results.jsonl")).unwrap();
    let graders = json!([{"name": "city", "type": "contains", "value": "Paris"}]);
    project.write("evals/s.yaml", graded_by(&graders, &["a", "b", "bad"]));
    let run = project.run(&["grade", &id_of(&parent)]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert!(!project.path("asked").exists());
    assert_eq!(fs::read(parent.join("results.jsonl")).unwrap(), kept);
    let after = rows(&project);
    assert_eq!(after.len(), 3);
    assert_eq!((&after[0]["status"], &after[0]["score"]), (&json!("passed"), &json!(1.0)));
    for key in
        ["candidate_answer", "cost_usd", "duration_ms", "token_usage", "trace_summary", "attempts"]
    {
        assert_eq!(after[0][key], before[0][key], "{key}");
    }
    assert_eq!(after[2], before[2]);
    assert_eq!(after[2]["attempts"], 2);
    let manifest = manifest(&project);
    assert_eq!((&manifest["kind"], &manifest["parent"]), (&json!("grade"), &json!(id_of(&parent))));
    assert_eq!(manifest["counts"]["passed"], 2);
}

#[test]
fn rows_that_were_kept_elsewhere_are_graded_too_by_another_threshold_and_in_part() {
    let project = recorded(&["--out", "kept.jsonl"]);
    fs::remove_dir_all(project.path(".agentv/results")).unwrap();
    let args = ["grade", "kept.jsonl", "--eval-id", "a", "--threshold", "0", "--out", "new.jsonl"];
    let run = project.run(&args);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let mut after = rows(&project);
    after.sort_by_key(|row| row["eval_id"].to_string());
    let mut kept = lines(&fs::read_to_string(project.path("kept.jsonl")).unwrap());
    kept.sort_by_key(|row| row["eval_id"].to_string());
    assert_eq!(after.len(), 3, "{after:?}");
    assert_eq!(after[0]["status"], "passed");
    assert_eq!(after[0]["cached"], true);
    assert_eq!(after[1..], kept[1..], "what nobody chose is kept as it is");
    assert_eq!(fs::read_to_string(project.path("new.jsonl")).unwrap().lines().count(), 3);
    let mut nameless = kept.remove(0);
    nameless.as_object_mut().unwrap().remove("fingerprint");
    project.write("foreign.jsonl", format!("{nameless}\n"));
    let run = project.run(&["grade", "foreign.jsonl", "--no-fail"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(run.stderr.contains("--rerun-failed will ask again: evals/s.yaml a"), "{}", run.seen());
}

#[test]
fn cases_that_are_no_more_are_named_and_nothing_is_graded() {
    let project = recorded(&[]);
    let graders = json!([{"type": "contains", "value": "Paris"}]);
    project.write("evals/s.yaml", graded_by(&graders, &["a", "bad"]));
    let run = project.run(&["grade", &id_of(&project.newest_run())]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    let told = "the suites no longer have cases that were recorded: evals/s.yaml b";
    assert!(run.stderr.contains(told), "{}", run.seen());
    assert_eq!(project.runs().len(), 1);
    for typed in ["20990101", "none.jsonl"] {
        let run = project.run(&["grade", typed]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
    }
}

#[test]
fn a_trail_that_was_not_kept_is_no_trail_that_was_empty() {
    let code = "cat > /dev/null; echo '{\"score\": 1}'";
    let graders = json!([
        {"name": "text", "type": "contains", "value": "Paris"},
        {"name": "used", "type": "trajectory:tool-used", "value": "look"},
        {"name": "unused", "type": "not-trajectory:tool-used", "value": "look"},
        {"name": "few", "type": "execution_metrics", "max_tool_calls": 5},
        {"name": "code", "type": "code_judge", "script": ["sh", "-c", code]},
    ]);
    let lost = recorded(&[]);
    lost.write("evals/s.yaml", graded_by(&graders, &["a", "b", "bad"]));
    let run = lost.run(&["grade", &id_of(&lost.newest_run())]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let row = rows(&lost).remove(0);
    let results = row["evaluator_results"].as_array().unwrap();
    assert_eq!(results[0]["score"], 1.0);
    for result in &results[1..] {
        let error = result["error"].as_str().unwrap_or_else(|| panic!("{result}"));
        assert!(error.starts_with("the messages were not kept"), "{result}");
    }
    assert_eq!((&row["status"], &row["error_kind"]), (&json!("error"), &json!("grader")));

    let kept = recorded(&["--include-trace"]);
    kept.write("evals/s.yaml", graded_by(&graders, &["a", "b", "bad"]));
    let run = kept.run(&["grade", &id_of(&kept.newest_run()), "--include-trace"]);
    let row = rows(&kept).remove(0);
    let scores: Vec<&Value> =
        row["evaluator_results"].as_array().unwrap().iter().map(|it| &it["score"]).collect();
    let zero = json!(0.0);
    let one = json!(1.0);
    assert_eq!(scores, [&one, &one, &zero, &one, &one], "{}", run.seen());
    assert_eq!(row["output_messages"][0]["tool_calls"][0]["tool"], "look");
    let again = kept.run(&["grade", &id_of(&kept.newest_run())]);
    assert_eq!(again.code, run.code, "{}", again.seen());
}

#[test]
fn a_row_whose_graders_failed_is_graded_and_one_of_another_target_never_passes_for_todays() {
    let project = recorded(&[]);
    let broken = json!([{"type": "code_judge", "script": ["sh", "-c", "exit 4"]}]);
    project.write("evals/s.yaml", graded_by(&broken, &["a", "b", "bad"]));
    project.run(&["grade", &id_of(&project.newest_run())]);
    assert_eq!(rows(&project)[0]["error_kind"], "grader");
    let graders = json!([{"type": "contains", "value": "Paris"}]);
    project.write("evals/s.yaml", graded_by(&graders, &["a", "b", "bad"]));
    let targets =
        json!({"targets": [{"name": "default", "provider": "mock", "response": "Paris"}]});
    project.write(".agentv/targets.yaml", targets.to_string());
    let run = project.run(&["grade", &id_of(&project.newest_run())]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(rows(&project)[0]["status"], "passed");
    let again = project.run(&["eval", "evals/s.yaml", "--rerun-failed"]);
    assert_eq!(again.code, Some(0), "{}", again.seen());
    let answers: Vec<Value> =
        rows(&project).iter().map(|it| it["candidate_answer"].clone()).collect();
    assert_eq!(answers, ["Paris"; 3], "{}", again.seen());
}

/// Makes the newest run look as if it had been killed after its first row.
fn kill_after_first(project: &Project, torn: &str) -> String {
    let run = project.newest_run();
    let rows = fs::read_to_string(run.join("results.jsonl")).unwrap();
    let first = rows.lines().next().unwrap();
    fs::write(run.join("results.jsonl"), format!("{first}\n{torn}")).unwrap();
    let mut manifest = manifest(project);
    manifest["status"] = json!("running");
    manifest["counts"] = json!({"planned": 3, "passed": 0, "failed": 0, "errors": 0, "not_run": 0});
    fs::write(run.join("run.json"), manifest.to_string()).unwrap();
    id_of(&run)
}

#[test]
fn what_a_run_that_was_killed_has_no_row_of_is_counted_as_not_run() {
    for torn in ["", "{\"eval_id\": \"b"] {
        let project = recorded(&[]);
        let id = kill_after_first(&project, torn);
        let graders = json!([{"name": "city", "type": "contains", "value": "Paris"}]);
        project.write("evals/s.yaml", graded_by(&graders, &["a", "b", "bad"]));
        let parent: Value = manifest(&project);
        let run = project.run(&["grade", &id]);
        assert_eq!(run.code, Some(3), "{}", run.seen());
        let told = format!(
            "2 of 3 planned cases have no row and count as not run; to finish it: \
            agentv eval --resume {id}"
        );
        assert!(run.stderr.contains(&told), "{}", run.seen());
        let manifest = manifest(&project);
        let counts = &manifest["counts"];
        assert_eq!((&counts["planned"], &counts["not_run"]), (&json!(3), &json!(2)), "{counts}");
        assert_eq!((&manifest["plan"], &manifest["exit_code"]), (&parent["plan"], &json!(3)));
        let again = project.run(&["grade", &id_of(&project.newest_run())]);
        assert_eq!(again.code, Some(3), "{}", again.seen());
    }
}

#[test]
fn a_run_keeps_what_it_was_asked_with_when_it_is_graded() {
    let targets = json!({"targets": [
        {"name": "other", "provider": "mock", "response": "Rome"},
        {"name": "default", "provider": "mock", "response": "Rome"},
    ]});
    let graders = json!([{"name": "city", "type": "contains", "value": "Paris"}]);
    let project = empty()
        .file("more.yaml", targets.to_string())
        .file("evals/s.yaml", graded_by(&graders, &["a", "b"]));
    let asked = ["--target", "other", "--targets", "more.yaml", "--repeat", "2"];
    let run = project.run(&[&["eval", "evals/s.yaml"][..], &asked[..]].concat());
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let parent = manifest(&project);
    let run = project.run(&["grade", &id_of(&project.newest_run()), "--eval-id", "a"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let mut asked_with = parent["options"].clone();
    asked_with.as_object_mut().unwrap().remove("record");
    assert_eq!(manifest(&project)["options"], asked_with);
    assert_eq!(rows(&project).len(), 4);
    let run = project.run(&["eval", "--rerun-failed"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let names: Vec<Value> = rows(&project).iter().map(|row| row["target"].clone()).collect();
    assert_eq!(names, ["other"; 4], "{}", run.seen());
}

#[test]
fn another_prompt_makes_no_other_answer_and_another_question_does() {
    let judge = json!([{"type": "code_judge", "script": "sh judge.sh"}]);
    let targets = json!({"targets": [{"name": "default", "provider": "mock", "response": "x"}]});
    let project = empty()
        .file(".agentv/targets.yaml", targets.to_string())
        .file("evals/judge.sh", "echo '{\"score\": 0}'")
        .file("evals/s.yaml", graded_by(&judge, &["a", "b"]));
    project.run(&["eval", "evals/s.yaml"]);
    project.write("evals/judge.sh", "echo '{\"score\": 1}'");
    let run = project.run(&["grade", &id_of(&project.newest_run())]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(!run.stderr.contains("will ask again"), "{}", run.seen());
    let again = project.run(&["eval", "--rerun-failed"]);
    assert!(again.stderr.contains("2 rows carried over"), "{}", again.seen());
    let changed = graded_by(&judge, &["a", "b"]).replacen("The capital?", "The river?", 1);
    project.write("evals/s.yaml", changed);
    let run = project.run(&["grade", &id_of(&project.newest_run())]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let told = "1 answer is graded that nobody knows to be to today's question";
    assert!(run.stderr.contains(told), "{}", run.seen());
    assert!(run.stderr.contains("will ask again: evals/s.yaml a (default)"), "{}", run.seen());
    let again = project.run(&["eval", "--rerun-failed"]);
    assert!(again.stderr.contains("1 row carried over"), "{}", again.seen());
}
