//! The keywords of JSON Schema and its formats, and those of a schema that are none but look like
//! one: the library passes over them in silence, so that a misspelt schema is satisfied by
//! anything.

use agentv_base::nearest;
use jsonschema::Draft;
use serde_json::Value;

/// Keywords that can find something wrong by themselves.
pub(super) const ASSERTIONS: [&str; 23] = [
    "additionalItems",
    "additionalProperties",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "type",
    "uniqueItems",
    "required",
];

/// Keywords that ask other parts of the schema, for the same value or for those inside of it.
const APPLICATORS: [&str; 21] = [
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "allOf",
    "anyOf",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];

/// Keywords that say something about a schema and check nothing.
const OTHERS: [&str; 21] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$recursiveAnchor",
    "$schema",
    "$vocabulary",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "id",
    "maxContains",
    "minContains",
    "readOnly",
    "title",
    "writeOnly",
    // These two are of OpenAPI, and near to one of JSON Schema.
    "example",
    "nullable",
];

/// Words that are often written beside keywords, and are near to one.
const WORDS: [&str; 6] = ["cost", "form", "note", "notes", "side", "typed"];

/// Formats that are checked, with the draft from which on.
const FORMATS: [(&str, Draft); 17] = [
    ("date", Draft::Draft4),
    ("date-time", Draft::Draft4),
    ("duration", Draft::Draft201909),
    ("email", Draft::Draft4),
    ("hostname", Draft::Draft4),
    ("ipv4", Draft::Draft4),
    ("ipv6", Draft::Draft4),
    ("iri", Draft::Draft7),
    ("iri-reference", Draft::Draft7),
    ("json-pointer", Draft::Draft6),
    ("regex", Draft::Draft4),
    ("relative-json-pointer", Draft::Draft7),
    ("time", Draft::Draft4),
    ("uri", Draft::Draft4),
    ("uri-reference", Draft::Draft6),
    ("uri-template", Draft::Draft6),
    ("uuid", Draft::Draft201909),
];

/// Formats that tools write beside a type that says nearly the same.
const FORMATS_ELSEWHERE: [&str; 7] =
    ["binary", "byte", "double", "float", "int32", "int64", "password"];

/// Keywords with one part, with a list of them, and with a map of them. Some can be two of these.
const WITH_PART: [&str; 15] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "allOf",
    "anyOf",
    "oneOf",
];
const WITH_LIST: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const WITH_MAP: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// So many are told; one who mistook another language for JSON Schema needs no longer list.
const MOST_TOLD: usize = 20;

/// Something in a schema that has no effect, though it looks as if it had one.
#[derive(Debug, PartialEq)]
pub(super) struct Ineffective {
    /// The keys and numbers that lead to the part it stands in.
    pub(super) part: Vec<String>,
    pub(super) keyword: String,
    /// The name of the format, where that is what has no effect.
    pub(super) format: Option<String>,
    pub(super) meant: Option<&'static str>,
}

/// Whether a schema has any keyword that could find something wrong.
pub(super) fn checks_something(schema: &Value) -> bool {
    let mut keys = schema.as_object().into_iter().flat_map(serde_json::Map::keys);
    keys.any(|key| ASSERTIONS.contains(&key.as_str()) || APPLICATORS.contains(&key.as_str()))
}

/// Everything in a schema that looks like a keyword or like a format and is none.
pub(super) fn ineffective(schema: &Value, draft: Draft) -> Vec<Ineffective> {
    let mut found = Vec::new();
    let mut waiting = vec![(Vec::new(), schema)];
    while let Some((at, value)) = waiting.pop() {
        let Some(part) = value.as_object() else { continue };
        if found.len() >= MOST_TOLD {
            break;
        }
        let mut below = Vec::new();
        for (key, value) in part {
            let into = |more: &[&str]| {
                let more = more.iter().map(|&name| name.to_owned());
                at.iter().cloned().chain([key.clone()]).chain(more).collect::<Vec<String>>()
            };
            match value {
                Value::Array(items) if WITH_LIST.contains(&key.as_str()) => {
                    let items = items.iter().enumerate();
                    below.extend(items.map(|(index, item)| (into(&[&index.to_string()]), item)));
                }
                Value::Object(map) if WITH_MAP.contains(&key.as_str()) => {
                    below.extend(map.iter().map(|(name, value)| (into(&[name]), value)));
                }
                Value::Object(_) if WITH_PART.contains(&key.as_str()) => {
                    below.push((into(&[]), value));
                }
                Value::String(name) if key == "format" => {
                    if !is_format(name, draft) {
                        found.push(Ineffective {
                            part: at.clone(),
                            keyword: key.clone(),
                            format: Some(name.clone()),
                            meant: format_meant(name, draft),
                        });
                    }
                }
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_)
                | Value::Object(_) => found.extend(keyword_meant(key).map(|meant| Ineffective {
                    part: at.clone(),
                    keyword: key.clone(),
                    format: None,
                    meant: Some(meant),
                })),
            }
        }
        waiting.extend(below.into_iter().rev());
    }
    found.truncate(MOST_TOLD);
    found
}

fn known() -> impl Iterator<Item = &'static str> {
    ASSERTIONS.into_iter().chain(APPLICATORS).chain(OTHERS)
}

/// The keyword that a key is near to without being one. A schema may have keys of its own, so that
/// much must speak for a slip: the beginning is the same, or all letters are.
fn keyword_meant(key: &str) -> Option<&'static str> {
    if key.starts_with("x-") || WORDS.contains(&key) || known().any(|name| name == key) {
        return None;
    }
    let mut typed = letters(key);
    let as_long = |name: &&str| letters(name).len().abs_diff(typed.len()) <= 2;
    let meant = nearest(key, known().filter(as_long))?;
    let mut wanted = letters(meant);
    let begins_alike = typed.first() == wanted.first();
    typed.sort_unstable();
    wanted.sort_unstable();
    (begins_alike || typed == wanted).then_some(meant)
}

fn letters(name: &str) -> Vec<char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Formats that are checked in a draft.
fn formats(draft: Draft) -> impl Iterator<Item = &'static str> {
    let checked = FORMATS.iter().filter(move |(_, from)| draft >= *from);
    checked.map(|(name, _)| *name)
}

/// Whether a format is checked, or is none that anyone would expect to be.
fn is_format(name: &str, draft: Draft) -> bool {
    formats(draft).chain(FORMATS_ELSEWHERE).any(|known| known == name)
}

fn format_meant(name: &str, draft: Draft) -> Option<&'static str> {
    nearest(name, formats(draft))
}

#[cfg(test)]
#[path = "keywords_tests.rs"]
mod tests;
