//! The retry keys of a `cli` target on the real command: what is asked again, how often, and what
//! stays in the row.

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{batch_project, column, manifest, project, rows};

/// Waits are of no interest here.
const AT_ONCE: &str = "retry_initial_delay_ms: 1";

/// How often the target was asked, which it writes down itself.
fn asked(project: &Project) -> usize {
    std::fs::read_to_string(project.path("asked")).unwrap_or_default().lines().count()
}

#[test]
fn a_target_is_asked_again_as_often_as_it_says() {
    let command = "echo x >> asked; test {ATTEMPT} = 2 && echo ok";
    let project = project(command, &["max_retries: 2", AT_ONCE], &["a"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(asked(&project), 3);
    let row = &rows(&project)[0];
    assert_eq!(row["attempts"], 3);
    let failed = row["failed_attempts"].as_array().unwrap();
    assert_eq!(failed.len(), 2);
    for attempt in failed {
        assert_eq!(attempt["error_kind"], "exit");
        assert_eq!(attempt["error"], "exited with code 1");
        assert!(attempt["duration_ms"].is_number());
    }
}

#[test]
fn the_command_line_wins_over_the_target() {
    for (said, times) in [("0", 1), ("1", 2)] {
        let project = project("echo x >> asked; exit 1", &["max_retries: 5", AT_ONCE], &["a"]);
        let run = project.run(&["eval", "suite.yaml", "--max-retries", said]);
        assert_eq!(run.code, Some(3), "{}", run.seen());
        assert_eq!(asked(&project), times);
    }
}

/// Kinds of failures, each with a command that fails so.
const FAILURES: [(&str, &str); 4] = [
    ("exit", "exit 3"),
    ("signal", "kill -9 $$"),
    ("output", "true > {OUTPUT_FILE}"),
    ("target", "echo '{\"error\": \"no\"}'"),
];

#[test]
fn only_the_listed_kinds_are_asked_again() {
    for (kind, command) in FAILURES {
        for listed in ["exit", "signal", "output", "target", "timeout"] {
            let keys = ["max_retries: 2", AT_ONCE, &format!("retry_on: [{listed}]")];
            let project = project(&format!("echo x >> asked; {command}"), &keys, &["a"]);
            project.run(&["eval", "suite.yaml"]);
            let kinds = column(&project, "error_kind");
            // An answer that only says `error` is no failure of the invocation in single mode.
            if kinds == [Value::Null] {
                continue;
            }
            assert_eq!(kinds, [kind]);
            assert_eq!(asked(&project), if kind == listed { 3 } else { 1 }, "{kind} {listed}");
        }
    }
}

#[test]
fn what_failed_of_a_batch_is_asked_again_together() {
    // The first time one of the four fails by itself; the second time it is answered.
    let command = "echo x >> asked; wc -l < {BATCH_FILE} >> sizes; \
        if [ {ATTEMPT} = 0 ]; then \
        sed 's/\"id\":\"[bc]\",/&\"error\":\"not now\",/; s/\"question\":\"[^\"]*\"/\"text\":\"ok\"/' {BATCH_FILE}; \
        else sed 's/\"question\":\"[^\"]*\"/\"text\":\"ok\"/' {BATCH_FILE}; fi > {OUTPUT_FILE}";
    let keys = ["max_retries: 1", AT_ONCE, "retry_on: [target]"];
    let project = batch_project(command, &keys, &["a", "b", "c", "d"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let sizes = std::fs::read_to_string(project.path("sizes")).unwrap();
    let sizes: Vec<_> = sizes.split_whitespace().collect();
    assert_eq!(sizes, ["4", "2"]);
    assert_eq!(column(&project, "attempts"), [1, 2, 2, 1]);
    let counts = &manifest(&project)["counts"];
    assert_eq!((&counts["passed"], &counts["errors"]), (&json!(4), &json!(0)));
}

#[test]
fn a_case_that_failed_its_graders_is_not_asked_again() {
    let project = project("echo x >> asked; echo no", &["max_retries: 3", AT_ONCE], &["a"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert_eq!(asked(&project), 1);
}

#[test]
fn bad_retry_keys_are_all_named_and_nothing_runs() {
    let keys = [
        "max_retries: -1",
        "retry_initial_delay_ms: 0",
        "retry_backoff_factor: 0.5",
        "retry_on: [exit, crash]",
        "max_memory_mb: 0",
        "max_cpu_seconds: 1.5",
    ];
    let project = project("echo x >> asked; echo ok", &keys, &["a"]);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    for said in [
        "`max_retries` must be a whole number of at least 0",
        "`retry_initial_delay_ms` must be greater than 0",
        "`retry_backoff_factor` must be at least 1",
        "unknown kind of error `crash`",
        "`max_memory_mb` must be a whole number of at least 1",
        "`max_cpu_seconds` must be a whole number of at least 1",
    ] {
        assert!(run.stderr.contains(said), "{said}\n{}", run.seen());
    }
    assert_eq!(asked(&project), 0);
}
