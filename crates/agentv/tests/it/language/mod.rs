//! What users see of the language of suites: which cases are run, of which targets, under which
//! names and thresholds, and what is said of mistakes that only the later dialects allow.

mod mistakes;
mod places;
mod selection;
mod targets;
mod thresholds;
mod variables;

use agentv_testkit::{Project, Run};
use serde_json::Value;

use crate::project::{empty, rows};

/// A project with a target that answers `ok`, and this suite.
fn suite(text: &str) -> Project {
    empty()
        .file(".agentv/targets.yaml", "targets: [{name: agent, provider: cli, command: echo ok}]\n")
        .file("suite.yaml", graded(text))
}

/// A suite in which every answer passes.
fn graded(text: &str) -> String {
    format!("{text}assert: ['regex: .']\n")
}

/// Runs the suite of a project in which every case passes.
fn passing(project: &Project, args: &[&str]) -> Run {
    let run = project.run(&[&["eval", "suite.yaml"], args].concat());
    assert_eq!(run.code, Some(0), "{}", run.seen());
    run
}

/// These fields of every row of the newest run, a line each, sorted.
fn told(project: &Project, fields: &[&str]) -> Vec<String> {
    let field = |row: &Value, name: &str| {
        row[name].as_str().map_or_else(|| row[name].to_string(), str::to_owned)
    };
    let mut told: Vec<String> = rows(project)
        .iter()
        .map(|row| fields.iter().map(|name| field(row, name)).collect::<Vec<_>>().join(" "))
        .collect();
    told.sort();
    told
}

/// What is said of a project in which nothing may run.
fn refused(project: &Project, args: &[&str]) -> String {
    let run = project.run(args);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.seen());
    assert!(project.runs().is_empty(), "something was run: {}", run.seen());
    run.stderr
}
