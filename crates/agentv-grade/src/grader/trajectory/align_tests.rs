//! How expected calls and made ones are shown side by side.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{super::tool::Tool, *};
use crate::testing::response;

fn steps(tools: &[&str]) -> Vec<Step> {
    tools.iter().map(|tool| Step::of(Tool::named(tool))).collect()
}

fn made(tools: &[&str]) -> agentv_base::Response {
    let calls: Vec<Value> = tools.iter().map(|tool| json!({"tool": tool})).collect();
    response(&json!({"output_messages": [{"role": "assistant", "tool_calls": calls}]}))
}

/// The marks and names of an alignment from its start, as `=a -b`.
fn check(expected: &[&str], called: &[&str]) -> String {
    let (steps, response) = (steps(expected), made(called));
    let calls = response.calls().unwrap();
    let shown = Both { steps: &steps, calls: &calls }.in_order(0, 0, true);
    let lines = shown.lines().map(|line| line.trim().replacen(' ', "", 1));
    lines.collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_the_same_stands_side_by_side() {
    for (expected, called, lines) in [
        (vec!["a", "b"], vec!["a", "b"], "=a =b"),
        (vec!["a", "b"], vec!["a"], "=a -b"),
        (vec!["a"], vec!["a", "b"], "=a +b"),
        (vec!["a", "b", "c"], vec!["a", "x", "c"], "=a -b +x =c"),
        (vec!["a", "b", "c"], vec!["b", "c", "a"], "-a =b =c +a"),
        (vec![], vec!["a"], "+a"),
        (vec!["a"], vec![], "-a"),
    ] {
        assert_eq!(check(&expected, &called), lines);
    }
}

#[test]
fn long_ones_are_cut_around_the_first_difference() {
    let expected: Vec<&str> = vec!["a"; 300];
    let mut called = vec!["a"; 200];
    called.push("x");
    called.extend(vec!["a"; 60]);
    let (steps, response) = (steps(&expected), made(&called));
    let calls = response.calls().unwrap();
    let shown = Both { steps: &steps, calls: &calls }.in_order(0, 0, true);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), MOST_LINES + 2, "{shown}");
    assert!(lines[0].ends_with("before)") && lines[lines.len() - 1].ends_with("after)"), "{shown}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("  =")).count() % 100, LEAD, "{shown}");
}

#[test]
fn in_any_order_the_wrong_ones_come_first_where_there_are_many() {
    let mut expected = vec!["a"; 30];
    expected.push("b");
    let called = vec!["a"; 60];
    let (steps, response) = (steps(&expected), made(&called));
    let calls = response.calls().unwrap();
    let matched: Vec<Option<usize>> = (0..30).map(Some).chain([None]).collect();
    let shown = Both { steps: &steps, calls: &calls }.in_any_order(&matched, true, true);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!((lines[0], lines[1]), ("  - b", "  + a"));
    assert_eq!(lines[20..], ["  … (11 more)", "  … (30 as expected)"]);
}

proptest! {
    #[test]
    fn every_call_stands_in_one_line(
        expected in prop::collection::vec("[abc]", 0..8), called in prop::collection::vec("[abc]", 0..8)
    ) {
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        let called: Vec<&str> = called.iter().map(String::as_str).collect();
        let lines = check(&expected, &called);
        let of = |marks: &str| -> Vec<String> {
            let lines = lines.split_whitespace().filter(|line| line.starts_with(|c| marks.contains(c)));
            lines.map(|line| line.trim_start_matches(['=', '-', '+']).to_owned()).collect()
        };
        prop_assert_eq!(of("=-"), expected);
        prop_assert_eq!(of("=+"), called);
    }
}
