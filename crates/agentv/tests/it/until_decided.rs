//! `--until-decided`: repeats that are not needed are no cases that are missing, and a run that was
//! ended early comes to the same.

use std::fs;

use agentv_testkit::Project;
use serde_json::Value;

use crate::project::{column, empty, manifest, suite};

const ARGS: [&str; 5] = ["eval", "suite.yaml", "--repeat", "40", "--until-decided"];

fn certain() -> Project {
    let targets = "targets:\n  - {name: agent, provider: mock, response: ok}\n";
    empty().file(".agentv/targets.yaml", targets).file("suite.yaml", suite(&["a", "b"]))
}

fn count(counts: &Value, name: &str) -> u64 {
    counts[name].as_u64().unwrap_or(0)
}

#[test]
fn repeats_that_are_not_needed_are_counted_and_miss_nothing() {
    let project = certain();
    let run = project.run(&ARGS);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let whole = manifest(&project);
    let counts = &whole["counts"];
    assert_eq!((count(counts, "planned"), count(counts, "not_run")), (80, 0));
    assert_eq!(count(counts, "passed") + count(counts, "decided"), 80);
    assert!(count(counts, "passed") < 80, "{counts}");
    assert!(whole["skipped"].as_array().is_none_or(Vec::is_empty), "nothing is missing: {whole}");
    assert!(run.stdout.contains("repeats not needed"), "{}", run.seen());
    assert_eq!(column(&project, "eval_id").len() as u64, count(counts, "passed"));

    // There is nothing to go on with.
    let rows = project.rows_text();
    assert_eq!(project.run(&["eval", "--resume"]).code, Some(0));
    assert_eq!(project.rows_text(), rows);

    // What was lost is asked again, and no more than that.
    let first = rows.split_inclusive('\n').next().unwrap();
    fs::write(project.newest_run().join("results.jsonl"), first).unwrap();
    let run = project.run(&["eval", "--resume"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(&manifest(&project)["counts"], counts);
}
