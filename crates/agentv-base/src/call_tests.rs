//! Calls of traces and of messages: what belongs to which, and how long it took.

use serde_json::{Value, json};

use super::*;
use crate::TraceSummary;

fn events(trace: &Value) -> Vec<TraceEvent> {
    serde_json::from_value(trace.clone()).unwrap()
}

/// What each call gave back and how long it took, by the names of the tools.
fn check(trace: &Value, expected: &[(&str, Option<Value>, Option<f64>)]) {
    let events = events(trace);
    let found: Vec<_> = of_trace(&events)
        .iter()
        .map(|call| (call.tool.to_owned(), call.output.cloned(), call.duration_ms))
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(tool, output, duration)| ((*tool).to_owned(), output.clone(), *duration))
        .collect();
    assert_eq!(found, expected, "{trace}");
}

fn call(tool: &str) -> Value {
    json!({"type": "tool_call", "name": tool})
}

fn result(tool: &str, output: i32) -> Value {
    json!({"type": "tool_result", "name": tool, "output": output})
}

/// An event with an id, or with anything else.
fn with(mut event: Value, key: &str, value: &Value) -> Value {
    event[key] = value.clone();
    event
}

#[test]
fn a_call_and_its_result_find_each_other_by_their_id() {
    let trace = json!([
        with(call("a"), "id", &json!("1")),
        with(call("a"), "id", &json!("2")),
        with(result("a", 20), "id", &json!("2")),
        with(json!({"type": "tool_result", "output": 10}), "id", &json!("1")),
    ]);
    check(&trace, &[("a", Some(json!(10)), None), ("a", Some(json!(20)), None)]);
}

#[test]
fn without_ids_the_oldest_call_of_the_name_is_meant() {
    let trace = json!([
        call("a"),
        call("b"),
        call("a"),
        result("a", 1),
        result("a", 2),
        result("a", 3),
        result("c", 4),
    ]);
    check(&trace, &[("a", Some(json!(1)), None), ("b", None, None), ("a", Some(json!(2)), None)]);
}

#[test]
fn without_a_name_the_oldest_call_of_all_is_meant() {
    let nameless = |output: i32| json!({"type": "tool_result", "output": output});
    let trace = json!([call("a"), call("b"), result("a", 1), nameless(2), nameless(3)]);
    check(&trace, &[("a", Some(json!(1)), None), ("b", Some(json!(2)), None)]);
}

#[test]
fn an_id_on_one_side_only_leaves_it_to_the_name() {
    let with_id = |event: Value, id: &str| with(event, "id", &json!(id));
    check(&json!([with_id(call("a"), "1"), result("a", 1)]), &[("a", Some(json!(1)), None)]);
    check(&json!([call("a"), with_id(result("a", 1), "1")]), &[("a", Some(json!(1)), None)]);
    check(
        &json!([with_id(call("a"), ""), with_id(result("a", 1), "1")]),
        &[("a", Some(json!(1)), None)],
    );
    // Two ids that differ say that the two are strangers.
    check(&json!([with_id(call("a"), "1"), with_id(result("a", 1), "2")]), &[("a", None, None)]);
}

#[test]
fn a_result_before_its_call_and_a_call_of_nothing_are_left_out() {
    let trace = json!([
        result("a", 1),
        call("a"),
        {"type": "tool_call"},
        {"type": "tool_call", "name": ""},
        {"type": "message", "name": "a", "output": 2},
    ]);
    check(&trace, &[("a", None, None)]);
}

#[test]
fn the_output_of_the_call_itself_counts_where_the_result_has_none() {
    let trace = json!([
        with(call("a"), "output", &json!("own")),
        {"type": "tool_result", "name": "a"},
        with(call("a"), "output", &json!("own")),
        result("a", 1),
    ]);
    check(&trace, &[("a", Some(json!("own")), None), ("a", Some(json!(1)), None)]);
}

/// The duration of one call, of the times of its events and what their metadata says.
fn duration(call_says: Value, result_says: Value) -> Option<f64> {
    let mut trace = json!([call("a"), result("a", 1)]);
    for (index, says) in [call_says, result_says].into_iter().enumerate() {
        trace[index].as_object_mut().unwrap().extend(says.as_object().unwrap().clone());
    }
    of_trace(&events(&trace))[0].duration_ms
}

#[test]
fn a_duration_is_what_lies_between_two_times() {
    let at = |time: &str| json!({"timestamp": time});
    for (start, end, expected) in [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:06.5Z", Some(1500.0)),
        ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05.250Z", Some(250.0)),
        ("2026-01-02T03:04:05.000000001Z", "2026-01-02T03:04:05.000000002Z", Some(0.000_001)),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", Some(0.0)),
        // The clock went backwards, a time without an offset, a number of seconds, no time at all.
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:04Z", None),
        ("2026-01-02T03:04:05", "2026-01-02T03:04:06Z", None),
        ("1767323045", "1767323046", None),
        ("2026-13-02T03:04:05Z", "yesterday", None),
    ] {
        assert_eq!(duration(at(start), at(end)), expected, "{start} to {end}");
    }
    assert_eq!(duration(at("2026-01-02T03:04:05Z"), json!({})), None);
}

#[test]
fn a_duration_that_is_said_wins_over_times() {
    let start = "2026-01-02T03:04:05Z";
    let says = |duration: Value| json!({"timestamp": start, "metadata": {"duration_ms": duration}});
    assert_eq!(duration(says(json!(7)), says(json!(8.5))), Some(8.5));
    assert_eq!(duration(says(json!(7)), json!({"timestamp": start})), Some(7.0));
    assert_eq!(duration(says(json!(7)), says(json!("8"))), Some(7.0));
    assert_eq!(duration(says(json!(-1)), says(json!(null))), Some(0.0), "the times are left");
}

#[test]
fn calls_of_messages_have_all_that_they_say() {
    let messages: Vec<Message> = serde_json::from_value(json!([
        {"role": "assistant", "tool_calls": [
            {"tool": "a", "input": {"q": 1}, "output": [2], "id": "x",
             "timestamp": "2026-01-02T03:04:05Z", "duration_ms": 12.5},
            {"tool": "b", "duration_ms": -1}
        ]},
        {"role": "tool", "name": "b", "content": "3"},
        {"role": "assistant", "tool_calls": [{"tool": "c"}]}
    ]))
    .unwrap();
    let (input, output) = (json!({"q": 1}), json!([2]));
    let bare = |tool| Call {
        tool,
        input: None,
        output: None,
        id: None,
        timestamp: None,
        duration_ms: None,
    };
    assert_eq!(
        of_messages(&messages),
        [
            Call {
                input: Some(&input),
                output: Some(&output),
                id: Some("x"),
                timestamp: Some("2026-01-02T03:04:05Z"),
                duration_ms: Some(12.5),
                ..bare("a")
            },
            bare("b"),
            bare("c"),
        ]
    );
}

#[test]
fn a_long_trace_of_calls_that_wait_is_read_in_one_go() {
    let mut trace: Vec<Value> = (0..50_000).map(|_| call("a")).collect();
    trace.extend((0..50_000).map(|output| result("a", output)));
    let events = events(&json!(trace));
    let calls = of_trace(&events);
    assert_eq!(calls.len(), 50_000);
    assert!(calls.iter().enumerate().all(|(index, call)| call.output == Some(&json!(index))));
}

#[test]
fn a_call_without_a_name_is_none_in_a_trace_and_in_messages() {
    let trace = json!([call(""), call(" "), {"type": "tool_call"}, call("a")]);
    check(&trace, &[("a", None, None)]);
    let messages: Vec<Message> = serde_json::from_value(json!([
        {"role": "assistant", "tool_calls": [{"tool": ""}, {"tool": " "}, {"tool": "a"}]}
    ]))
    .unwrap();
    let calls = of_messages(&messages);
    assert_eq!(calls.iter().map(|call| call.tool).collect::<Vec<_>>(), ["a"]);
    for summary in [TraceSummary::of_trace(&events(&trace)), TraceSummary::of_messages(&messages)] {
        assert_eq!(summary.tool_calls_by_name.into_iter().collect::<Vec<_>>(), [("a".into(), 1)]);
    }
}

#[test]
fn a_second_result_with_an_id_is_that_of_no_other_call() {
    let trace = json!([
        with(call("read"), "id", &json!("1")),
        call("write"),
        with(json!({"type": "tool_result", "output": 1}), "id", &json!("1")),
        with(json!({"type": "tool_result", "output": 2}), "id", &json!("1")),
    ]);
    check(&trace, &[("read", Some(json!(1)), None), ("write", None, None)]);
}
