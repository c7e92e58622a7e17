//! Limits on calls, each met and broken.

use serde_json::{Value, json};

use super::*;
use crate::testing::response;

fn calls() -> agentv_base::Response {
    response(&json!({"output_messages": [{"role": "assistant", "tool_calls": [
        {"tool": "a", "duration_ms": 100}, {"tool": "b", "duration_ms": 50.25}, {"tool": "a", "duration_ms": 10}
    ]}]}))
}

fn check(limits: &Limits, response: &agentv_base::Response) -> Checked {
    let calls = response.calls().unwrap();
    [limits.check_minimums(&calls), limits.check_others(&calls).unwrap()].concat()
}

fn named(tools: &[(&str, usize)]) -> Vec<(String, usize)> {
    tools.iter().map(|(tool, times)| ((*tool).to_owned(), *times)).collect()
}

#[test]
fn each_limit_says_what_it_found() {
    let limits = Limits {
        minimums: named(&[("a", 2), ("c", 1)]),
        maximums: named(&[("a", 1), ("b", 1)]),
        forbidden: vec!["b".to_owned(), "c".to_owned()],
        min_steps: Some(4),
        max_steps: Some(3),
        max_call_duration_ms: Some(99.5),
        max_total_duration_ms: Some(200.0),
    };
    let expected = [
        (true, "a: called 2 times (required ≥2)"),
        (false, "c: called 0 times (required ≥1)"),
        (false, "a: called 2 times (allowed ≤1)"),
        (true, "b: called once (allowed ≤1)"),
        (false, "b: called once (forbidden)"),
        (true, "c: called 0 times (forbidden)"),
        (false, "3 calls (required ≥4)"),
        (true, "3 calls (allowed ≤3)"),
        (false, "the longest call, 1 `a`, took 100 ms (allowed ≤99.5 ms)"),
        (true, "all calls took 160.25 ms (allowed ≤200 ms)"),
    ];
    assert_eq!(check(&limits, &calls()), expected.map(|(met, said)| (met, said.to_owned())));
}

#[test]
fn without_calls_nothing_took_long() {
    let limits = Limits {
        max_call_duration_ms: Some(1.0),
        max_total_duration_ms: Some(1.0),
        ..Limits::default()
    };
    let none = response(&json!({"output_messages": []}));
    assert!(check(&limits, &none).iter().all(|(met, _)| *met));
}

#[test]
fn a_duration_that_nobody_told_is_a_fault_that_names_the_call() {
    let answer: Value = json!({"output_messages": [{"role": "assistant", "tool_calls": [
        {"tool": "a", "duration_ms": 100}, {"tool": "b"}
    ]}]});
    let answer = response(&answer);
    let calls = answer.calls().unwrap();
    for limits in [
        Limits { max_call_duration_ms: Some(1.0), ..Limits::default() },
        Limits { max_total_duration_ms: Some(1.0), ..Limits::default() },
    ] {
        assert_eq!(
            limits.check_others(&calls).unwrap_err().message,
            "the trail of call 2, `b`, does not say how long it took"
        );
    }
}
