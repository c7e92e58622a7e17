//! Targets of the kind `replay`: answers of earlier runs, and recordings with mistakes in them.

use std::fs;

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{column, empty, lines, rows, suite};

/// A project whose target `agent` replays `answers.jsonl`, with further settings.
fn replaying(answers: impl AsRef<[u8]>, settings: &Value, ids: &[&str]) -> Project {
    let mut agent = json!({"name": "agent", "provider": "replay", "file": "answers.jsonl"});
    agent.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let live = json!({"name": "live", "provider": "cli", "command":
        "test $AGENTV_EVAL_ID != bad && echo '{\"text\": \"ok live\", \"cost_usd\": 0.5, \
         \"token_usage\": {\"input\": 3, \"output\": 4}, \"duration_ms\": 12, \
         \"output_messages\": [{\"role\": \"assistant\", \"tool_calls\": [{\"tool\": \"t\"}]}]}'"});
    empty()
        .file(".agentv/targets.yaml", json!({ "targets": [agent, live] }).to_string())
        .file("evals/suite.yaml", suite(ids))
        .file("answers.jsonl", answers)
}

const SUITE: &str = "evals/suite.yaml";

/// The one error that all rows have.
fn error(project: &Project) -> (String, String) {
    let run = project.run(&["eval", SUITE, "--target", "agent"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let text = |name: &str| {
        let mut all = column(project, name);
        all.dedup();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0).as_str().unwrap().replace(&*project.path("").to_string_lossy(), "")
    };
    (text("error_kind"), text("error"))
}

#[test]
fn a_run_can_be_replayed_from_its_results_and_from_what_invoke_printed() {
    let project = replaying("", &json!({"recorded_target": "live"}), &["a", "bad"]);
    let live = project.run(&["eval", SUITE, "--target", "live", "--include-trace"]);
    assert_eq!(live.code, Some(3), "{}", live.seen());
    let recorded = rows(&project);
    let invoked = project.run(&["invoke", SUITE, "--target", "live"]).stdout;
    for recording in [project.rows_text(), invoked] {
        project.write("answers.jsonl", recording);
        let run = project.run(&["eval", SUITE, "--target", "agent", "--include-trace"]);
        assert_eq!(run.code, Some(3), "{}", run.seen());
        let replayed = rows(&project);
        for key in ["candidate_answer", "output_messages", "token_usage", "cost_usd", "score"] {
            assert_eq!(replayed[0][key], recorded[0][key], "{key}");
        }
        assert_eq!(replayed[0]["duration_ms"], 12.0);
        assert_eq!(replayed[1]["error"], recorded[1]["error"]);
        assert_eq!(replayed[1]["error_kind"], "target");
    }
}

#[test]
fn suites_that_share_an_id_replay_from_one_file_each_its_own_answer() {
    let row = |suite: &str, text: &str| {
        let suite = format!("evals/{suite}.yaml");
        json!({"suite": suite, "dataset": "d", "eval_id": "a", "candidate_answer": text})
    };
    let both = format!("{}\n{}\n", row("other", "other"), row("suite", "ok"));
    let project = replaying(both, &json!({}), &["a"]).file("evals/other.yaml", suite(&["a"]));
    let run = project.run(&["eval", SUITE, "evals/other.yaml", "--target", "agent"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    for row in rows(&project) {
        let own = if row["suite"] == SUITE { "ok" } else { "other" };
        assert_eq!(row["candidate_answer"], own, "{row}");
    }
    project.write("answers.jsonl", row("other", "other").to_string());
    let (kind, message) = error(&project);
    assert_eq!(kind, "missing");
    assert!(
        message.ends_with("of this suite; that on line 1 is of `evals/other.yaml`"),
        "{message}"
    );
}

#[test]
fn the_output_of_a_batch_is_a_recording_and_its_place_is_told() {
    let project = replaying("\n{\"id\":\"a\",\"text\":\"ok\"}\n", &json!({}), &["a"]);
    let run = project.run(&["invoke", SUITE, "--target", "agent"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let line = &lines(&run.stdout)[0];
    assert_eq!(line["response"]["text"], "ok");
    assert_eq!(line["response"].get("durationMs"), None);
    assert_eq!(line["response"]["raw"], json!({"file": "[PROJECT]/answers.jsonl", "line": 2}));
}

#[test]
fn a_missing_answer_and_a_doubled_one_are_errors_of_their_cases_alone() {
    let answers = "{\"id\":\"a\",\"text\":\"ok\"}\n{\"id\":\"b\",\"text\":\"1\"}\n\
                   {\"id\":\"b\",\"text\":\"2\"}\n{\"id\":\"d\",\"score\":1}\n";
    let project = replaying(answers, &json!({}), &["a", "b", "c", "d"]);
    let run = project.run(&["eval", SUITE, "--target", "agent"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let errors: Vec<String> = column(&project, "error")
        .iter()
        .map(|it| it.as_str().unwrap_or("-").replace(&*project.path("").to_string_lossy(), ""))
        .collect();
    assert_eq!(
        errors,
        [
            "-",
            "`answers.jsonl` has two answers for `b`, on line 2 and on line 3, and nothing tells \
             which counts",
            "`answers.jsonl` has no answer for `c`",
            "line 4 of `answers.jsonl` has neither an answer nor an error",
        ]
    );
    assert_eq!(
        column(&project, "error_kind"),
        [json!(null), "output".into(), "missing".into(), "output".into()]
    );
}

#[test]
fn the_folder_of_a_run_means_its_rows() {
    let project = replaying("", &json!({}), &["a", "b"]);
    let live = project.run(&["eval", SUITE, "--target", "live"]);
    assert_eq!(live.code, Some(0), "{}", live.seen());
    let run = project.runs().remove(0);
    let recorded = json!({"name": "agent", "provider": "replay", "file": run});
    project.write(".agentv/targets.yaml", json!({ "targets": [recorded] }).to_string());
    let replayed = project.run(&["eval", SUITE]);
    assert_eq!(replayed.code, Some(0), "{}", replayed.seen());
    assert_eq!(column(&project, "candidate_answer"), ["ok live", "ok live"]);
}

#[test]
fn a_bad_recording_is_told_before_anything_is_asked() {
    let good = "{\"id\":\"a\",\"text\":\"ok\"}\n";
    for (answers, told) in [
        (String::new(), "`answers.jsonl` is empty: it has no answers"),
        (
            format!("{good}{{\"id\":"),
            "line 2 of `answers.jsonl` is not valid JSON (EOF while parsing a value at column 6), \
             as if cut off: remove it, or record again: {\"id\":",
        ),
        (format!("{good}[1]\n"), "line 2 of `answers.jsonl` is not a JSON object: [1]"),
    ] {
        let (kind, error) = error(&replaying(answers, &json!({}), &["a", "b"]));
        assert_eq!((kind.as_str(), error.as_str()), ("healthcheck", told));
    }
    let (_, latin) = error(&replaying(b"{\"id\":\"\xe4\"}", &json!({}), &["a"]));
    assert!(latin.starts_with("line 1 of `answers.jsonl` is not UTF-8: "), "{latin}");
    let (_, nobody) = error(&replaying(good, &json!({"recorded_target": "x"}), &["a"]));
    assert_eq!(nobody, "`answers.jsonl` has no answers of target `x`: no line of it names one");
}

#[test]
fn a_file_that_is_none_is_told_when_settings_are_read() {
    for (file, told) in [
        ("nowhere.jsonl", "no such file of recorded answers: `[PROJECT]/nowhere.jsonl`"),
        ("evals", "`[PROJECT]/evals` is a folder without a `results.jsonl`"),
        ("/dev/null", "`/dev/null` is a pipe or a device, not a file"),
        (" ", "`file` of target is blank"),
    ] {
        let project = replaying("", &json!({ "file": file }), &["a"]);
        for command in [["eval", SUITE].as_slice(), &["validate", SUITE]] {
            let target: &[&str] = if command[0] == "eval" { &["--target", "agent"] } else { &[] };
            let run = project.run(&[command, target].concat());
            assert_eq!(run.code, Some(2), "{}", run.seen());
            assert!(run.stderr.contains(told), "{told}\n{}", run.seen());
        }
        assert!(project.runs().is_empty());
    }
    let project = replaying("", &json!({"file": null}), &["a"]);
    let run = project.run(&["validate", SUITE]);
    assert!(run.stderr.contains("target needs `file`"), "{}", run.seen());
}

#[test]
fn a_recorded_secret_is_not_shown_again() {
    let answers = json!({"id": "a", "error": "refused: swordfish-1"}).to_string();
    let project = replaying(answers, &json!({"x-note": "${{ API_KEY }}"}), &["a"])
        .env("API_KEY", "swordfish-1");
    assert_eq!(error(&project).1, "refused: ***");
}

#[test]
fn a_large_recording_does_not_have_to_fit_into_memory() {
    let filler = "x".repeat(1 << 20);
    let mut answers = String::new();
    for n in 0..300 {
        answers.push_str(&json!({"id": format!("c{n}"), "text": filler}).to_string());
        answers.push('\n');
    }
    answers.push_str("{\"id\":\"a\",\"text\":\"ok\"}\n");
    let project = replaying(answers, &json!({}), &["a"]);
    let run = project.run_within(200, &["eval", SUITE, "--target", "agent"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(fs::metadata(project.path("answers.jsonl")).unwrap().len() > 300 << 20);
}
