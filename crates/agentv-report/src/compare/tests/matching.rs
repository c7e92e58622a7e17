//! Which rows match.

use serde_json::{Value, json};

use super::{compared, json_of, options, row, with};
use crate::compare::{CompareOptions, Ruled};

/// `id score1>score2 outcome` of each pair, and the ids that only one run has.
fn check(first: &[Value], second: &[Value]) -> (Vec<String>, Value) {
    let json = json_of(&compared(&[first, second], options()));
    let pairs = json["matched"].as_array().unwrap().iter().map(|pair| {
        let text = |key: &str| pair[key].to_string();
        format!("{} {}>{}", pair["eval_id"].as_str().unwrap(), text("score1"), text("score2"))
    });
    let summary = &json["summary"];
    let unmatched =
        json["unmatched"]["file1"].as_u64().unwrap() + json["unmatched"]["file2"].as_u64().unwrap();
    let total = summary["matched"].as_u64().unwrap() * 2 + unmatched;
    assert_eq!(summary["total"].as_u64().unwrap(), total, "every row is somewhere");
    (pairs.collect(), json["unmatchedIds"].clone())
}

fn of_target(row: Value, target: &str) -> Value {
    with(row, &json!({"target": target}))
}

#[test]
fn rows_match_by_dataset_id_and_repeat() {
    let other = with(row("a", 1, 0.1), &json!({"dataset": "other"}));
    let (pairs, only) =
        check(&[row("a", 1, 0.5), row("a", 2, 0.6), other], &[row("a", 2, 0.7), row("b", 1, 0.1)]);
    assert_eq!(pairs, ["a 0.6>0.7"]);
    assert_eq!(only, json!({"file1": ["a"], "file2": ["b"]}));
}

#[test]
fn two_runs_of_one_target_each_match_whatever_the_targets_are_called() {
    let (pairs, _) =
        check(&[of_target(row("a", 1, 0.5), "old")], &[of_target(row("a", 1, 0.7), "new")]);
    assert_eq!(pairs, ["a 0.5>0.7"]);
}

#[test]
fn rows_of_several_targets_match_within_their_target() {
    let both = |low: f64, high: f64| {
        [of_target(row("a", 1, low), "low"), of_target(row("a", 1, high), "high")]
    };
    let (pairs, _) = check(&both(0.1, 0.9), &both(0.2, 0.8));
    assert_eq!(pairs, ["a 0.1>0.2", "a 0.9>0.8"]);
    let json = json_of(&compared(&[&both(0.1, 0.9), &both(0.2, 0.8)], options()));
    let targets: Vec<&Value> =
        json["targets"].as_array().unwrap().iter().map(|it| &it["target"]).collect();
    assert_eq!(targets, ["low", "high"]);
    assert_eq!(json["targets"][0]["summary"]["meanDelta"], 0.1);
    assert_eq!(json["summary"]["comparisons"], 3);
}

#[test]
fn one_target_of_several_can_be_picked_on_each_side() {
    let all = [of_target(row("a", 1, 0.1), "x"), of_target(row("a", 1, 0.9), "y")];
    let only = [of_target(row("a", 1, 0.3), "z")];
    let picked = CompareOptions { targets: vec!["x".to_owned(), "z".to_owned()], ..options() };
    let json = json_of(&compared(&[&all, &only], picked));
    assert_eq!(json["summary"]["meanDelta"], 0.2);
    assert_eq!(json["matched"][0]["target"], json!(["x", "z"]));
}

#[test]
fn a_run_without_datasets_matches_by_id() {
    let (pairs, _) = check(&[json!({"test_id": "a", "score": 0.4})], &[row("a", 1, 0.7)]);
    assert_eq!(pairs, ["a 0.4>0.7"]);
}

#[test]
fn cases_of_one_name_in_two_suites_are_told_apart_by_their_suites() {
    let of_suite = |suite: &str, score: f64| with(row("a", 1, score), &json!({"suite": suite}));
    let (pairs, only) = check(
        &[of_suite("x/demo.yaml", 0.1), of_suite("y/demo.yaml", 0.9)],
        &[of_suite("y/demo.yaml", 0.8)],
    );
    assert_eq!(pairs, ["a 0.9>0.8"]);
    assert_eq!(only["file1"], json!(["a"]));
    // Where no run has the name twice, a suite may be moved.
    let (pairs, _) = check(&[of_suite("x/demo.yaml", 0.1)], &[of_suite("z/demo.yaml", 0.2)]);
    assert_eq!(pairs, ["a 0.1>0.2"]);
}

#[test]
fn of_ids_that_stand_twice_where_datasets_do_not_count_the_last_does() {
    let other = with(row("a", 1, 0.9), &json!({"dataset": "other", "suite": "other.yaml"}));
    let now = [json!({"eval_id": "a", "score": 0.5})];
    let (pairs, only) = check(&[row("a", 1, 0.1), other.clone()], &now);
    assert_eq!(pairs, ["a 0.9>0.5"]);
    assert_eq!(only["file1"], json!(["a"]));
    let json = json_of(&compared(&[&now, &[row("a", 1, 0.1), other]], options()));
    assert_eq!(json["matched"][0]["score2"], 0.9);
    assert!(json["notes"].to_string().contains("the last of each counts"), "{}", json["notes"]);
}

#[test]
fn where_nothing_matches_the_names_on_each_side_are_told() {
    let comparison = compared(&[&[row("a", 1, 1.0)], &[row("b", 1, 1.0)]], options());
    assert_eq!(comparison.ruled(), Ruled::Incomparable);
    assert_eq!(
        comparison.names_on_each_side(),
        [
            "a.jsonl: dataset `demo`; target `agent`; ids `a`",
            "b.jsonl: dataset `demo`; target `agent`; ids `b`"
        ]
    );
    let empty = compared(&[&[], &[row("b", 1, 1.0)]], options());
    assert_eq!(empty.names_on_each_side()[0], "a.jsonl has no rows");
}
