//! `--resume`: a run that was ended goes on where it was, and nothing is asked twice.

use std::fs;

use agentv_testkit::{Project, Run, Signal, wait_until};
use serde_json::{Value, json};

use crate::project::{self, column, manifest, rows_so_far, suite};

/// Notes whom it is asked for; what is called slow waits until there is a file `go`, and what is
/// called bad fails.
const AGENT: &str = "echo \"$AGENTV_EVAL_ID\" >> asked\n\
    case $AGENTV_EVAL_ID in\n\
    slow*) while [ ! -e go ]; do sleep 0.02; done; echo ok;;\n\
    bad*) echo no;;\nbroken*) exit 3;;\n*) echo ok;;\nesac\n";

const IDS: [&str; 6] = ["a", "bad", "broken", "slow-1", "slow-2", "z"];

fn fresh() -> Project {
    project::project("sh agent.sh", &["workers: 1"], &IDS).file("agent.sh", AGENT)
}

/// A run of six cases that was killed when three of them had their row.
fn killed() -> Project {
    let project = fresh();
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("three cases are done and the fourth is begun", || {
        rows_so_far(&project) == 3 && asked(&project).contains(&"slow-1".to_owned())
    });
    run.signal(Signal::SIGKILL);
    run.finish();
    project.write("go", "");
    project
}

fn asked(project: &Project) -> Vec<String> {
    let text = fs::read_to_string(project.path("asked")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn results(project: &Project) -> std::path::PathBuf {
    project.newest_run().join("results.jsonl")
}

fn assert_whole(project: &Project, run: &Run) {
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(project, "eval_id"), IDS);
    let statuses = ["passed", "failed", "error", "passed", "passed", "passed"];
    assert_eq!(column(project, "status"), statuses);
    let manifest = manifest(project);
    let counts = json!({"planned": 6, "passed": 4, "failed": 1, "errors": 1, "not_run": 0});
    assert_eq!(manifest["counts"], counts);
    assert_eq!(manifest["status"], "finished");
    assert_eq!(manifest["exit_code"], 3);
    assert_eq!(project.runs().len(), 1);
    project.assert_nothing_is_left();
}

#[test]
fn a_killed_run_goes_on_and_asks_only_for_what_has_no_row() {
    let project = killed();
    let run = project.run(&["eval", "suite.yaml", "--resume"]);
    assert_whole(&project, &run);
    assert_eq!(asked(&project), ["a", "bad", "broken", "slow-1", "slow-1", "slow-2", "z"]);
    assert!(run.stdout.contains("6 cases: ✓ 4 passed, ✗ 1 failed, ! 1 error"), "{}", run.seen());
    assert!(run.stderr.contains("3 of 6 cases have their row"), "{}", run.seen());
    let sessions = &manifest(&project)["sessions"];
    assert_eq!(sessions.as_array().unwrap().len(), 2);
    assert_eq!(sessions[1]["rows_before"], 3);
}

#[test]
fn without_paths_they_are_those_of_the_run_and_so_are_the_options() {
    let project = fresh();
    project.write("go", "");
    let all = ["eval", "suite.yaml", "--threshold", "0", "--eval-id", "b*", "--include-trace"];
    assert_eq!(project.run(&all).code, Some(3));
    let whole = fs::read_to_string(results(&project)).unwrap();
    let first = whole.split_inclusive('\n').next().unwrap();
    fs::write(results(&project), first).unwrap();
    let run = project.run(&["eval", "--resume"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), ["bad", "broken"]);
    assert_eq!(column(&project, "threshold"), [0.0, 0.0]);
}

#[test]
fn a_complete_run_is_not_run_again_and_ends_as_it_did() {
    let project = killed();
    let first = project.run(&["eval", "suite.yaml", "--resume"]);
    let (rows, asked_before) = (project.rows_text(), asked(&project));
    // Also where its suite is gone.
    fs::remove_file(project.path("suite.yaml")).unwrap();
    let id = project.newest_run().file_name().unwrap().to_str().unwrap().to_owned();
    let begin: String = id.chars().take(20).collect();
    for name in [format!("--resume={id}"), format!("--resume={begin}")] {
        let run = project.run(&["eval", &name, "--out", "rows.jsonl"]);
        assert_eq!(run.code, first.code, "{}", run.seen());
        assert_eq!(run.stdout.lines().next(), first.stdout.lines().next());
    }
    assert_eq!((project.rows_text(), asked(&project)), (rows, asked_before));
    let out = fs::read_to_string(project.path("rows.jsonl")).unwrap();
    let ids: Vec<String> = out
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["eval_id"].as_str().unwrap().into()
        })
        .collect();
    assert_eq!(ids, IDS);
}

#[test]
fn a_torn_last_line_is_kept_aside_and_its_case_is_asked_again() {
    let project = killed();
    let whole = fs::read(results(&project)).unwrap();
    fs::write(results(&project), &whole[..whole.len() - 40]).unwrap();
    let run = project.run(&["eval", "suite.yaml", "--resume"]);
    assert_whole(&project, &run);
    assert!(run.stderr.contains("the last row was never finished"), "{}", run.seen());
    assert_eq!(asked(&project).iter().filter(|id| **id == "broken").count(), 2);
    let torn = fs::read(project.newest_run().join(".results.jsonl.torn-1")).unwrap();
    assert!(whole.windows(torn.len()).any(|piece| piece == torn), "the piece is kept");
}

#[test]
fn whatever_changed_is_named_and_nothing_is_run() {
    for (file, content, said) in [
        ("suite.yaml", suite(&IDS).replace("value: ok", "value: o"), "suite `suite.yaml` changed"),
        ("agent.sh", format!("{AGENT}true\n"), "file `agent.sh` changed"),
        (
            ".agentv/targets.yaml",
            project::targets("sh agent.sh x", &["workers: 1"]),
            "target `agent` changed",
        ),
    ] {
        let project = killed();
        let before = project.rows_text();
        project.write(file, content);
        let asked_before = asked(&project);
        let run = project.run(&["eval", "suite.yaml", "--resume"]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains(said), "{}", run.seen());
        assert!(run.stderr.contains("cannot be resumed, since then:"), "{}", run.seen());
        assert_eq!((project.rows_text(), asked(&project)), (before, asked_before));
    }
}

#[test]
fn options_that_change_what_rows_mean_are_refused_and_others_are_not() {
    let project = killed();
    for args in [["--threshold", "0.5"], ["--repeat", "2"], ["--eval-id", "a"]] {
        let run = project.run(&[&["eval", "suite.yaml", "--resume"], &args[..]].concat());
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(
            run.stderr.contains(&format!("{} was not given and is", args[0])),
            "{}",
            run.seen()
        );
    }
    let others = ["eval", "suite.yaml", "--resume", "--workers", "3", "--max-retries", "1"];
    let run = project.run(&others);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), IDS);
}

#[test]
fn a_run_that_still_runs_is_left_alone() {
    let project = fresh();
    let running = project.start(&["eval", "suite.yaml"]);
    wait_until("the fourth case is begun", || asked(&project).contains(&"slow-1".to_owned()));
    for flag in ["--resume", "--rerun-failed"] {
        let run = project.run(&["eval", "suite.yaml", flag]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains("is still running"), "{}", run.seen());
    }
    project.write("go", "");
    let run = running.finish();
    assert_whole(&project, &run);
    assert_eq!(asked(&project).len(), 6);
}

#[test]
fn where_there_is_nothing_to_resume_nothing_is_begun() {
    let project = fresh();
    let run = project.run(&["eval", "suite.yaml", "--resume"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("there is no earlier run"), "{}", run.seen());
    assert_eq!(asked(&project), [""; 0]);
    let run = project.run(&["eval", "--resume", "suite.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("a suite, not a run"), "{}", run.seen());
}

#[test]
fn an_interrupted_run_goes_on_and_a_run_of_other_suites_is_not_taken_for_it() {
    let project = fresh().file("other.yaml", suite(&["x"]));
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("the fourth case is begun", || asked(&project).contains(&"slow-1".to_owned()));
    run.signal(Signal::SIGINT);
    assert_eq!(run.finish().code, Some(130));
    let interrupted = project.newest_run();
    assert_eq!(project.run(&["eval", "other.yaml"]).code, Some(0));
    project.write("go", "");
    let run = project.run(&["eval", "suite.yaml", "--resume"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let rows = fs::read_to_string(interrupted.join("results.jsonl")).unwrap();
    assert_eq!(rows.lines().count(), 6, "{}", run.seen());
    assert_eq!(project.runs().len(), 2);
}

#[test]
fn another_version_is_said_aloud_and_a_newer_form_is_refused() {
    let project = killed();
    let file = project.newest_run().join("run.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace(env!("CARGO_PKG_VERSION"), "0.0.7")).unwrap();
    let run = project.run(&["eval", "suite.yaml", "--resume"]);
    assert_whole(&project, &run);
    assert!(run.stderr.contains("was begun by version 0.0.7"), "{}", run.seen());
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"format\": 1", "\"format\": 2")).unwrap();
    let run = project.run(&["eval", "suite.yaml", "--resume"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("newer version"), "{}", run.seen());
}

#[test]
fn a_manifest_whose_hash_was_edited_does_not_hide_that_a_case_changed() {
    let project = killed();
    let sha256 = |project: &Project| manifest(project)["suites"][0]["sha256"].clone();
    let before = sha256(&project);
    let changed = suite(&IDS).replace("content: \"bad\"", "content: \"worse\"");
    let other = ran(&changed);
    let after = sha256(&other);
    project.write("suite.yaml", changed);
    let file = project.newest_run().join("run.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace(before.as_str().unwrap(), after.as_str().unwrap())).unwrap();
    let run = project.run(&["eval", "suite.yaml", "--resume"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("case `suite.yaml bad (agent)`"), "{}", run.seen());
}

/// A finished run of another suite, for what its `run.json` says.
fn ran(suite: &str) -> Project {
    let project = fresh().file("suite.yaml", suite).file("go", "");
    project.run(&["eval", "suite.yaml"]);
    project
}

#[test]
fn of_a_complete_run_too_options_that_change_what_rows_mean_are_refused() {
    let project = ran(&suite(&IDS));
    let asked_before = asked(&project);
    for args in [["--threshold", "0.5"], ["--repeat", "2"], ["--shard", "1/2"]] {
        let id = project.newest_run().file_name().unwrap().to_str().unwrap().to_owned();
        let named = format!("--resume={id}");
        let run = project.run(&[&["eval", "suite.yaml", &named], &args[..]].concat());
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(
            run.stderr.contains(&format!("{} was not given and is", args[0])),
            "{}",
            run.seen()
        );
    }
    // Nobody has run that part, so there is nothing to resume.
    let run = project.run(&["eval", "suite.yaml", "--resume", "--shard", "1/2"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("no run in"), "{}", run.seen());
    assert_eq!(asked(&project), asked_before);
}

#[test]
fn counts_that_were_edited_by_hand_are_counted_anew() {
    let project = ran(&suite(&IDS));
    let file = project.newest_run().join("run.json");
    let text = fs::read_to_string(&file).unwrap();
    let edited = text
        .replace("\"failed\": 1", "\"failed\": 0")
        .replace("\"errors\": 1", "\"errors\": 0")
        .replace("\"passed\": 4", "\"passed\": 6");
    assert_ne!(edited, text);
    fs::write(&file, edited).unwrap();
    let run = project.run(&["eval", "--resume"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert!(run.stdout.contains("✓ 4 passed, ✗ 1 failed, ! 1 error"), "{}", run.seen());
}

#[test]
fn what_was_not_run_is_told_with_the_way_to_go_on_and_a_made_up_run_is_not_gone_on_with() {
    let project = fresh();
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("the fourth case is begun", || asked(&project).contains(&"slow-1".to_owned()));
    run.signal(Signal::SIGINT);
    let run = run.finish();
    let interrupted = project.newest_run();
    let id = interrupted.file_name().unwrap().to_str().unwrap();
    let told = format!("3 cases have no row; to go on: agentv eval --resume {id}");
    assert!(run.stderr.contains(&told), "{}", run.seen());
    project.run(&["eval", "suite.yaml", "--dry-run"]);
    project.write("go", "");
    let run = project.run(&["eval", "suite.yaml", "--resume"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let rows = fs::read_to_string(interrupted.join("results.jsonl")).unwrap();
    assert_eq!(rows.lines().count(), 6, "{}", run.seen());
}

#[test]
fn a_run_of_another_project_is_refused_with_its_place() {
    let (project, other) = (killed(), fresh());
    let run = format!("--resume={}", project.newest_run().display());
    let run = other.run(&["eval", &run]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("belongs to the project in"), "{}", run.seen());
}

#[test]
fn a_row_of_a_stranger_does_not_make_a_run_complete() {
    let project = ran(&suite(&IDS));
    let text = fs::read_to_string(results(&project)).unwrap();
    fs::write(results(&project), text.replacen("\"eval_id\":\"z\"", "\"eval_id\":\"y\"", 1))
        .unwrap();
    let run = project.run(&["eval", "--resume"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("a row that is of no planned case"), "{}", run.seen());
}

#[test]
fn a_file_in_which_a_target_keeps_its_state_is_in_nobodys_way() {
    let agent = "n=$(cat \"$1\"); echo $((n + 1)) > \"$1\"\n".to_owned() + AGENT;
    let project = project::project("sh agent.sh state.txt", &["workers: 1"], &IDS)
        .file("agent.sh", &agent)
        .file("state.txt", "0");
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("the fourth case is begun", || asked(&project).contains(&"slow-1".to_owned()));
    run.signal(Signal::SIGKILL);
    run.finish();
    project.write("go", "");
    assert_ne!(fs::read_to_string(project.path("state.txt")).unwrap(), "0");
    let run = project.run(&["eval", "suite.yaml", "--resume"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), IDS);
}
