//! Parts that make a whole, and parts that do not.

use agentv_base::{RunEvent, Sink as _};

use super::*;
use crate::record::{
    Purpose, Recorder, RecorderOptions, RunFolder, RunPlan, RunShard,
    sample::{manifest, scored, settled},
};

/// A finished shard of a plan of five cases, with these of them.
fn part(root: &std::path::Path, index: u32, count: u32, slots: &[usize]) -> Part {
    let mut manifest = manifest();
    manifest.shard = Some(RunShard { index, count });
    manifest.plan = Some(RunPlan { slots: 5, sha256: "plan".to_owned(), repeats: None });
    manifest.counts.planned = slots.len();
    manifest.status = RunStatus::Finished;
    let folder = RunFolder::create(root, &manifest).unwrap();
    let ledger = Ledger::open(&folder, Purpose::GoOn).unwrap();
    let mut recorder = Recorder::new(folder.clone(), ledger, RecorderOptions::default()).unwrap();
    for slot in slots {
        let outcome = scored(if *slot == 3 { 0.0 } else { 1.0 }, &[]);
        let case = settled(*slot, &format!("case-{slot}"), outcome);
        recorder.hear(&RunEvent::Settled(Box::new(case))).unwrap();
    }
    drop(recorder);
    let ledger = Ledger::open(&folder, Purpose::Read).unwrap();
    Part { run: FoundRun { folder, manifest }, ledger }
}

fn check(parts: &[Part]) -> Vec<String> {
    let faults = merge(parts).unwrap_err();
    let unnamed = |fault: String| {
        parts.iter().fold(fault, |fault, part| fault.replace(part.run.folder.run_id(), "X"))
    };
    faults.into_iter().map(unnamed).collect()
}

#[test]
fn parts_become_one_run_in_the_order_of_the_suite() {
    let root = tempfile::tempdir().unwrap();
    let parts = [part(root.path(), 2, 2, &[4, 0]), part(root.path(), 1, 2, &[3, 1, 2])];
    let Merged { manifest, rows, warnings } = merge(&parts).unwrap();
    assert_eq!(rows, [(0, 1), (1, 1), (1, 2), (1, 0), (0, 0)]);
    assert_eq!(warnings, [""; 0]);
    let counts = RunCounts { planned: 5, passed: 4, failed: 1, ..RunCounts::default() };
    assert_eq!(manifest.counts, counts);
    assert_eq!((manifest.kind, manifest.shard), (RunKind::Merge, None));
    assert_eq!(manifest.parts, [parts[0].run.folder.run_id(), parts[1].run.folder.run_id()]);
}

#[test]
fn missing_and_doubled_shards_and_runs_that_are_none_are_named() {
    let root = tempfile::tempdir().unwrap();
    let mut strange = part(root.path(), 1, 3, &[1]);
    strange.run.manifest.shard = None;
    let parts = [part(root.path(), 2, 4, &[0]), part(root.path(), 2, 4, &[4]), strange];
    assert_eq!(
        check(&parts),
        [
            "run X is no shard: it was not made with --shard",
            "shard 2/4 is there twice: shard 2/4 (run X) and shard 2/4 (run X)",
            "shards 1/4, 3/4, 4/4 are missing",
        ]
    );
}

#[test]
fn a_part_that_is_not_complete_is_named() {
    let root = tempfile::tempdir().unwrap();
    let mut torn = part(root.path(), 2, 2, &[3, 4]);
    torn.ledger.rows.pop();
    let mut running = part(root.path(), 1, 2, &[0, 1, 2]);
    running.run.manifest.status = RunStatus::Running;
    assert_eq!(
        check(&[running, torn]),
        [
            "shard 1/2 (run X) is not complete: 3 of 3 cases have their row (finish it with --resume)",
            "shard 2/2 (run X) is not complete: 1 of 2 cases have their row (finish it with --resume)",
        ]
    );
}

#[test]
fn parts_of_another_configuration_and_rows_in_two_parts_are_named() {
    let root = tempfile::tempdir().unwrap();
    let mut other = part(root.path(), 2, 2, &[3, 2]);
    other.run.manifest.suites[0].sha256 = "other".to_owned();
    assert_eq!(
        check(&[part(root.path(), 1, 2, &[0, 1, 2]), other]),
        [
            "between shard 1/2 (run X) and shard 2/2 (run X): suite `evals/demo.yaml` differs",
            "shard 1/2 (run X) and shard 2/2 (run X) both have evals/demo.yaml case-2 (agent)",
        ]
    );
}

#[test]
fn parts_that_are_complete_by_themselves_and_not_together_are_found_out() {
    let root = tempfile::tempdir().unwrap();
    let parts = [part(root.path(), 1, 2, &[0, 1]), part(root.path(), 2, 2, &[3])];
    assert_eq!(check(&parts), ["the parts plan 3 cases together, and the whole plan has 5"]);
}

#[test]
fn of_many_missing_shards_ten_are_named() {
    let root = tempfile::tempdir().unwrap();
    let many = part(root.path(), 2, u32::MAX, &[0]);
    let strange = part(root.path(), 7, 3, &[1]);
    assert_eq!(
        check(&[many])[0],
        "shards 1/4294967295, 3/4294967295, 4/4294967295, 5/4294967295, 6/4294967295, \
         7/4294967295, 8/4294967295, 9/4294967295, 10/4294967295, 11/4294967295 and 4294967284 \
         more are missing"
    );
    assert_eq!(check(&[strange])[0], "there is no shard 7/3 (run X): shards are counted from 1");
}

#[test]
fn an_earlier_merge_and_a_part_that_was_run_again_are_told_and_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    let mut merged = part(root.path(), 1, 1, &[0]);
    merged.run.manifest.kind = RunKind::Merge;
    merged.run.manifest.shard = None;
    let old = part(root.path(), 1, 2, &[0, 1]);
    let mut new = part(root.path(), 1, 2, &[0, 1]);
    new.run.manifest.parent = Some(old.run.folder.run_id().to_owned());
    let other = part(root.path(), 2, 2, &[2, 3, 4]);
    let parts = [merged, old, new, other];
    assert_eq!(
        check(&parts),
        [
            "run X is the result of an earlier merge; leave it out",
            "shard 1/2 (run X) was run again as shard 1/2 (run X); give only X",
        ]
    );
    assert!(merge(&parts[2..]).is_ok(), "a part that was run again is a part");
}
