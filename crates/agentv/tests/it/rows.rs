//! What a run leaves on disk: the rows, `run.json`, and no other files.

use std::{fs, path::Path};

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{batch_project, column, empty, manifest, project, rows, suite};

/// A value with everything that differs from run to run taken out.
fn steady(mut value: Value) -> Value {
    fn walk(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for (key, value) in map.iter_mut() {
                    match (key.as_str(), &*value) {
                        ("timestamp" | "started_at" | "finished_at", Value::String(time)) => {
                            assert!(time.ends_with('Z') && time.contains('T'), "{time}");
                            *value = json!("[TIME]");
                        }
                        ("duration_ms", Value::Number(_)) => *value = json!("[MS]"),
                        ("sha256", Value::String(hash)) if hash.len() == 64 => {
                            *value = json!("[SHA256]");
                        }
                        ("fingerprint", Value::String(hash)) if hash.len() == 32 => {
                            *value = json!("[FINGERPRINT]");
                        }
                        ("run_id", _) => *value = json!("[RUN]"),
                        _ => walk(value),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(walk),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    walk(&mut value);
    value
}

fn pretty(value: Value) -> String {
    serde_json::to_string_pretty(&steady(value)).unwrap()
}

/// Everything a row can hold: a failed attempt, a trail, what it took, two graders with reasons.
fn rich() -> Project {
    let agent = r#"
        [ "$AGENTV_ATTEMPT" = 0 ] && { echo not yet >&2; exit 4; }
        cat > "$AGENTV_OUTPUT_FILE" <<'END'
{"text": "42 ok", "token_usage": {"input": 10, "output": 5, "cached": 2}, "cost_usd": 0.5,
 "output_messages": [{"role": "assistant", "content": "42 ok", "tool_calls": [
    {"tool": "add", "input": {"a": 40, "b": 2}, "output": 42, "id": "call-1"}]}],
 "trace": [{"type": "tool_call", "name": "add", "input": {"a": 40}}, {"type": "error", "text": "oops"},
    {"type": "message", "text": "42 ok"}]}
END
"#;
    let judge = "echo '{\"score\": 0.5, \"hits\": [\"a number\"], \"misses\": [\"no unit\"], \
                 \"reasoning\": \"half of it\"}'\n";
    let suite = "dataset: sums\nevalcases:\n  - id: rich\n    conversation_id: talk-1\n    \
                 expected_outcome: A sum.\n    \
                 input_messages:\n      - {role: user, content: What is 40 + 2?}\n    \
                 evaluators:\n      - {name: says-ok, type: contains, value: ok, weight: 3}\n      \
                 - {name: judged, type: code_judge, script: sh judge.sh}\n";
    project("sh agent.sh", &[], &[])
        .file("evals/suite.yaml", suite)
        .file("evals/agent.sh", agent)
        .file("evals/judge.sh", judge)
}

#[test]
fn a_row_says_everything_about_a_case() {
    let project = rich();
    let args = ["eval", "evals/suite.yaml", "--max-retries", "1", "--include-trace"];
    let run = project.run(&args);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    insta::assert_snapshot!(pretty(rows(&project).remove(0)));
}

#[test]
fn a_row_of_a_case_that_could_not_be_evaluated_has_no_score() {
    let suite = "evaluators:\n  - {type: contains, value: ok}\nevalcases:\n  \
                 - {id: fails, input_messages: [{role: user, content: x}]}\n  \
                 - id: judged\n    input_messages: [{role: user, content: x}]\n    evaluators:\n      \
                 - {type: contains, value: ok}\n      \
                 - {name: broken, type: code_judge, script: 'echo no judgement >&2; exit 3'}\n";
    let command = "case {EVAL_ID} in fails) echo boom >&2; exit 7;; esac; echo ok";
    let project = project(command, &[], &[]).file("suite.yaml", suite);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    insta::assert_snapshot!(pretty(Value::Array(rows(&project))));
}

#[test]
fn messages_and_trace_are_kept_only_where_they_are_asked_for() {
    let project = rich();
    let run = project.run(&["eval", "evals/suite.yaml", "--max-retries", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let row = rows(&project).remove(0);
    assert!(row.get("output_messages").is_none() && row.get("trace").is_none(), "{row}");
    assert_eq!(row["trace_summary"]["eventCount"], 3);
}

#[test]
fn the_record_of_a_run_says_what_was_run_and_no_secret() {
    let targets = "targets:\n  - name: agent\n    provider: cli\n    \
                   command: 'echo ok ${{ MY_TOKEN }}'\n    \
                   env: {API_KEY: canary-literal, PLAIN: seen, OTHER: '${{ MY_TOKEN }}'}\n";
    let project = empty()
        .file(".agentv/targets.yaml", targets)
        .file("suite.yaml", suite(&["a", "b"]))
        .env("MY_TOKEN", "canary-variable");
    let run = project.run(&["eval", "suite.yaml", "--eval-id", "a", "--workers", "3"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let mut manifest = manifest(&project);
    let text = manifest.to_string();
    assert!(!text.contains("canary"), "{text}");
    let run_id = project.newest_run().file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(manifest["run_id"], run_id);
    let program = manifest["command"][0].take();
    assert!(program.as_str().unwrap().ends_with("agentv"), "{program}");
    assert_eq!(manifest["sessions"][0]["command"][0].take(), program);
    insta::assert_snapshot!(pretty(manifest));
}

/// Every file below a folder, by its path from there.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|inner| format!("{name}/{inner}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

#[test]
fn a_thousand_cases_make_two_files() {
    let ids: Vec<String> = (0..1000).map(|n| format!("case-{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let command = "sed 's/,\"attempt.*/,\"text\":\"ok\"}/' {BATCH_FILE}";
    let project = batch_project(command, &["batch_size: 100"], &ids);
    let before = files(&project.path(""));
    let run = project.run(&["eval", "suite.yaml", "-q"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(rows(&project).len(), 1000);
    let run_id = project.newest_run().file_name().unwrap().to_string_lossy().into_owned();
    let mut wanted = before;
    wanted.push(format!(".agentv/results/{run_id}/results.jsonl"));
    wanted.push(format!(".agentv/results/{run_id}/run.json"));
    wanted.sort();
    assert_eq!(files(&project.path("")), wanted);
}

#[test]
fn nothing_but_runs_and_dotfiles_stands_among_the_results() {
    let project = project("echo ok", &[], &["a"]);
    for _ in 0..3 {
        assert_eq!(project.run(&["eval", "suite.yaml", "--out", "rows.jsonl"]).code, Some(0));
    }
    assert_eq!(project.run(&["eval", "missing.yaml"]).code, Some(2));
    let mut names: Vec<String> = fs::read_dir(project.path(".agentv/results"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    assert_eq!(names.len(), 3, "{names:?}");
    for name in &names {
        let folder = project.path(".agentv/results").join(name);
        assert_eq!(files(&folder), ["results.jsonl", "run.json"]);
    }
    // Ids sort by time.
    let started: Vec<String> = names
        .iter()
        .map(|name| {
            let run = fs::read(project.path(".agentv/results").join(name).join("run.json"));
            let run: Value = serde_json::from_slice(&run.unwrap()).unwrap();
            run["started_at"].as_str().unwrap().to_owned()
        })
        .collect();
    assert!(started.is_sorted(), "{started:?}");
}

#[test]
fn a_row_is_on_disk_as_soon_as_its_case_is_settled() {
    // The second case answers only when the row of the first can be read.
    let command = "[ {EVAL_ID} = a ] && { echo ok; exit; }\ntries=0\n\
                   until grep -q '\"eval_id\":\"a\".*}$' .agentv/results/*/results.jsonl; do\n\
                   tries=$((tries + 1)); [ $tries -lt 3000 ] || exit 9; sleep 0.01\ndone\necho ok";
    for settings in [&["workers: 2"][..], &["workers: 1"]] {
        let project = project(command, settings, &["a", "b"]);
        let run = project.run(&["eval", "suite.yaml"]);
        assert_eq!(run.code, Some(0), "{}", run.seen());
        assert_eq!(column(&project, "status"), ["passed", "passed"]);
    }
}

#[test]
fn a_code_judge_is_told_everything_the_contract_names() {
    let suite = "evalcases:\n  - id: told\n    expected_outcome: It works.\n    \
                 input_messages:\n      - role: user\n        content:\n          \
                 - {type: file, value: style.instructions.md}\n          \
                 - {type: text, value: Do it}\n          - {type: file, value: notes.txt}\n    \
                 expected_messages:\n      - {role: assistant, content: Done}\n    evaluators:\n      \
                 - type: code_judge\n        command: [sh, judge.sh]\n        \
                 config: {limit: 3, words: [a, b]}\n";
    let batch = r#"printf '%s\n' '{"id":"told","text":"Done","duration_ms":5,"cost_usd":0.1,"token_usage":{"input":1,"output":2},"output_messages":[{"role":"assistant","tool_calls":[{"tool":"t","input":1}]}]}'"#;
    let project = batch_project(batch, &[], &[])
        .file("suite.yaml", suite)
        .file("style.instructions.md", "Be brief.")
        .file("notes.txt", "A note.")
        .file("judge.sh", "cat > told.json; echo '{\"score\": 1}'\n");
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let told = fs::read_to_string(project.path("told.json")).unwrap();
    let told = told.replace(&project.path("").display().to_string(), "[PROJECT]/");
    let told: Value = serde_json::from_str(&told).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&told).unwrap());
}

#[test]
fn a_code_judge_is_told_null_where_nothing_is_known() {
    let suite = "evalcases:\n  - id: plain\n    input_messages: [{role: user, content: x}]\n    \
                 evaluators:\n      - {type: code_judge, script: sh judge.sh}\n";
    let project = project("echo ok", &[], &[])
        .file("suite.yaml", suite)
        .file("judge.sh", "cat > told.json; echo '{\"score\": 1}'\n");
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let told: Value =
        serde_json::from_slice(&fs::read(project.path("told.json")).unwrap()).unwrap();
    for key in [
        "output_messages",
        "candidate_trace",
        "candidate_trace_summary",
        "token_usage",
        "cost_usd",
        "expected_outcome",
    ] {
        assert_eq!(told.get(key), Some(&Value::Null), "{key}: {told}");
    }
    assert_eq!(told["candidate_answer"], "ok\n");
    assert!(told["duration_ms"].is_number());
}
