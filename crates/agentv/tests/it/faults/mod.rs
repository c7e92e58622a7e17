//! Faults of the world around a run: a clear message, nothing lost, nothing invented.

mod at_once;
mod changes;
mod disk;
mod manifests;
mod signals;
mod vanished;

use agentv_testkit::{Project, Run, Running, Signal, wait_until};
use serde_json::json;

use crate::project::{column, manifest, project, rows_so_far};

const IDS: [&str; 4] = ["a", "b", "c", "d"];

/// Case `a` is answered at once, the others when the file `go` is there. Everyone who is asked is
/// written down.
const PATIENT: &str = "echo $1 >> asked\n\
                       case $1 in a) ;; *) while [ ! -e go ]; do sleep 0.01; done;; esac\n\
                       echo ok\n";

fn patient_project() -> Project {
    project("sh agent.sh {EVAL_ID}", &["workers: 2"], &IDS).file("agent.sh", PATIENT)
}

/// A run with a row for `a`, and `b` under way.
fn begin(project: &Project) -> Running {
    let run = project.start(&["eval", "suite.yaml"]);
    wait_until("a has its row and b is under way", || {
        rows_so_far(project) == 1 && asked(project).contains('b')
    });
    run
}

/// A run that was killed when `a` had its row.
fn killed_run() -> Project {
    let project = patient_project();
    let run = begin(&project);
    run.signal(Signal::SIGKILL);
    assert_eq!(run.finish().code, None);
    assert_eq!(manifest(&project)["status"], "running");
    project
}

fn asked(project: &Project) -> String {
    std::fs::read_to_string(project.path("asked")).unwrap_or_default()
}

/// Resumes with these further words, with nobody to wait for.
fn resume(project: &Project, words: &[&str]) -> Run {
    project.write("go", "");
    let mut all = vec!["eval", "--resume"];
    all.extend(words);
    project.run(&all)
}

/// A run that was resumed is whole, and `a` was asked once.
fn assert_whole(project: &Project, run: &Run) {
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(column(project, "eval_id"), IDS);
    assert_eq!(column(project, "status"), ["passed"; 4]);
    let manifest = manifest(project);
    assert_eq!(manifest["status"], "finished");
    assert_eq!(manifest["exit_code"], 0);
    let counts = &manifest["counts"];
    let expected = [("planned", 4), ("passed", 4), ("failed", 0), ("errors", 0), ("not_run", 0)];
    for (name, count) in expected {
        assert_eq!(counts[name], json!(count), "{name}");
    }
    assert_eq!(asked(project).lines().filter(|id| *id == "a").count(), 1);
    assert_eq!(project.runs().len(), 1);
    project.assert_nothing_is_left();
}

/// Nothing was done: exit code 2, these words, and the results as they were.
fn assert_refused(project: &Project, run: &Run, says: &[&str]) {
    assert_eq!(run.code, Some(2), "{}", run.seen());
    for words in says {
        assert!(run.stderr.contains(words), "{words}\n{}", run.seen());
    }
    assert_eq!(column(project, "eval_id"), ["a"], "{}", run.seen());
}
