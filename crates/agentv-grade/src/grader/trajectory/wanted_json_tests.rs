//! Values against what is wanted of them.

use agentv_base::Problems;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{node, place};

/// Where a value is not what is wanted, as a text.
fn check(wanted: &Value, found: &Value, how: How) -> Option<String> {
    let mut problems = Problems::default();
    let wanted =
        Wanted::read(&node(wanted), &mut problems).unwrap_or_else(|| panic!("{problems:?}"));
    wanted.mismatch(found, how).map(|mismatch| mismatch.shown())
}

/// Whether it is what is wanted: exactly, as a superset, as a subset.
fn all_ways(wanted: &Value, found: &Value) -> [bool; 3] {
    [How::Exact, How::Superset, How::Subset].map(|how| check(wanted, found, how).is_none())
}

#[test]
fn maps_have_the_same_keys_or_more_or_fewer_at_every_depth() {
    const ALL: [bool; 3] = [true; 3];
    const NONE: [bool; 3] = [false; 3];
    for (wanted, found, expected) in [
        (json!({"a": 1}), json!({"a": 1}), ALL),
        (json!({"a": 1}), json!({"a": 2}), NONE),
        (json!({"a": 1}), json!({"a": 1, "b": 2}), [false, true, false]),
        (json!({"a": 1, "b": 2}), json!({"a": 1}), [false, false, true]),
        (json!({"a": {"b": 1}}), json!({"a": {"b": 1, "c": 2}}), [false, true, false]),
        (json!({"a": {"b": 1, "c": 2}}), json!({"a": {"b": 1}}), [false, false, true]),
        (json!({"a": [{"b": 1}]}), json!({"a": [{"b": 1, "c": 2}]}), [false, true, false]),
        (json!({}), json!({}), ALL),
        (json!({}), json!({"a": 1}), [false, true, false]),
        (json!({"a": null}), json!({}), [false, false, true]),
        (json!({"a": null}), json!({"a": null}), ALL),
        (json!([1, 2]), json!([1, 2]), ALL),
        (json!([1, 2]), json!([2, 1]), NONE),
        (json!([1]), json!([1, 2]), NONE),
        (json!([1, 2]), json!([1]), NONE),
        (json!({"a": 1}), json!([1]), NONE),
        (json!(1), json!(1.0), ALL),
        (json!(1.5), json!(1.5), ALL),
        (json!(1), json!("1"), NONE),
        (json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992_i64), NONE),
        (json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992.0), NONE),
        (json!(-1), json!(u64::MAX), NONE),
        (json!(true), json!("true"), NONE),
        (json!(null), json!(0), NONE),
        (json!(""), json!(""), ALL),
    ] {
        assert_eq!(all_ways(&wanted, &found), expected, "{wanted} on {found}");
    }
}

#[test]
fn a_pattern_takes_texts_and_what_is_one_when_written() {
    let pattern = |pattern: &str| json!({"$regex": pattern});
    for (wanted, found, expected) in [
        (pattern("^a+$"), json!("aaa"), true),
        (pattern("^a+$"), json!("AAA"), false),
        (json!({"$regex": "^a+$", "$flags": "i"}), json!("AAA"), true),
        (pattern("^4"), json!(42), true),
        (pattern("true"), json!(true), true),
        (pattern("null"), json!(null), false),
        (pattern("a"), json!(["a"]), false),
        (json!({"x": [{"$regex": "b"}]}), json!({"x": ["abc"]}), true),
    ] {
        assert_eq!(all_ways(&wanted, &found), [expected; 3], "{wanted} on {found}");
    }
}

#[test]
fn a_difference_says_where_it_is_and_what_is_there_instead() {
    for (wanted, found, how, expected) in [
        (json!(1), json!("x"), How::Exact, ": expected 1, got \"x\""),
        (
            json!({"a": [1, {"b": 2}]}),
            json!({"a": [1, {"b": 3}]}),
            How::Exact,
            ".a[1].b: expected 2, got 3",
        ),
        (json!({"a": 1}), json!({}), How::Exact, ".a: expected 1, got nothing"),
        (json!({}), json!({"a": 1}), How::Exact, ".a: expected nothing, got 1"),
        (
            json!({"a": {"$regex": "x"}}),
            json!({"a": "y"}),
            How::Exact,
            ".a: expected a match of `x`, got \"y\"",
        ),
        (json!([1]), json!({}), How::Exact, ": expected a list of 1, got {}"),
        (json!({"a": 1}), json!(null), How::Exact, ": expected a map, got null"),
    ] {
        assert_eq!(check(&wanted, &found, how).as_deref(), Some(expected));
    }
}

#[test]
fn every_wrong_word_is_told_at_its_place() {
    let wanted = node(&json!({
        "a": {"$regx": "x"},
        "b": {"$like": "x"},
        "c": {"$regex": "(", "x": 1},
        "d": {"$regex": 3},
        "e": {"$regex": ""},
        "f": {"$flags": "i"},
        "g": {"$regex": "x", "$flags": "g"},
        "h": [{"$regex": "x", "$flags": 1}],
    }));
    let mut problems = Problems::default();
    assert!(Wanted::read(&wanted, &mut problems).is_none());
    let told: Vec<_> = problems
        .iter()
        .map(|problem| (place(&wanted, problem.span.unwrap()), problem.message.clone()))
        .collect();
    let expected = [
        ("/a/$regx#key", "unknown word `$regx`"),
        ("/b/$like#key", "unknown word `$like`"),
        ("/c/x#key", "`x` stands beside a `$` word, which takes the whole map"),
        ("/c/$regex", "`$regex` is not a regular expression that can be used: unclosed group"),
        ("/d/$regex", "`$regex` must be a string, not a number"),
        ("/e/$regex", "`$regex` is empty, so every text would match"),
        ("/f", "`$flags` needs `$regex`"),
        ("/g/$flags", "unknown flag `g`"),
        ("/h/0/$flags", "`$flags` must be a string, not a number"),
    ];
    assert_eq!(told, expected.map(|(at, said)| (at.to_owned(), said.to_owned())));
    let hints: Vec<_> = problems.iter().filter_map(|problem| problem.hint.as_deref()).collect();
    assert_eq!(hints[0], "did you mean `$regex`?");
    assert!(hints[1].contains("`$['$like']`"), "{hints:?}");
    assert!(hints.contains(&"leave `g` out: one match is enough"), "{hints:?}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        (-3_i64..3).prop_map(|value| json!(value)),
        "[ab]{0,2}".prop_map(|value| json!(value)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|items| json!(items)),
            prop::collection::btree_map("[abc]", inner, 0..3).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #[test]
    fn exactly_is_both_more_and_fewer(wanted in any_json(), found in any_json()) {
        let [exact, superset, subset] = all_ways(&wanted, &found);
        prop_assert_eq!(exact, superset && subset);
        prop_assert_eq!(exact, wanted == found);
    }

    #[test]
    fn a_superset_seen_from_the_other_side_is_a_subset(a in any_json(), b in any_json()) {
        let superset = check(&a, &b, How::Superset).is_none();
        prop_assert_eq!(superset, check(&b, &a, How::Subset).is_none());
    }
}
