//! What is said of schemas that cannot be used, and where; what an answer does not keep.

use serde_json::json;

use super::*;
use crate::testing::{Project, node, place as place_of};

/// The one problem of a schema and its place.
fn problem(schema: &Value) -> (String, String) {
    let node = node(schema);
    let mut problems = Problems::default();
    assert!(Schema::read(&node, &Project::new().context(), &mut problems).is_none());
    let problem = problems.iter().next().unwrap();
    (place_of(&node, problem.span.unwrap()), problem.message.clone())
}

fn misses(schema: &Value, answer: &Value) -> Vec<String> {
    compile(schema).unwrap().misses(answer)
}

#[test]
fn a_bad_schema_is_told_at_the_part_that_is_bad() {
    for (schema, at, reason) in [
        (
            json!({"properties": {"a": {"minimum": "x"}}}),
            "/properties/a/minimum",
            r#""x" is not of type "number""#,
        ),
        (json!({"required": "a"}), "/required", r#""a" is not of type "array""#),
        (
            json!({"anyOf": [{}, {"type": "strng"}]}),
            "/anyOf/1/type",
            r#""strng" is none of "array", "boolean", "integer", "null", "number", "object", "string""#,
        ),
        (
            json!({"properties": {"a/b": {"pattern": "(a"}}}),
            "/properties/a/b/pattern",
            r#""(a" is not a regular expression without look-around and back-references"#,
        ),
        (
            json!({"pattern": "a(?=b)"}),
            "/pattern",
            r#""a(?=b)" is not a regular expression without look-around and back-references"#,
        ),
    ] {
        let (place, message) = problem(&schema);
        let expected = format!("`value` is not a JSON Schema that can be used: {reason}");
        assert_eq!((place.as_str(), message), (at, expected));
    }
}

#[test]
fn nothing_is_fetched_for_a_reference() {
    for (reference, named) in [
        ("https://example.com/x.json#/b", "https://example.com/x.json"),
        ("file:///etc/passwd", "file:///etc/passwd"),
        ("other.json", "other.json"),
    ] {
        let (place, message) =
            problem(&json!({"allOf": [{"$ref": "#"}], "not": {"$ref": reference}}));
        assert!(message.contains(&format!("it refers to `{named}`, and nothing is")), "{message}");
        assert_eq!(place, "/not/$ref");
    }
}

#[test]
fn a_reference_to_nowhere_is_told_at_its_place() {
    for reference in ["#/$defs/absent", "#absent"] {
        let schema =
            json!({"$defs": {"a": {}}, "allOf": [{"$ref": "#/$defs/a"}, {"$ref": reference}]});
        assert_eq!(problem(&schema).0, "/allOf/1/$ref", "{reference}");
    }
    assert_eq!(problem(&json!({"$schema": "https://example.com/meta"})).0, "/$schema");
}

#[test]
fn a_reference_inside_the_schema_is_followed_also_in_circles() {
    let list = json!({"properties": {"next": {"$ref": "#"}, "value": {"type": "integer"}}});
    assert_eq!(misses(&list, &json!({"next": {"next": {"value": 1}}})), Vec::<String>::new());
    assert_eq!(
        misses(&list, &json!({"next": {"next": {"value": "one"}}})),
        [r#"does not satisfy the schema at /next/next/value: "one" is not of type "integer""#]
    );
    assert_eq!(misses(&json!({"$ref": "#"}), &json!(1)), Vec::<String>::new());
}

#[test]
fn formats_and_older_drafts_are_checked() {
    for schema in [
        json!({"format": "date"}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "format": "date"}),
    ] {
        assert_eq!(
            misses(&schema, &json!("soon")),
            [r#"does not satisfy the schema: "soon" is not a "date""#]
        );
    }
}

#[test]
fn many_misses_are_cut_and_counted() {
    let found = misses(&json!({"items": {"type": "string"}}), &json!([1, 2, 3, 4, 5, 6, 7]));
    assert_eq!(found.len(), 6);
    assert_eq!(found[5], "and 2 more");
}

#[test]
fn a_miss_is_short_and_harmless_whatever_the_answer() {
    let key = "\u{1b}[31m".repeat(200);
    let found = misses(
        &json!({"additionalProperties": {"anyOf": [{"type": "string"}, {"type": "null"}]}}),
        &json!({key: vec![1; 10_000]}),
    );
    assert_eq!(found.len(), 1);
    assert!(found[0].chars().count() < 500 && !found[0].contains('\u{1b}'), "{}", found[0]);
    assert!(
        found[0].ends_with("is not valid under any of the schemas listed in the 'anyOf' keyword")
    );
}

#[test]
fn a_pattern_that_backtracks_for_ever_elsewhere_is_done_at_once() {
    let answer = json!("a".repeat(100_000) + "!");
    assert_eq!(misses(&json!({"pattern": "^(a|a)*(a*)*$"}), &answer).len(), 1);
}

#[test]
fn a_schema_that_refers_to_itself_in_place_ends() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}),
        json!({"anyOf": [{"$ref": "#"}, {"type": "null"}]}),
        json!({"oneOf": [{"$ref": "#"}]}),
        json!({"not": {"$ref": "#"}}),
        json!({"if": {"$ref": "#"}, "then": {"$ref": "#"}, "else": {"$ref": "#"}}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"$dynamicAnchor": "node", "$dynamicRef": "#node"}),
        json!({"$dynamicAnchor": "node", "allOf": [{"$dynamicRef": "#node"}]}),
        json!({"unevaluatedProperties": {"$ref": "#"}, "allOf": [{"$ref": "#"}]}),
        json!({"dependentSchemas": {"a": {"$ref": "#"}}}),
        json!({"propertyNames": {"$ref": "#"}}),
    ] {
        // What it wants is anyone's guess; that it says something is enough.
        compile(&schema).unwrap().misses(&json!({"a": [{"a": 1}]}));
    }
}

#[test]
fn a_tree_of_any_depth_that_is_read_is_followed() {
    let tree = json!({
        "$dynamicAnchor": "node",
        "type": "object",
        "properties": {"below": {"$dynamicRef": "#node"}, "leaf": {"type": "integer"}},
        "unevaluatedProperties": false,
    });
    let nested = |leaf: &str| {
        format!("{}{{\"leaf\": {leaf}}}{}", "{\"below\":".repeat(126), "}".repeat(126))
    };
    let answer = |leaf: &str| serde_json::from_str(&nested(leaf)).unwrap();
    assert_eq!(misses(&tree, &answer("1")), Vec::<String>::new());
    let found = misses(&tree, &answer("\"one\""));
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("\"one\" is not of type \"integer\""), "{}", found[0]);
}

#[test]
fn of_a_million_misses_the_first_is_told() {
    let answer = Value::from(vec![1; 1_000_000]);
    for part in [json!({"type": "string"}), json!({"anyOf": [{"type": "string"}, {"const": 2}]})] {
        let found = misses(&json!({"items": part}), &answer);
        assert_eq!((found.len(), found[1].as_str()), (2, "and perhaps more"));
        assert!(found[0].starts_with("does not satisfy the schema at /0: 1 is not"), "{found:?}");
    }
    let whole = json!({"anyOf": [{"items": {"type": "string"}}, {"type": "null"}]});
    assert_eq!(
        misses(&whole, &answer),
        [
            "does not satisfy the schema; where it does not is not said, since there are too many ways \
          to be wrong"
        ]
    );
}

#[test]
fn a_schema_that_refers_to_itself_in_several_branches_judges_deep_answers_all_the_same() {
    let branch = |name: &str| json!({"type": "object", "required": [name], "properties": {"a": {"$ref": "#"}}});
    let nested = |levels: usize, last: &str| -> Value {
        serde_json::from_str(&("{\"a\":".repeat(levels) + last + &"}".repeat(levels))).unwrap()
    };
    for (schema, last, right) in [
        (json!({"anyOf": [branch("x"), branch("y")]}), "1", false),
        (json!({"anyOf": [branch("x"), branch("y"), {"type": "integer"}]}), "1", false),
        (json!({"anyOf": [branch("x"), branch("a"), {"type": "integer"}]}), "1", true),
        (json!({"oneOf": [branch("x"), branch("a"), {"type": "integer"}]}), "1", true),
        (json!({"oneOf": [branch("x"), branch("a"), {"type": "integer"}]}), "null", false),
        (json!({"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}}), "1", true),
        (
            json!({"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}, "type": "object"}),
            "1",
            false,
        ),
        (json!({"not": {"not": {"anyOf": [branch("a"), branch("a")]}}}), "{}", false),
        (json!({"if": branch("a"), "then": branch("a"), "else": {"const": 1}}), "1", true),
        (json!({"unevaluatedProperties": {"$ref": "#"}, "type": ["object", "null"]}), "1", false),
        (
            json!({
                "$dynamicAnchor": "n",
                "type": ["object", "null"],
                "properties": {"a": {"allOf": [{"$dynamicRef": "#n"}, {"$dynamicRef": "#n"}]}},
            }),
            "1",
            false,
        ),
        (
            json!({
                "$schema": "https://json-schema.org/draft/2019-09/schema",
                "$recursiveAnchor": true,
                "type": ["object", "null"],
                "properties": {"a": {"allOf": [{"$recursiveRef": "#"}, {"$recursiveRef": "#"}]}},
            }),
            "1",
            false,
        ),
    ] {
        let compiled = compile(&schema).unwrap();
        let found = compiled.misses(&nested(100, last));
        assert_eq!(found.is_empty(), right, "{schema} {found:?}");
        assert!(compiled.fault(&nested(100, last)).is_none(), "{schema}");
        // Of a few levels it is said what is wrong.
        let found = compiled.misses(&nested(3, last));
        assert!(found.iter().all(|miss| !miss.contains("too many ways")), "{found:?}");
    }
}

#[test]
fn a_schema_that_forks_at_every_level_of_its_own_is_a_fault_where_an_answer_goes_that_deep() {
    let mut defs: serde_json::Map<String, Value> = (0..40)
        .map(|number| {
            let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
            (format!("d{number}"), json!({"properties": {"a": {"allOf": [next, next]}}}))
        })
        .collect();
    defs.insert("d40".to_owned(), json!({"type": "object"}));
    let schema = compile(&json!({"$defs": defs, "$ref": "#/$defs/d0"})).unwrap();
    let nested = |levels: usize| -> Value {
        serde_json::from_str(&("{\"a\":".repeat(levels) + "1" + &"}".repeat(levels))).unwrap()
    };
    assert!(schema.fault(&nested(10)).is_none());
    assert_eq!(
        schema.fault(&nested(40)).unwrap().message,
        "the schema comes back to the same parts in several branches: an answer that is nested 41 \
         levels deep would be checked more than 1002050 times"
    );
}

#[test]
fn a_hundred_megabytes_are_shown_in_part() {
    let answer = json!({"a": "ä".repeat(50 << 20)});
    let found =
        misses(&json!({"properties": {"a": {"maxLength": 10}}, "maxProperties": 0}), &answer);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|miss| miss.chars().count() < 400), "{found:?}");
}

#[test]
fn a_pattern_that_would_need_too_much_room_is_refused_at_its_place() {
    let (place, message) = problem(&json!({"properties": {"a": {"pattern": "(a{1000}){1000}"}}}));
    assert_eq!(place, "/properties/a/pattern", "{message}");
}

#[test]
fn many_definitions_are_read() {
    let defs: Value =
        (0..20_000).map(|number| (format!("d{number}"), json!({"const": number}))).collect();
    let schema = json!({"$defs": defs, "items": {"$ref": "#/$defs/d19999"}});
    assert_eq!(misses(&schema, &json!([19_999])), Vec::<String>::new());
    assert_eq!(misses(&schema, &json!([1])).len(), 1);
}

#[test]
fn a_schema_that_goes_too_deep_is_refused_and_one_at_the_limit_is_followed_to_the_end() {
    let deep = |length: usize| {
        let mut defs: serde_json::Map<String, Value> = (0..length)
            .map(|number| {
                (format!("d{number}"), json!({"$ref": format!("#/$defs/d{}", number + 1)}))
            })
            .collect();
        let last = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}});
        defs.insert(format!("d{length}"), last);
        json!({"$defs": defs, "$ref": "#/$defs/d0"})
    };
    let (place, message) = problem(&deep(20_000));
    assert_eq!(place, "");
    assert!(message.contains("more than 32 of its parts follow each other"), "{message}");

    let answer = "{\"a\":".repeat(126) + "1" + &"}".repeat(126);
    let found = misses(&deep(31), &serde_json::from_str(&answer).unwrap());
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("1 is not of type \"object\""), "{}", found[0]);
}
