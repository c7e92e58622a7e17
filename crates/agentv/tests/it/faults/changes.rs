//! What changed since a run was begun is named, and nothing is mixed.

use agentv_testkit::{Project, Signal, wait_until};

use super::{PATIENT, assert_refused, assert_whole, resume};
use crate::project::{empty, rows_so_far, suite, targets};

const COMMAND: &str = "sh agent.sh {EVAL_ID}";

const FILES: [(&str, &str); 2] = [("judge.sh", "echo '{\"score\": 1}'\n"), ("agent.sh", PATIENT)];

fn suite_with_judge() -> String {
    let judge = "evaluators:\n  - {type: code_judge, command: [sh, judge.sh]}\n";
    suite(&["a", "b", "c", "d"]).replace("evaluators:\n", judge)
}

/// A run with files of its own, killed when it had one row.
fn killed_run() -> Project {
    killed_run_of(COMMAND)
}

fn killed_run_of(command: &str) -> Project {
    let mut project = empty()
        .file(".agentv/targets.yaml", targets(command, &["workers: 2"]))
        .file("suite.yaml", suite_with_judge());
    for (file, text) in FILES {
        project = project.file(file, text);
    }
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("a has its row", || rows_so_far(&project) == 1);
    run.signal(Signal::SIGKILL);
    run.finish();
    project
}

/// Refused with these words after the change; whole once it is undone.
fn check(file: &str, changed: &str, says: &str) {
    let project = killed_run();
    let before = std::fs::read_to_string(project.path(file)).unwrap();
    project.write(file, changed);
    let run = resume(&project, &[]);
    assert_refused(&project, &run, &["cannot be resumed", says]);
    project.write(file, before);
    assert_whole(&project, &resume(&project, &[]));
}

#[test]
fn a_changed_suite_is_named() {
    let changed = format!("{}    expected_outcome: better\n", suite_with_judge());
    check("suite.yaml", &changed, "suite `suite.yaml` changed");
}

#[test]
fn a_changed_target_is_named() {
    let changed = targets(&format!("{COMMAND} # louder"), &["workers: 2"]);
    check(".agentv/targets.yaml", &changed, "target `agent` changed");
}

#[test]
fn a_changed_script_of_a_target_is_named() {
    check("agent.sh", &format!("{PATIENT}# better\n"), "file `agent.sh` changed");
}

#[test]
fn a_changed_script_of_a_judge_is_named() {
    check("judge.sh", "echo '{\"score\": 0}'\n", "file `judge.sh` changed");
}

#[test]
fn a_file_that_the_command_writes_is_no_change() {
    let project = killed_run_of(&format!("{COMMAND} 2>> agent.log; echo done >> agent.log"));
    assert!(std::fs::metadata(project.path("agent.log")).unwrap().len() > 0);
    assert_whole(&project, &resume(&project, &[]));
}
