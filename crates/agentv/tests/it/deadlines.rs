//! `--deadline`: what is not done when the time is over leaves no row, is named, and is done by who
//! comes back.

use serde_json::json;

use crate::project::{column, manifest, project};

/// Fails or hangs until there is a file `go`.
const AGENT: &str = "case $AGENTV_EVAL_ID in\n\
    flaky) [ -e go ] || exit 3;;\n\
    slow*) while [ ! -e go ]; do sleep 0.02; done;;\nesac\necho ok\n";

const IDS: [&str; 4] = ["flaky", "slow-1", "slow-2", "slow-3"];

#[test]
fn what_runs_what_waits_for_another_try_and_what_was_never_begun_are_skipped_once_each() {
    // The next try of `flaky` is an hour away when the time is over.
    let keys = [
        "workers: 2",
        "max_retries: 1",
        "retry_initial_delay_ms: 3600000",
        "retry_max_delay_ms: 3600000",
    ];
    let project = project("sh agent.sh", &keys, &IDS).file("agent.sh", AGENT);
    let run = project.run(&["eval", "suite.yaml", "--deadline", "1"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(project.rows_text(), "");
    let now = manifest(&project);
    let counts = json!({"planned": 4, "passed": 0, "failed": 0, "errors": 0, "not_run": 4,
        "skipped": {"deadline": 4}});
    assert_eq!(now["counts"], counts);
    let mut named: Vec<String> = now["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["eval_id"].as_str().unwrap().to_owned())
        .collect();
    named.sort();
    assert_eq!(named, IDS);
    assert!(run.stdout.contains("4 cases: "), "{}", run.seen());
    assert!(run.stdout.contains("4 not run"), "{}", run.seen());
    assert!(run.stdout.contains("4 (deadline): "), "{}", run.seen());
    assert!(!run.stdout.contains("interrupted"), "{}", run.seen());
    project.assert_nothing_is_left();

    project.write("go", "");
    let run = project.run(&["eval", "--resume", "--deadline", "600"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), IDS);
    let counts = json!({"planned": 4, "passed": 4, "failed": 0, "errors": 0, "not_run": 0});
    assert_eq!(manifest(&project)["counts"], counts);
}
