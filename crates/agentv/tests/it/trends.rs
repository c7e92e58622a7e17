//! `agentv results trend`: runs that are there, runs that are not, and what is said of them.

use std::fs;

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{empty, project};

/// A row of a case, without what a trend does not look at.
fn row(id: usize, target: &str, tags: &[&str], score: Option<f64>) -> Value {
    let status = match score {
        Some(score) if score >= 0.8 => "passed",
        Some(_) => "failed",
        None => "error",
    };
    json!({
        "timestamp": "2026-01-01T00:00:00.000Z", "eval_id": format!("case-{id}"), "dataset": "qa",
        "suite": "evals/qa.yaml", "target": target, "repeat": 1, "status": status, "score": score,
        "verdict": null, "threshold": 0.8, "hits": [], "misses": [], "candidate_answer": "x",
        "tags": tags, "attempts": 1, "error": score.is_none().then_some("it died"),
    })
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Puts a run of a day of January 2026 among those of the project.
fn recorded(project: &Project, day: usize, parts: &[String], rows: &[Value]) -> String {
    let id = format!("202601{day:02}T120000000Z-test");
    let manifest = json!({
        "run_id": id, "format": 1, "agentv_version": "0.1.0", "status": "finished",
        "started_at": format!("2026-01-{day:02}T12:00:00.000Z"), "command": ["agentv", "eval"],
        "parts": parts, "suites": [{"path": "evals/qa.yaml", "sha256": "", "cases": rows.len()}],
        "targets": [], "options": {},
        "counts": {"planned": rows.len(), "passed": 0, "failed": 0, "errors": 0, "not_run": 0},
    });
    project.write(&format!(".agentv/results/{id}/run.json"), manifest.to_string());
    project.write(&format!(".agentv/results/{id}/results.jsonl"), lines(rows));
    id
}

/// Ten cases that get better by a little every day; half of them have a tag, and one is an error.
fn rising(day: usize) -> Vec<Value> {
    let case = |id: usize| {
        let score = 0.4 + 0.05 * day as f64 + 0.01 * ((id * day) % 7) as f64;
        let tags: &[&str] = if id.is_multiple_of(2) { &["smoke"] } else { &[] };
        row(id, "mine", tags, (id != 9).then_some((score * 1000.0).round() / 1000.0))
    };
    (0..10).map(case).collect()
}

fn fresh() -> Project {
    let project = empty();
    for day in 1..=6 {
        recorded(&project, day, &[], &rising(day));
    }
    project
}

fn trend(project: &Project, args: &[&str]) -> Value {
    let run = project.run(&[&["results", "trend", "--format", "json"], args].concat());
    assert_eq!(run.code, Some(0), "{}", run.seen());
    serde_json::from_str(&run.stdout).unwrap()
}

fn count(trend: &Value) -> usize {
    trend["runs"].as_array().unwrap().len()
}

#[test]
fn runs_of_a_project_are_told_oldest_first_with_a_plot() {
    let project = fresh().env("COLUMNS", "100").env("LANG", "C.UTF-8").env("LC_ALL", "");
    let run = project.run(&["results", "trend"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    insta::assert_snapshot!(run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn a_narrow_window_and_a_plain_locale_are_respected() {
    let project = fresh().env("COLUMNS", "40").env("LC_ALL", "C").env("NO_COLOR", "1");
    let run = project.run(&["results", "trend"]);
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 40), "{}", run.seen());
    assert!(!run.stdout.contains('●') && run.stdout.contains('o'), "{}", run.seen());
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.seen());
}

#[test]
fn filters_choose_rows_and_times_choose_runs() {
    let project = fresh();
    recorded(&project, 7, &[], &[row(0, "other", &[], Some(0.5))]);
    let all = trend(&project, &[]);
    assert_eq!(count(&all), 7);
    assert_eq!((&all["runs"][0]["graded"], &all["runs"][0]["errors"]), (&json!(9), &json!(1)));
    let smoke = trend(&project, &["--tag", "smoke"]);
    assert_eq!((count(&smoke), &smoke["without_rows"]), (6, &json!(1)));
    assert_eq!(smoke["runs"][0]["graded"], 5);
    assert_eq!(count(&trend(&project, &["--target", "other"])), 1);
    assert_eq!(count(&trend(&project, &["--suite", "evals/*"])), 7);
    assert_eq!(count(&trend(&project, &["--suite", "other/*"])), 0);
    let between = trend(&project, &["--since", "2026-01-02", "--until", "2026-01-04T12:00:00Z"]);
    assert_eq!((count(&between), &between["without_rows"]), (2, &json!(0)));
    let last = trend(&project, &["--last", "2"]);
    assert_eq!((count(&last), &last["earlier"]), (2, &json!(5)));
    assert_eq!(last["runs"][1]["run"], "20260107T120000000Z-test");
}

/// Changes what `run.json` of a run says.
fn change(project: &Project, id: &str, key: &str, value: Value) {
    let path = format!(".agentv/results/{id}/run.json");
    let text = fs::read_to_string(project.path(&path)).unwrap();
    let mut manifest: Value = serde_json::from_str(&text).unwrap();
    manifest[key] = value;
    project.write(&path, manifest.to_string());
}

#[test]
fn what_is_made_up_or_of_another_series_or_nothing_new_is_left_out_and_counted() {
    let project = fresh();
    for day in [7, 8] {
        let dry = recorded(&project, day, &[], &rising(1));
        change(&project, &dry, "options", json!({"dry_run": true}));
    }
    let other = json!([{"path": "evals/other.yaml", "sha256": "", "cases": 1}]);
    change(&project, "20260101T120000000Z-test", "suites", other);
    let carried = recorded(&project, 9, &[], &rising(6));
    let session = json!({
        "agentv_version": "0.1.0", "started_at": "2026-01-09T12:00:00.000Z", "command": [],
        "rows_before": 10,
    });
    change(&project, &carried, "sessions", json!([session]));
    change(&project, &carried, "parent", json!("20260106T120000000Z-test"));
    let counts = json!({"planned": 10, "passed": 0, "failed": 9, "errors": 1, "not_run": 0});
    change(&project, &carried, "counts", counts);
    let run = project.run(&["results", "trend", "--format", "json"]);
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(count(&told), 5, "{}", run.seen());
    for words in [
        "2 dry runs are left out\n",
        "1 run that asked nothing anew is left out",
        "1 run of other suites or targets than the newest is left out: --suite and --target",
    ] {
        assert!(run.stderr.contains(words), "{words}: {}", run.seen());
    }
    // Whoever says which rows count has them of every run.
    assert_eq!(count(&trend(&project, &["--suite", "evals/q*"])), 5);
    assert_eq!(count(&trend(&project, &["--target", "mine"])), 6);
    let named = project.run(&["results", "trend", "20260107", "20260106"]);
    assert!(named.stderr.contains("1 dry run is left out\n"), "{}", named.seen());
}

#[test]
fn files_and_runs_that_are_named_stay_in_their_order() {
    let project = fresh().file("a.jsonl", lines(&rising(3)));
    let told = trend(&project, &["20260105", "a.jsonl", "20260101"]);
    let names: Vec<&str> =
        told["runs"].as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    assert_eq!(names, ["20260105T120000000Z-test", "a.jsonl", "20260101T120000000Z-test"]);
    assert_eq!(told["change"]["finding"], "worse");
}

#[test]
fn parts_of_a_merged_run_are_not_counted_twice() {
    let project = empty();
    let (one, other) = (rising(1), rising(2));
    let parts = [recorded(&project, 1, &[], &one), recorded(&project, 2, &[], &other)];
    recorded(&project, 3, &parts, &[one, other].concat());
    assert_eq!(count(&trend(&project, &[])), 1);
}

#[test]
fn a_page_is_written_whole_and_holds_no_script() {
    let project = fresh();
    let run = project.run(&["results", "trend", "--format", "html", "--out", "trend.html"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.seen());
    let page = fs::read_to_string(project.path("trend.html")).unwrap();
    assert!(page.contains("<svg") && !page.contains("<script"), "{page}");
    let run = project.run(&["results", "trend", "--out", "missing/trend.txt"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("the folder `missing` does not exist"), "{}", run.seen());
}

#[test]
fn what_cannot_be_read_is_told() {
    let nothing = empty().run(&["results", "trend"]);
    assert_eq!(nothing.code, Some(2), "{}", nothing.seen());
    assert!(nothing.stderr.contains("there are no runs in"), "{}", nothing.seen());
    let project = fresh();
    project.write(".agentv/results/20260102T120000000Z-test/results.jsonl", "{\"no\": \"row\"}\n");
    project.write(".agentv/results/20260103T120000000Z-test/run.json", "{");
    let run = project.run(&["results", "trend", "--format", "csv"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(run.stdout.lines().count(), 5, "{}", run.seen());
    for day in ["02", "03"] {
        let told = format!("run 202601{day}T120000000Z-test is left out");
        assert!(run.stderr.contains(&told), "{}", run.seen());
    }
    for (args, told) in [
        (["--since", "yesterday"], "--since: `yesterday` is no time"),
        (["--last", "0"], "must be a whole number from 1"),
        (["nowhere", "--quiet"], "--quiet"),
        (["nowhere", "--last=3"], "there is no run `nowhere`"),
    ] {
        let run = project.run(&[&["results", "trend"], args.as_slice()].concat());
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains(told), "{}", run.seen());
    }
}

#[test]
fn a_real_run_alone_has_neither_slope_nor_change() {
    let project = project("echo ok", &[], &["one", "two"]);
    assert_eq!(project.run(&["eval", "suite.yaml"]).code, Some(0));
    let alone = trend(&project, &[]);
    assert_eq!(count(&alone), 1);
    assert!(alone["mean_slope"].is_null() && alone["change"].is_null(), "{alone}");
    assert_eq!(alone["runs"][0]["mean_score"]["method"], "hoeffding");
}
