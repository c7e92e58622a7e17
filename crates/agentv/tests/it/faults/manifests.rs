//! A `run.json` that is not what this version wrote: edited, broken, older, newer, of the future.

use std::fs;

use agentv_testkit::Project;
use serde_json::{Value, json};

use super::{assert_refused, assert_whole, killed_run, resume};
use crate::project::manifest;

fn write_manifest(project: &Project, text: &str) {
    fs::write(project.newest_run().join("run.json"), text).unwrap();
}

fn edit(project: &Project, change: impl FnOnce(&mut Value)) {
    let mut manifest = manifest(project);
    change(&mut manifest);
    write_manifest(project, &manifest.to_string());
}

#[test]
fn a_manifest_that_is_no_json_is_named_and_nothing_is_run() {
    let project = killed_run();
    let whole = manifest(&project).to_string();
    for broken in ["", "{", "[]", "\0\0\0\0", whole.split_at(whole.len() / 2).0] {
        write_manifest(&project, broken);
        let run = resume(&project, &[]);
        assert_refused(&project, &run, &["run.json"]);
    }
    write_manifest(&project, &whole);
    assert_whole(&project, &resume(&project, &[]));
}

#[test]
fn a_manifest_without_a_key_that_it_needs_is_named() {
    for key in ["agentv_version", "status", "started_at", "suites", "targets", "options", "counts"]
    {
        let project = killed_run();
        edit(&project, |manifest| drop(manifest.as_object_mut().unwrap().remove(key)));
        let run = resume(&project, &[]);
        assert_refused(&project, &run, &["run.json", key]);
    }
}

#[test]
fn a_hash_that_was_changed_by_hand_is_a_change_like_any_other() {
    let project = killed_run();
    edit(&project, |manifest| manifest["suites"][0]["sha256"] = json!("0".repeat(64)));
    let run = resume(&project, &[]);
    assert_refused(&project, &run, &["cannot be resumed", "suite `suite.yaml` changed"]);
}

#[test]
fn counts_that_were_changed_by_hand_are_counted_again() {
    let project = killed_run();
    edit(&project, |manifest| {
        manifest["counts"]["passed"] = json!(4);
        manifest["counts"]["not_run"] = json!(0);
        manifest["status"] = json!("finished");
    });
    assert_whole(&project, &resume(&project, &[]));
}

#[test]
fn a_run_from_a_clock_that_was_ahead_is_in_nobodys_way() {
    let project = killed_run();
    let run = project.newest_run();
    let ahead = run.with_file_name("29990101T000000000Z-zzzz");
    fs::rename(&run, &ahead).unwrap();
    // A new run is a new run, whatever stands behind it in the list.
    project.write("go", "");
    let new = project.run(&["eval", "suite.yaml"]);
    assert_eq!(new.code, Some(0), "{}", new.seen());
    assert_eq!(project.runs().len(), 2);
    let resumed = project.run(&["eval", "--resume", "29990101"]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.seen());
    assert!(resumed.stderr.contains("resuming run 29990101T000000000Z-zzzz"));
    let text = fs::read_to_string(ahead.join("results.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 4);
    let whole = project.runs().remove(0);
    assert_eq!(fs::read_to_string(whole.join("results.jsonl")).unwrap().lines().count(), 4);
}

#[test]
fn a_line_that_is_no_row_is_named_and_nothing_is_run() {
    let project = killed_run();
    let path = project.newest_run().join("results.jsonl");
    let row = fs::read_to_string(&path).unwrap();
    for (text, says) in [
        (format!("not a row\n{row}"), "line 1"),
        (format!("{row}{{}}\n"), "line 2"),
        (format!("{row}{row}"), "line 2"),
    ] {
        fs::write(&path, &text).unwrap();
        let run = resume(&project, &[]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains(says), "{}", run.seen());
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "the results are left alone");
    }
}

#[test]
fn a_torn_row_is_kept_aside_and_its_case_is_asked_again() {
    let project = killed_run();
    let path = project.newest_run().join("results.jsonl");
    let row = fs::read_to_string(&path).unwrap();
    for end in [1, 20, row.len() - 2] {
        fs::write(&path, row.split_at(end).0).unwrap();
        let run = project.run(&["eval", "--resume", "--eval-id", "nobody"]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(run.stderr.contains(".results.jsonl.torn-"), "{}", run.seen());
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }
    let pieces = fs::read_dir(project.newest_run()).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with(".results.jsonl.torn-")
    });
    assert_eq!(pieces.count(), 3);
    let run = resume(&project, &[]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(crate::project::column(&project, "status"), ["passed"; 4]);
    // A row that lacks only its end of line is a row.
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, whole.trim_end()).unwrap();
    let run = resume(&project, &[]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
}
