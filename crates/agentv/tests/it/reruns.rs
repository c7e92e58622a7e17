//! `--rerun-failed` and `--rerun-errors`: a new run of some cases, with the rows of the others.

use std::{fs, time::UNIX_EPOCH};

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{column, manifest, project, suite};

/// Notes whom it is asked for, and answers with what stands in a file of that name.
const AGENT: &str = "echo \"$AGENTV_EVAL_ID\" >> asked\ncat \"answer-$AGENTV_EVAL_ID\"\n";

const IDS: [&str; 3] = ["bad", "broken", "good"];

/// A run in which one case failed, one erred and one passed.
fn ran() -> Project {
    let project = project("sh agent.sh", &[], &IDS)
        .file("agent.sh", AGENT)
        .file("answer-good", "ok")
        .file("answer-bad", "no");
    assert_eq!(project.run(&["eval", "suite.yaml"]).code, Some(3));
    fs::remove_file(project.path("asked")).unwrap();
    project
}

fn asked(project: &Project) -> Vec<String> {
    let text = fs::read_to_string(project.path("asked")).unwrap_or_default();
    let mut ids: Vec<String> = text.lines().map(str::to_owned).collect();
    ids.sort();
    ids
}

fn lines_of(run: &std::path::Path) -> Vec<String> {
    let text = fs::read_to_string(run.join("results.jsonl")).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn line_of<'l>(lines: &'l [String], id: &str) -> &'l String {
    let is_it = |line: &&String| serde_json::from_str::<Value>(line).unwrap()["eval_id"] == id;
    lines.iter().find(is_it).unwrap()
}

#[test]
fn what_failed_or_erred_is_asked_again_in_a_run_that_names_its_parent() {
    let project = ran();
    let parent = project.newest_run();
    let before = lines_of(&parent);
    project.write("answer-bad", "ok now");
    project.write("answer-broken", "ok now");
    let run = project.run(&["eval", "suite.yaml", "--rerun-failed"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(asked(&project), ["bad", "broken"]);
    assert_eq!(project.runs().len(), 2);
    assert_eq!(column(&project, "status"), ["passed"; 3]);
    let manifest = manifest(&project);
    assert_eq!(manifest["parent"], parent.file_name().unwrap().to_str().unwrap());
    let counts = json!({"planned": 3, "passed": 3, "failed": 0, "errors": 0, "not_run": 0});
    assert_eq!(manifest["counts"], counts);
    assert_eq!(lines_of(&parent), before, "the parent is not touched");
    let now = lines_of(&project.newest_run());
    assert_eq!(line_of(&now, "good"), line_of(&before, "good"), "carried over byte for byte");
}

#[test]
fn of_errors_only_failed_cases_are_carried_over_too() {
    let project = ran();
    project.write("answer-bad", "ok now");
    project.write("answer-broken", "ok now");
    for flag in ["--rerun-errors", "--retry-errors"] {
        let run = project.run(&["eval", flag]);
        assert_eq!(run.code, Some(1), "{}", run.seen());
        assert_eq!(column(&project, "status"), ["failed", "passed", "passed"]);
    }
    assert_eq!(asked(&project), ["broken"], "the second time there was no error left");
}

#[test]
fn a_case_that_changed_is_asked_again_though_it_passed_and_is_named() {
    let project = ran();
    project.write("suite.yaml", suite(&IDS).replace("content: \"good\"", "content: \"better\""));
    let run = project.run(&["eval", "suite.yaml", "--rerun-errors"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(asked(&project), ["broken", "good"]);
    assert!(
        run.stderr.contains("changed since, so asked again: suite.yaml good (agent)"),
        "{}",
        run.seen()
    );
}

#[test]
fn a_changed_script_changes_every_case_and_a_changed_secret_none() {
    let project = ran();
    project.write("agent.sh", format!("{AGENT}true\n"));
    project.run(&["eval", "suite.yaml", "--rerun-errors"]);
    assert_eq!(asked(&project), IDS);

    let settings = ["env: {API_KEY: \"${{ KEY_OF_MINE }}\", MODE: \"${{ MODE_OF_MINE }}\"}"];
    let project = crate::project::project("sh agent.sh", &settings, &IDS)
        .file("agent.sh", AGENT)
        .file("answer-good", "ok")
        .file("answer-bad", "ok")
        .file("answer-broken", "ok")
        .env("KEY_OF_MINE", "sk-first-secret")
        .env("MODE_OF_MINE", "one");
    project.run(&["eval", "suite.yaml"]);
    let project = project.env("KEY_OF_MINE", "sk-second-secret");
    fs::remove_file(project.path("asked")).unwrap();
    project.run(&["eval", "suite.yaml", "--rerun-failed"]);
    assert_eq!(asked(&project), [""; 0]);
    let project = project.env("MODE_OF_MINE", "two");
    project.run(&["eval", "suite.yaml", "--rerun-failed"]);
    assert_eq!(asked(&project), IDS);
}

#[test]
fn where_one_repeat_failed_all_of_them_are_asked_again() {
    let project = project("sh agent.sh", &["workers: 1"], &["coin", "good"])
        .file("agent.sh", "echo \"$AGENTV_EVAL_ID\" >> asked\n[ -e tails ] && [ $AGENTV_EVAL_ID = coin ] && { rm tails; echo no; exit; }\necho ok\n")
        .file("tails", "");
    assert_eq!(project.run(&["eval", "suite.yaml", "--repeat", "3"]).code, Some(1));
    fs::remove_file(project.path("asked")).unwrap();
    let run = project.run(&["eval", "suite.yaml", "--rerun-failed"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(asked(&project), ["coin"; 3]);
    assert_eq!(column(&project, "repeat"), [1, 2, 3, 1, 2, 3]);
}

#[test]
fn ids_say_what_is_asked_again_and_every_other_row_is_carried_over() {
    let project = ran();
    project.write("answer-bad", "ok now");
    project.write("answer-broken", "ok now");
    let run = project.run(&["eval", "--rerun-failed", "--eval-id", "broken"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert_eq!(asked(&project), ["broken"]);
    assert_eq!(column(&project, "status"), ["failed", "passed", "passed"]);
}

#[test]
fn a_case_that_is_gone_is_told_and_its_row_is_left_out() {
    let project = ran();
    project.write("suite.yaml", suite(&["bad", "good"]));
    let run = project.run(&["eval", "suite.yaml", "--rerun-failed"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert!(run.stderr.contains("1 rows are of cases that are gone"), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), ["bad", "good"]);
}

#[test]
fn what_the_parent_spent_is_nothing_that_the_new_run_pays_for() {
    let answer =
        "echo '{\"text\": \"'\"$(cat answer)\"'\", \"cost_usd\": 0.1}' > \"$AGENTV_OUTPUT_FILE\"";
    let project = project(answer, &["workers: 1"], &IDS).file("answer", "no");
    let run = project.run(&["eval", "suite.yaml", "--budget-usd", "0.3"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    project.write("answer", "ok");
    let run = project.run(&["eval", "--rerun-failed"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let run = project.run(&["eval", "suite.yaml", "--rerun-failed", "--budget-usd", "0.1"]);
    assert_eq!(run.code, Some(0), "carried rows cost nothing: {}", run.seen());
}

/// What is asked again after a change, of a run in which everything passed.
fn asked_after(project: Project, change: impl FnOnce(Project) -> Project) -> Vec<String> {
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let project = change(project);
    fs::write(project.path("asked"), "").unwrap();
    project.run(&["eval", "--rerun-failed"]);
    asked(&project)
}

#[test]
fn a_variable_that_the_command_mentions_is_a_part_of_the_target() {
    let command = "echo $AGENTV_EVAL_ID >> asked; echo ok $MODEL_OF_MINE ${KEY_OF_MINE}";
    let fresh = || {
        project(command, &[], &["a", "b"])
            .env("MODEL_OF_MINE", "one")
            .env("KEY_OF_MINE", "x1234567")
    };
    assert_eq!(asked_after(fresh(), |it| it.env("MODEL_OF_MINE", "two")), ["a", "b"]);
    assert_eq!(asked_after(fresh(), |it| it.env("KEY_OF_MINE", "y1234567")), [""; 0]);
    assert_eq!(asked_after(fresh(), |it| it.env("OTHER", "two")), [""; 0]);
}

#[test]
fn the_script_of_a_judge_is_a_part_of_what_a_score_depends_on() {
    let targets = "targets:\n  - name: agent\n    provider: cli\n    judge_target: judge\n    \
        command_template: echo $AGENTV_EVAL_ID >> asked; echo ok\n  - name: judge\n    \
        provider: cli\n    command_template: sh judge.sh\n";
    let suite = "execution: {target: agent}\nevaluators: [{type: llm_judge, prompt: \"{{ candidate_answer }}\"}]\n\
        evalcases: [{id: a, input: x, expected_outcome: y}]\n";
    let fresh = crate::project::empty()
        .file(".agentv/targets.yaml", targets)
        .file("suite.yaml", suite)
        .file("judge.sh", "echo '{\"score\": 1}'\n");
    let asked = asked_after(fresh, |it| it.file("judge.sh", "echo '{\"score\": 0.9}'\n"));
    assert_eq!(asked, ["a"]);
}

#[test]
fn a_recording_is_a_part_of_the_target_that_replays_it() {
    let targets = "targets: [{name: agent, provider: replay, file: rec.jsonl}]\n";
    let fresh = crate::project::empty()
        .file(".agentv/targets.yaml", targets)
        .file("suite.yaml", suite(&["a"]))
        .file("rec.jsonl", "{\"id\": \"a\", \"text\": \"ok\"}\n");
    assert_eq!(fresh.run(&["eval", "suite.yaml"]).code, Some(0));
    fresh.write("rec.jsonl", "{\"id\": \"a\", \"text\": \"no\"}\n");
    // As `cp -p` leaves it, or an edit within the same tick of the clock of files.
    let recording = fs::File::options().write(true).open(fresh.path("rec.jsonl")).unwrap();
    recording.set_modified(UNIX_EPOCH).unwrap();
    let run = fresh.run(&["eval", "--rerun-failed"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
}

#[test]
fn a_file_that_the_run_itself_changed_is_no_reason_to_ask_again_unless_somebody_else_did_since() {
    let agent = "n=$(cat \"$1\"); echo $((n + 1)) > \"$1\"\n".to_owned() + AGENT;
    let project = project("sh agent.sh state.txt", &[], &["good"])
        .file("agent.sh", &agent)
        .file("state.txt", "0\n")
        .file("answer-good", "ok");
    assert_eq!(project.run(&["eval", "suite.yaml"]).code, Some(0));
    assert_eq!(fs::read_to_string(project.path("state.txt")).unwrap(), "1\n");
    fs::remove_file(project.path("asked")).unwrap();
    for _ in 0..2 {
        let run = project.run(&["eval", "--rerun-failed"]);
        assert_eq!(run.code, Some(0), "{}", run.seen());
        assert!(!project.path("asked").exists(), "{}", run.seen());
    }
    project.write("state.txt", "7\n");
    let run = project.run(&["eval", "--rerun-failed"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(asked(&project), ["good"]);
}

#[test]
fn what_depends_on_a_case_that_is_asked_again_is_asked_again_too() {
    let suite = "evaluators: [{type: contains, value: ok}]\nevalcases:\n  \
        - {id: bad, input: x}\n  - {id: broken, input: x, depends_on: bad}\n  \
        - {id: good, input: x}\n  - {id: last, input: x, depends_on: broken}\n";
    let project = project("sh agent.sh", &[], &IDS)
        .file("agent.sh", AGENT)
        .file("suite.yaml", suite)
        .file("answer-bad", "ok")
        .file("answer-broken", "ok")
        .file("answer-good", "ok")
        .file("answer-last", "ok");
    assert_eq!(project.run(&["eval", "suite.yaml"]).code, Some(0));
    fs::remove_file(project.path("asked")).unwrap();
    project.write("answer-bad", "no");
    project.write("suite.yaml", suite.replace("{id: bad, input: x}", "{id: bad, input: y}"));
    let run = project.run(&["eval", "--rerun-failed"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(asked(&project), ["bad"]);
    assert_eq!(column(&project, "eval_id"), ["bad", "good"]);
}
