//! A map with known keys: every name of each, which must be there, and which exclude each other.

use serde_json::{Map, Value, json};

use super::{SchemaWriter, WrittenBy, value};
use crate::key::{FREE_KEYS, Key, OWN_KEY_PREFIX, Shape};

pub(super) fn write(writer: &mut SchemaWriter, keys: &[Key]) -> Map<String, Value> {
    match writer.by {
        WrittenBy::People => settings(writer, keys),
        WrittenBy::Program => record(writer, keys),
    }
}

fn settings(writer: &mut SchemaWriter, keys: &[Key]) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut one_of_several = Vec::new();
    let mut exclusive = Map::new();
    for key in keys {
        let names = key.spellings();
        for name in &names {
            // As in reading: of two keys of one name the first is meant.
            if !properties.contains_key(name) {
                let property = property(writer, key, name);
                properties.insert(name.clone(), property);
            }
        }
        exclude_each_other(&names, &mut exclusive);
        match names.as_slice() {
            _ if !key.required => {}
            [name] => required.push(name.clone()),
            names => {
                let given = names.iter().map(|name| json!({"required": [name]}));
                one_of_several.push(json!({"anyOf": given.collect::<Vec<_>>()}));
            }
        }
    }
    for name in FREE_KEYS {
        if !properties.contains_key(name) {
            let about = "For you: AgentV does nothing with it";
            properties.insert(name.to_owned(), json!({ "description": about }));
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("patternProperties".to_owned(), json!({format!("^{OWN_KEY_PREFIX}"): {}}));
    schema.insert("additionalProperties".to_owned(), false.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    if !one_of_several.is_empty() {
        schema.insert("allOf".to_owned(), one_of_several.into());
    }
    if !exclusive.is_empty() {
        schema.insert("dependencies".to_owned(), exclusive.into());
    }
    schema
}

fn record(writer: &mut SchemaWriter, keys: &[Key]) -> Map<String, Value> {
    let mut properties = Map::new();
    for key in keys {
        let mut schema = writer.shape(&key.shape);
        if key.required && key.default == Some("null") {
            schema = value::or_null(schema);
        }
        properties.insert(key.name.to_owned(), described(&schema, key.about.to_owned()).into());
    }
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), required.into());
    schema
}

/// One thing is said once. A key that is not allowed beside another is a message at its place,
/// which a `not` over the whole map would not be.
fn exclude_each_other(names: &[String], exclusive: &mut Map<String, Value>) {
    for (number, name) in names.iter().enumerate() {
        let others: Map<String, Value> =
            names.iter().skip(number + 1).map(|other| (other.clone(), false.into())).collect();
        if !others.is_empty() {
            exclusive.insert(name.clone(), json!({ "properties": others }));
        }
    }
}

fn property(writer: &mut SchemaWriter, key: &Key, name: &str) -> Value {
    if let Shape::Later(instead) = key.shape {
        let about = format!("Not supported yet: {instead}");
        let refused = json!({"not": {}, "errorMessage": about, "doNotSuggest": true});
        return described(&refused, about).into();
    }
    let mut schema = writer.shape(&key.shape);
    if !key.required {
        schema = value::or_null(schema);
    } else if value::accepts_all_types(&schema) {
        schema = json!({"not": {"type": "null"}});
    }
    if name != key.name {
        let mut schema = described(&schema, format!("Another name of `{}`", key.name));
        if !key.is_called(name) {
            // Understood, but one spelling is enough to choose from.
            schema.insert("doNotSuggest".to_owned(), true.into());
        }
        return schema.into();
    }
    let mut schema = described(&schema, description(key));
    if let Some(default) = plain_default(key) {
        schema.insert("default".to_owned(), default);
    }
    schema.into()
}

/// A schema with words about it. Beside a reference they would not be read.
fn described(schema: &Value, about: String) -> Map<String, Value> {
    let mut described = Map::new();
    if !about.is_empty() {
        described.insert("description".to_owned(), about.into());
    }
    if let Some(schema) = schema.as_object().filter(|schema| !schema.contains_key("$ref")) {
        described.extend(schema.clone());
    } else {
        described.insert("allOf".to_owned(), json!([schema]));
    }
    described
}

fn description(key: &Key) -> String {
    let mut text = key.about.to_owned();
    if let Some(default) = key.default {
        text.push_str("\n\nDefault: ");
        text.push_str(default);
    }
    if !key.aliases.is_empty() {
        let names: Vec<String> = key.aliases.iter().map(|name| format!("`{name}`")).collect();
        text.push_str("\n\nAlso: ");
        text.push_str(&names.join(", "));
    }
    text
}

/// The default where it is a value; of a text nobody can tell whether it is one or is about one.
fn plain_default(key: &Key) -> Option<Value> {
    let text = key.default?;
    let value: Option<Value> = serde_json::from_str(text).ok();
    match key.shape {
        Shape::Bool => value.filter(Value::is_boolean),
        Shape::Number
        | Shape::Positive
        | Shape::Limit
        | Shape::Share
        | Shape::Count
        | Shape::CountLimit => value.filter(Value::is_number),
        Shape::Choice(words) => words.contains(&text).then(|| text.into()),
        Shape::Text
        | Shape::Name
        | Shape::Scalar
        | Shape::Any
        | Shape::AnyMap
        | Shape::MapOf(_)
        | Shape::List(_)
        | Shape::Part(_)
        | Shape::Tagged(_)
        | Shape::Either(_)
        | Shape::Named(_)
        | Shape::Later(_) => None,
    }
}
