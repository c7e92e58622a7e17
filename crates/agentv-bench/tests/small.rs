//! The benchmark in small: what it generates is in good order, and it runs to its end. What it
//! measures is nobody's business here, because a test must not depend on the speed of a machine.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use agentv_case::{LoadOptions, load};

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_agentv-bench")).args(args).output().unwrap()
}

#[test]
fn a_generated_suite_has_no_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let made = bench(&["generate", "yaml", "--cases", "200"]);
    fs::write(folder.path().join("suite.yaml"), made.stdout).unwrap();
    let loaded = load(&LoadOptions {
        paths: vec!["suite.yaml".to_owned()],
        current_dir: folder.path().to_owned(),
        ..LoadOptions::default()
    });
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    assert_eq!(loaded.suites[0].suite.cases.len(), 200);
}

#[test]
fn generated_data_has_one_object_a_line() {
    let made = String::from_utf8(bench(&["generate", "jsonl", "--cases", "200"]).stdout).unwrap();
    assert_eq!(made.lines().count(), 200);
    for line in made.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(case["input_messages"].is_array());
    }
}

#[test]
fn both_measurements_run_to_their_end() {
    // A program that does nothing stands in for `agentv`, which is not built for this test.
    let idle = ["/bin/true", "/usr/bin/true"].into_iter().find(|path| Path::new(path).exists());
    let run = bench(&["load", "--agentv", idle.unwrap(), "--cases=50", "--lines=50", "--rounds=1"]);
    let said = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success(), "{said}");
    for word in ["yaml-50k: 50 cases", "median ratio: 1.5", "jsonl-1m", "largest against smallest"]
    {
        assert!(said.contains(word), "{said}");
    }
}
