//! The schema of a small table, rule by rule. That schemas and readers agree is shown where all
//! tables and a validator are at hand: in the tests of the command.

use super::*;

const PART: Part = Part {
    what: "small part",
    tables: &[&[
        Key::new("eval_cases", Shape::Text, "Many").or(&["tests"]).required(),
        Key::new("on", Shape::Bool, "Whether").default("true"),
        Key::new("part", Shape::Part(&INNER), "Another").default("a word"),
        Key::later("repeat", "run it again"),
    ]],
};
const INNER: Part = Part { what: "inner part", tables: &[&[Key::new("id", Shape::Any, "Any")]] };

fn people() -> Value {
    let mut writer = SchemaWriter::new(WrittenBy::People);
    let root = writer.part(&PART);
    writer.finish("Small", root)
}

#[test]
fn every_name_is_a_property_and_only_listed_names_are_suggested() {
    let schema = people();
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "eval_cases",
            "tests",
            "evalCases",
            "on",
            "part",
            "repeat",
            "metadata",
            "note",
            "description"
        ]
    );
    assert_eq!(schema["properties"]["tests"]["description"], "Another name of `eval_cases`");
    assert_eq!(schema["properties"]["tests"]["doNotSuggest"], Value::Null);
    assert_eq!(schema["properties"]["evalCases"]["doNotSuggest"], true);
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["patternProperties"], json!({"^x-": {}}));
}

#[test]
fn a_required_key_is_there_under_one_of_its_names_and_no_other() {
    let schema = people();
    assert_eq!(
        schema["allOf"],
        json!([{"anyOf": [
            {"required": ["eval_cases"]}, {"required": ["tests"]}, {"required": ["evalCases"]},
        ]}])
    );
    assert_eq!(
        schema["dependencies"],
        json!({
            "eval_cases": {"properties": {"tests": false, "evalCases": false}},
            "tests": {"properties": {"evalCases": false}},
        })
    );
}

#[test]
fn a_key_says_what_it_means_and_what_holds_without_it() {
    let schema = people();
    let on = &schema["properties"]["on"];
    assert_eq!(on["description"], "Whether\n\nDefault: true");
    assert_eq!(on["default"], true);
    assert_eq!(on["type"], json!(["boolean", "string", "null"]));
    assert_eq!(schema["properties"]["eval_cases"]["description"], "Many\n\nAlso: `tests`");
    assert_eq!(schema["properties"]["eval_cases"]["type"], "string");
    assert_eq!(schema["properties"]["part"].get("default"), None);
}

#[test]
fn a_part_is_defined_once_and_referred_to() {
    let schema = people();
    assert_eq!(
        schema["properties"]["part"]["anyOf"],
        json!([{"$ref": "#/definitions/inner_part"}, {"type": "null"}])
    );
    let inner = &schema["definitions"]["inner_part"]["properties"]["id"];
    assert_eq!(*inner, json!({"description": "Any"}));
}

#[test]
fn what_is_not_supported_says_what_to_do_instead() {
    let repeat = &people()["properties"]["repeat"];
    assert_eq!(repeat["not"], json!({}));
    assert_eq!(repeat["description"], "Not supported yet: run it again");
}

#[test]
fn a_record_has_one_name_a_key_exact_values_and_room_for_more() {
    const KEYS: &[Key] = &[
        Key::new("eval_id", Shape::Text, "The case").required(),
        Key::new("score", Shape::Share, "The score").required().default("null"),
        Key::new("verdict", Shape::Choice(&["pass", "fail"]), "").required().default("null"),
        Key::new("attempts", Shape::Count, ""),
    ];
    let mut writer = SchemaWriter::new(WrittenBy::Program);
    let root = writer.map(KEYS);
    assert_eq!(
        writer.finish("Row", root),
        json!({
            "$schema": DRAFT,
            "title": "Row",
            "type": "object",
            "properties": {
                "eval_id": {"description": "The case", "type": "string"},
                "score": {
                    "description": "The score",
                    "type": ["number", "null"], "minimum": 0, "maximum": 1,
                },
                "verdict": {"anyOf": [{"enum": ["pass", "fail"]}, {"type": "null"}]},
                "attempts": {"type": "integer", "minimum": 1},
            },
            "required": ["eval_id", "score", "verdict"],
        })
    );
}
