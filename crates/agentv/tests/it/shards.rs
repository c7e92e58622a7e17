//! `--shard I/N`: parts of a run that know nothing of each other.

use std::collections::BTreeSet;

use agentv_testkit::Project;

use crate::project::{manifest, project, rows, suite};

const IDS: [&str; 9] = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];

/// What the cases of a part are called, after a run that passed.
fn part(project: &Project, shard: &str, more: &[&str]) -> Vec<String> {
    let args = [&["eval", "suite.yaml", "--shard", shard], more].concat();
    let run = project.run(&args);
    assert_eq!(run.code, Some(0), "{shard}\n{}", run.seen());
    rows(project)
        .iter()
        .map(|row| format!("{} {}", row["eval_id"].as_str().unwrap(), row["repeat"]))
        .collect()
}

#[test]
fn the_parts_together_are_the_whole_run_and_repeats_stay_together() {
    let project = project("echo ok", &[], &IDS);
    let mut all = BTreeSet::new();
    let mut sizes = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let part = part(&project, shard, &["--repeat", "2"]);
        let cases: BTreeSet<&str> = part.iter().filter_map(|name| name.get(..1)).collect();
        assert_eq!(part.len(), cases.len() * 2, "{part:?}");
        assert_eq!(manifest(&project)["counts"]["planned"], part.len());
        sizes.push(part.len());
        for name in part {
            assert!(all.insert(name), "in two parts");
        }
    }
    assert_eq!(all.len(), IDS.len() * 2);
    assert!(sizes.iter().filter(|size| **size > 0).count() > 1, "{sizes:?}");
}

#[test]
fn a_new_case_moves_no_other() {
    let project = project("echo ok", &[], &IDS[..6]);
    let before = part(&project, "1/2", &[]);
    project.write("suite.yaml", suite(&IDS));
    let after = part(&project, "1/2", &[]);
    assert!(!before.is_empty() && before.iter().all(|name| after.contains(name)));
}

#[test]
fn an_empty_part_is_no_failure() {
    let project = project("echo ok", &[], &["only"]);
    let counts: Vec<usize> =
        ["1/2", "2/2"].iter().map(|shard| part(&project, shard, &[]).len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 1);
    let empty = if counts[0] == 0 { "1/2" } else { "2/2" };
    let run = project.run(&["eval", "suite.yaml", "--shard", empty, "--out", "out.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(project.path("out.yaml").exists());
    assert_eq!(manifest(&project)["counts"]["planned"], 0);
}

#[test]
fn a_part_that_cannot_be_is_a_mistake_of_usage() {
    let project = project("echo ok", &[], &["a"]);
    for (typed, told) in [
        ("0/3", "shards are counted from 1: 1/N is the first"),
        ("4/3", "4 is above 3"),
        ("-1/3", "must be I/N, as in 2/5"),
        ("1/10001", "10001 parts are more than 10000"),
        ("1/4294967295", "4294967295 parts are more than 10000"),
        ("1/4294967296", "4294967296 parts are more than 10000"),
        ("x", "must be I/N, as in 2/5"),
        ("1/0", "shards are counted from 1"),
        ("1/2/3", "must be I/N, as in 2/5"),
        ("", "must be I/N, as in 2/5"),
    ] {
        let run = project.run(&["eval", "suite.yaml", &format!("--shard={typed}")]);
        assert_eq!(run.code, Some(2), "{typed}\n{}", run.seen());
        assert!(run.stderr.contains(told), "{typed}\n{}", run.seen());
    }
    assert!(project.runs().is_empty());
}

#[test]
fn what_is_wrong_with_a_case_of_another_part_is_told_in_every_part() {
    let project = project("echo ok", &[], &IDS);
    let wrong = suite(&IDS).replace("type: contains", "type: containz");
    project.write("suite.yaml", wrong);
    for shard in ["1/9", "2/9", "3/9"] {
        let run = project.run(&["eval", "suite.yaml", "--shard", shard]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
    }
}

#[test]
fn cases_that_depend_on_each_other_are_in_one_part() {
    let mut text = String::from("assert: [contains: ok]\nevalcases:\n");
    for id in IDS {
        text.push_str(&format!("  - {{id: {id}1, input: x}}\n"));
        text.push_str(&format!("  - {{id: {id}2, input: x, depends_on: {id}1}}\n"));
    }
    let project = project("echo ok", &[], &[]).file("suite.yaml", text);
    let mut seen = 0;
    for shard in ["1/4", "2/4", "3/4", "4/4"] {
        let part = part(&project, shard, &[]);
        let first: BTreeSet<&str> = part.iter().filter_map(|name| name.get(..1)).collect();
        assert_eq!(part.len(), first.len() * 2, "{part:?}");
        seen += part.len();
    }
    assert_eq!(seen, IDS.len() * 2);
}
