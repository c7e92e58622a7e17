//! `agentv compare`: what matches, what each gate says, and how it is told.

use agentv_testkit::{Project, Run};
use serde_json::{Value, json};

use crate::project::{empty, project, suite};

/// Rows of a file: id, repeat, target and a score, or none for an error.
fn rows(rows: &[(&str, u32, &str, Option<f64>)]) -> String {
    let line = |(id, repeat, target, score): &(&str, u32, &str, Option<f64>)| {
        let status = match score {
            Some(score) if *score >= 0.8 => "passed",
            Some(_) => "failed",
            None => "error",
        };
        let row = json!({
            "eval_id": id, "dataset": "demo", "suite": "demo.yaml", "target": target,
            "repeat": repeat, "status": status, "score": score, "threshold": 0.8, "line": 7,
        });
        format!("{row}\n")
    };
    rows.iter().map(line).collect()
}

/// Rows of one target, each asked once.
fn simple(scores: &[(&str, f64)]) -> String {
    let all: Vec<_> = scores.iter().map(|(id, score)| (*id, 1, "agent", Some(*score))).collect();
    rows(&all)
}

fn compare(project: &Project, args: &[&str]) -> Run {
    project.run(&[&["compare"], args].concat())
}

fn parsed(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.seen()))
}

#[test]
fn the_published_example_of_the_original_tool_has_its_published_outcome() {
    let ids =
        ["code-review-001", "code-review-002", "code-review-003", "code-gen-001", "code-gen-002"];
    let file = |key: &str, target: &str, scores: [f64; 5]| -> String {
        let time = "2025-12-20T10:00:00.000Z";
        let both = ids.iter().zip(scores);
        let rows = both.map(|(id, score)| {
            json!({key: id, "score": score, "target": target, "timestamp": time}).to_string()
        });
        rows.collect::<Vec<_>>().join("\n")
    };
    let project = empty()
        .file("baseline.jsonl", file("test_id", "gpt-4.1", [0.72, 0.85, 0.68, 0.90, 0.75]))
        .file("candidate.jsonl", file("eval_id", "gpt-5", [0.88, 0.82, 0.75, 0.92, 0.80]));
    let run = compare(&project, &["baseline.jsonl", "candidate.jsonl", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let json = parsed(&run);
    let summary = &json["summary"];
    for (key, value) in [
        ("total", json!(10)),
        ("matched", json!(5)),
        ("wins", json!(1)),
        ("losses", json!(0)),
        ("ties", json!(4)),
        ("meanDelta", json!(0.054)),
    ] {
        assert_eq!(summary[key], value, "{key}: {}", run.seen());
    }
    assert_eq!(json["unmatched"], json!({"file1": 0, "file2": 0}));
    // The original's name of the smallest difference that counts.
    let run = compare(&project, &["baseline.jsonl", "candidate.jsonl", "-t", "0.02", "--json"]);
    assert_eq!(parsed(&run)["summary"]["wins"], 4, "{}", run.seen());
}

#[test]
fn each_gate_has_its_exit_code() {
    let before = [("a", 0.9), ("b", 0.9), ("c", 0.9)];
    let project = empty()
        .file("before.jsonl", simple(&before))
        .file("fails.jsonl", simple(&[("a", 0.5), ("b", 1.0), ("c", 1.0)]))
        .file("higher.jsonl", simple(&[("a", 0.79), ("b", 1.0), ("c", 1.0)]))
        .file("error.jsonl", rows(&[("a", 1, "agent", None), ("b", 1, "agent", Some(0.1))]));
    for (now, args, code) in [
        ("fails.jsonl", &[][..], 1),
        ("fails.jsonl", &["--gate", "mean"], 1),
        ("fails.jsonl", &["--gate", "mean", "--margin", "0.1"], 0),
        ("fails.jsonl", &["--gate", "significant"], 0),
        ("fails.jsonl", &["--gate", "none"], 0),
        ("fails.jsonl", &["--no-fail"], 0),
        ("higher.jsonl", &[], 1),
        ("higher.jsonl", &["--gate", "mean"], 0),
        ("before.jsonl", &[], 0),
        ("error.jsonl", &[], 3),
        ("error.jsonl", &["--no-fail"], 3),
        ("error.jsonl", &["--gate", "significant"], 3),
        ("error.jsonl", &["--gate", "none"], 0),
    ] {
        let run = compare(&project, &[&["before.jsonl", now], args].concat());
        assert_eq!(run.code, Some(code), "{now} {args:?}\n{}", run.seen());
        assert!(run.stdout.contains("Gate "), "{}", run.seen());
    }
}

#[test]
fn something_significantly_worse_fails_the_gate_unless_it_is_within_the_margin() {
    let ids: Vec<String> = (0..30).map(|place| format!("case-{place}")).collect();
    let of = |low: f64| -> String {
        let all: Vec<(&str, f64)> = ids
            .iter()
            .enumerate()
            .map(|(place, id)| (id.as_str(), low + (place % 5) as f64 / 100.0))
            .collect();
        simple(&all)
    };
    let worse: String = ids
        .iter()
        .enumerate()
        .map(|(place, id)| simple(&[(id, 0.86 + (place % 7) as f64 / 100.0)]))
        .collect();
    let project = empty().file("before.jsonl", of(0.95)).file("now.jsonl", worse);
    let gate = ["before.jsonl", "now.jsonl", "--gate", "significant"];
    let run = compare(&project, &gate);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert!(run.stdout.contains("Worse"), "{}", run.seen());
    let run = compare(&project, &[&gate[..], &["--margin", "0.4"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(run.stdout.contains("No worse than the margin"), "{}", run.seen());
}

#[test]
fn a_case_may_fail_as_often_as_it_is_known_to() {
    let scores = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0];
    let flaky: Vec<_> =
        (1..).zip(scores).map(|(repeat, score)| ("a", repeat, "agent", Some(score))).collect();
    let project = empty()
        .file("flaky.jsonl", rows(&flaky))
        .file("steady.jsonl", rows(&[("a", 1, "agent", Some(1.0))]))
        .file("now.jsonl", rows(&[("a", 1, "agent", Some(0.0))]));
    let run = compare(&project, &["flaky.jsonl", "now.jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let run = compare(&project, &["steady.jsonl", "now.jsonl"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert!(run.stdout.contains("demo.yaml:7"), "{}", run.seen());
}

#[test]
fn of_three_runs_every_two_are_compared_and_the_gate_is_against_the_first() {
    let project = empty()
        .file("a.jsonl", simple(&[("x", 0.9), ("y", 0.5)]))
        .file("b.jsonl", simple(&[("x", 0.95), ("y", 0.6)]))
        .file("c.jsonl", simple(&[("x", 0.2), ("y", 0.6)]));
    let run = compare(&project, &["a.jsonl", "b.jsonl", "c.jsonl", "--format", "json"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let json = parsed(&run);
    let names: Vec<&Value> =
        json["runs"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["a.jsonl", "b.jsonl", "c.jsonl"]);
    let gates: Vec<&Value> =
        json["pairs"].as_array().unwrap().iter().map(|pair| &pair["gate"]["passed"]).collect();
    assert_eq!(gates, [&json!(true), &json!(false), &Value::Null]);
    assert_eq!(json["gate"]["passed"], false);
    assert!(json["matrix"][0][2]["meanDelta"].as_f64().unwrap() < -0.2, "{}", run.seen());
    let table = compare(&project, &["a.jsonl", "b.jsonl", "c.jsonl"]);
    assert!(table.stdout.contains("Cases that differ (2)"), "{}", table.seen());
}

#[test]
fn cases_of_a_conversation_count_as_one_where_asked() {
    let file = |scores: [f64; 4]| -> String {
        let ids = ["a", "b", "c", "d"].iter().zip(scores).zip(["one", "one", "two", "two"]);
        let rows = ids.map(|((id, score), conversation)| {
            json!({"eval_id": id, "score": score, "conversation_id": conversation}).to_string()
        });
        rows.collect::<Vec<_>>().join("\n")
    };
    let project =
        empty().file("a.jsonl", file([0.1; 4])).file("b.jsonl", file([0.2, 0.3, 0.4, 0.5]));
    let run = compare(&project, &["a.jsonl", "b.jsonl", "--json", "--cluster", "conversation"]);
    assert_eq!(parsed(&run)["summary"]["clusters"], 2, "{}", run.seen());
}

#[test]
fn runs_are_compared_by_their_ids_and_what_changed_besides_the_answers_is_told() {
    let project = project("sh agent.sh", &[], &["one", "two"]).file("agent.sh", "echo ok\n");
    assert_eq!(project.run(&["eval", "suite.yaml"]).code, Some(0));
    let before = project.newest_run();
    project.write("agent.sh", "case $AGENTV_EVAL_ID in two) echo no;; *) echo ok;; esac\n");
    project.write("suite.yaml", format!("{}# changed\n", suite(&["one", "two"])));
    assert_eq!(project.run(&["eval", "suite.yaml"]).code, Some(1));
    let id = |run: &std::path::Path| run.file_name().unwrap().to_str().unwrap().to_owned();
    let run = compare(&project, &[&id(&before), &id(&project.newest_run())]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert!(run.stdout.contains("suite changed: `suite.yaml`"), "{}", run.seen());
    assert!(run.stdout.contains("suite.yaml:"), "the place of the case: {}", run.seen());
}

#[test]
fn what_cannot_be_compared_is_told_with_a_way_out() {
    let project = empty()
        .file("a.jsonl", simple(&[("a", 0.9)]))
        .file("b.jsonl", simple(&[("b", 0.9)]))
        .file("empty.jsonl", "")
        .file("notes.txt", "hello\n")
        .file("broken.jsonl", format!("{}nonsense\n", simple(&[("a", 0.9)])))
        .file("torn.jsonl", format!("{}{{\"eval_id\":\"b\",\"sc", simple(&[("a", 0.9)])))
        .file("doubled.jsonl", simple(&[("a", 0.1), ("a", 0.9)]));
    for (args, code, words) in [
        (&["a.jsonl", "b.jsonl"][..], 2, "ids `b`"),
        (&["a.jsonl", "empty.jsonl"], 2, "empty.jsonl has no rows"),
        (&["a.jsonl", "b.jsonl", "--gate", "none"], 0, ""),
        (&["a.jsonl", "notes.txt"], 2, "holds no results"),
        (&["a.jsonl", "broken.jsonl"], 2, "broken.jsonl, line 2"),
        (&["a.jsonl", "missing.jsonl"], 2, "missing.jsonl"),
        (&["a.jsonl"], 2, "2 values required"),
        (&["a.jsonl", "b.jsonl", "--min-delta", "7"], 2, "from 0 to 1"),
        (&["a.jsonl", "a.jsonl", "--target", "nobody"], 2, "--target"),
        (&["a.jsonl", "torn.jsonl"], 0, "the last line is torn"),
        (&["a.jsonl", "doubled.jsonl"], 0, "the last of each counts"),
        (&["a.jsonl", "a.jsonl"], 0, "compared with itself"),
    ] {
        let run = compare(&project, args);
        assert_eq!(run.code, Some(code), "{args:?}\n{}", run.seen());
        assert!(run.stderr.contains(words), "{args:?}\n{}", run.seen());
    }
}

#[test]
fn every_format_goes_to_a_file_as_well() {
    let project = empty()
        .file("a.jsonl", simple(&[("x", 0.9), ("<script>", 0.9)]))
        .file("b.jsonl", simple(&[("x", 0.9), ("<script>", 0.1)]));
    for (format, start) in [
        ("table", "Baseline: a.jsonl"),
        ("json", "{"),
        ("md", "## ❌ AgentV comparison"),
        ("html", "<!DOCTYPE html>"),
        ("csv", "run1,run2,"),
    ] {
        let file = format!("out/compared.{format}");
        let run = compare(&project, &["a.jsonl", "b.jsonl", "--format", format, "--out", &file]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.seen());
        let text = std::fs::read_to_string(project.path(&file)).unwrap();
        assert!(text.starts_with(start), "{text}");
        assert!(
            format == "json" || format == "csv" || format == "table" || !text.contains("<script>"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
