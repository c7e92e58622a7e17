//! Where results go: a folder that cannot be made, the root that it belongs to, a reader that
//! went away.

use std::{fs, io};

use insta::assert_snapshot;

use super::{assert_clean, refused, sound};
use crate::project::{column, empty, rows, suite, targets};

#[test]
fn results_that_cannot_be_recorded_stop_the_run_before_anything_runs() {
    let project = sound().file(".agentv/results", "not a folder");
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3));
    assert!(!project.path("started").exists());
    assert_clean(&project);
    assert_snapshot!(run.seen(), @"
    exit: 3
    --- stdout
    --- stderr
    error: cannot make the folder `[PROJECT]/.agentv/results`: a file is in the way

    1 error
    ");
}

#[test]
fn prompts_that_cannot_be_written_stop_the_run_before_anything_runs() {
    let project = sound().file("prompts", "not a folder");
    assert_snapshot!(refused(&project, &["eval", "suite.yaml", "--dump-prompts=prompts"]), @"
    error: cannot make the folder prompts: File exists (os error 17)

    1 error
    ");
}

#[test]
fn the_nearest_folder_with_agentv_in_it_is_the_root() {
    let project = empty()
        .file("tools/.agentv/targets.yaml", targets("echo ok", &[]))
        .file("tools/evals/deep/suite.yaml", suite(&["a"]));
    let run = project.run_in("tools/evals", &["eval", "deep/suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(project.path("tools/.agentv/results").is_dir());
    assert!(!project.path(".agentv").exists());
    assert!(!project.path("tools/evals/.agentv").exists());
}

#[test]
fn the_root_is_found_from_where_the_user_stands_and_not_from_the_suite() {
    let project = empty()
        .file("tools/.agentv/targets.yaml", targets("echo ok", &[]))
        .file("tools/suite.yaml", suite(&["a"]));
    let run = project.run(&["eval", "tools/suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(!project.path("tools/.agentv/results").exists());
    assert_eq!(column(&project, "suite"), ["tools/suite.yaml"]);
}

#[test]
fn a_reader_that_went_away_is_no_fault_of_the_run() {
    for args in [&["eval", "suite.yaml"][..], &["eval", "suite.yaml", "--out", "rows.jsonl"][..]] {
        let project = sound();
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut command = project.command(args);
        let output = command.stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(rows(&project).len(), 1);
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{output:?}");
    }
}

#[test]
fn an_output_that_is_replaced_is_replaced_whole() {
    let project = sound().file("rows.jsonl", "old\n");
    assert_eq!(project.run(&["eval", "suite.yaml", "--out", "rows.jsonl"]).code, Some(0));
    let rows = fs::read_to_string(project.path("rows.jsonl")).unwrap();
    assert_eq!(rows, project.rows_text());
}
