//! JSON Schemas as services take them: each knows another part of the language.

use serde_json::{Map, Value};

/// What the service calls the thing that a schema describes.
pub(super) const NAME: &str = "answer";

/// The schema as OpenAI takes it, and whether the model can be held to every word of it.
///
/// It can be where each object says all of its keys, all are required, and no keyword is used that
/// strict mode refuses. A schema beyond that is sent as it is: to require what its author did not
/// require would make a model invent things.
pub(super) fn for_openai(schema: &Value) -> (bool, Value) {
    let mut schema = schema.clone();
    if let Value::Object(map) = &mut schema {
        map.shift_remove("$schema");
    }
    let is_object = schema.get("type").is_some_and(|kind| kind == "object");
    let mut closed = schema.clone();
    if is_object && schema.get("anyOf").is_none() && close(&mut closed) {
        return (true, closed);
    }
    (false, schema)
}

/// Keywords of strict mode.
const STRICT: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "definitions",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];

/// Forbids further keys of every object, where nothing is said of them; false where the schema is
/// none for strict mode.
fn close(schema: &mut Value) -> bool {
    let Value::Object(map) = schema else { return false };
    if !map.keys().all(|key| STRICT.contains(&key.as_str())) {
        return false;
    }
    if map.get("type").is_some_and(|kind| kind == "object") || map.contains_key("properties") {
        if map.get("additionalProperties").is_some_and(|further| *further != Value::Bool(false)) {
            return false;
        }
        let required = map.get("required").and_then(Value::as_array);
        let is_required =
            |key: &String| required.is_some_and(|all| all.iter().any(|name| name == key));
        let properties = map.get("properties").and_then(Value::as_object);
        if !properties.is_some_and(|properties| properties.keys().all(is_required)) {
            return false;
        }
        map.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    map.iter_mut().all(|(key, value)| match (key.as_str(), value) {
        ("properties" | "$defs" | "definitions", Value::Object(schemas)) => {
            schemas.values_mut().all(close)
        }
        ("anyOf", Value::Array(schemas)) => schemas.iter_mut().all(close),
        ("items", items) => close(items),
        _ => true,
    })
}

/// Keywords of the subset of OpenAPI that Gemini knows, with values that need no change.
const OPENAPI: &[&str] = &[
    "default",
    "description",
    "example",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "propertyOrdering",
    "required",
    "title",
];

/// Keywords that say more of what the others say; without them the schema allows more.
const REFINING: &[&str] = &[
    "$comment",
    "$id",
    "$schema",
    "additionalProperties",
    "deprecated",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "multipleOf",
    "readOnly",
    "uniqueItems",
    "writeOnly",
];

/// The schema in that subset of OpenAPI; nothing where it says what the subset has no words for.
pub(super) fn for_gemini(schema: &Value) -> Option<Value> {
    let mut said = Map::new();
    for (key, value) in schema.as_object()? {
        match key.as_str() {
            "type" => say_type(value, &mut said)?,
            "const" if value.is_string() => {
                said.insert("enum".to_owned(), Value::Array(vec![value.clone()]));
            }
            "enum" if value.as_array()?.iter().all(Value::is_string) => {
                said.insert(key.clone(), value.clone());
            }
            "properties" => {
                let properties = value.as_object()?.iter();
                let properties = properties
                    .map(|(name, schema)| Some((name.clone(), for_gemini(schema)?)))
                    .collect::<Option<Map<_, _>>>()?;
                said.insert(key.clone(), Value::Object(properties));
            }
            "items" => {
                said.insert(key.clone(), for_gemini(value)?);
            }
            "anyOf" | "oneOf" => {
                let schemas = value.as_array()?.iter().map(for_gemini);
                said.insert("anyOf".to_owned(), Value::Array(schemas.collect::<Option<_>>()?));
            }
            known if OPENAPI.contains(&known) => {
                said.insert(key.clone(), value.clone());
            }
            refining if REFINING.contains(&refining) => {}
            _ => return None,
        }
    }
    // Where nobody says otherwise Gemini writes keys by the alphabet, and whether reasons come before
    // a score would hang on what they are called.
    let order = said.get("properties").and_then(Value::as_object);
    let order = order.map(|map| map.keys().cloned().map(Value::String).collect::<Vec<_>>());
    if let Some(order) = order.filter(|order| !order.is_empty()) {
        said.entry("propertyOrdering").or_insert(Value::Array(order));
    }
    // An object without keys of its own is an object of any keys, which it cannot say either.
    let open = said.get("type").is_some_and(|kind| kind == "object");
    let named =
        said.get("properties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
    ((said.contains_key("type") || said.contains_key("anyOf")) && (named || !open))
        .then_some(Value::Object(said))
}

/// One type, or one and null.
fn say_type(value: &Value, said: &mut Map<String, Value>) -> Option<()> {
    let kinds: Vec<&str> = match value {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().map(Value::as_str).collect::<Option<_>>()?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let (nulls, others): (Vec<&str>, Vec<&str>) =
        kinds.into_iter().partition(|kind| *kind == "null");
    let [kind] = others.as_slice() else { return None };
    said.insert("type".to_owned(), Value::from(*kind));
    if !nulls.is_empty() {
        said.insert("nullable".to_owned(), Value::Bool(true));
    }
    Some(())
}
