//! Two at once: runs in one folder do not mind each other, and nobody works on a run of another.

use agentv_testkit::wait_until;

use super::{asked, assert_refused, assert_whole, begin, killed_run, patient_project, resume};
use crate::project::{project, rows};

#[test]
fn two_runs_in_one_folder_are_two_runs() {
    let agent = "echo x >> asked; while [ ! -e go ]; do sleep 0.01; done; echo ok";
    let project = project("sh agent.sh", &["workers: 1"], &["a", "b"]).file("agent.sh", agent);
    let runs = [0, 1].map(|_| project.start(&["eval", "suite.yaml"]));
    wait_until("both are under way", || asked(&project).lines().count() == 2);
    project.write("go", "");
    for run in runs {
        let run = run.finish();
        assert_eq!(run.code, Some(0), "{}", run.seen());
    }
    let folders = project.runs();
    assert_eq!(folders.len(), 2);
    for folder in folders {
        let text = std::fs::read_to_string(folder.join("results.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 2);
    }
    assert_eq!(rows(&project).len(), 2);
    project.assert_nothing_is_left();
}

#[test]
fn a_run_that_still_runs_is_not_resumed() {
    let project = patient_project();
    let running = begin(&project);
    let run = project.run(&["eval", "--resume"]);
    assert_refused(&project, &run, &["is still running"]);
    project.write("go", "");
    let run = running.finish();
    assert_whole(&project, &run);
}

#[test]
fn of_two_that_resume_one_run_the_second_is_refused() {
    let project = killed_run();
    let before = asked(&project).len();
    let first = project.start(&["eval", "--resume"]);
    wait_until("the first goes on", || asked(&project).len() > before);
    let second = project.run(&["eval", "--resume"]);
    assert_refused(&project, &second, &["is still running"]);
    project.write("go", "");
    let first = first.finish();
    assert_whole(&project, &first);
    assert_whole(&project, &resume(&project, &[]));
}
