//! `--fail-fast`: after enough failures nothing new is begun, and what is left out can be done later.

use agentv_testkit::Project;
use serde_json::json;

use crate::project::{column, empty, manifest, project, suite};

/// A mock that answers at once, and never what is wanted.
fn wrong(count: usize) -> Project {
    let ids: Vec<String> = (0..count).map(|number| format!("case-{number:02}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let targets = "targets:\n  - {name: agent, provider: mock, response: no}\n";
    empty().file(".agentv/targets.yaml", targets).file("suite.yaml", suite(&ids))
}

#[test]
fn with_one_worker_the_first_failure_is_the_last_thing_that_was_begun() {
    let project = wrong(30);
    let run = project.run(&["eval", "suite.yaml", "--workers", "1", "--fail-fast"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), ["case-00"]);
    let now = manifest(&project);
    let counts = json!({"planned": 30, "passed": 0, "failed": 1, "errors": 0, "not_run": 29,
        "skipped": {"fail_fast": 29}});
    assert_eq!(now["counts"], counts);
    assert_eq!(now["skipped"].as_array().unwrap().len(), 29);
    assert_eq!(now["skipped"][0]["eval_id"], "case-01");
    assert_eq!(now["skipped"][0]["reason"], "fail_fast");
    assert!(run.stdout.contains("30 cases: "), "{}", run.seen());
    assert!(run.stdout.contains("29 (--fail-fast): case-01 (agent)"), "{}", run.seen());

    let run = project.run(&["eval", "--resume", "--fail-fast", "1000"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let counts = json!({"planned": 30, "passed": 0, "failed": 30, "errors": 0, "not_run": 0});
    assert_eq!(manifest(&project)["counts"], counts);
}

#[test]
fn no_more_fail_than_enough_and_those_beside_the_last() {
    let project = wrong(60);
    let run = project.run(&["eval", "suite.yaml", "--workers", "3", "--fail-fast", "2"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let rows = column(&project, "eval_id").len();
    assert!((2..=2 + 3 - 1).contains(&rows), "{rows}: {}", run.seen());
}

#[test]
fn what_waits_for_another_try_is_tried_by_who_comes_back() {
    // The next try of `flaky` is an hour away when `bad` fails.
    let command = "case $AGENTV_EVAL_ID in bad) [ -e failed ] && echo no;; \
        *) touch failed; [ -e go ] && echo ok;; esac";
    let keys = [
        "workers: 1",
        "max_retries: 1",
        "retry_initial_delay_ms: 3600000",
        "retry_max_delay_ms: 3600000",
    ];
    let project = project(command, &keys, &["flaky", "bad"]);
    let run = project.run(&["eval", "suite.yaml", "--fail-fast"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), ["bad"]);
    assert_eq!(manifest(&project)["skipped"][0]["eval_id"], "flaky");

    project.write("go", "");
    let run = project.run(&["eval", "--resume", "--fail-fast", "9"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let counts = json!({"planned": 2, "passed": 1, "failed": 1, "errors": 0, "not_run": 0});
    assert_eq!(manifest(&project)["counts"], counts);
}
