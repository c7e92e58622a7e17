//! However a run ends early, `--resume` finishes it.

use agentv_testkit::{Signal, wait_until};

use super::{asked, assert_whole, begin, killed_run, patient_project, resume};
use crate::project::{manifest, rows_so_far};

#[test]
fn a_killed_run_is_finished_by_resuming_it() {
    let project = killed_run();
    let run = resume(&project, &[]);
    assert!(run.stderr.contains("1 of 4 cases have their row"), "{}", run.seen());
    assert_whole(&project, &run);
    let sessions = manifest(&project)["sessions"].as_array().unwrap().clone();
    assert_eq!(sessions.len(), 2);
    assert_eq!(sessions[1]["rows_before"], 1);
}

#[test]
fn a_run_that_was_asked_to_end_is_finished_by_resuming_it() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        if signal == Signal::SIGHUP && agentv_exec::process::hangup_is_ignored() {
            // So are these tests, and what they start inherits it.
            continue;
        }
        let project = patient_project();
        let run = begin(&project);
        run.signal(signal);
        let run = run.finish();
        assert_eq!(run.code, Some(130), "{signal}: {}", run.seen());
        assert_eq!(manifest(&project)["status"], "interrupted");
        assert_eq!(manifest(&project)["counts"]["not_run"], 3);
        project.assert_nothing_is_left();
        assert_whole(&project, &resume(&project, &[]));
    }
}

#[test]
fn ctrl_c_twice_kills_what_runs_and_the_run_can_be_resumed() {
    let project = patient_project();
    let run = begin(&project);
    run.signal(Signal::SIGINT);
    run.signal(Signal::SIGINT);
    let run = run.finish();
    assert_eq!(run.code, Some(130), "{}", run.seen());
    project.assert_nothing_is_left();
    assert_whole(&project, &resume(&project, &[]));
}

#[test]
fn a_resumed_run_that_is_killed_is_resumed_again() {
    let project = killed_run();
    for _ in 0..3 {
        let before = asked(&project).len();
        let run = project.start(&["eval", "--resume"]);
        wait_until("others are under way", || asked(&project).len() > before);
        run.signal(Signal::SIGKILL);
        assert_eq!(run.finish().code, None);
        assert_eq!(rows_so_far(&project), 1);
    }
    assert_whole(&project, &resume(&project, &[]));
}
