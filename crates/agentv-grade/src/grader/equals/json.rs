//! Whether two JSON values are the same, and the first place where they are not.

use agentv_base::excerpt;
use serde_json::Value;

use crate::{
    grader::{json_text::pointer_part, wanted::quoted},
    json_value::equal,
};

/// Enough of a text to see how it differs.
const SHOWN_TEXT: usize = 80;

/// The first place where `answer` is not `wanted`, in words that go on after what was wanted;
/// nothing where both are the same. The order of keys does not count, and 1 is 1.0.
pub(super) fn difference(answer: &Value, wanted: &Value) -> Option<String> {
    differ(answer, wanted, &mut Vec::new())
}

fn differ<'v>(answer: &'v Value, wanted: &'v Value, path: &mut Vec<Step<'v>>) -> Option<String> {
    match (answer, wanted) {
        (Value::Object(found), Value::Object(expected)) => {
            for (key, value) in expected {
                path.push(Step::Key(key));
                match found.get(key) {
                    None => return Some(format!("it has no {}", place(path))),
                    Some(other) => {
                        if let Some(said) = differ(other, value, path) {
                            return Some(said);
                        }
                    }
                }
                path.pop();
            }
            let extra = found.keys().find(|key| !expected.contains_key(*key))?;
            path.push(Step::Key(extra));
            Some(format!("it also has {}", place(path)))
        }
        (Value::Array(found), Value::Array(expected)) => {
            for (index, value) in expected.iter().enumerate() {
                path.push(Step::Index(index));
                match found.get(index) {
                    None => return Some(format!("it has no {}", place(path))),
                    Some(other) => {
                        if let Some(said) = differ(other, value, path) {
                            return Some(said);
                        }
                    }
                }
                path.pop();
            }
            if found.len() == expected.len() {
                return None;
            }
            path.push(Step::Index(expected.len()));
            Some(format!("it also has {}", place(path)))
        }
        _ if equal(answer, wanted) => None,
        _ => {
            let (answer, wanted) = (shown(answer), shown(wanted));
            Some(if path.is_empty() {
                format!("it is {answer}")
            } else {
                format!("{} is {answer} instead of {wanted}", place(path))
            })
        }
    }
}

#[derive(Clone, Copy)]
enum Step<'v> {
    Key(&'v str),
    Index(usize),
}

/// A place as a JSON Pointer.
fn place(path: &[Step<'_>]) -> String {
    let steps = path.iter().map(|step| match step {
        Step::Key(key) => format!("/{}", pointer_part(key)),
        Step::Index(index) => format!("/{index}"),
    });
    quoted(&steps.collect::<String>())
}

/// A value on one line; of one that holds others only its kind, since it can be large.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        // In quotes, since `"3"` is not `3`.
        Value::String(text) => format!("`\"{}\"`", excerpt(text, SHOWN_TEXT)),
        Value::Null | Value::Bool(_) | Value::Number(_) => format!("`{value}`"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_named_by_its_place() {
        let wanted = json!({"total": 3, "items": [{"price": 1.5}, "b"], "a/b": null});
        for (answer, said) in [
            (json!({"a/b": null, "items": [{"price": 1.5}, "b"], "total": 3.0}), None),
            (json!([]), Some("it is a list")),
            (json!({"total": "3"}), Some("`/total` is `\"3\"` instead of `3`")),
            (json!({"total": 3}), Some("it has no `/items`")),
            (json!({"total": 3, "items": []}), Some("it has no `/items/0`")),
            (
                json!({"total": 3, "items": [{"price": 2}]}),
                Some("`/items/0/price` is `2` instead of `1.5`"),
            ),
            (
                json!({"total": 3, "items": [{"price": 1.5}, "b", 1]}),
                Some("it also has `/items/2`"),
            ),
            (
                json!({"total": 3, "items": [{"price": 1.5}, "b"], "a/b": 0}),
                Some("`/a~1b` is `0` instead of `null`"),
            ),
            (
                json!({"total": 3, "items": [{"price": 1.5}, "b"], "a/b": null, "x": 1}),
                Some("it also has `/x`"),
            ),
        ] {
            assert_eq!(difference(&answer, &wanted).as_deref(), said, "{answer}");
        }
    }

    #[test]
    fn large_whole_numbers_are_not_rounded_to_be_the_same() {
        assert!(
            difference(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992_u64))
                .is_some()
        );
        assert!(
            difference(&json!(9_007_199_254_740_993_u64), &json!(9_007_199_254_740_992.0))
                .is_some()
        );
        assert!(difference(&json!(-1), &json!(u64::MAX)).is_some());
        assert_eq!(difference(&json!(1e3), &json!(1000)), None);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,5}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(".{0,3}", inner, 0..4)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_value_equals_itself_and_equality_has_no_direction(a in any_json(), b in any_json()) {
            prop_assert_eq!(difference(&a, &a), None);
            prop_assert_eq!(difference(&a, &b).is_some(), difference(&b, &a).is_some());
        }
    }
}
