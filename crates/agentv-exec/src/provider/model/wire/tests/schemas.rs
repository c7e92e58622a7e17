//! Schemas in the languages of the services.

use serde_json::json;

use super::{super::schema, *};

#[test]
fn a_schema_is_strict_where_all_of_it_can_be_demanded() {
    let check = |schema: Value, strict: bool| {
        assert_eq!(schema::for_openai(&schema).0, strict, "{schema}");
    };
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    check(object(json!({"a": {"type": "string"}}), json!(["a"])), true);
    check(object(json!({"a": {"type": "string"}}), json!([])), false);
    check(object(json!({"a": {"type": "string"}}), json!(null)), false);
    check(object(json!({"a": {"type": "string", "minLength": 1}}), json!(["a"])), false);
    check(object(json!({"a": object(json!({"b": {}}), json!(["b"]))}), json!(["a"])), true);
    check(object(json!({"a": object(json!({"b": {}}), json!([]))}), json!(["a"])), false);
    check(object(json!({"a": {"type": "object"}}), json!(["a"])), false);
    // A key may be called as a keyword is.
    check(object(json!({"minLength": {"type": "number"}}), json!(["minLength"])), true);
    check(json!({"type": "array", "items": {}}), false);
    check(json!(true), false);
    let any =
        |schema: Value| object(json!({"a": {"anyOf": [{"type": "null"}, schema]}}), json!(["a"]));
    check(any(json!({"$ref": "#/$defs/b"})), true);
    check(any(json!({"type": "object", "additionalProperties": true})), false);
}

#[test]
fn every_object_of_a_strict_schema_is_closed_and_any_other_schema_stays_as_it_is() {
    let open = json!({
        "type": "object",
        "properties": {"a": {"type": "array", "items":
            {"type": "object", "properties": {"b": {}}, "required": ["b"]}}},
        "required": ["a"],
    });
    let (_, closed) = schema::for_openai(&open);
    assert_eq!(closed["additionalProperties"], false);
    assert_eq!(closed["properties"]["a"]["items"]["additionalProperties"], false);
    let loose = json!({"type": "object", "properties": {"a": {}, "b": {"type": "object",
        "properties": {}}}});
    assert_eq!(schema::for_openai(&loose), (false, loose));
}

#[test]
fn gemini_is_told_what_its_language_has_words_for() {
    let check = |schema: Value, said: Option<Value>| {
        assert_eq!(schema::for_gemini(&schema), said, "{schema}");
    };
    check(
        json!({
            "$schema": "x", "type": "object", "additionalProperties": false,
            "properties": {
                "a": {"type": ["string", "null"], "examples": ["x"], "minLength": 1},
                "b": {"const": "yes", "type": "string"},
                "c": {"oneOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "boolean"}]},
                "additionalProperties": {"type": "array", "items": {"type": "string", "enum": ["x"]}},
            },
            "required": ["a"],
        }),
        Some(json!({
            "type": "object",
            "properties": {
                "a": {"type": "string", "nullable": true, "minLength": 1},
                "b": {"enum": ["yes"], "type": "string"},
                "c": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
                "additionalProperties": {"type": "array", "items": {"type": "string", "enum": ["x"]}},
            },
            "required": ["a"],
            "propertyOrdering": ["a", "b", "c", "additionalProperties"],
        })),
    );
    // The order is the author's, unless they say another.
    let object =
        json!({"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "string"}}});
    assert_eq!(schema::for_gemini(&object).unwrap()["propertyOrdering"], json!(["z", "a"]));
    let mut ordered = object;
    ordered["propertyOrdering"] = json!(["a", "z"]);
    check(ordered.clone(), Some(ordered));
    for beyond in [
        json!({"$ref": "#/$defs/a", "$defs": {}}),
        json!({"type": "object"}),
        json!({"type": "object", "properties": {}}),
        json!({"type": ["string", "number"]}),
        json!({"type": "integer", "enum": [1, 2]}),
        json!({"type": "object", "properties": {"a": {"allOf": []}}}),
        json!({}),
        json!(true),
    ] {
        check(beyond, None);
    }
}

#[test]
fn gemini_is_told_the_rest_in_the_other_way() {
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#"}}});
    let said = body(&gemini(|_| {}), &["U: Hi"], Some(&schema));
    assert_eq!(
        said["generationConfig"],
        json!({"responseMimeType": "application/json", "responseJsonSchema": schema})
    );
}
