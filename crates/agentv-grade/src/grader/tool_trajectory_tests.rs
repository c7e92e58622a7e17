//! The keys of a trajectory, and how its parts make one score.

use serde_json::{Value, json};

use crate::{
    build,
    testing::{Project, errors_of, grade, node, response},
};
use agentv_base::Problems;

fn entry(keys: Value) -> Value {
    let mut entry = json!({"type": "tool_trajectory"});
    let Value::Object(keys) = keys else { panic!("keys are a map") };
    entry.as_object_mut().unwrap().extend(keys);
    entry
}

/// The errors of a trajectory with these keys.
fn check(keys: Value, expected: &[(&str, &str)]) {
    let shown = keys.to_string();
    let expected: Vec<_> =
        expected.iter().map(|(at, said)| ((*at).to_owned(), (*said).to_owned())).collect();
    assert_eq!(errors_of(&entry(keys)), expected, "{shown}");
}

#[test]
fn every_mode_is_read_in_both_spellings() {
    for keys in [
        json!({"mode": "any_order", "minimums": {"search": 1, "book": 0}}),
        json!({"mode": "any-order", "minimums": {"search": "2"}}),
        json!({"mode": "any_order", "expected": ["a"], "minimums": {"b": 1}}),
        json!({"mode": "in-order", "expected": [{"tool": "search"}, "book"]}),
        json!({"mode": "exact", "expected": ["search"]}),
        json!({"mode": "exact", "expected": []}),
        json!({"mode": "unordered", "expected": []}),
        json!({"mode": "subset", "expected": []}),
        json!({"mode": "superset", "expected": [{"tool": "a", "input": {"q": 1}, "output": [1]}]}),
        json!({"mode": "exact", "expected": ["a"], "minimums": {"a": 1}}),
        json!({"mode": "exact", "expected": [{"tool": "a", "args": "any", "argsMatch": "ignore"}]}),
        json!({"mode": "exact", "argsMatch": ["q"], "expected": ["b", {"tool": "a", "args": {"q": 1}}]}),
        json!({"max_steps": 0}),
        json!({"minimums": {"a": 1}, "maximums": {"a": 1}, "min_steps": 1, "max_steps": 1}),
    ] {
        check(keys, &[]);
    }
}

#[test]
fn an_unknown_mode_is_an_error_that_names_the_nearest() {
    for (typed, hint) in [
        (
            "in_ordr",
            "did you mean `in_order`? known: any_order, in_order, exact, unordered, subset, superset",
        ),
        ("sideways", "known: any_order, in_order, exact, unordered, subset, superset"),
    ] {
        let entry = entry(json!({"mode": typed, "expected": ["a"]}));
        let project = Project::new();
        let mut problems = Problems::default();
        build(&[node(&entry)], &project.context(), &mut problems);
        let problem = problems.iter().next().unwrap();
        assert_eq!(problem.message, format!("unknown mode `{typed}`"));
        assert_eq!(problem.hint.as_deref(), Some(hint));
    }
}

#[test]
fn there_must_be_something_to_compare_and_a_way_to_do_it() {
    check(json!({}), &[("", "tool_trajectory needs `mode`, or a limit")]);
    check(json!({"expected": ["a"]}), &[("", "`expected` needs `mode`")]);
    check(json!({"expected": ["a"], "max_steps": 3}), &[("", "`expected` needs `mode`")]);
    check(
        json!({"mode": "any_order", "maximums": {"a": 1}}),
        &[("", "the mode `any_order` needs `minimums` or `expected`")],
    );
    for mode in ["in_order", "exact", "unordered", "subset", "superset"] {
        let said = format!("the mode `{mode}` needs `expected`");
        check(json!({"mode": mode, "expected": null}), &[("", &said)]);
        check(json!({"mode": mode, "minimums": {"a": 1}}), &[("", &said)]);
    }
}

#[test]
fn empty_requirements_are_an_error() {
    for mode in ["in_order", "superset", "any_order"] {
        check(
            json!({"mode": mode, "expected": []}),
            &[("/expected", "`expected` is empty, so every answer would pass")],
        );
    }
    check(
        json!({"mode": "any_order", "minimums": {}, "maximums": {}, "forbidden": []}),
        &[
            ("/minimums", "`minimums` is empty, so every answer would pass"),
            ("/maximums", "`maximums` is empty, so every answer would pass"),
            ("/forbidden", "`forbidden` is empty, so every answer would pass"),
        ],
    );
    check(
        json!({"mode": "exact", "expected": ["a"], "args_match_by_tool": {}}),
        &[("/args_match_by_tool", "`args_match_by_tool` is empty")],
    );
}

#[test]
fn every_wrong_entry_is_an_error_at_its_place() {
    check(
        json!({
            "mode": "any_order", "minimums": {"a": -1, "b": 1.5, "c": 1, "d": [1]},
            "maximums": {"a": "x", " ": 1}, "forbidden": [1, ""], "min_steps": 0, "max_steps": -1,
            "max_call_duration_ms": 0, "max_total_duration_ms": "long"
        }),
        &[
            ("/minimums/a", "`minimums.a` must be a whole number of at least 0"),
            ("/minimums/b", "`minimums.b` must be a whole number of at least 0"),
            ("/minimums/d", "`minimums.d` must be a whole number of at least 0, not a list"),
            ("/maximums/a", "`maximums.a` must be a whole number of at least 0, not a string"),
            ("/maximums/ #key", "a tool of `maximums` is blank"),
            ("/forbidden/0", "a forbidden tool must be a name that is not blank"),
            ("/forbidden/1", "a forbidden tool must be a name that is not blank"),
            ("/min_steps", "`min_steps` must be a whole number of at least 1"),
            ("/max_steps", "`max_steps` must be a whole number of at least 0"),
            ("/max_call_duration_ms", "`max_call_duration_ms` must be greater than 0"),
            ("/max_total_duration_ms", "`max_total_duration_ms` must be a number, not a string"),
        ],
    );
    check(
        json!({"mode": "exact", "args_match": "most", "expected": [
            {"tol": "a"}, " ", 3, {"tool": ""}, {"tool": "a", "args": 1, "args_match": "few"},
            {"tool": "a", "args_match": "exact"}, {"args": {"$x": 1}, "max_duration_ms": 0, "output": {"$y": 1}}
        ]}),
        &[
            ("/args_match", "unknown args_match `most`"),
            ("/expected/0/tol#key", "unknown key `tol` in expected tool"),
            ("/expected/1", "the name of an expected tool is blank"),
            ("/expected/2", "expected tool must be a map, not a number"),
            ("/expected/3/tool", "`tool` of expected tool is blank"),
            ("/expected/4/args_match", "unknown args_match `few`"),
            ("/expected/4/args", "`args` must be a map or `any`, not a number"),
            ("/expected/5/args_match#key", "there are no `args` to match, so any would do"),
            ("/expected/6", "expected tool needs `tool`"),
            ("/expected/6/max_duration_ms", "`max_duration_ms` must be greater than 0"),
            ("/expected/6/output/$y#key", "unknown word `$y`"),
            ("/expected/6/args/$x#key", "unknown word `$x`"),
        ],
    );
    check(
        json!({"mode": "exact", "expected": [{"tool": "a", "args": {"q": 1}, "input": {"q": 1}}]}),
        &[("/expected/0/input#key", "`input` and `args` are the same key of expected tool")],
    );
    check(
        json!({"mode": "exact", "expected": ["search"], "args_match_by_tool": {"serch": "exact"}}),
        &[("/args_match_by_tool/serch", "no call of `serch` is expected")],
    );
}

#[test]
fn limits_that_nothing_could_meet_are_an_error() {
    check(
        json!({"minimums": {"a": 2, "b": 1}, "maximums": {"a": 1}, "forbidden": ["b"], "min_steps": 3, "max_steps": 2}),
        &[
            ("/maximums", "`a` must be called 2 times and may be called once"),
            ("/forbidden", "`b` must be called and is forbidden"),
            ("/max_steps", "there must be 3 calls and there may be 2"),
        ],
    );
    check(
        json!({"mode": "in_order", "expected": ["a", "a", "b"], "maximums": {"a": 1}, "forbidden": ["b"], "max_steps": 2}),
        &[
            ("/maximums", "`a` must be called 2 times and may be called once"),
            ("/forbidden", "`b` must be called and is forbidden"),
            ("/max_steps", "there must be 3 calls and there may be 2"),
        ],
    );
    check(
        json!({"mode": "subset", "expected": ["a", "b"], "forbidden": ["c"], "min_steps": 3}),
        &[("/min_steps", "there must be 3 calls and 2 are expected")],
    );
}

/// The score of an answer that called these tools, each for 10 ms.
fn scored(keys: Value, tools: &[&str]) -> f64 {
    let calls: Vec<Value> =
        tools.iter().map(|tool| json!({"tool": tool, "duration_ms": 10})).collect();
    let answer = json!({"output_messages": [{"role": "assistant", "tool_calls": calls}]});
    grade(&entry(keys), &response(&answer)).score
}

#[test]
fn a_broken_limit_makes_the_score_0_whatever_else_is_met() {
    for (keys, tools, expected) in [
        (json!({"mode": "any_order", "minimums": {"a": 1, "b": 1}}), vec!["a"], 0.5),
        (
            json!({"mode": "any_order", "minimums": {"a": 1, "b": 1}, "max_steps": 1}),
            vec!["a"],
            0.5,
        ),
        (
            json!({"mode": "any_order", "minimums": {"a": 1, "b": 1}, "max_steps": 1}),
            vec!["a", "a"],
            0.0,
        ),
        (
            json!({"mode": "any_order", "minimums": {"a": 2}, "expected": ["b", "c", "d"]}),
            vec!["b", "a", "a"],
            0.5,
        ),
        (json!({"mode": "in_order", "expected": ["a"], "minimums": {"b": 1}}), vec!["a", "b"], 1.0),
        (json!({"mode": "in_order", "expected": ["a"], "minimums": {"b": 1}}), vec!["a"], 0.0),
        (json!({"mode": "in_order", "expected": ["a"], "forbidden": ["b"]}), vec!["a", "b"], 0.0),
        (
            json!({"mode": "in_order", "expected": ["a"], "max_total_duration_ms": 20}),
            vec!["a", "b"],
            1.0,
        ),
        (
            json!({"mode": "in_order", "expected": ["a"], "max_total_duration_ms": 19}),
            vec!["a", "b"],
            0.0,
        ),
        (json!({"max_call_duration_ms": 10}), vec!["a", "b"], 1.0),
        (json!({"max_call_duration_ms": 9}), vec!["a", "b"], 0.0),
        (json!({"minimums": {"a": 1, "b": 1}}), vec!["a"], 0.0),
        (json!({"max_steps": 0}), vec![], 1.0),
    ] {
        let found = scored(keys.clone(), &tools);
        assert!((found - expected).abs() < 1e-12, "{keys} on {tools:?}: {found}");
    }
}

#[test]
fn ways_to_compare_arguments_are_those_of_the_call_then_the_tool_then_all() {
    let answer = json!({"output_messages": [{"role": "assistant", "tool_calls": [
        {"tool": "a", "input": {"q": 1, "n": 2}}, {"tool": "b", "input": {"q": 1, "n": 2}}
    ]}]});
    let step = |tool: &str| json!({"tool": tool, "args": {"q": 1}});
    for (keys, expected) in [
        (json!({"expected": [step("a"), step("b")]}), 0.0),
        (json!({"args_match": "superset", "expected": [step("a"), step("b")]}), 1.0),
        (json!({"args_match_by_tool": {"a": "superset"}, "expected": [step("a"), step("b")]}), 0.0),
        (
            json!({"args_match_by_tool": {"a": "superset", "b": ["q"]}, "expected": [step("a"), step("b")]}),
            1.0,
        ),
        (
            json!({"args_match": "superset", "args_match_by_tool": {"a": "exact"}, "expected": [
                {"tool": "a", "args": {"q": 1}, "args_match": "ignore"}, step("b")
            ]}),
            1.0,
        ),
    ] {
        let mut keys = entry(keys);
        keys["mode"] = json!("exact");
        let given = grade(&keys, &response(&answer));
        assert_eq!(given.score.to_bits(), f64::to_bits(expected), "{keys}: {given:?}");
    }
}

#[test]
fn an_answer_without_any_trail_scores_0_whatever_is_wanted() {
    for keys in [
        json!({"mode": "exact", "expected": []}),
        json!({"mode": "any_order", "minimums": {"a": 0}}),
        json!({"max_steps": 3}),
        json!({"max_call_duration_ms": 3}),
    ] {
        let given = grade(&entry(keys), &response(&json!({"text": ""})));
        assert_eq!(given.score.to_bits(), 0.0_f64.to_bits());
        assert_eq!(
            given.misses,
            ["no trace: the target left neither a trace with events nor messages"]
        );
    }
}

#[test]
fn names_of_any_kind_are_shown_short_and_harmless() {
    let answer = json!({"output_messages": [{"role": "assistant", "tool_calls": [
        {"tool": "\u{1b}[31m".repeat(1000)}
    ]}]});
    let given = grade(&entry(json!({"mode": "exact", "expected": ["a"]})), &response(&answer));
    assert!(given.misses[0].contains("+ \\u{1b}[31m"), "{given:?}");
    assert!(given.misses[0].chars().count() < 300, "{given:?}");
}

#[test]
fn blanks_around_the_names_of_tools_do_not_count() {
    let called = response(&json!({"text": "", "trace": [
        {"type": "tool_call", "timestamp": "2024-01-01T00:00:00Z", "name": "a"},
    ]}));
    for (keys, score) in [
        (json!({"mode": "exact", "expected": [" a"]}), 1.0),
        (json!({"mode": "exact", "expected": [{"tool": "a "}]}), 1.0),
        (json!({"minimums": {" a": 1}}), 1.0),
        (json!({"maximums": {"a ": 0}}), 0.0),
        (json!({"forbidden": [" a "]}), 0.0),
    ] {
        let given = grade(&entry(keys.clone()), &called);
        assert!((given.score - score).abs() < 1e-9, "{keys}: {given:?}");
    }
}

#[test]
fn a_null_that_would_say_nothing_is_an_error() {
    let keys =
        entry(json!({"mode": "exact", "expected": [{"tool": "a", "args": null, "output": null}]}));
    let told = ["args", "output"].map(|key| {
        (format!("/expected/0/{key}"), format!("`{key}` is null, which would say nothing"))
    });
    assert_eq!(errors_of(&keys), told);
}
