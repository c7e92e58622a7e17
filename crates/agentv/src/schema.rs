//! The JSON Schemas of our files, put together from the tables of all crates.
//!
//! Which keys there are and what their values look like is said in those tables; here it is only
//! said how a grader and a target, whose kinds are in registries, find the keys of their kind.

use agentv_base::{
    Key, PRICE, RUBRIC, SchemaWriter, Shape, TARGET_KEYS, VARIABLE_PATTERN, WrittenBy,
};
use agentv_case::language;
use agentv_exec::provider::{self, ProviderKind};
use agentv_grade::{COMMON_KEYS, GraderKind};
use serde_json::{Map, Value, json};

use crate::args::SchemaKind;

/// The schema of one kind of file.
pub fn schema(kind: SchemaKind) -> Value {
    let by = match kind {
        SchemaKind::Suite | SchemaKind::Targets | SchemaKind::Config | SchemaKind::Prices => {
            WrittenBy::People
        }
        SchemaKind::Result => WrittenBy::Program,
    };
    let mut writer = SchemaWriter::new(by);
    let (title, root) = match kind {
        SchemaKind::Suite => ("AgentV suite", writer.part(&language::SUITE)),
        SchemaKind::Targets => ("AgentV targets", writer.part(&language::TARGETS)),
        SchemaKind::Config => ("AgentV configuration", config(&mut writer)),
        SchemaKind::Prices => ("AgentV prices", writer.part(&language::PRICES)),
        SchemaKind::Result => ("AgentV result", writer.part(&agentv_report::ROW)),
    };
    if kind == SchemaKind::Suite {
        writer.define("grader", grader);
    }
    if matches!(kind, SchemaKind::Suite | SchemaKind::Targets) {
        writer.define("target", target);
    }
    let mut schema = writer.finish(title, root);
    forbid_empty(&mut schema);
    schema
}

/// Rubrics and prices are lists and maps that the loader refuses where nothing is in them.
fn forbid_empty(schema: &mut Value) {
    let is = |value: Option<&Value>, part: &str| {
        let reference = value.and_then(|value| value.get("$ref")).and_then(Value::as_str);
        reference.and_then(|it| it.strip_prefix("#/definitions/")) == Some(part)
    };
    let of_rubrics = |items: &Value| {
        let choices = items.get("anyOf").and_then(Value::as_array);
        choices.is_some_and(|choices| choices.iter().any(|it| is(Some(it), RUBRIC.what)))
    };
    match schema {
        Value::Object(map) => {
            if map.get("items").is_some_and(of_rubrics) {
                map.insert("minItems".to_owned(), 1.into());
            }
            if is(map.get("additionalProperties"), PRICE.what) {
                map.insert("minProperties".to_owned(), 1.into());
            }
            map.values_mut().for_each(forbid_empty);
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_empty),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A file with nothing but comments configures nothing.
fn config(writer: &mut SchemaWriter) -> Map<String, Value> {
    let mut root = writer.part(&language::CONFIG);
    root.insert("type".to_owned(), json!(["object", "null"]));
    root
}

/// A grader: a sentence, or a map with the keys of its type.
fn grader(writer: &mut SchemaWriter) -> Value {
    let mut names = Vec::new();
    let mut patterns = Vec::new();
    let mut cases = Vec::new();
    for kind in agentv_grade::kinds() {
        let settings = writer.define(&format!("grader_{}", kind.name()), |writer| {
            let mut map = writer.map(&[COMMON_KEYS, kind.keys()].concat());
            map.insert("description".to_owned(), kind.description().into());
            map.into()
        });
        let pattern = type_pattern(kind);
        cases.push(json!({
            "if": {"required": ["type"], "properties": {"type": whole(&pattern)}},
            "then": settings,
        }));
        names.extend(type_names(kind));
        patterns.push(pattern);
    }
    let common = short_form(writer);
    json!({
        "anyOf": [
            {
                "description": "What a good answer does, or a grader in short form",
                "type": "string",
                "pattern": r"\S",
            },
            {
                "type": "object",
                "required": ["type"],
                "properties": {"type": {
                    "description": about(COMMON_KEYS, "type"),
                    "anyOf": [{ "enum": names }, known(&patterns)],
                }},
                "allOf": cases,
            },
            {
                "description": "A type and its `value`",
                "type": "object",
                "not": {"anyOf": [{"required": ["type"]}, {"required": ["value"]}]},
                "minProperties": 1,
                "allOf": [common],
            },
        ]
    })
}

/// `contains: hello` as a map: the common keys, and one key that is a type.
fn short_form(writer: &mut SchemaWriter) -> Value {
    let mut map = writer.map(COMMON_KEYS);
    map.shift_remove("required");
    map.shift_remove("anyOf");
    let mut wanted = Vec::new();
    for kind in agentv_grade::kinds() {
        let Some(value) = agentv_grade::value_key(kind) else { continue };
        if kind.keys().iter().any(|key| key.required && key.name != value.name) {
            continue;
        }
        let shape = writer.shape(&value.shape);
        for name in type_names(kind) {
            if let Some(Value::Object(properties)) = map.get_mut("properties") {
                properties.insert(name.clone(), shape.clone());
            }
            wanted.push(json!({ "required": [name] }));
        }
    }
    map.insert("oneOf".to_owned(), Value::Array(wanted));
    map.into()
}

/// Every way to write a type that an author is shown.
fn type_names(kind: &dyn GraderKind) -> Vec<String> {
    let mut names = Vec::new();
    for name in std::iter::once(kind.name()).chain(kind.aliases().iter().copied()) {
        names.push(name.to_owned());
        if name.contains('_') {
            names.push(name.replace('_', "-"));
        }
        if kind.can_be_negated() {
            names.push(format!("not_{name}"));
            names.push(format!("not-{}", name.replace('_', "-")));
        }
    }
    names
}

/// Every way to write a type that is understood.
fn type_pattern(kind: &dyn GraderKind) -> String {
    let names: Vec<String> = std::iter::once(kind.name())
        .chain(kind.aliases().iter().copied())
        .map(|name| name.replace('_', "[-_]"))
        .collect();
    let negation = if kind.can_be_negated() { "(?:not[-_])?" } else { "" };
    format!("{negation}(?:{})", names.join("|"))
}

/// A target with the keys of its provider. It is written in one of two ways: `provider` and a name,
/// or an `id` that is the provider and perhaps a `label` that is the name. The provider's keys
/// stand beside these or in `config`.
fn target(writer: &mut SchemaWriter) -> Value {
    let names = |kind: &&dyn ProviderKind| [&[kind.name()], kind.aliases()].concat();
    let kinds = || provider::KINDS.iter().flat_map(names);
    let patterns: Vec<String> = provider::KINDS
        .iter()
        .map(|kind| {
            let names: Vec<String> = names(kind).into_iter().map(any_case).collect();
            let behind = if kind.model_key().is_some() { BEHIND_PROVIDER } else { "" };
            format!("(?:{}){behind}", names.join("|"))
        })
        .collect();
    let mut cases = vec![json!({
        "if": given("provider"),
        "then": {
            "anyOf": [given("name"), given("id")],
            "dependencies": {"name": {"properties": {"id": false}}},
            "properties": {"label": false},
        },
        "else": {
            "if": given("id"),
            "then": {"properties": {
                "id": {"anyOf": [{"enum": kinds().collect::<Vec<_>>()}, known(&patterns)]},
                "name": false,
            }},
            // Who writes neither most likely forgot the first.
            "else": {"required": ["name", "provider"], "properties": {"provider": not_null()}},
        },
    })];
    for (kind, pattern) in provider::KINDS.iter().zip(&patterns) {
        let settings = writer
            .define(&format!("target_{}", kind.name()), |writer| target_settings(writer, *kind));
        let chosen = whole(pattern);
        cases.push(json!({
            "if": {"anyOf": [
                {"required": ["provider"], "properties": {"provider": chosen}},
                {"required": ["id"], "properties": {"id": chosen, "provider": {"type": "null"}}},
            ]},
            "then": settings,
        }));
    }
    json!({
        "type": "object",
        "properties": {
            "name": {"description": about(TARGET_KEYS, "name")},
            "provider": {
                "description": about(TARGET_KEYS, "provider"),
                "anyOf": [{"enum": kinds().collect::<Vec<_>>()}, known(&patterns), {"type": "null"}],
            },
        },
        "allOf": cases,
    })
}

/// A model, as it may stand behind a provider: `openai:gpt-4o`.
const BEHIND_PROVIDER: &str = r"(?:\s*:\s*\S.*)?";

/// The keys of a target of one provider, beside or in `config`.
fn target_settings(writer: &mut SchemaWriter, kind: &dyn ProviderKind) -> Value {
    const NAMED: [&str; 2] = ["name", "provider"];
    const LATER_NAMES: &[Key] = &[
        Key::new("name", Shape::Name, "How suites and `--target` call it"),
        Key::new("provider", Shape::Name, "What kind of target it is"),
        Key::new("id", Shape::Name, "Its name; where there is no `provider`, its provider"),
        Key::new("label", Shape::Name, "Its name, where `id` is its provider").default("its `id`"),
    ];
    let shared = TARGET_KEYS.iter().filter(|key| !NAMED.contains(&key.name)).copied();
    let all: Vec<Key> = shared.chain(kind.keys().iter().copied()).collect();
    let behind = |name: &str| json!({"required": [name], "properties": {name: {"type": "string", "pattern": ":"}}});
    let needed: Vec<Value> = all
        .iter()
        .filter(|key| key.required)
        .map(|key| {
            let beside = key.spellings().into_iter().map(|name| given(&name));
            let inside = key.spellings().into_iter().map(
                |name| json!({"required": ["config"], "properties": {"config": given(&name)}}),
            );
            let named = kind.model_key() == Some(key.name);
            let behind = ["provider", "id"].into_iter().filter(|_| named).map(behind);
            json!({ "anyOf": beside.chain(inside).chain(behind).collect::<Vec<_>>() })
        })
        .collect();
    let optional = |key: &Key| Key { required: false, ..*key };
    let beside: Vec<Key> = LATER_NAMES.iter().chain(&all).map(optional).collect();
    let mut map = writer.map(&beside);
    let mut config = writer.map(&all.iter().map(optional).collect::<Vec<_>>());
    config.insert("type".to_owned(), json!(["object", "null"]));
    config.insert("description".to_owned(), "The settings of its provider".into());
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.insert("config".to_owned(), config.into());
    }
    // A schema has no empty list of schemas.
    if !needed.is_empty() {
        map.insert("allOf".to_owned(), needed.into());
    }
    map.into()
}

/// A map with a value for this key.
fn given(name: &str) -> Value {
    json!({"required": [name], "properties": {name: not_null()}})
}

fn not_null() -> Value {
    json!({"not": {"type": "null"}})
}

/// A text that is one of these, or that will be known once its variables are filled in.
fn known(patterns: &[String]) -> Value {
    let all = format!(r"^\s*(?:{})\s*$|{VARIABLE_PATTERN}", patterns.join("|"));
    json!({"type": "string", "pattern": all})
}

/// A text that is this and nothing else.
fn whole(pattern: &str) -> Value {
    json!({"type": "string", "pattern": format!(r"^\s*(?:{pattern})\s*$")})
}

/// A word in any letter case.
fn any_case(word: &str) -> String {
    let either = |letter: char| match (letter.to_ascii_lowercase(), letter.to_ascii_uppercase()) {
        (lower, upper) if lower == upper => letter.to_string(),
        (lower, upper) => format!("[{lower}{upper}]"),
    };
    word.chars().map(either).collect()
}

fn about(keys: &[Key], name: &str) -> &'static str {
    keys.iter().find(|key| key.name == name).map_or("", |key| key.about)
}
