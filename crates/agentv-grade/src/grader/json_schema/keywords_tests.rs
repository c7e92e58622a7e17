//! Which keys and formats are told, and which are not; that the formats are those of the library.

use serde_json::json;

use super::*;

/// The place and the guess of everything that is told.
fn check(schema: &Value, expected: &[(&str, Option<&str>)]) {
    let found = ineffective(schema, Draft::Draft202012);
    let found: Vec<(String, Option<&str>)> = found
        .iter()
        .map(|one| {
            (
                [one.part.as_slice(), std::slice::from_ref(&one.keyword)].concat().join("/"),
                one.meant,
            )
        })
        .collect();
    let found: Vec<(&str, Option<&str>)> =
        found.iter().map(|(at, meant)| (at.as_str(), *meant)).collect();
    assert_eq!(found, expected, "{schema}");
}

#[test]
fn a_misspelt_keyword_is_found_wherever_a_part_can_stand() {
    for (schema, at, meant) in [
        (json!({"tpye": "array"}), "tpye", "type"),
        (json!({"requierd": ["x"]}), "requierd", "required"),
        (json!({"minProprties": 5}), "minProprties", "minProperties"),
        (json!({"min_items": 5}), "min_items", "minItems"),
        (json!({"property": {}}), "property", "properties"),
        (json!({"enums": [1]}), "enums", "enum"),
        (json!({"properties": {"tpye": {"tpye": 1}}}), "properties/tpye/tpye", "type"),
        (json!({"items": {"patern": "a"}}), "items/patern", "pattern"),
        (json!({"items": [{"patern": "a"}]}), "items/0/patern", "pattern"),
        (json!({"anyOf": [{}, {"anyof": []}]}), "anyOf/1/anyof", "anyOf"),
        (json!({"$defs": {"a": {"$reff": "#"}}}), "$defs/a/$reff", "$ref"),
        (json!({"ref": "#"}), "ref", "$ref"),
        (json!({"not": {"if": {"cosnt": 1}}}), "not/if/cosnt", "const"),
        (json!({"dependencies": {"a": {"maximun": 1}}}), "dependencies/a/maximun", "maximum"),
    ] {
        check(&schema, &[(at, Some(meant))]);
    }
}

#[test]
fn annotations_data_and_names_are_left_alone() {
    for schema in [
        json!({"x-type": 1, "label": "a", "unit": "kg", "enumNames": ["a"], "typeName": "T"}),
        json!({"kind": 1, "name": 2, "note": 3, "order": 4, "example": 5, "nullable": true}),
        json!({"properties": {"tpye": {}, "requierd": true}, "required": ["tpye"]}),
        json!({"enum": [{"tpye": 1}], "const": {"tpye": 1}, "default": {"tpye": 1}}),
        json!({"examples": [{"tpye": 1}], "x-more": {"tpye": 1}}),
        json!({"patternProperties": {"tpye": {}}, "dependencies": {"tpye": ["a"]}}),
        json!({"format": "int32"}),
    ] {
        check(&schema, &[]);
    }
    for keyword in known() {
        assert_eq!(keyword_meant(keyword), None, "{keyword}");
    }
}

#[test]
fn a_format_that_is_not_checked_is_told_in_any_case() {
    check(&json!({"format": "emial"}), &[("format", Some("email"))]);
    check(&json!({"items": {"format": "colour"}}), &[("items/format", None)]);
    check(&json!({"properties": {"format": {"const": "emial"}}}), &[]);
}

#[test]
fn a_long_list_is_cut() {
    let many: Value =
        (0..1_000).map(|number| (format!("p{number}"), json!({"tpye": "a"}))).collect();
    assert_eq!(ineffective(&json!({"properties": many}), Draft::Draft202012).len(), MOST_TOLD);
}

#[test]
fn the_formats_are_those_that_are_checked_in_each_draft() {
    for (draft, address) in [
        (Draft::Draft4, "http://json-schema.org/draft-04/schema#"),
        (Draft::Draft6, "http://json-schema.org/draft-06/schema#"),
        (Draft::Draft7, "http://json-schema.org/draft-07/schema#"),
        (Draft::Draft201909, "https://json-schema.org/draft/2019-09/schema"),
        (Draft::Draft202012, "https://json-schema.org/draft/2020-12/schema"),
    ] {
        for name in FORMATS.iter().map(|(name, _)| *name).chain(FORMATS_ELSEWHERE).chain([
            "emial",
            "idn-email",
            "idn-hostname",
        ]) {
            let schema = json!({"$schema": address, "format": name});
            let validator = jsonschema::options()
                .with_draft(draft)
                .should_validate_formats(true)
                .build(&schema)
                .unwrap();
            // No format has a name for this.
            let checked = !validator.is_valid(&json!(" \\({["));
            assert_eq!(checked, formats(draft).any(|known| known == name), "{name} {draft:?}");
        }
    }
}

#[test]
fn a_schema_without_a_keyword_that_checks_is_none() {
    for nothing in [json!({}), json!({"title": "a", "$defs": {"a": {"type": "object"}}})] {
        assert!(!checks_something(&nothing));
    }
    assert!(checks_something(&json!({"title": "a", "$ref": "#/$defs/a"})));
}
