//! `--record` and `--replay`: a whole run again, without anybody who is asked.

use std::fs;

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{column, empty, lines, project, rows, suite};

/// A judge that says something else each time that it is asked, and is of no use every third time.
const JUDGE: &str = "n=$(cat ../n 2>/dev/null || echo 0); n=$((n+1)); echo $n > ../n; \
    if [ $((n % 3)) = 0 ]; then echo useless; else echo \"{\\\"score\\\": 0.$((n % 9)), \
    \\\"reasoning\\\": \\\"said $n\\\"}\"; fi";

/// An agent that fails the first time that it is asked for a case, and a judge asked three times.
fn moody() -> Project {
    let targets = json!({"targets": [
        {
            "name": "default", "provider": "cli", "judge_target": "judge",
            "command": "f=../tried-$AGENTV_EVAL_ID; if [ -e $f ]; then echo ok $RANDOM$$; \
                        else touch $f; echo not yet >&2; exit 7; fi",
        },
        {"name": "judge", "provider": "cli", "command": JUDGE, "workers": 1},
    ]});
    let suite = json!({
        "evaluators": [{"name": "ok", "type": "contains", "value": "ok"},
            {"name": "opinion", "type": "llm_judge", "prompt": "How good is {{ candidate_answer }}?",
             "samples": 3}],
        "evalcases": [{"id": "a", "input": "A?"}, {"id": "b", "input": "B?"}],
    });
    empty()
        .file(".agentv/targets.yaml", targets.to_string())
        .file("evals/s.yaml", suite.to_string())
}

/// The rows of the newest run, but for when they were written and how long graders took.
fn timeless(project: &Project) -> Vec<Value> {
    let mut all = rows(project);
    for row in &mut all {
        row.as_object_mut().unwrap().remove("timestamp");
        row.as_object_mut().unwrap().remove("cached");
        // The judge of these tests keeps its state in a file.
        row.as_object_mut().unwrap().remove("fingerprint");
        for result in row["evaluator_results"].as_array_mut().unwrap() {
            result.as_object_mut().unwrap().remove("duration_ms");
        }
    }
    all
}

#[test]
fn a_replay_gives_the_same_rows_and_starts_nothing() {
    let project = moody();
    let live =
        project.run(&["eval", "evals/s.yaml", "--max-retries", "2", "--record", "run.jsonl"]);
    let recorded = timeless(&project);
    assert_eq!(recorded[0]["failed_attempts"].as_array().unwrap().len(), 1, "{}", live.seen());
    fs::remove_file(project.path("n")).unwrap();
    for file in ["tried-a", "tried-b"] {
        fs::remove_file(project.path(file)).unwrap();
    }
    for _ in 0..2 {
        let replay = project.run(&["eval", "evals/s.yaml", "--replay", "run.jsonl"]);
        assert_eq!(replay.code, live.code, "{}", replay.seen());
        assert_eq!(timeless(&project), recorded);
        assert_eq!(column(&project, "cached"), [true, true]);
        assert!(replay.stderr.contains("replaying run.jsonl: nobody is asked"), "{replay:?}");
    }
    assert!(!project.path("n").exists() && !project.path("tried-a").exists());
}

#[test]
fn a_target_and_a_judge_that_were_not_fit_are_not_fit_again() {
    for unfit in ["default", "judge"] {
        let mut targets = json!({"targets": [
            {"name": "default", "provider": "cli", "command": "echo ok", "judge_target": "judge"},
            {"name": "judge", "provider": "cli", "command": "echo '{\"score\": 1}'"},
        ]});
        for target in targets["targets"].as_array_mut().unwrap() {
            if target["name"] == unfit {
                target["healthcheck"] = json!({"command": "echo down >&2; exit 5"});
            }
        }
        let graders = json!([{"type": "llm_judge", "prompt": "Is {{ candidate_answer }} good?"}]);
        let cases = json!([{"id": "a", "input": "A?"}]);
        let suite = json!({"evaluators": graders, "evalcases": cases});
        let project = empty()
            .file(".agentv/targets.yaml", targets.to_string())
            .file("s.yaml", suite.to_string());
        let live = project.run(&["eval", "s.yaml", "--record", "run.jsonl"]);
        assert_eq!(live.code, Some(3), "{}", live.seen());
        let said = column(&project, "error");
        assert!(said[0].as_str().unwrap().contains("down"), "{said:?}");
        let kinds = column(&project, "error_kind");
        let replay = project.run(&["eval", "s.yaml", "--replay", "run.jsonl"]);
        assert_eq!(replay.code, Some(3), "{}", replay.seen());
        assert_eq!(column(&project, "error"), said);
        assert_eq!(column(&project, "error_kind"), kinds);
    }
}

#[test]
fn a_machine_without_keys_and_commands_can_replay() {
    let command = json!({"targets": [
        {"name": "default", "provider": "mock", "response": "ok", "judge_target": "judge"},
        {"name": "judge", "provider": "mock", "response": "{\"score\": 1}"},
    ]});
    let graders = json!([{"type": "contains", "value": "ok"}, {"type": "llm_judge",
        "prompt": "How good is {{ candidate_answer }}?"}]);
    let suite = json!({"evaluators": graders, "evalcases": [{"id": "a", "input": "A?"}]});
    let project =
        empty().file(".agentv/targets.yaml", command.to_string()).file("s.yaml", suite.to_string());
    let live = project.run(&["eval", "s.yaml", "--record", "run.jsonl"]);
    assert_eq!(live.code, Some(0), "{}", live.seen());
    let model = |name: &str| {
        json!({"name": name, "provider": "openai", "model": "m", "api_key": "${{ NO_SUCH_KEY }}",
            "healthcheck": {"type": "http", "url": "http://127.0.0.1:9"}})
    };
    let mut default = model("default");
    default["judge_target"] = json!("judge");
    default.as_object_mut().unwrap().remove("healthcheck");
    let mut judge = model("judge");
    judge.as_object_mut().unwrap().remove("healthcheck");
    let keyed = json!({"targets": [default, judge]});
    project.write(".agentv/targets.yaml", keyed.to_string());
    let live = project.run(&["eval", "s.yaml"]);
    assert_eq!(live.code, Some(2), "{}", live.seen());
    let replay = project.run(&["eval", "s.yaml", "--replay", "run.jsonl"]);
    assert_eq!(replay.code, Some(0), "{}", replay.seen());
    assert_eq!(column(&project, "candidate_answer"), ["ok"]);
}

#[test]
fn a_case_that_changed_or_is_new_is_an_error_of_its_own() {
    let project = project("echo ok", &[], &["a", "b"]);
    let live = project.run(&["eval", "suite.yaml", "--record", "run.jsonl"]);
    assert_eq!(live.code, Some(0), "{}", live.seen());
    let changed = suite(&["a", "b", "c"]).replace("content: \"b\"", "content: bee");
    project.write("suite.yaml", changed);
    let replay =
        project.run(&["eval", "suite.yaml", "--replay", "run.jsonl", "--max-retries", "2"]);
    assert_eq!(replay.code, Some(3), "{}", replay.seen());
    assert_eq!(column(&project, "attempts"), [1, 1, 1]);
    let errors = column(&project, "error");
    assert!(errors[0].is_null());
    let told = "the recording answers another question: the case changed since";
    assert!(errors[1].as_str().unwrap().starts_with(told), "{errors:?}");
    let told = "has no answer of target `agent` for `c` of suite.yaml; record the run again";
    assert!(errors[2].as_str().unwrap().contains(told), "{errors:?}");
    assert_eq!(column(&project, "error_kind")[1..], ["refused", "refused"]);
}

#[test]
fn a_recording_is_also_a_file_for_a_target_that_replays() {
    let project = moody();
    project.run(&["eval", "evals/s.yaml", "--max-retries", "1", "--record", "run.jsonl"]);
    let answers = column(&project, "candidate_answer");
    let mut targets: Value =
        serde_json::from_str(&fs::read_to_string(project.path(".agentv/targets.yaml")).unwrap())
            .unwrap();
    targets["targets"].as_array_mut().unwrap().push(json!({"name": "old", "provider": "replay",
        "file": "run.jsonl", "judge_target": "judge"}));
    project.write(".agentv/targets.yaml", targets.to_string());
    let run = project.run(&["eval", "evals/s.yaml", "--target", "old", "--max-retries", "1"]);
    assert!(matches!(run.code, Some(0 | 1 | 3)), "{}", run.seen());
    assert_eq!(column(&project, "candidate_answer"), answers, "{}", run.seen());
}

#[test]
fn a_torn_recording_is_used_as_far_as_it_goes_and_another_file_is_refused() {
    let project = project("echo ok", &[], &["a", "b"]);
    project.run(&["eval", "suite.yaml", "--record", "run.jsonl"]);
    let whole = fs::read_to_string(project.path("run.jsonl")).unwrap();
    assert_eq!(lines(&whole)[0]["agentvRecording"], 1);
    project.write("run.jsonl", whole.get(..whole.len() - 30).unwrap());
    let torn = project.run(&["eval", "suite.yaml", "--replay", "run.jsonl"]);
    assert_eq!(torn.code, Some(3), "{}", torn.seen());
    assert!(torn.stderr.contains("the last line of `run.jsonl` was never finished"), "{torn:?}");
    assert_eq!(column(&project, "error").iter().filter(|it| it.is_null()).count(), 1);
    for (content, told) in [
        ("{\"id\": \"a\", \"text\": \"ok\"}\n", "is not as `--record` writes it"),
        ("", "`run.jsonl` is empty"),
    ] {
        project.write("run.jsonl", content);
        let run = project.run(&["eval", "suite.yaml", "--replay", "run.jsonl"]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains(told), "{}", run.seen());
    }
    let none = project.run(&["eval", "suite.yaml", "--replay", "none.jsonl"]);
    assert_eq!(none.code, Some(2), "{}", none.seen());
}

#[test]
fn a_recording_is_replaced_only_when_the_run_begins() {
    let project = project("echo ok", &[], &["a"]);
    project.write("run.jsonl", "precious");
    let run = project.run(&["eval", "suite.yaml", "--target", "nobody", "--record", "run.jsonl"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert_eq!(fs::read_to_string(project.path("run.jsonl")).unwrap(), "precious");
    let run = project.run(&["eval", "suite.yaml", "--record", "suite.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("--record would replace `suite.yaml`"), "{}", run.seen());
    let run = project.run(&["eval", "suite.yaml", "--record", "no/such/folder.jsonl"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
}

#[test]
fn answers_from_the_cache_are_recorded_too() {
    let project = project("echo ok", &[], &["a"]);
    project.run(&["eval", "suite.yaml", "--cache"]);
    let run = project.run(&["eval", "suite.yaml", "--cache", "--record", "run.jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let replay = project.run(&["eval", "suite.yaml", "--replay", "run.jsonl"]);
    assert_eq!(replay.code, Some(0), "{}", replay.seen());
}

#[test]
fn a_resumed_run_goes_on_with_its_recording() {
    let project = project("echo $AGENTV_EVAL_ID ok", &[], &["a", "b", "c"]);
    let live = project.run(&["eval", "suite.yaml", "--record", "run.jsonl"]);
    assert_eq!(live.code, Some(0), "{}", live.seen());
    let whole = rows(&project);
    // As if it had been killed after the first row, while the answer to the next was written down.
    let run = project.newest_run();
    let first = fs::read_to_string(run.join("results.jsonl")).unwrap();
    let first = first.lines().next().unwrap();
    fs::write(run.join("results.jsonl"), format!("{first}\n")).unwrap();
    let mut manifest = crate::project::manifest(&project);
    manifest["status"] = json!("running");
    fs::write(run.join("run.json"), manifest.to_string()).unwrap();
    let recorded = fs::read_to_string(project.path("run.jsonl")).unwrap();
    project.write("run.jsonl", recorded.get(..recorded.len() - 30).unwrap());

    let other = project.run(&["eval", "--resume", "--repeat", "2"]);
    assert_eq!(other.code, Some(2), "{}", other.seen());
    let resumed = project.run(&["eval", "--resume"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.seen());
    let replay = project.run(&["eval", "suite.yaml", "--replay", "run.jsonl"]);
    assert_eq!(replay.code, Some(0), "{}", replay.seen());
    let answers = |rows: &[Value]| -> Vec<Value> {
        rows.iter().map(|row| row["candidate_answer"].clone()).collect()
    };
    assert_eq!(answers(&rows(&project)), answers(&whole));
    let text = fs::read_to_string(project.path("run.jsonl")).unwrap();
    assert_eq!(text.matches("agentvRecording").count(), 1, "{text}");
}

#[test]
fn a_recording_that_cannot_be_written_is_no_success() {
    let project = project("echo ok", &[], &["a"]);
    let run = project.run(&["eval", "suite.yaml", "--record", "/dev/full"]);
    assert_ne!(run.code, Some(0), "{}", run.seen());
}

#[test]
fn graders_that_ask_the_same_get_their_own_answers_again() {
    let targets = json!({"targets": [
        {"name": "default", "provider": "mock", "response": "ok", "judge_target": "judge"},
        {"name": "judge", "provider": "cli", "command": JUDGE, "workers": 1},
    ]});
    let judge = |name: &str| json!({"name": name, "type": "llm_judge", "prompt": "Good? {{ candidate_answer }}"});
    let suite = json!({"evaluators": [judge("one"), judge("two"), judge("three")],
        "evalcases": [{"id": "a", "input": "A?"}]});
    let project = empty()
        .file(".agentv/targets.yaml", targets.to_string())
        .file("evals/s.yaml", suite.to_string());
    project.run(&["eval", "evals/s.yaml", "--record", "run.jsonl"]);
    let recorded = timeless(&project);
    let text = fs::read_to_string(project.path("run.jsonl")).unwrap();
    // Whatever stands first in the file.
    let mut all: Vec<&str> = text.lines().collect();
    let judged = all.iter().position(|line| line.contains("\"judge\"")).unwrap();
    all[judged..].reverse();
    project.write("run.jsonl", all.join("\n") + "\n");
    project.run(&["eval", "evals/s.yaml", "--replay", "run.jsonl"]);
    assert_eq!(timeless(&project), recorded);
}
