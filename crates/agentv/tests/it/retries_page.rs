//! docs/retries.md and the code say the same of every kind of error.

use std::{fs, path::Path};

use agentv_base::{FailureKind, RetryPolicy};

use crate::project::project;

fn page() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join("docs/retries.md")).unwrap()
}

/// The cells of the rows of the first table.
fn table() -> Vec<Vec<String>> {
    let page = page();
    let lines = page.lines().skip_while(|line| !line.starts_with("| `error_kind`")).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    rows.map(|line| {
        line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
    })
    .collect()
}

#[test]
fn every_kind_of_error_has_its_row_in_order() {
    let kinds: Vec<String> = table().iter().map(|row| row[0].clone()).collect();
    let known: Vec<String> =
        FailureKind::ALL.iter().map(|kind| format!("`{}`", kind.name())).collect();
    assert_eq!(kinds, known);
}

#[test]
fn the_class_and_what_is_asked_again_are_those_of_the_code() {
    let policy = RetryPolicy::default();
    let said = |yes: bool| if yes { "yes" } else { "no" };
    for (row, kind) in table().iter().zip(FailureKind::ALL) {
        assert_eq!(row[2], kind.class().name(), "{row:?}");
        assert_eq!(row[3], said(policy.retries(*kind)), "{row:?}");
    }
}

#[test]
fn what_retry_on_takes_is_what_the_page_says() {
    for row in table() {
        let key = format!("retry_on: [{}]", row[0].trim_matches('`'));
        let run = project("echo ok", &[&key], &["a"]).run(&["validate", "suite.yaml"]);
        assert_eq!(run.code == Some(0), row[4] == "yes", "{row:?}\n{}", run.seen());
    }
}

#[test]
fn the_defaults_of_the_page_are_those_of_the_code() {
    let backoff = RetryPolicy::default().backoff;
    let page = page();
    for (key, value) in [
        ("retry_initial_delay_ms", backoff.initial.as_millis().to_string()),
        ("retry_max_delay_ms", backoff.most.as_millis().to_string()),
        ("retry_backoff_factor", backoff.factor.to_string()),
    ] {
        assert!(page.contains(&format!("| `{key}` | {value} |")), "{key}: {value}");
    }
}
