//! Rows that are kept, and files that cannot keep them.

use std::{
    fs,
    io::Read as _,
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::Path,
};

use agentv_base::{FailureKind, Outcome, Totals};

use super::*;
use crate::record::{
    Purpose, RunStatus, read_rows, read_rows_at,
    sample::{THRESHOLD, failed, manifest, response, scored, settled},
};

fn recorder(root: &Path) -> Recorder {
    let folder = RunFolder::create(root, &manifest()).unwrap();
    let options = RecorderOptions { threshold: Some(THRESHOLD), ..RecorderOptions::default() };
    Recorder::new(folder.clone(), Ledger::open(&folder, Purpose::GoOn).unwrap(), options).unwrap()
}

fn settle(recorder: &mut Recorder, slot: usize, id: &str, outcome: Outcome) {
    let event = RunEvent::Settled(Box::new(settled(slot, id, outcome)));
    recorder.hear(&event).unwrap();
}

#[test]
fn a_row_is_a_whole_line_on_disk_as_soon_as_the_case_was_heard_of() {
    let root = tempfile::tempdir().unwrap();
    let mut recorder = recorder(root.path());
    let path = recorder.folder().results_path();
    for (count, id) in ["a", "b"].into_iter().enumerate() {
        settle(&mut recorder, count, id, scored(1.0, &[]));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.ends_with("}\n"));
        assert_eq!(text.lines().count(), count + 1);
    }
}

#[test]
fn rows_can_be_read_in_the_order_of_the_plan() {
    let root = tempfile::tempdir().unwrap();
    let mut recorder = recorder(root.path());
    recorder.hear(&RunEvent::Started { cases: 4, repeated: true }).unwrap();
    for (slot, id) in [(2, "c"), (0, "a"), (3, "d")] {
        settle(&mut recorder, slot, id, scored(1.0, &[]));
    }
    let path = recorder.folder().results_path();
    let ids: Vec<String> = read_rows_at(&path, recorder.offsets())
        .unwrap()
        .map(|row| row.unwrap().eval_id.into_owned())
        .collect();
    assert_eq!(ids, ["a", "c", "d"]);
    let as_settled: Vec<String> =
        read_rows(&path).unwrap().map(|row| row.unwrap().eval_id.into_owned()).collect();
    assert_eq!(as_settled, ["c", "a", "d"]);
}

#[test]
fn cases_are_counted_by_how_they_ended() {
    let root = tempfile::tempdir().unwrap();
    let mut recorder = recorder(root.path());
    recorder.hear(&RunEvent::Started { cases: 6, repeated: true }).unwrap();
    settle(&mut recorder, 0, "a", scored(1.0, &[]));
    settle(&mut recorder, 1, "b", scored(0.5, &[]));
    settle(&mut recorder, 2, "c", failed(FailureKind::Exit, "exit code 1"));
    settle(&mut recorder, 3, "d", failed(FailureKind::Interrupted, "interrupted"));
    let answered = Outcome::Answered { response: Box::new(response("x")) };
    settle(&mut recorder, 4, "e", answered);
    assert_eq!(
        recorder.counts(),
        RunCounts {
            planned: 6,
            passed: 1,
            failed: 1,
            errors: 1,
            not_run: 3,
            ..RunCounts::default()
        }
    );
    let rows = read_rows(&recorder.folder().results_path()).unwrap();
    assert_eq!(rows.count(), 3);
}

#[test]
fn an_error_row_has_the_threshold_of_the_run() {
    let root = tempfile::tempdir().unwrap();
    let mut recorder = recorder(root.path());
    settle(&mut recorder, 0, "a", failed(FailureKind::Exit, "exit code 1"));
    let row = read_rows(&recorder.folder().results_path()).unwrap().next();
    assert_eq!(row.unwrap().unwrap().threshold, Some(THRESHOLD));
}

#[test]
fn the_end_of_a_run_writes_its_manifest() {
    let root = tempfile::tempdir().unwrap();
    let mut recorder = recorder(root.path());
    settle(&mut recorder, 0, "a", scored(1.0, &[]));
    recorder.hear(&RunEvent::Finished(Totals::default())).unwrap();
    let mut last = manifest();
    last.status = RunStatus::Finished;
    last.counts = recorder.counts();
    recorder.finish(&last).unwrap();
    let read = RunManifest::read(&recorder.folder().manifest_path()).unwrap();
    assert_eq!(read.status, RunStatus::Finished);
    assert_eq!(read.counts.passed, 1);
}

#[test]
fn a_folder_that_vanishes_is_a_fault_at_the_next_row() {
    let root = tempfile::tempdir().unwrap();
    let mut recorder = recorder(root.path());
    settle(&mut recorder, 0, "a", scored(1.0, &[]));
    fs::remove_dir_all(recorder.folder().path()).unwrap();
    let event = RunEvent::Settled(Box::new(settled(1, "b", scored(1.0, &[]))));
    let fault = recorder.hear(&event).unwrap_err();
    assert!(fault.message.contains("results.jsonl"), "{}", fault.message);
    assert!(fault.message.contains("deleted"), "{}", fault.message);
    assert_eq!(recorder.counts().passed, 1, "the lost row is not counted");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_fault_with_path_and_cause() {
    let root = tempfile::tempdir().unwrap();
    let mut recorder = recorder(root.path());
    recorder.file = fs::OpenOptions::new().append(true).open("/dev/full").unwrap();
    let event = RunEvent::Settled(Box::new(settled(0, "a", scored(1.0, &[]))));
    let fault = recorder.hear(&event).unwrap_err();
    assert!(fault.message.starts_with("cannot write a row to `"), "{}", fault.message);
    assert!(fault.message.contains("results.jsonl`: No space left"), "{}", fault.message);
}

#[test]
fn of_rows_that_come_together_those_that_fit_are_kept_and_counted() {
    let root = tempfile::tempdir().unwrap();
    let mut recorder = recorder(root.path());
    // Takes some hundred kilobytes, and then no more until somebody reads.
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    recorder.file = OwnedFd::from(ours).into();
    let events: Vec<RunEvent> = (0..5000)
        .map(|slot| RunEvent::Settled(Box::new(settled(slot, "a", scored(1.0, &[])))))
        .collect();
    let fault = recorder.hear_all(&events.iter().collect::<Vec<_>>()).unwrap_err();
    assert!(fault.message.starts_with("cannot write a row to `"), "{}", fault.message);
    let (counts, offsets) = (recorder.counts(), recorder.offsets().count());
    drop(recorder);
    let mut taken = String::new();
    theirs.read_to_string(&mut taken).unwrap();
    let whole = taken.matches('\n').count();
    assert!((1..5000).contains(&whole), "{whole} rows fit");
    assert_eq!((counts.passed, offsets), (whole, whole));
}
