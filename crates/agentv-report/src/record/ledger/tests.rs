//! Runs that somebody comes back to, in every state that they were left in.

use std::path::Path;

use agentv_base::{FailureKind, RunEvent, Sink as _};

use super::*;
use crate::record::{
    Recorder, RecorderOptions,
    sample::{failed, manifest, scored, settled},
};

/// A run with two rows, then the given bytes.
fn run_ending_with(root: &Path, end: &[u8]) -> RunFolder {
    let folder = RunFolder::create(root, &manifest()).unwrap();
    let ledger = Ledger::open(&folder, Purpose::GoOn).unwrap();
    let mut recorder = Recorder::new(folder.clone(), ledger, RecorderOptions::default()).unwrap();
    for (slot, outcome) in
        [scored(1.0, &[]), failed(FailureKind::Exit, "exited")].into_iter().enumerate()
    {
        let id = format!("case-{slot}");
        recorder.hear(&RunEvent::Settled(Box::new(settled(slot, &id, outcome)))).unwrap();
    }
    let mut file = OpenOptions::new().append(true).open(folder.results_path()).unwrap();
    file.write_all(end).unwrap();
    folder
}

fn text(folder: &RunFolder) -> String {
    fs::read_to_string(folder.results_path()).unwrap()
}

fn names(folder: &RunFolder) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn rows_are_known_by_slot_with_what_they_came_to() {
    let root = tempfile::tempdir().unwrap();
    let folder = run_ending_with(root.path(), b"");
    let ledger = Ledger::open(&folder, Purpose::GoOn).unwrap();
    assert_eq!(ledger.torn, None);
    let found: Vec<_> =
        ledger.rows.iter().map(|row| (&*row.slot.eval_id, row.status, row.score)).collect();
    assert_eq!(found, [("case-0", Status::Passed, Some(1.0)), ("case-1", Status::Error, None)]);
    let first = ledger.find(&ledger.rows[0].slot).unwrap();
    let line = ledger.line(first).unwrap();
    assert_eq!(
        String::from_utf8(line).unwrap(),
        text(&folder).split_inclusive('\n').next().unwrap()
    );
    let other = SlotName { repeat: 2, ..first.slot.clone() };
    assert!(ledger.find(&other).is_none());
}

#[test]
fn a_torn_last_line_is_cut_off_and_kept_beside() {
    let root = tempfile::tempdir().unwrap();
    let torn = br#"{"timestamp":"2025-01-02T03:04:05.678Z","eval_id":"ca"#;
    let folder = run_ending_with(root.path(), torn);
    let before = text(&folder);
    let ledger = Ledger::open(&folder, Purpose::GoOn).unwrap();
    assert_eq!(ledger.rows.len(), 2);
    let Some(Torn::Kept(kept)) = &ledger.torn else { panic!("{:?}", ledger.torn) };
    assert_eq!(fs::read(kept).unwrap(), torn);
    assert_eq!(Some(text(&folder).as_str()), before.get(..before.len() - torn.len()));
    assert_eq!(names(&folder), [".results.jsonl.torn-1", "results.jsonl", "run.json"]);
}

#[test]
fn a_second_torn_line_does_not_replace_the_first() {
    let root = tempfile::tempdir().unwrap();
    let folder = run_ending_with(root.path(), b"{\"one");
    drop(Ledger::open(&folder, Purpose::GoOn).unwrap());
    let mut file = OpenOptions::new().append(true).open(folder.results_path()).unwrap();
    file.write_all(b"\0\0\0").unwrap();
    drop(Ledger::open(&folder, Purpose::GoOn).unwrap());
    assert_eq!(fs::read(folder.path().join(".results.jsonl.torn-1")).unwrap(), b"{\"one");
    assert_eq!(fs::read(folder.path().join(".results.jsonl.torn-2")).unwrap(), b"\0\0\0");
}

#[test]
fn a_last_row_that_lacks_only_its_end_is_a_row() {
    let root = tempfile::tempdir().unwrap();
    let folder = run_ending_with(root.path(), b"");
    let whole = text(&folder);
    fs::write(folder.results_path(), whole.trim_end()).unwrap();
    let ledger = Ledger::open(&folder, Purpose::GoOn).unwrap();
    assert_eq!((ledger.rows.len(), ledger.torn.clone()), (2, None));
    assert_eq!(text(&folder), whole);
}

#[test]
fn reading_changes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let folder = run_ending_with(root.path(), b"{\"torn");
    let before = text(&folder);
    let ledger = Ledger::open(&folder, Purpose::Read).unwrap();
    assert_eq!((ledger.rows.len(), ledger.torn), (2, Some(Torn::LeftOut)));
    assert_eq!(text(&folder), before);
    assert_eq!(names(&folder), ["results.jsonl", "run.json"]);
}

#[test]
fn a_line_that_was_finished_and_is_no_row_is_named_and_nothing_is_changed() {
    let root = tempfile::tempdir().unwrap();
    let folder = run_ending_with(root.path(), b"not json\n");
    let before = text(&folder);
    let fault = Ledger::open(&folder, Purpose::GoOn).unwrap_err().to_string();
    assert!(fault.contains("results.jsonl, line 3"), "{fault}");
    assert_eq!(text(&folder), before);
}

#[test]
fn a_torn_end_stays_where_another_line_is_no_row() {
    let root = tempfile::tempdir().unwrap();
    let folder = run_ending_with(root.path(), b"not json\n{\"torn");
    let before = text(&folder);
    let fault = Ledger::open(&folder, Purpose::GoOn).unwrap_err().to_string();
    assert!(fault.contains("results.jsonl, line 3"), "{fault}");
    assert_eq!(text(&folder), before);
    assert_eq!(names(&folder), ["results.jsonl", "run.json"]);
}

#[test]
fn two_rows_for_one_slot_are_named_with_their_lines() {
    let root = tempfile::tempdir().unwrap();
    let folder = run_ending_with(root.path(), b"");
    let twice = text(&folder).repeat(2);
    fs::write(folder.results_path(), twice).unwrap();
    let fault = Ledger::open(&folder, Purpose::GoOn).unwrap_err().to_string();
    assert!(fault.contains("line 3 is another row for"), "{fault}");
    assert!(fault.ends_with("case-0 (agent), which has one on line 1"), "{fault}");
}

#[test]
fn a_lock_that_is_about_to_go_is_waited_for() {
    let root = tempfile::tempdir().unwrap();
    let folder = run_ending_with(root.path(), b"");
    let mut dying = Some(Ledger::open(&folder, Purpose::GoOn).unwrap());
    let path = folder.results_path();
    let file = File::open(&path).unwrap();
    let mut waited = 0;
    let mut wait = || {
        waited += 1;
        // Its process ends while the second pause lasts.
        if waited == 2 {
            dying = None;
        }
        true
    };
    lock(&file, Purpose::GoOn, &folder, &path, &mut wait).unwrap();
    assert_eq!(waited, 2);
}

#[test]
fn a_run_that_is_being_written_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    let folder = run_ending_with(root.path(), b"");
    let running = Ledger::open(&folder, Purpose::GoOn).unwrap();
    for purpose in [Purpose::GoOn, Purpose::Read] {
        let fault = Ledger::open(&folder, purpose).unwrap_err();
        assert!(matches!(fault, LedgerFault::Running { .. }), "{fault}");
    }
    drop(running);
    assert_eq!(Ledger::open(&folder, Purpose::GoOn).unwrap().rows.len(), 2);
}

#[test]
fn what_a_row_took_is_that_of_target_failed_attempts_and_judges() {
    let row = r#"{"timestamp":"2025-01-02T03:04:05.678Z","eval_id":"a","dataset":"d","suite":"s","target":"t","repeat":1,
        "status":"passed","score":1.0,"verdict":"pass","threshold":0.8,"hits":[],"misses":[],"candidate_answer":"x",
        "evaluator_results":[{"name":"g","type":"composite","score":1.0,"weight":1.0,"verdict":"pass","hits":[],"misses":[],"duration_ms":1.0,
          "evaluator_results":[{"name":"j","type":"llm_judge","score":1.0,"weight":1.0,"verdict":"pass","hits":[],"misses":[],"duration_ms":1.0,
            "judge":{"target":"j","asks":1,"token_usage":{"input":100,"output":10},"cost_usd":0.5}}]}],
        "attempts":2,"failed_attempts":[{"error":"e","error_kind":"output","duration_ms":null,"token_usage":{"input":1,"output":2},"cost_usd":0.25}],
        "token_usage":{"input":1000,"output":200},"cost_usd":1.0}"#;
    let asked: Row<'static> = serde_json::from_str(row).unwrap();
    assert_eq!(spent_on(&asked), Spent { tokens: Some(1313), cost_usd: Some(1.75) });
    let cached = Row { cached: true, ..asked };
    assert_eq!(spent_on(&cached), Spent { tokens: Some(110), cost_usd: Some(0.5) });
}
