//! `agentv results merge`: parts of a run on many machines, and one run of it all.

use std::{collections::BTreeMap, fs, path::PathBuf};

use agentv_testkit::Project;
use serde_json::Value;

use crate::project::{manifest, project, suite};

const AGENT: &str = "case $AGENTV_EVAL_ID in *3) echo no;; *) echo ok;; esac\n";

fn fresh() -> Project {
    let ids: Vec<String> = (1..=20).map(|number| format!("case-{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    project("sh agent.sh", &[], &ids).file("agent.sh", AGENT)
}

/// The folders of all shards of a plan.
fn shards(project: &Project, count: usize) -> Vec<PathBuf> {
    (1..=count)
        .map(|index| {
            let run = project.run(&["eval", "suite.yaml", "--shard", &format!("{index}/{count}")]);
            assert!(matches!(run.code, Some(0 | 1)), "{}", run.seen());
            project.newest_run()
        })
        .collect()
}

fn merge(project: &Project, parts: &[PathBuf]) -> agentv_testkit::Run {
    let parts: Vec<&str> = parts.iter().map(|part| part.to_str().unwrap()).collect();
    project.run(&[&["results", "merge"], parts.as_slice()].concat())
}

/// Rows without what differs from run to run, in the order of the suite: graders may end in another.
fn rows_but_for_times(project: &Project) -> Vec<Value> {
    let mut rows: Vec<Value> =
        project.rows_text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in &mut rows {
        row["timestamp"] = Value::Null;
        row["duration_ms"] = Value::Null;
        for grader in row["evaluator_results"].as_array_mut().unwrap() {
            grader["duration_ms"] = Value::Null;
        }
    }
    rows.sort_by_key(|row| (row["line"].as_u64(), row["repeat"].as_u64()));
    rows
}

#[test]
fn ten_machines_give_what_one_gives() {
    let project = fresh();
    let whole = project.run(&["eval", "suite.yaml", "--workers", "1"]);
    let (counts, rows) = (manifest(&project)["counts"].clone(), rows_but_for_times(&project));
    for count in [1, 3, 10] {
        let parts = shards(&project, count);
        let run = merge(&project, &parts);
        assert_eq!(run.code, whole.code, "{}", run.seen());
        assert_eq!(run.stdout.lines().next(), whole.stdout.lines().next());
        assert_eq!(manifest(&project)["counts"], counts);
        assert_eq!(rows_but_for_times(&project), rows);
        let parts: Vec<&str> =
            parts.iter().map(|part| part.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(manifest(&project)["parts"], serde_json::json!(parts));
    }
}

#[test]
fn a_missing_a_doubled_and_a_changed_part_are_named_and_nothing_is_merged() {
    let project = fresh();
    let mut parts = shards(&project, 3);
    let runs = project.runs().len();
    let run = merge(&project, &parts[..2]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("shard 3/3 is missing"), "{}", run.seen());
    parts.push(parts[0].clone());
    let run = merge(&project, &parts);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("shard 1/3 is there twice"), "{}", run.seen());
    project.write("agent.sh", format!("{AGENT}true\n"));
    assert!(project.run(&["eval", "suite.yaml", "--shard", "3/3"]).code.is_some());
    parts.truncate(2);
    parts.push(project.newest_run());
    let run = merge(&project, &parts);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("file `agent.sh` differs"), "{}", run.seen());
    assert_eq!(project.runs().len(), runs + 1);
}

#[test]
fn rows_that_somebody_took_away_or_put_in_by_hand_are_found_out() {
    let project = fresh();
    let parts = shards(&project, 2);
    let file = parts[0].join("results.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    lines.pop();
    fs::write(&file, lines.join("\n") + "\n").unwrap();
    let run = merge(&project, &parts);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("is not complete"), "{}", run.seen());
    // As many rows as there should be, but one of them under another name.
    let strange = whole.replacen("\"case-", "\"cose-", 1);
    fs::write(&file, strange).unwrap();
    let run = merge(&project, &parts);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("not those of the plan"), "{}", run.seen());
}

#[test]
fn a_case_stays_in_its_shard_when_others_are_added() {
    let place = |project: &Project| -> BTreeMap<String, usize> {
        let mut places = BTreeMap::new();
        for (index, part) in shards(project, 4).into_iter().enumerate() {
            for line in fs::read_to_string(part.join("results.jsonl")).unwrap().lines() {
                let row: Value = serde_json::from_str(line).unwrap();
                places.insert(row["eval_id"].as_str().unwrap().to_owned(), index);
            }
        }
        places
    };
    let project = fresh();
    let before = place(&project);
    assert_eq!(before.len(), 20);
    let more: Vec<String> =
        before.keys().cloned().chain((0..9).map(|it| format!("new-{it}"))).collect();
    project.write("suite.yaml", suite(&more.iter().map(String::as_str).collect::<Vec<_>>()));
    let after = place(&project);
    assert_eq!(after.len(), 29);
    assert!(before.iter().all(|(id, index)| after[id] == *index), "{before:?} {after:?}");
}

#[test]
fn a_folder_with_one_run_is_that_run_and_one_with_several_is_told() {
    let project = fresh();
    let parts = shards(&project, 2);
    let collected: Vec<PathBuf> = [
        ("parts/part-1", &parts[0]),
        ("parts/part-2/.agentv/results", &parts[1]),
        ("parts/both", &parts[0]),
        ("parts/both", &parts[1]),
    ]
    .into_iter()
    .map(|(folder, part)| {
        let folder = project.path(folder);
        let copy = folder.join(part.file_name().unwrap());
        fs::create_dir_all(&copy).unwrap();
        for name in ["run.json", "results.jsonl"] {
            fs::copy(part.join(name), copy.join(name)).unwrap();
        }
        folder
    })
    .collect();
    let run = project.run(&["results", "merge", "parts/part-1", "parts/part-2"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let told = "2 shards, 20 of 20 rows, none missing, none doubled\n";
    assert!(run.stderr.contains(told), "{}", run.seen());
    let run = project.run(&["results", "merge", "-q", "parts/part-1", "parts/part-2"]);
    assert!(!run.stderr.contains("none missing"), "{}", run.seen());
    let run = merge(&project, &collected[2..3]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("holds several runs: "), "{}", run.seen());
    let run = project.run(&["results", "merge", "./parts"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("give the folders of runs"), "{}", run.seen());
    assert!(!run.stderr.contains("put suites before"), "{}", run.seen());
}

#[test]
fn parts_with_other_attachments_are_not_merged_and_an_interrupted_run_is_not_resumed() {
    let case = |id: &str| {
        format!(
            "  - id: {id}\n    input_messages:\n      - role: user\n        content:\n          \
             - {{type: file, value: input.md}}\n          - {{type: text, value: Look.}}\n"
        )
    };
    let cases: String = ["a", "b", "c", "d"].map(case).concat();
    let project = fresh().file("input.md", "old").file(
        "suite.yaml",
        format!("evaluators:\n  - {{type: contains, value: ok}}\nevalcases:\n{cases}"),
    );
    project.run(&["eval", "suite.yaml", "--shard", "1/2"]);
    let first = project.newest_run();
    project.run(&["eval", "suite.yaml"]);
    let file = project.newest_run().join("results.jsonl");
    let rows = fs::read_to_string(&file).unwrap();
    let one = rows.split_inclusive('\n').next().unwrap();
    fs::write(&file, one).unwrap();
    project.write("input.md", "new");
    let run = project.run(&["eval", "--resume"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("suite `suite.yaml` changed"), "{}", run.seen());
    assert_eq!(fs::read_to_string(&file).unwrap(), one);
    project.run(&["eval", "suite.yaml", "--shard", "2/2"]);
    let run = merge(&project, &[first, project.newest_run()]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("suite `suite.yaml` differs"), "{}", run.seen());
}

#[test]
fn repeats_that_were_not_needed_are_proven_by_the_rule() {
    let project = fresh();
    let words = ["--repeat", "30", "--until-decided", "--eval-id", "case-1*"];
    let parts: Vec<PathBuf> = ["1/2", "2/2"]
        .iter()
        .map(|shard| {
            let run =
                project.run(&[&["eval", "suite.yaml", "--shard", shard], &words[..]].concat());
            assert!(matches!(run.code, Some(0 | 1)), "{}", run.seen());
            project.newest_run()
        })
        .collect();
    let run = merge(&project, &parts);
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.seen());
    assert!(run.stderr.contains("not needed, none missing"), "{}", run.seen());
    // The last repeat of a case is taken away, and its counts say that it was not needed.
    let (file, run_json) = (parts[0].join("results.jsonl"), parts[0].join("run.json"));
    let whole = fs::read_to_string(&file).unwrap();
    let rows: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let id = &rows[0]["eval_id"];
    let last = rows.iter().rposition(|row| row["eval_id"] == *id).unwrap();
    let kept = whole.lines().enumerate().filter(|(at, _)| *at != last).map(|(_, line)| line);
    fs::write(&file, kept.collect::<Vec<_>>().join("\n") + "\n").unwrap();
    let mut manifest: Value =
        serde_json::from_str(&fs::read_to_string(&run_json).unwrap()).unwrap();
    let decided = manifest["counts"]["decided"].as_u64().unwrap();
    manifest["counts"]["decided"] = (decided + 1).into();
    fs::write(&run_json, manifest.to_string()).unwrap();
    let run = merge(&project, &parts);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("and its verdict is not settled"), "{}", run.seen());
}
