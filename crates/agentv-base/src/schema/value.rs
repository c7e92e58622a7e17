//! What a value of each shape must be.

use serde_json::{Map, Value, json};

use super::{SchemaWriter, VARIABLE_PATTERN, WrittenBy, definition_name, reference};
use crate::key::{Shape, Tagged};

// What the readers of `Fields` take for a value where it stands in quotes, blanks around it or not.
const BOOL_TEXT: &str = "[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]|1|0";
const NUMBER_TEXT: &str = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?";
const POSITIVE_TEXT: &str = r"\+?(?=[0-9.]*[1-9])(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?";
const LIMIT_TEXT: &str = r"\+?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?";
const SHARE_TEXT: &str =
    r"\+?(?:0+\.?[0-9]*|\.[0-9]+|0*1\.?0*|[0-9]\.?[0-9]*[eE]-[0-9]*[1-9][0-9]*)";
const COUNT_TEXT: &str = r"\+?0*[1-9][0-9]*";
const COUNT_LIMIT_TEXT: &str = r"\+?[0-9]+";

pub(super) fn write(writer: &mut SchemaWriter, shape: &Shape) -> Value {
    let by = writer.by;
    match shape {
        Shape::Text => json!({"type": "string"}),
        Shape::Name => json!({"type": "string", "pattern": r"\S"}),
        Shape::Bool => or_text(by, json!({"type": "boolean"}), BOOL_TEXT),
        Shape::Number => or_text(by, json!({"type": "number"}), NUMBER_TEXT),
        Shape::Positive => {
            or_text(by, json!({"type": "number", "exclusiveMinimum": 0}), POSITIVE_TEXT)
        }
        Shape::Limit => or_text(by, json!({"type": "number", "minimum": 0}), LIMIT_TEXT),
        Shape::Share => {
            or_text(by, json!({"type": "number", "minimum": 0, "maximum": 1}), SHARE_TEXT)
        }
        Shape::Count => or_text(by, json!({"type": "integer", "minimum": 1}), COUNT_TEXT),
        Shape::CountLimit => {
            or_text(by, json!({"type": "integer", "minimum": 0}), COUNT_LIMIT_TEXT)
        }
        Shape::Scalar => json!({"type": ["string", "number", "boolean"]}),
        Shape::Choice(words) => match by {
            WrittenBy::People => {
                let spellings: Vec<_> = words.iter().map(|it| it.replace('_', "[-_]")).collect();
                let spellings = spellings.join("|");
                let pattern = format!(r"^\s*(?:{spellings})\s*$|{VARIABLE_PATTERN}");
                json!({"anyOf": [{"enum": words}, {"type": "string", "pattern": pattern}]})
            }
            WrittenBy::Program => json!({ "enum": words }),
        },
        Shape::Any => json!({}),
        Shape::AnyMap => json!({"type": "object"}),
        Shape::MapOf(values) => {
            let written = writer.shape(values);
            // A variable of a command's environment may be empty.
            let may_be_null = matches!(values, Shape::Scalar);
            let values = if may_be_null { or_null(written) } else { written };
            json!({"type": "object", "additionalProperties": values})
        }
        Shape::List(items) => json!({"type": "array", "items": writer.shape(items)}),
        Shape::Part(part) => {
            writer.define(&definition_name(part), |writer| writer.part(part).into())
        }
        Shape::Tagged(tagged) => write_tagged(writer, tagged),
        Shape::Either(shapes) => {
            let shapes: Vec<Value> = shapes.iter().map(|shape| writer.shape(shape)).collect();
            json!({ "anyOf": shapes })
        }
        Shape::Named(name) => reference(name),
        Shape::Later(_) => json!({"not": {}}),
    }
}

/// A value, or a text that stands for it.
fn or_text(by: WrittenBy, mut schema: Value, text: &str) -> Value {
    if by == WrittenBy::People {
        schema["type"] = json!([schema["type"], "string"]);
        // Bounds are about numbers only, and patterns about strings only.
        schema["pattern"] = json!(format!(r"^\s*(?:{text})\s*$|{VARIABLE_PATTERN}"));
    }
    schema
}

/// A map that is one of several parts by the value of one key.
fn write_tagged(writer: &mut SchemaWriter, tagged: &Tagged) -> Value {
    let Tagged { key, parts, open } = *tagged;
    let tags: Vec<&str> = parts.iter().map(|(tag, _)| *tag).collect();
    let cases: Vec<Value> = parts
        .iter()
        .map(|(tag, part)| {
            let then = writer.shape(&Shape::Part(part));
            json!({"if": {"required": [key], "properties": {key: {"const": tag}}}, "then": then})
        })
        .collect();
    if open {
        json!({"type": "object", "properties": {key: {"examples": tags}}, "allOf": cases})
    } else {
        json!({
            "type": "object",
            "properties": {key: {"enum": tags}},
            "required": [key],
            "allOf": cases,
        })
    }
}

/// The same, or null.
pub(super) fn or_null(mut schema: Value) -> Value {
    let absent = json!({"type": "null"});
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.push("null".into());
    } else if let Some(Value::String(kind)) = schema.get("type") {
        schema["type"] = json!([kind, "null"]);
    } else if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.push(absent);
    } else if !accepts_all_types(&schema) {
        schema = json!({"anyOf": [schema, absent]});
    }
    schema
}

/// Null among them.
pub(super) fn accepts_all_types(schema: &Value) -> bool {
    schema.as_object().is_some_and(Map::is_empty)
}
