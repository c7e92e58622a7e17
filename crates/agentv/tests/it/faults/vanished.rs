//! A results folder that vanishes while the run writes to it.

use std::fs;

use super::{begin, killed_run, patient_project, resume};

#[test]
fn a_run_whose_folder_vanishes_says_so_and_claims_nothing() {
    for all in [false, true] {
        let project = patient_project();
        let run = begin(&project);
        let gone = if all { project.path(".agentv/results") } else { project.newest_run() };
        fs::remove_dir_all(gone).unwrap();
        project.write("go", "");
        let run = run.finish();
        assert_eq!(run.code, Some(3), "{}", run.seen());
        assert!(
            run.stderr.contains("the file was deleted while the run was writing"),
            "{}",
            run.seen()
        );
        assert_eq!(project.runs().len(), 0, "no half of a run comes back");
        project.assert_nothing_is_left();
    }
}

#[test]
fn a_run_without_its_results_is_not_resumed() {
    let project = killed_run();
    fs::remove_file(project.newest_run().join("results.jsonl")).unwrap();
    let run = resume(&project, &[]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("results.jsonl"), "{}", run.seen());
    assert!(!project.newest_run().join("results.jsonl").exists());
}
