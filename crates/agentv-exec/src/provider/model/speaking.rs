//! The keys about what is said to a model, read and checked once.

use std::sync::Arc;

use agentv_base::{
    Diagnostic, Fields, Key, Node, NodeValue, Part, Problems, Shape, Span, is_secret_name,
};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::{SENDING_KEYS, wire::Manner};
use crate::provider::joined;

/// What every model target may have, whatever the service.
pub(in crate::provider) const MODEL_TARGET: Part =
    Part { what: "model target", tables: &[MODEL_KEYS] };

pub(in crate::provider) const MODEL_KEYS: &[Key] =
    &joined::<{ SPEAKING_KEYS.len() + SENDING_KEYS.len() }>(&[SPEAKING_KEYS, SENDING_KEYS]);

const SPEAKING_KEYS: &[Key] = &[
    Key::new("api_key", Shape::Name, "The key of the service, as `${{ NAME }}` of a variable"),
    Key::new("temperature", Shape::Limit, "How much chance is in an answer")
        .default("the service's"),
    Key::new("max_output_tokens", Shape::Count, "Most tokens of an answer")
        .or(&["max_tokens"])
        .default("the service's"),
    Key::new("system_prompt", Shape::Name, "What the model is told before every prompt"),
    Key::new("headers", Shape::MapOf(&Shape::Scalar), "Further headers of every request"),
    Key::new("extra_body", Shape::AnyMap, "What is put into the body of every request"),
    Key::new("output_schema", Shape::AnyMap, "What answers must look like: a JSON Schema"),
    Key::new(
        "structured_output",
        Shape::Bool,
        "Whether the service is told what answers must look like, of targets and of judges",
    )
    .default("true"),
];

/// How a service is told the key, and whether it must be.
pub(in crate::provider) struct Access {
    pub(in crate::provider) header: &'static str,
    /// What stands before the key.
    pub(in crate::provider) before: &'static str,
    /// The variable that most people keep the key in.
    pub(in crate::provider) variable: &'static str,
    pub(in crate::provider) required: bool,
}

/// Headers that hold a key, of any service.
const KEY_HEADERS: &[&str] = &["authorization", "api-key", "x-api-key", "x-goog-api-key"];

/// Headers that belong to the form of a request.
const OWN_HEADERS: &[&str] =
    &["connection", "content-encoding", "content-length", "content-type", "transfer-encoding"];

/// What a body says that the target, its case or AgentV says otherwise, and who says it.
const SAID_OTHERWISE: &[(&str, &str)] = &[
    ("model", "it is a key of the target"),
    ("messages", "the case says what is asked"),
    ("input", "the case says what is asked"),
    ("contents", "the case says what is asked"),
    ("stream", "answers are read whole"),
    ("n", "there is one answer to a case"),
];

/// Everything that is said in the same way to every service.
pub(in crate::provider) struct ModelSettings {
    pub(in crate::provider) manner: Manner,
    pub(in crate::provider) system_prompt: Option<String>,
    pub(in crate::provider) output_schema: Option<Arc<Value>>,
}

impl ModelSettings {
    /// Reads what every model target may have. Problems do not end the reading.
    pub(in crate::provider) fn read(
        fields: &Fields<'_>,
        model: String,
        access: &Access,
        problems: &mut Problems,
    ) -> Self {
        let mut headers = read_headers(fields, problems);
        headers.extend(read_key(fields, &headers, access, problems));
        let limit = fields.count("max_output_tokens", problems);
        let structured = fields.boolean("structured_output", problems).unwrap_or(true);
        Self {
            manner: Manner {
                model,
                temperature: fields.limit("temperature", problems),
                max_output_tokens: limit.and_then(|limit| u64::try_from(limit).ok()),
                structured_output: structured,
                headers,
                extra_body: read_extra_body(fields, problems),
            },
            system_prompt: fields.non_blank("system_prompt", problems).map(str::to_owned),
            output_schema: read_schema(fields, structured, problems).map(Arc::new),
        }
    }
}

/// The header with the key. It is not needed where another header says who asks.
fn read_key(
    fields: &Fields<'_>,
    headers: &[(String, String)],
    access: &Access,
    problems: &mut Problems,
) -> Option<(String, String)> {
    let named = |name: &str| headers.iter().any(|(known, _)| known == name);
    if fields.get("api_key").is_none() {
        if access.required && !KEY_HEADERS.iter().any(|name| named(name)) {
            problems.push(
                Diagnostic::error("target needs `api_key`")
                    .code("missing-key")
                    .at(fields.span())
                    .hint(format!("add `api_key: ${{{{ {} }}}}`", access.variable)),
            );
        }
        return None;
    }
    let key = fields.non_blank("api_key", problems)?.trim();
    let span = fields.get("api_key").map_or(fields.span(), |node| node.span);
    check_for_variable("api_key", key, span, problems);
    let value = format!("{}{key}", access.before);
    if HeaderValue::from_str(&value).is_err() {
        problems.error(span, "`api_key` has characters in it that no key has");
        return None;
    }
    if named(access.header) {
        problems.push(
            Diagnostic::error(format!(
                "`api_key` is sent as `{}`, which `headers` sets too",
                access.header
            ))
            .code("duplicate-key")
            .at(span)
            .hint("keep one of the two"),
        );
    }
    Some((access.header.to_owned(), value))
}

/// A variable in the way of a shell, or only its name, would be sent as the key itself.
fn check_for_variable(name: &str, key: &str, span: Span, problems: &mut Problems) {
    let in_a_shell = key.strip_prefix('$').map(|rest| {
        let within = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        within.unwrap_or(rest).trim()
    });
    let variable = in_a_shell.unwrap_or(key);
    let is_variable = variable.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && variable.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if !is_variable {
        return;
    }
    if in_a_shell.is_some() {
        let message = format!("`{name}` is no variable as it is written here, and would be sent");
        let hint = format!("did you mean `${{{{ {variable} }}}}`?");
        problems.push(Diagnostic::error(message).at(span).hint(hint));
    } else if variable.contains('_') && is_secret_name(variable) {
        let message = format!("`{name}` is the name of a variable, and is sent as it is");
        // What stands there is not repeated: it could be a key after all.
        let hint = "write `${{ … }}` around it to send what the variable holds";
        problems.push(Diagnostic::warning(message).at(span).hint(hint));
    }
}

/// Names in lower case, in the author's order.
fn read_headers(fields: &Fields<'_>, problems: &mut Problems) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for entry in fields.map("headers", problems).unwrap_or_default() {
        let Ok(name) = HeaderName::from_bytes(entry.key.as_bytes()) else {
            problems.error(entry.key_span, "not a name of a header");
            continue;
        };
        let name = name.as_str().to_owned();
        if OWN_HEADERS.contains(&name.as_str()) {
            problems.error(entry.key_span, format!("header `{name}` is set by AgentV itself"));
            continue;
        }
        if headers.iter().any(|(known, _)| *known == name) {
            problems.push(
                Diagnostic::error(format!("header `{name}` is given twice"))
                    .code("duplicate-key")
                    .at(entry.key_span),
            );
            continue;
        }
        if entry.value.is_null() {
            continue;
        }
        let Some(value) = scalar_text(&entry.value) else {
            let message =
                format!("`headers.{name}` must be a string, not {}", entry.value.kind_name());
            problems.push(Diagnostic::error(message).code("wrong-type").at(entry.value.span));
            continue;
        };
        if HeaderValue::from_str(&value).is_err() {
            let message = format!("`headers.{name}` has characters in it that no header can have");
            problems.error(entry.value.span, message);
            continue;
        }
        if KEY_HEADERS.contains(&name.as_str()) {
            let key = value.split_whitespace().next_back().unwrap_or_default();
            check_for_variable(&format!("headers.{name}"), key, entry.value.span, problems);
        }
        headers.push((name, value));
    }
    headers
}

fn scalar_text(node: &Node) -> Option<String> {
    match &node.value {
        NodeValue::Bool(value) => Some(value.to_string()),
        NodeValue::Integer(value) => Some(value.to_string()),
        NodeValue::Float(value) => Some(value.to_string()),
        NodeValue::String(text) => Some(text.trim().to_owned()),
        NodeValue::Null | NodeValue::List(_) | NodeValue::Map(_) => None,
    }
}

fn read_extra_body(fields: &Fields<'_>, problems: &mut Problems) -> Map<String, Value> {
    for entry in fields.map("extra_body", problems).unwrap_or_default() {
        if let Some((name, why)) = SAID_OTHERWISE.iter().find(|(name, _)| *name == &*entry.key) {
            problems.push(
                Diagnostic::error(format!("`{name}` cannot be a part of `extra_body`: {why}"))
                    .code("misplaced-key")
                    .at(entry.key_span),
            );
        }
    }
    let node = fields.get("extra_body").filter(|node| node.as_map().is_some());
    match node.and_then(|node| node.checked_json(problems)) {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

fn read_schema(fields: &Fields<'_>, structured: bool, problems: &mut Problems) -> Option<Value> {
    let entries = fields.map("output_schema", problems)?;
    let node = fields.get("output_schema")?;
    if !structured {
        problems.push(
            Diagnostic::error("`output_schema` does nothing with `structured_output: false`")
                .code("misplaced-key")
                .at(node.span)
                .hint("remove one of the two"),
        );
    }
    let is_object = |node: &Node| node.as_str() == Some("object");
    if !entries.iter().any(|entry| &*entry.key == "type" && is_object(&entry.value)) {
        problems.push(
            Diagnostic::error("`output_schema` must describe an object")
                .at(node.span)
                .hint("write `type: object` and `properties`: services hold answers to objects"),
        );
        return None;
    }
    node.checked_json(problems)
}
