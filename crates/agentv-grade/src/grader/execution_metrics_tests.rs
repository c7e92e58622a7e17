//! Limits that are kept, broken, unknown or no limits at all.

use serde_json::{Value, json};

use crate::testing::{Project, errors_of, eval_case, response};

/// The hits and the misses, or the fault. The score is the share of the hits.
fn check(mut keys: Value, record: &Value) -> Result<(Vec<String>, Vec<String>), String> {
    keys["type"] = json!("execution-metrics");
    let given = Project::new().try_grade(&keys, &eval_case(), &response(record));
    let given = given.map_err(|fault| fault.message)?;
    let all = given.hits.len() + given.misses.len();
    assert!((given.score - given.hits.len() as f64 / all as f64).abs() < 1e-12, "{given:?}");
    Ok((given.hits, given.misses))
}

fn hit(keys: Value, record: &Value, text: &str) {
    assert_eq!(check(keys, record), Ok((vec![text.to_owned()], vec![])));
}

fn miss(keys: Value, record: &Value, text: &str) {
    assert_eq!(check(keys, record), Ok((vec![], vec![text.to_owned()])));
}

/// A trace of these tool calls between two steps of a model.
fn trace(tools: &[&str]) -> Value {
    let mut events = vec![json!({"type": "model_step"})];
    events.extend(tools.iter().map(|tool| json!({"type": "tool_call", "name": tool})));
    events.push(json!({"type": "model_step"}));
    json!({ "trace": events })
}

fn messages() -> Value {
    json!({"output_messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [{"tool": "Read"}, {"tool": "Write"}]},
        {"role": "tool", "content": "done"},
        {"role": "assistant", "content": "done"},
    ]})
}

#[test]
fn every_limit_is_a_hit_or_a_miss_and_the_score_is_the_share_of_hits() {
    let mut record = trace(&["Read", "Read", "Write"]);
    record["duration_ms"] = json!(99.5);
    record["cost_usd"] = json!(0.5);
    record["token_usage"] = json!({"input": 10, "output": 5, "cached": 8});
    let keys = json!({
        "max_tool_calls": 2, "max_llm_calls": 2, "max_tokens": 15, "max_cost_usd": 0.4,
        "max_duration_ms": 100, "max_errors": 0, "target_exploration_ratio": 0.5,
    });
    let (hits, misses) = check(keys, &record).unwrap();
    assert_eq!(
        hits,
        [
            "made 2 model calls, within 2",
            "had 0 errors, within 0",
            "took 15 tokens, within 15",
            "took 99.5 ms, within 100 ms",
            "2 of 3 tool calls only read (0.67), within 0.5 ± 0.2",
        ]
    );
    assert_eq!(misses, ["made 3 tool calls, more than 2", "cost 0.5 USD, more than 0.4 USD"]);
}

#[test]
fn without_a_trace_the_messages_are_counted() {
    hit(json!({"max_tool_calls": 2}), &messages(), "made 2 tool calls, within 2");
    miss(json!({"max_llm_calls": 1}), &messages(), "made 2 model calls, more than 1");
    hit(
        json!({"target_exploration_ratio": 0.5, "exploration_tolerance": 0}),
        &messages(),
        "1 of 2 tool calls only read (0.50), within 0.5 ± 0",
    );
}

#[test]
fn an_explicit_trace_goes_before_messages() {
    let mut record = messages();
    record["trace"] = json!([
        {"type": "model_step"}, {"type": "tool_call", "name": "Read"}, {"type": "error"},
        {"type": "error"},
    ]);
    miss(json!({"max_tool_calls": 0}), &record, "made 1 tool call, more than 0");
    hit(json!({"max_llm_calls": 1}), &record, "made 1 model call, within 1");
    miss(json!({"max_errors": 1}), &record, "had 2 errors, more than 1");
}

#[test]
fn a_limit_of_no_calls_at_all_can_be_kept() {
    hit(json!({"max_tool_calls": 0}), &trace(&[]), "made 0 tool calls, within 0");
    hit(
        json!({"max_tool_calls": 0}),
        &json!({"output_messages": []}),
        "made 0 tool calls, within 0",
    );
}

#[test]
fn an_edge_of_the_tolerance_belongs_to_it() {
    let keys = json!({"target_exploration_ratio": 0.6, "exploration_tools": ["look"]});
    let record = trace(&["look", "look", "look", "look", "Read"]);
    hit(keys.clone(), &record, "4 of 5 tool calls only read (0.80), within 0.6 ± 0.2");
    let record = trace(&["look", "Read", "Read", "Read"]);
    miss(keys, &record, "1 of 4 tool calls only read (0.25), not within 0.6 ± 0.2");
}

#[test]
fn without_a_call_there_is_no_share_of_calls() {
    let keys = json!({"target_exploration_ratio": 0});
    miss(keys, &trace(&[]), "called no tool, so no share of calls is 0 ± 0.2");
}

#[test]
fn everything_that_nobody_measured_is_told_at_once() {
    let keys = json!({
        "max_tool_calls": 1, "max_llm_calls": 1, "max_tokens": 1, "max_cost_usd": 1,
        "max_duration_ms": 1, "max_errors": 1,
    });
    let fault = check(keys, &json!({"text": "Paris"})).unwrap_err();
    for said in [
        "`trace` or as `output_messages`",
        "`model_step` events",
        "`error` events",
        "`token_usage: {input, output}`",
        "`cost_usd`",
        "`duration_ms`",
    ] {
        assert!(fault.contains(said), "{said}: {fault}");
    }
    assert_eq!(fault.matches("; ").count(), 5, "{fault}");
}

#[test]
fn one_unknown_number_leaves_no_score_whatever_the_others_are() {
    let keys = json!({"max_tool_calls": 5, "max_cost_usd": 1});
    let fault = check(keys, &trace(&["Read"])).unwrap_err();
    assert!(fault.starts_with("nobody knows what this answer cost: "), "{fault}");
}

#[test]
fn a_trail_that_leaves_models_or_errors_out_does_not_pass_for_none() {
    let no_steps = json!({"trace": [{"type": "tool_call", "name": "Read"}]});
    for (keys, record) in [
        (json!({"max_llm_calls": 5}), no_steps),
        (json!({"max_llm_calls": 5}), json!({"output_messages": []})),
        (json!({"max_errors": 5}), messages()),
    ] {
        assert!(check(keys.clone(), &record).is_err(), "{keys}");
    }
}

#[test]
fn every_wrong_setting_is_told_at_its_place() {
    assert_eq!(
        errors_of(&json!({
            "type": "execution_metrics", "max_tool_calls": 1.5, "max_cost_usd": -1,
            "target_exploration_ratio": 2, "exploration_tools": ["Read", " ", 1],
        })),
        [
            ("/max_tool_calls", "`max_tool_calls` must be a whole number of at least 0"),
            ("/max_cost_usd", "`max_cost_usd` must not be negative"),
            ("/target_exploration_ratio", "`target_exploration_ratio` must be between 0 and 1"),
            ("/exploration_tools/1", "an exploration tool must be the name of a tool"),
            ("/exploration_tools/2", "an exploration tool must be the name of a tool"),
        ]
        .map(|(at, message)| (at.to_owned(), message.to_owned()))
    );
}

#[test]
fn a_grader_that_limits_nothing_is_an_error() {
    assert_eq!(
        errors_of(&json!({"type": "execution_metrics", "weight": 2})),
        [(String::new(), "execution_metrics needs at least one limit".to_owned())]
    );
    assert_eq!(
        errors_of(&json!({
            "type": "execution_metrics", "exploration_tolerance": 0.1, "exploration_tools": [],
        })),
        [
            ("", "execution_metrics needs at least one limit"),
            ("/exploration_tools", "`exploration_tools` is empty, so no call would only read"),
            (
                "/exploration_tolerance#key",
                "`exploration_tolerance` says nothing without `target_exploration_ratio`"
            ),
            (
                "/exploration_tools#key",
                "`exploration_tools` says nothing without `target_exploration_ratio`"
            ),
        ]
        .map(|(at, message)| (at.to_owned(), message.to_owned()))
    );
}

#[test]
fn a_call_without_a_name_could_be_any_to_every_grader() {
    let nameless = json!({"tool": ""});
    for record in [
        json!({"trace": [{"type": "tool_call"}, {"type": "tool_call", "name": "Read"}]}),
        json!({"output_messages": [
            {"role": "assistant", "tool_calls": [nameless, {"tool": "Read"}]},
        ]}),
    ] {
        for keys in [
            json!({"type": "execution_metrics", "max_tool_calls": 1}),
            json!({"type": "trajectory:step-count", "value": 1}),
            json!({"type": "tool_trajectory", "forbidden": ["delete"]}),
        ] {
            let given = Project::new().try_grade(&keys, &eval_case(), &response(&record));
            let fault = given.unwrap_err().message;
            assert!(fault.contains("1 of the calls in the trail has no name"), "{fault}");
        }
    }
}
