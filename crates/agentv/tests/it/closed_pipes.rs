//! Readers that go away: no panic, no lost row, and the exit code tells how the run went.

use std::{fs, process::Stdio};

use agentv_testkit::{Project, closed_pipe, wait_until};

use crate::project::{batch_project, column, lines, project, rows};

/// One case passes, one does not.
fn half_passing() -> Project {
    project("case {EVAL_ID} in a) echo ok;; *) echo no;; esac", &[], &["a", "b"])
}

#[test]
fn a_run_without_readers_ends_as_it_would_with_them() {
    for (ids, code) in [(&["a"][..], 0), (&["a", "b"][..], 1)] {
        let filters: Vec<&str> = ids.iter().flat_map(|id| ["--eval-id", id]).collect();
        let args = [&["eval", "suite.yaml", "-v"], &filters[..]].concat();
        for (close_stdout, close_stderr) in [(true, false), (false, true), (true, true)] {
            let project = half_passing();
            let run = project.start_with(&args, |command| {
                if close_stdout {
                    command.stdout(closed_pipe());
                }
                if close_stderr {
                    command.stderr(closed_pipe());
                }
                command
            });
            let run = run.finish();
            assert_eq!(run.code, Some(code), "{}", run.seen());
            assert!(!run.stderr.contains("panicked"), "{}", run.seen());
            assert_eq!(column(&project, "eval_id"), ids);
            project.assert_nothing_is_left();
        }
    }
}

#[test]
fn a_reader_that_leaves_in_the_middle_is_not_missed() {
    let command = ": > began-{EVAL_ID}; while [ ! -e go ]; do sleep 0.01; done; echo ok";
    let project = project(command, &["workers: 1"], &["a", "b"]);
    let (out_reader, out) = std::io::pipe().unwrap();
    let (err_reader, err) = std::io::pipe().unwrap();
    let run =
        project.start_with(&["eval", "suite.yaml"], |command| command.stdout(out).stderr(err));
    wait_until("the first case runs", || project.path("began-a").exists());
    drop((out_reader, err_reader));
    project.write("go", "");
    assert_eq!(run.finish().code, Some(0));
    assert_eq!(column(&project, "status"), ["passed", "passed"]);
}

#[test]
fn rows_can_go_to_standard_output() {
    let project = half_passing();
    let run = project.run(&["eval", "suite.yaml", "--out", "/dev/stdout", "-q"]);
    assert_eq!(run.code, Some(2), "the format must be said: {}", run.seen());
    let args = ["eval", "suite.yaml", "--out", "/dev/stdout", "--output-format", "jsonl", "-q"];
    let run = project.run(&args);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert_eq!(lines(&run.stdout).len(), 2, "rows alone: {}", run.seen());
    assert!(run.stderr.contains("1 passed"), "the summary gives way: {}", run.seen());
}

#[test]
fn standard_output_that_nobody_reads_does_not_lose_the_rows() {
    let project = half_passing();
    let args = [
        "eval",
        "suite.yaml",
        "--out",
        "/dev/stdout",
        "--out",
        "kept.yaml",
        "--output-format",
        "jsonl",
    ];
    let run = project.start_with(&args, |command| command.stdout(closed_pipe())).finish();
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert!(!run.stderr.contains("error:"), "{}", run.seen());
    assert_eq!(rows(&project).len(), 2);
    assert_eq!(lines(&fs::read_to_string(project.path("kept.yaml")).unwrap()).len(), 2);
}

#[test]
fn a_redirected_standard_output_keeps_what_was_there() {
    let project = half_passing().file("log", "before\n");
    let log = fs::OpenOptions::new().append(true).open(project.path("log")).unwrap();
    let args = ["eval", "suite.yaml", "--out", "/dev/stdout", "--output-format", "jsonl", "-q"];
    let run = project.start_with(&args, |command| command.stdout(Stdio::from(log))).finish();
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let log = fs::read_to_string(project.path("log")).unwrap();
    let rest = log.strip_prefix("before\n").expect("what was there is still there");
    assert_eq!(lines(rest).len(), 2, "{log}");
}

#[test]
fn invoke_asks_every_case_though_nobody_reads() {
    let project = batch_project("exit 3", &[], &["a"]);
    let args = ["invoke", "suite.yaml", "--target", "agent"];
    let run = project.start_with(&args, |command| command.stdout(closed_pipe())).finish();
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let project = half_passing();
    let run = project.start_with(&args, |command| command.stdout(closed_pipe())).finish();
    assert_eq!(run.code, Some(0), "{}", run.seen());
}

#[test]
fn commands_that_only_print_end_quietly_when_nobody_reads() {
    let project = half_passing();
    for args in [
        &["--help"][..],
        &["--version"],
        &["eval", "--help"],
        &["completions", "bash"],
        &["validate", "suite.yaml"],
    ] {
        let run = project.start_with(args, |command| command.stdout(closed_pipe())).finish();
        assert_eq!(run.code, Some(0), "{args:?}: {}", run.seen());
        assert_eq!(run.stderr, "", "{args:?}");
    }
    let run =
        project.start_with(&["eval", "nowhere.yaml"], |command| command.stderr(closed_pipe()));
    assert_eq!(run.finish().code, Some(2));
}
