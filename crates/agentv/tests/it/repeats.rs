//! Repeats: every one has a row of its own, and batches never mix them.

use std::fs;

use agentv_testkit::Project;

use crate::project::{batch_project, column, manifest, project, rows};

/// The repeats of each case, in the order of the ids.
fn repeats(project: &Project) -> Vec<String> {
    let mut found: Vec<String> = rows(project)
        .iter()
        .map(|row| format!("{} {}", row["eval_id"].as_str().unwrap(), row["repeat"]))
        .collect();
    found.sort();
    found
}

fn passes(project: &Project, args: &[&str]) {
    let run = project.run(&[&["eval", "suite.yaml"], args].concat());
    assert_eq!(run.code, Some(0), "{}", run.seen());
}

#[test]
fn every_repeat_has_a_row_of_its_own() {
    let project = project("echo ok", &[], &["a", "b"]);
    passes(&project, &["--repeat", "3"]);
    assert_eq!(repeats(&project), ["a 1", "a 2", "a 3", "b 1", "b 2", "b 3"]);
    assert_eq!(manifest(&project)["counts"]["planned"], 6);
    passes(&project, &[]);
    assert_eq!(repeats(&project), ["a 1", "b 1"]);
}

#[test]
fn a_suite_and_a_case_say_how_often_and_the_flag_wins() {
    let suite = "repeat: 2
execution: {evaluators: [contains: ok]}
evalcases:
  - {id: a, input: x}
  - {id: b, input: x, repeat: 3}
  - {id: c, input: x, execution: {trials: {count: 1, strategy: mean}}}
";
    let project = project("echo ok", &[], &[]).file("suite.yaml", suite);
    passes(&project, &[]);
    assert_eq!(repeats(&project), ["a 1", "a 2", "b 1", "b 2", "b 3", "c 1"]);
    passes(&project, &["--repeat", "1"]);
    assert_eq!(repeats(&project), ["a 1", "b 1", "c 1"]);
}

#[test]
fn a_batch_is_asked_for_every_repeat_and_ids_are_the_cases_own() {
    let script = "sed 's/^{\"id\":\"\\([^\"]*\\)\".*/\\1/' \"$AGENTV_BATCH_FILE\" | sort \
                  | tr '\\n' ' ' > line\ncat line >> log; echo >> log\n\
                  sed 's/,\"attempt.*/,\"text\":\"ok\"}/' \"$AGENTV_BATCH_FILE\" \
                  > \"$AGENTV_OUTPUT_FILE\"\n";
    let project =
        batch_project("sh agent.sh", &["workers: 1"], &["a", "b"]).file("agent.sh", script);
    passes(&project, &["--repeat", "3"]);
    let log = fs::read_to_string(project.path("log")).unwrap();
    assert_eq!(log.lines().map(str::trim).collect::<Vec<_>>(), ["a b"; 3]);
    assert_eq!(repeats(&project), ["a 1", "a 2", "a 3", "b 1", "b 2", "b 3"]);
    assert_eq!(column(&project, "status"), ["passed"; 6]);
}

#[test]
fn a_number_of_repeats_that_cannot_be_is_a_mistake_of_usage() {
    let project = project("echo ok", &[], &["a"]);
    for typed in ["0", "-1", "1.5", "often", "10001", "99999999999999999999"] {
        let run = project.run(&["eval", "suite.yaml", &format!("--repeat={typed}")]);
        assert_eq!(run.code, Some(2), "{typed}\n{}", run.seen());
        let told = "must be a whole number from 1 to 10,000";
        assert!(run.stderr.contains(told), "{typed}\n{}", run.seen());
    }
    assert!(project.runs().is_empty());
}
