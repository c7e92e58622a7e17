//! Every mode with names and with arguments, and what must hold for any calls.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::testing::{Project, eval_case, grade, response};

const MODES: [&str; 6] = ["any_order", "in_order", "exact", "unordered", "subset", "superset"];

fn keys(mode: &str, expected: &Value) -> Value {
    json!({"type": "tool_trajectory", "mode": mode, "expected": expected})
}

fn made(calls: &Value) -> agentv_base::Response {
    response(&json!({"output_messages": [{"role": "assistant", "tool_calls": calls}]}))
}

/// A call for each letter, with the digit behind it as its argument: `a1 b`.
fn calls(short: &str) -> Value {
    let call = |word: &str| {
        let (tool, argument) = word.split_at(1);
        match argument {
            "" => json!({"tool": tool}),
            _ => json!({"tool": tool, "input": {"n": argument}}),
        }
    };
    short.split_whitespace().map(call).collect()
}

/// The same, as expected calls; any arguments where there is none.
fn expected(short: &str) -> Value {
    let step = |word: &str| {
        let (tool, argument) = word.split_at(1);
        match argument {
            "" => json!(tool),
            _ => json!({"tool": tool, "args": {"n": argument}}),
        }
    };
    short.split_whitespace().map(step).collect()
}

fn score(mode: &str, wanted: &str, called: &str) -> f64 {
    let given = grade(&keys(mode, &expected(wanted)), &made(&calls(called)));
    assert_eq!(given.misses.is_empty(), given.score > 0.999, "{given:?}");
    given.score
}

#[test]
fn every_mode_takes_what_it_says() {
    // any_order, in_order, exact, unordered, subset, superset
    for (wanted, called, scores) in [
        ("a b", "a b", [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
        ("a b", "b a", [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
        ("a b", "a b c", [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        ("a b", "x a x b", [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        ("a b", "a", [0.5, 0.0, 0.0, 0.0, 1.0, 0.0]),
        ("a b", "", [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
        ("a b", "c", [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("a a", "a", [0.5, 0.0, 0.0, 0.0, 1.0, 0.0]),
        ("a", "a a", [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        ("a b a", "a a b b a", [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        // With arguments: one that takes any does not take the only one that another can have.
        ("a a1", "a1 a2", [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
        ("a1 a", "a1 a2", [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
        ("a1 a2", "a2 a1", [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]),
        ("a1 a2", "a1 a3 a2", [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        ("a1 b", "a2 b", [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ("a1 b", "a2 a1 b", [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
        ("a1 a1", "a1", [0.5, 0.0, 0.0, 0.0, 1.0, 0.0]),
        ("a1", "a", [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ] {
        for (mode, expected) in MODES.into_iter().zip(scores) {
            let given = score(mode, wanted, called);
            assert!((given - expected).abs() < 1e-12, "{mode}: {wanted} on {called}: {given}");
        }
    }
}

/// The one miss.
fn miss(keys: &Value, called: &Value) -> String {
    let given = grade(keys, &made(called));
    assert_eq!(given.misses.len(), 1, "{given:?}");
    given.misses.into_iter().next().unwrap()
}

#[test]
fn a_miss_shows_both_side_by_side() {
    let wanted = expected("a b1 c");
    let called = calls("a x b2");
    assert_eq!(
        miss(&keys("exact", &wanted), &called),
        "the calls are not exactly the expected ones (3 expected, 3 made):\n  \
         = a\n  + x\n  ~ b: args.n: expected \"1\", got \"2\"\n  - c"
    );
    assert_eq!(
        miss(&keys("in_order", &wanted), &called),
        "the expected calls were not made in this order (3 expected, 3 made):\n  \
         = a\n  + x\n  ~ b: args.n: expected \"1\", got \"2\"\n  - c"
    );
    assert_eq!(
        miss(&keys("unordered", &wanted), &called),
        "the calls are not the expected ones in any order (3 expected, 3 made):\n  \
         = a\n  ~ b: args.n: expected \"1\", got \"2\"\n  - c\n  + x"
    );
    assert_eq!(
        miss(&keys("superset", &wanted), &called),
        "not all expected calls were made (3 expected, 3 made):\n  \
         = a\n  ~ b: args.n: expected \"1\", got \"2\"\n  - c"
    );
    assert_eq!(
        miss(&keys("subset", &wanted), &called),
        "other calls than the expected ones were made (3 expected, 3 made):\n  \
         = a\n  ~ b: args.n: expected \"1\", got \"2\"\n  + x"
    );
    assert_eq!(
        miss(&keys("any_order", &wanted), &called),
        "1 of 3 expected calls were made:\n  \
         = a\n  ~ b: args.n: expected \"1\", got \"2\"\n  - c"
    );
}

#[test]
fn a_hit_names_the_calls() {
    for (mode, said) in [
        ("any_order", "called in any order: a → b"),
        ("in_order", "called in order: a → b"),
        ("exact", "called exactly: a → b"),
        ("unordered", "called in any order and nothing else: a → b"),
        ("subset", "called nothing but: a → b"),
        ("superset", "called in any order: a → b"),
    ] {
        assert_eq!(grade(&keys(mode, &expected("a b")), &made(&calls("a b"))).hits, [said]);
    }
}

#[test]
fn outputs_and_durations_are_a_part_of_a_call() {
    let wanted = json!([{"tool": "a", "output": {"ok": true}, "max_duration_ms": 100}]);
    let call = |output: Value, duration: u32| json!([{"tool": "a", "output": output, "duration_ms": duration}]);
    for mode in MODES {
        let keys = keys(mode, &wanted);
        let scored = |calls: Value| grade(&keys, &made(&calls)).score;
        assert!(scored(call(json!({"ok": true, "n": 1}), 100)) > 0.9, "{mode}");
        assert!(scored(call(json!({"ok": false}), 100)) < 0.1, "{mode}");
        assert!(scored(call(json!({"ok": true}), 101)) < 0.1, "{mode}");
    }
    let keys = keys("exact", &wanted);
    assert!(
        miss(&keys, &call(json!({"ok": 1}), 1)).ends_with("~ a: output.ok: expected true, got 1")
    );
    let said = miss(&keys, &call(json!({"ok": true}), 250));
    assert!(said.ends_with("~ a: took 250 ms, allowed ≤100 ms"), "{said}");
}

#[test]
fn what_the_trail_does_not_say_is_a_fault_where_it_would_decide() {
    let wanted = json!([{"tool": "a", "args": {"n": 1}, "output": "x", "max_duration_ms": 100}]);
    for mode in MODES {
        let fault = |call: Value| {
            let answer = made(&json!([{"tool": "b"}, call]));
            let wanted =
                if mode == "exact" { json!(["b", wanted[0].clone()]) } else { wanted.clone() };
            let found = Project::new().try_grade(&keys(mode, &wanted), &eval_case(), &answer);
            found.err().map(|fault| fault.message)
        };
        assert_eq!(
            fault(json!({"tool": "a", "input": {"n": 1}, "duration_ms": 1})).as_deref(),
            Some("the trail of call 2, `a`, does not say what it gave back"),
            "{mode}"
        );
        assert_eq!(
            fault(json!({"tool": "a", "input": {"n": 1}, "output": "x"})).as_deref(),
            Some("the trail of call 2, `a`, does not say how long it took"),
            "{mode}"
        );
        assert_eq!(
            fault(json!({"tool": "a", "input": {"n": 2}})),
            None,
            "{mode}: it is another call"
        );
        assert_eq!(fault(json!({"tool": "a", "input": {"n": 1}, "output": "y"})), None, "{mode}");
    }
}

#[test]
fn a_hundred_thousand_calls_are_compared() {
    let many: Vec<Value> = (0..100_000)
        .map(|number| json!({"tool": if number % 2 == 0 { "a" } else { "b" }, "input": {"n": number}}))
        .collect();
    let answer = made(&json!(many));
    let wanted = json!([
        {"tool": "b", "args": {"n": 99_997}}, {"tool": "a", "args": {"n": 0}}, "a", {"tool": "b", "args": {"n": -1}}
    ]);
    for mode in MODES {
        let given = grade(&keys(mode, &wanted), &answer);
        assert!(given.score < 1.0, "{mode}");
        assert!(given.misses[0].chars().count() < 3_000, "{mode}");
        assert!(given.misses[0].lines().count() < 30, "{mode}");
    }
    let all: Vec<Value> =
        (0..100_000).map(|number| json!(if number % 2 == 0 { "a" } else { "b" })).collect();
    for mode in MODES {
        assert!(grade(&keys(mode, &json!(all)), &answer).score > 0.9, "{mode}");
    }
}

#[test]
fn too_many_to_compare_in_any_order_is_a_fault_with_the_sizes() {
    let many = |count: u32| -> Vec<Value> {
        (0..count).map(|number| json!({"tool": "a", "input": {"n": number}})).collect()
    };
    let answer = made(&json!(many(5_001)));
    let wanted = json!(many(1_000));
    let found = Project::new().try_grade(&keys("superset", &wanted), &eval_case(), &answer);
    assert_eq!(
        found.unwrap_err().message,
        "1000 expected calls and 5001 calls are too many to compare in any order: it would take \
         5001000 comparisons of arguments, and the limit is 5000000"
    );
    assert!(grade(&keys("in_order", &wanted), &answer).score > 0.9, "an order needs no such thing");
}

/// Words such as `a`, `b1`: tools with and without arguments.
fn words(longest: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ab][12]?", 0..longest)
}

proptest! {
    #[test]
    fn an_order_of_calls_never_changes_what_has_none(
        wanted in words(5), called in words(6).prop_flat_map(|called| (Just(called.clone()), Just(called).prop_shuffle()))
    ) {
        let (called, shuffled) = called;
        for mode in ["unordered", "subset", "superset", "any_order"] {
            if wanted.is_empty() && ["superset", "any_order"].contains(&mode) {
                continue;
            }
            let wanted = wanted.join(" ");
            let before = score(mode, &wanted, &called.join(" "));
            let after = score(mode, &wanted, &shuffled.join(" "));
            prop_assert_eq!(before.to_bits(), after.to_bits(), "{}", mode);
        }
    }

    #[test]
    fn fewer_calls_never_help_what_wants_more_nor_harm_what_wants_fewer(
        wanted in words(5), called in words(6), at in any::<prop::sample::Index>()
    ) {
        prop_assume!(!wanted.is_empty() && !called.is_empty());
        let mut fewer = called.clone();
        fewer.remove(at.index(called.len()));
        let (wanted, called, fewer) = (wanted.join(" "), called.join(" "), fewer.join(" "));
        for mode in ["superset", "in_order", "any_order"] {
            prop_assert!(score(mode, &wanted, &fewer) <= score(mode, &wanted, &called), "{}", mode);
        }
        prop_assert!(score("subset", &wanted, &fewer) >= score("subset", &wanted, &called));
    }

    #[test]
    fn the_modes_agree_with_each_other(wanted in words(5), called in words(5)) {
        prop_assume!(!wanted.is_empty());
        let (wanted, called) = (wanted.join(" "), called.join(" "));
        let met = |mode| score(mode, &wanted, &called) > 0.999;
        prop_assert_eq!(met("unordered"), met("superset") && met("subset"));
        prop_assert_eq!(met("any_order"), met("superset"));
        prop_assert!(!met("exact") || (met("in_order") && met("unordered")));
        prop_assert!(!met("in_order") || met("superset"));
    }
}

#[test]
fn what_is_not_known_of_a_call_matters_only_where_it_could_change_the_outcome() {
    let wanted = json!([{"tool": "a", "output": "ok"}]);
    let silent_and_right = made(&json!([{"tool": "a"}, {"tool": "a", "output": "ok"}]));
    assert_eq!(
        grade(&keys("superset", &wanted), &silent_and_right).score.to_bits(),
        1.0_f64.to_bits()
    );
    let silent_and_wrong = made(&json!([{"tool": "a"}, {"tool": "a", "output": "no"}]));
    let fault = Project::new()
        .try_grade(&keys("superset", &wanted), &eval_case(), &silent_and_wrong)
        .unwrap_err();
    assert_eq!(fault.message, "the trail of call 1, `a`, does not say what it gave back");
}

#[test]
fn what_did_not_fit_into_the_trail_is_told_beside_the_score() {
    let mut answer = made(&calls("a"));
    answer.dropped_elements = 2;
    let given = grade(&keys("exact", &expected("a")), &answer);
    let told = "2 elements of the record did not fit and were left out; a call may be among them";
    assert_eq!(given.reasoning.as_deref(), Some(told));
}
