//! Manifests that do not describe the same, and what is said of it.

use serde_json::json;

use super::*;
use crate::record::{RunFile, RunPlan, sample::manifest};

fn check(change: impl FnOnce(&mut RunManifest)) -> Vec<String> {
    let mut before = manifest();
    before.files = vec![RunFile::found("agent.py".to_owned(), "1".to_owned())];
    let mut now = before.clone();
    change(&mut now);
    differences(&before, &now, Between::Times)
}

#[test]
fn the_same_is_the_same_also_where_the_run_is_made_otherwise() {
    assert_eq!(check(|_| {}), [""; 0]);
    let made_otherwise = check(|now| {
        for name in INCIDENTAL {
            now.options.insert((*name).to_owned(), json!(7));
        }
        now.agentv_version = "9.9.9".to_owned();
        now.command = Vec::new();
        now.options.insert("repeat".to_owned(), Value::Null);
        now.options.insert("tags".to_owned(), json!([]));
        now.options.insert("dry_run".to_owned(), json!(false));
    });
    assert_eq!(made_otherwise, [""; 0]);
}

#[test]
fn every_change_is_named() {
    let changed = check(|now| {
        now.suites[0].sha256 = "other".to_owned();
        now.targets[0].sha256 = "other".to_owned();
        now.judges.clear();
        now.files[0].sha256 = "other".to_owned();
        now.files.push(RunFile::found("new.py".to_owned(), "2".to_owned()));
        now.options.insert("threshold".to_owned(), json!(0.5));
        now.options.insert("eval_ids".to_owned(), json!(["a*"]));
    });
    assert_eq!(
        changed,
        [
            "suite `evals/demo.yaml` changed",
            "target `agent` changed",
            "judge `judge` is gone",
            "file `agent.py` changed",
            "file `new.py` is new",
            "--eval-id was not given and is [\"a*\"]",
            "--threshold was 0.8 and is 0.5",
        ]
    );
}

#[test]
fn another_plan_is_told_where_nothing_else_says_why() {
    let plan = |sha256: &str| Some(RunPlan { slots: 3, sha256: sha256.to_owned(), repeats: None });
    let mut before = manifest();
    before.plan = plan("1");
    let mut now = before.clone();
    now.plan = plan("2");
    let changed = differences(&before, &now, Between::Times);
    assert_eq!(changed, ["the plan changed: other cases, targets or repeats"]);
}

#[test]
fn parts_need_not_have_looked_at_the_same_files() {
    let mut one = manifest();
    one.files = vec![RunFile::found("a".to_owned(), "1".to_owned())];
    let mut other = manifest();
    other.judges.clear();
    other.files = vec![RunFile::found("b".to_owned(), "2".to_owned())];
    assert_eq!(differences(&one, &other, Between::Parts), [""; 0]);
    other.files[0].path = "a".to_owned();
    assert_eq!(differences(&one, &other, Between::Parts), ["file `a` differs"]);
}

#[test]
fn of_parts_none_is_older_than_the_other() {
    let one = manifest();
    let mut other = manifest();
    other.suites[0].path = "evals/other.yaml".to_owned();
    other.targets[0].sha256 = "other".to_owned();
    other.options.insert("threshold".to_owned(), json!(0.5));
    assert_eq!(
        differences(&one, &other, Between::Parts),
        [
            "only the first has suite `evals/demo.yaml`",
            "only the second has suite `evals/other.yaml`",
            "target `agent` differs",
            "--threshold differs: 0.8 and 0.5",
        ]
    );
}
