//! What is counted of an answer, and that it is never less than what is done.

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// An answer inside of itself, `#` for the next level.
fn nested(form: &str, levels: usize) -> Value {
    let (before, after) = form.split_once('#').unwrap();
    serde_json::from_str(&(before.repeat(levels) + "1" + &after.repeat(levels))).unwrap()
}

fn check_detail(schema: &Value, answer: &Value, expected: Detail) {
    let parts = Parts::of(schema);
    assert_eq!(detail(&parts, answer), expected, "{schema}");
    assert_eq!(check(&parts, answer), Ok(()), "{schema}");
}

#[test]
fn a_schema_that_goes_one_way_at_each_level_can_say_everything_however_deep() {
    for (schema, form) in [
        // A list, a tree, and a tree of two kinds of parts.
        (json!({"properties": {"a": {"$ref": "#"}}}), r#"{"a":#}"#),
        (json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}}), r#"{"b":#,"a":1}"#),
        (
            json!({
                "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/$defs/b"}},
                "$defs": {"b": {"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/$defs/b"}}}},
            }),
            r#"{"a":{"b":#}}"#,
        ),
        (json!({"items": {"$ref": "#"}}), "[#]"),
        (json!({"prefixItems": [{"$ref": "#"}], "items": {"$ref": "#"}}), "[#]"),
        (json!({"additionalProperties": {"$ref": "#"}}), r#"{"a":#}"#),
        (
            json!({"properties": {"a": {"$ref": "#"}}, "additionalProperties": {"$ref": "#"}}),
            r#"{"a":#}"#,
        ),
        (json!({"not": {"properties": {"a": {"$ref": "#"}}}}), r#"{"a":#}"#),
        (
            json!({"if": {"required": ["a"]}, "then": {"properties": {"a": {"$ref": "#"}}}}),
            r#"{"a":#}"#,
        ),
        (json!({"propertyNames": {"$ref": "#"}, "items": {"$ref": "#"}}), "[#]"),
        // Branches that go on under names of their own.
        (
            json!({"allOf": [
                {"properties": {"a": {"$ref": "#"}}},
                {"properties": {"b": {"$ref": "#"}}},
            ]}),
            r#"{"a":#}"#,
        ),
    ] {
        check_detail(
            &schema,
            &nested(form, if form.contains(r#"{"b":#}"#) { 60 } else { 120 }),
            Detail::Everything,
        );
    }
}

#[test]
fn a_schema_that_goes_two_ways_at_each_level_can_say_nothing_of_a_deep_answer() {
    let way = json!({"properties": {"a": {"$ref": "#"}}, "items": {"$ref": "#"}});
    for schema in [
        json!({"anyOf": [way, way]}),
        json!({"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}}),
        json!({"oneOf": [way, {"not": way}]}),
        json!({"if": way, "then": way}),
        json!({"if": {}, "then": way, "else": way}),
        json!({"properties": {"a": {"$ref": "#"}}, "patternProperties": {"a": {"$ref": "#"}}}),
        json!({"additionalProperties": {"$ref": "#"}, "patternProperties": {"b": {"$ref": "#"}}}),
        json!({"unevaluatedProperties": {"$ref": "#"}}),
        json!({"dependentSchemas": {"a": way}, "allOf": [way]}),
        json!({"$ref": "#/$defs/b", "$defs": {"b": {"properties": {"a": {"anyOf": [
            {"$ref": "#/$defs/b"}, {"$ref": "#"},
        ]}}}}}),
    ] {
        check_detail(&schema, &nested(r#"{"a":#}"#, 100), Detail::Nothing);
        check_detail(&schema, &nested(r#"{"a":#}"#, 3), Detail::Everything);
    }
    let items = json!({"items": {"$ref": "#"}, "contains": {"$ref": "#"}});
    check_detail(&items, &nested("[#]", 100), Detail::Nothing);
}

#[test]
fn of_a_large_answer_the_first_error_can_be_said_unless_all_of_it_is_tried() {
    let many = Value::from(vec![1; 400_000]);
    check_detail(&json!({"items": {"type": "string"}}), &json!([1, 2]), Detail::Everything);
    check_detail(&json!({"items": {"type": "string"}}), &many, Detail::First);
    check_detail(
        &json!({"items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}),
        &many,
        Detail::First,
    );
    check_detail(
        &json!({"anyOf": [{"items": {"type": "string"}}, {"type": "null"}]}),
        &many,
        Detail::Nothing,
    );
    // Every error has the whole place, and what is tried is kept with the value.
    let long = json!({"a".repeat(1 << 20): vec![1; 200]});
    check_detail(
        &json!({"additionalProperties": {"items": {"type": "string"}}}),
        &long,
        Detail::First,
    );
    let tried = json!({"anyOf": vec![json!({"type": "string"}); 10]});
    check_detail(&tried, &Value::from(vec![1; 300_000]), Detail::Nothing);
}

#[test]
fn a_schema_that_forks_over_and_over_without_a_circle_is_checked_as_far_as_it_is_possible() {
    let mut defs: serde_json::Map<String, Value> = (0..40)
        .map(|number| {
            let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
            (format!("d{number}"), json!({"properties": {"a": {"allOf": [next, next]}}}))
        })
        .collect();
    defs.insert("d40".to_owned(), json!({"type": "object"}));
    // What leads back to itself is remembered, also beside what does not.
    let circle = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]});
    let both = json!({"$defs": defs, "properties": {"a": circle, "b": {"$ref": "#/$defs/d0"}}});
    assert_eq!(check(&Parts::of(&both), &nested(r#"{"a":#}"#, 100)), Ok(()));

    let parts = Parts::of(&json!({"$defs": defs, "$ref": "#/$defs/d0"}));
    assert_eq!(check(&parts, &nested(r#"{"a":#}"#, 10)), Ok(()));
    assert_eq!(check(&parts, &nested(r#"{"a":#}"#, 40)), Err((1_002_050, 41)));
}

#[test]
fn an_answer_is_measured_with_all_that_is_inside() {
    for (answer, values, depth) in [(json!(1), 1, 1), (json!([1, {"a": [], "b": 1}]), 5, 3)] {
        let measured = measure(&answer);
        assert_eq!((measured.values, measured.depth), (values, depth));
    }
}

/// Small schemas that refer to themselves, and everything in them is wrong.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![Just(json!(false)), Just(json!({"type": "null"})), Just(json!({"$ref": "#"}))];
    let part = leaf.prop_recursive(3, 12, 3, |inner| {
        let list = || proptest::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            inner.clone().prop_map(|part| json!({"properties": {"a": part}})),
            inner.clone().prop_map(|part| json!({"additionalProperties": part})),
            inner.clone().prop_map(|part| json!({"patternProperties": {"": part}})),
            inner.clone().prop_map(|part| json!({"items": part, "required": ["x", "y"]})),
            list().prop_map(|parts| json!({"prefixItems": parts, "items": false})),
            list().prop_map(|parts| json!({"allOf": parts})),
            list().prop_map(|parts| json!({"anyOf": parts, "properties": {"a": {"$ref": "#"}}})),
            (inner.clone(), inner.clone())
                .prop_map(|(one, other)| json!({"if": one, "then": other, "else": other})),
            (inner.clone(), inner.clone())
                .prop_map(|(one, other)| json!({"dependentSchemas": {"a": one}, "not": other})),
        ]
    });
    part.prop_map(|part| json!({"allOf": [part], "type": "null"}))
}

fn answers() -> impl Strategy<Value = Value> {
    Just(json!(1)).prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|value| json!({"a": value})),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| json!({"a": one, "b": other})),
            proptest::collection::vec(inner, 1..3).prop_map(Value::from),
        ]
    })
}

/// All errors, and those that they keep of what was tried.
fn all_errors(errors: &mut dyn Iterator<Item = &jsonschema::ValidationError<'_>>) -> usize {
    use jsonschema::error::ValidationErrorKind as Kind;
    let mut sum = 0;
    for error in errors {
        sum += 1;
        if let Kind::AnyOf { context } | Kind::OneOfNotValid { context } = error.kind() {
            sum += all_errors(&mut context.iter().flatten());
        }
    }
    sum
}

proptest! {
    #[test]
    fn there_are_never_more_errors_than_were_counted(schema in schemas(), answer in answers()) {
        let parts = Parts::of(&schema);
        let mut count = Count::new(&parts, &answer, None);
        if count.run(&answer).is_ok()
            && let Ok(validator) = jsonschema::options().offline().build(&schema)
        {
            let errors: Vec<_> = validator.iter_errors(&answer).collect();
            let found = all_errors(&mut errors.iter());
            prop_assert!(found * ERROR <= count.kept, "{found} {} {schema} {answer}", count.kept);
        }
    }
}
