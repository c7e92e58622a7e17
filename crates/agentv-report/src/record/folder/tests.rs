//! Run folders that appear whole, and collisions of their names.

use std::collections::VecDeque;

use super::*;
use crate::record::sample::manifest;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_run_has_a_complete_manifest_and_no_rows_and_nothing_beside_it() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), &manifest()).unwrap();
    let results = root.path().join(".agentv/results");
    assert_eq!(names(&results), [folder.run_id()]);
    assert_eq!(names(folder.path()), ["results.jsonl", "run.json"]);
    assert_eq!(fs::read(folder.results_path()).unwrap(), b"");
    let read = RunManifest::read(&folder.manifest_path()).unwrap();
    assert_eq!(read.run_id, folder.run_id());
    assert_eq!(RunManifest { run_id: String::new(), ..read }, manifest());
}

#[test]
fn the_manifest_is_written_for_people() {
    let root = tempfile::tempdir().unwrap();
    let folder =
        RunFolder::create_with(root.path(), &manifest(), || "abcd".to_owned(), &mut |_| Ok(()))
            .unwrap();
    insta::assert_snapshot!(fs::read_to_string(folder.manifest_path()).unwrap());
}

#[test]
fn run_ids_sort_by_time() {
    let root = tempfile::tempdir().unwrap();
    let early = RunFolder::create(root.path(), &manifest()).unwrap();
    let mut later = manifest();
    later.started_at = crate::Timestamp::of(crate::record::sample::moment(1));
    let later = RunFolder::create(root.path(), &later).unwrap();
    assert!(early.run_id() < later.run_id());
    assert!(early.run_id().starts_with("20250102T030405678Z-"), "{}", early.run_id());
}

#[test]
fn two_runs_of_one_millisecond_that_draw_the_same_name_get_two_folders() {
    let root = tempfile::tempdir().unwrap();
    let draw = |names: &[&str]| {
        let mut names: VecDeque<String> = names.iter().map(|name| (*name).to_owned()).collect();
        RunFolder::create_with(
            root.path(),
            &manifest(),
            move || names.pop_front().unwrap(),
            &mut |_| Ok(()),
        )
    };
    let first = draw(&["aaaa"]).unwrap();
    let second = draw(&["aaaa", "bbbb"]).unwrap();
    assert_eq!(second.run_id(), "20250102T030405678Z-bbbb");
    assert_eq!(names(&root.path().join(".agentv/results")), [first.run_id(), second.run_id()]);
}

#[test]
fn a_hundred_runs_at_once_all_get_their_own_folder() {
    let root = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                for _ in 0..10 {
                    RunFolder::create(root.path(), &manifest()).unwrap();
                }
            });
        }
    });
    assert_eq!(names(&root.path().join(".agentv/results")).len(), 100);
}

#[test]
fn names_that_are_all_taken_are_a_fault_and_not_a_loop() {
    let root = tempfile::tempdir().unwrap();
    let create =
        || RunFolder::create_with(root.path(), &manifest(), || "aaaa".to_owned(), &mut |_| Ok(()));
    create().unwrap();
    let fault = create().unwrap_err();
    assert!(fault.to_string().starts_with("cannot find a free name for the run in"), "{fault}");
}

#[test]
fn a_file_in_the_way_is_named_with_the_cause() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join(".agentv"), "").unwrap();
    let fault = RunFolder::create(root.path(), &manifest()).unwrap_err();
    let text = fault.to_string();
    assert!(text.contains(".agentv/results`: "), "{text}");
    assert!(text.starts_with("cannot make the folder"), "{text}");
    assert!(text.ends_with("a file is in the way"), "{text}");
}

#[test]
fn a_rewritten_manifest_replaces_the_old_one_and_keeps_the_runs_id() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), &manifest()).unwrap();
    let mut last = manifest();
    last.run_id = "another".to_owned();
    last.exit_code = Some(1);
    folder.write_manifest(&last).unwrap();
    let read = RunManifest::read(&folder.manifest_path()).unwrap();
    assert_eq!(read.exit_code, Some(1));
    assert_eq!(read.run_id, folder.run_id());
    assert_eq!(names(folder.path()), ["results.jsonl", "run.json"]);
}

#[test]
fn a_manifest_edited_by_hand_is_refused_with_its_path_and_place() {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(root.path(), &manifest()).unwrap();
    fs::write(folder.manifest_path(), "{\"run_id\": 7}").unwrap();
    let fault = RunManifest::read(&folder.manifest_path()).unwrap_err();
    let text = fault.to_string();
    assert!(text.contains("run.json") && text.contains("line 1 column"), "{text}");
}
