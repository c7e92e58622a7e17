//! The fake agent does what it is told; what it leaves behind can be found.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use std::{
    fs,
    process::{Command, Output},
};

use agentv_testkit::{assert_no_process_with, fake_agent, processes_with};
use tempfile::TempDir;

fn run(words: &str) -> Output {
    Command::new(fake_agent()).args(words.split(' ')).output().unwrap()
}

/// Answers a batch of the ids a, b and c and returns the lines that were written.
fn batch(flags: &[&str]) -> Vec<String> {
    let folder = TempDir::new().unwrap();
    let (requests, output) = (folder.path().join("requests"), folder.path().join("output"));
    let lines: String =
        ["a", "b", "c"].map(|id| format!("{{\"id\":\"{id}\",\"question\":\"{id}?\"}}\n")).concat();
    fs::write(&requests, lines).unwrap();
    let status = Command::new(fake_agent())
        .arg("batch")
        .args(flags)
        .env("AGENTV_BATCH_FILE", &requests)
        .env("AGENTV_OUTPUT_FILE", &output)
        .status()
        .unwrap();
    assert!(status.success());
    let written = fs::read_to_string(output).unwrap();
    written.lines().map(str::to_owned).collect()
}

#[test]
fn words_are_done_one_after_the_other() {
    let output = run("print one eprint two noise 3 exit 7");
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(output.stdout, b"one\nnoi");
    assert_eq!(output.stderr, b"two\n");
}

#[test]
fn a_word_that_it_does_not_know_ends_it_loudly() {
    let output = run("jump");
    assert_eq!(output.status.code(), Some(99));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`jump`"));
}

#[cfg(target_os = "linux")]
#[test]
fn what_it_spawns_lives_on_and_is_found_until_it_ends() {
    let folder = TempDir::new().unwrap();
    let go = folder.path().join("go");
    let tag = format!("tag-{}", folder.path().display());
    for how in ["group+quiet", "session+quiet", "daemon+quiet+clean"] {
        let _ = fs::remove_file(&go);
        let go = go.to_str().unwrap();
        let output = run(&format!("spawn {how} tag {tag} wait-for {go} end print gone"));
        assert_eq!(output.stdout, b"gone\n");
        assert_eq!(processes_with(&tag).len(), 1, "{how}");
        fs::write(go, "").unwrap();
        while !processes_with(&tag).is_empty() {
            std::thread::yield_now();
        }
    }
    assert_no_process_with(&tag);
}

#[test]
fn a_batch_is_answered_with_the_faults_that_were_asked_for() {
    assert_eq!(
        batch(&[]),
        [r#"{"id":"a","text":"a?"}"#, r#"{"id":"b","text":"b?"}"#, r#"{"id":"c","text":"c?"}"#,]
    );
    assert_eq!(
        batch(&[
            "--text",
            "{id} says {question}",
            "--leave-out",
            "a",
            "--duplicate",
            "b",
            "--error",
            "c",
            "broke",
            "--unknown",
            "z",
            "--bad-line",
            "2",
            "--blank-line",
            "1",
        ]),
        [
            "",
            r#"{"id":"b","text":"b says b?"}"#,
            r#"{"id": "broken", text}"#,
            r#"{"id":"b","text":"b says b?"}"#,
            r#"{"id":"c","error":"broke"}"#,
            r#"{"id":"z","text":"nobody asked"}"#,
        ]
    );
}
