//! What a user sees who made a mistake, or whose target, judge or disk did.
//!
//! Everything here runs the real binary and shows the whole of what it says. Mistakes are refused
//! with exit code 2 before anything runs; what goes wrong in a run is a row with its cause, and
//! exit code 3.

mod at_once;
mod batch_output;
mod flags;
mod graders;
mod judges;
mod keys;
mod models;
mod output;
mod placeholders;
mod processes;
mod records;
mod suites;
mod targets;

use agentv_testkit::{Project, assert_no_process_with};

use crate::project::{column, empty, suite, targets};

/// A command that cannot run without leaving a file behind.
const LEAVES_A_TRACE: &str = "touch started; echo ok";

/// A project that runs and passes: what a test changes in it is the only mistake.
fn sound() -> Project {
    empty()
        .file(".agentv/targets.yaml", targets(LEAVES_A_TRACE, &[]))
        .file("suite.yaml", suite(&["a"]))
}

/// What is said of a suite with a mistake.
fn with_suite(text: &str) -> String {
    refused(&sound().file("suite.yaml", text), &["eval", "suite.yaml"])
}

/// What is said of a targets file with a mistake.
fn with_targets(text: &str) -> String {
    refused(&sound().file(".agentv/targets.yaml", text), &["eval", "suite.yaml"])
}

/// What is said where nothing may run: on standard error only, and nothing is left behind.
fn refused(project: &Project, args: &[&str]) -> String {
    let run = project.run(args);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert_eq!(run.stdout, "");
    assert!(!project.path("started").exists(), "something was run: {}", run.seen());
    assert!(!project.path(".agentv/results").exists(), "a run was recorded: {}", run.seen());
    assert_clean(project);
    run.stderr
}

/// What is seen of a run in which cases could not be evaluated.
fn unevaluated(project: &Project) -> String {
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_clean(project);
    for (status, score) in column(project, "status").iter().zip(column(project, "score")) {
        assert_eq!((status.as_str(), score.is_null()), (Some("error"), true), "{}", run.seen());
    }
    without_times(&run.seen())
}

/// No process is left, and no temporary file. Whatever a project starts knows its own folder.
fn assert_clean(project: &Project) {
    assert_no_process_with(&project.path("tmp").to_string_lossy());
    let left = project.temporary_files();
    assert!(left.is_empty(), "{left:?}");
}

/// The same text on a fast and on a slow machine.
pub fn without_times(seen: &str) -> String {
    let is_time = |word: &str| {
        let number = word.trim_end_matches("ms").trim_end_matches('s');
        !number.is_empty()
            && number.len() < word.len()
            && number.chars().all(|c| c.is_ascii_digit() || ".m".contains(c))
    };
    let mut text = String::new();
    // Where the rows are is said at the end of every run, and shown elsewhere.
    let seen = seen.replace("\nResults: .agentv/results/[RUN]/results.jsonl\n", "");
    for line in seen.lines() {
        let first = line.split_whitespace().next().unwrap_or_default();
        // Times are aligned to the right in a column of their own.
        let line =
            if is_time(first) { format!("  {}", line.trim_start()) } else { line.to_owned() };
        let words = line.split(' ').map(|word| {
            let time = word.trim_end_matches(':');
            if is_time(time) { word.replace(time, "[TIME]") } else { word.to_owned() }
        });
        text.push_str(&words.collect::<Vec<_>>().join(" "));
        text.push('\n');
    }
    text
}
