//! Which judge this is.
//!
//! A judge is its target's settings that matter and the instrument of its grader: the prompt, the
//! form of the answer. Whatever only says how it is reached, or what it costs, makes it no other
//! judge; nor do the criteria of a case, nor the words that its author has for the same setting.

use std::fmt::Write as _;

use agentv_base::{
    Key, Node, NodeValue, Redactor, Shape, TARGET_KEYS, TargetSpec, find_key, holds_secret, is_free,
};
use agentv_exec::provider::kind_called;
use serde_json::{Map, Value};

use crate::contents::sha256;

/// Settings of targets that change nothing about what a judge says.
const INCIDENTAL: &[Key] = &[
    incidental("timeout_seconds"),
    incidental("connect_timeout_seconds"),
    incidental("max_retries"),
    incidental("retry_initial_delay_ms"),
    incidental("retry_max_delay_ms"),
    incidental("retry_backoff_factor"),
    incidental("retry_status_codes"),
    incidental("retry_on"),
    incidental("max_memory_mb"),
    incidental("max_cpu_seconds"),
    incidental("verbose"),
    incidental("healthcheck"),
    incidental("prices"),
    incidental("keep_temp_files"),
];

const fn incidental(name: &'static str) -> Key {
    Key::new(name, Shape::Any, "how it is reached, not what it says")
}

/// The one key of every target that matters.
const PROVIDER: &str = "provider";

/// Whose names are the same in any letters.
const HEADERS: &str = "headers";

/// The key of the form that may stand between a provider and its model.
const FORM: &str = "api_format";

/// SHA-256 of all that makes a judge, in hex. Secrets have no part in it: whoever has another key
/// has the same judge.
pub fn fingerprint(target: &TargetSpec, instrument: &str, redactor: &Redactor) -> String {
    let judge = Value::Array(vec![Value::Object(settings(target)), Value::from(instrument)]);
    sha256(&redactor.redact(&canonical(&judge)))
}

/// The settings that matter, each under the one name that it has today.
pub fn settings(target: &TargetSpec) -> Map<String, Value> {
    let Provider { name, keys, behind } = Provider::of(target);
    let mut settings = Map::new();
    for entry in target.node.as_map().unwrap_or_default() {
        let incidental = find_key(&entry.key, &[TARGET_KEYS, INCIDENTAL]).is_some();
        if incidental || is_free(&entry.key) || holds_secret(&entry.key, &entry.value) {
            continue;
        }
        let known = find_key(&entry.key, &[keys]).map_or(&*entry.key, |key| key.name);
        let value = without_secrets(&entry.value, known == HEADERS);
        settings.insert(known.to_owned(), value);
    }
    settings.insert(PROVIDER.to_owned(), Value::from(name));
    settings.extend(behind.into_iter().map(|(key, value)| (key.to_owned(), Value::from(value))));
    settings
}

/// What `provider` says: the kind, and what may as well stand under keys of their own.
pub struct Provider<'t> {
    pub name: &'t str,
    keys: &'static [Key],
    behind: Vec<(&'static str, &'t str)>,
}

impl<'t> Provider<'t> {
    pub fn of(target: &'t TargetSpec) -> Self {
        let Some(kind) = kind_called(&target.provider) else {
            return Self { name: &target.provider, keys: &[], behind: Vec::new() };
        };
        let (name, keys) = (kind.name(), kind.keys());
        // The model in the letters of its author.
        let written = target.node.get(PROVIDER).and_then(Node::as_str);
        let behind = written.and_then(|written| Some(written.split_once(':')?.1.trim()));
        let (Some(model_key), Some(behind)) = (kind.model_key(), behind) else {
            return Self { name, keys, behind: Vec::new() };
        };
        let (word, rest) = match behind.split_once(':') {
            Some((word, rest)) => (word.trim(), Some(rest.trim())),
            None => (behind, None),
        };
        let is_form = find_key(FORM, &[keys])
            .is_some_and(|key| matches!(key.shape, Shape::Choice(words) if words.contains(&word)));
        let behind = if is_form {
            let model = rest.map(|model| (model_key, model));
            [(FORM, word)].into_iter().chain(model).collect()
        } else {
            vec![(model_key, behind)]
        };
        Self { name, keys, behind }
    }

    /// The model that stands behind it.
    pub fn model(&self) -> Option<&'t str> {
        self.behind.iter().find(|(key, _)| *key != FORM).map(|(_, model)| *model)
    }
}

/// A setting without the texts and numbers that stand under the names of secrets in it. A map there
/// is none: schemas describe keys and tokens too.
fn without_secrets(node: &Node, in_any_letters: bool) -> Value {
    let hidden = |key: &str, value: &Node| match value.value {
        NodeValue::String(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
            holds_secret(key, value)
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::List(_) | NodeValue::Map(_) => false,
    };
    match &node.value {
        NodeValue::List(items) => items.iter().map(|item| without_secrets(item, false)).collect(),
        NodeValue::Map(entries) => entries
            .iter()
            .filter(|entry| !hidden(&entry.key, &entry.value))
            .map(|entry| {
                let key = if in_any_letters {
                    entry.key.to_ascii_lowercase()
                } else {
                    entry.key.to_string()
                };
                (key, without_secrets(&entry.value, false))
            })
            .collect(),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::String(_) => node.to_json(),
    }
}

/// JSON with the keys of every map in order: how settings are arranged makes no difference.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (place, (key, value)) in entries.into_iter().enumerate() {
                let comma = if place > 0 { "," } else { "" };
                let _ = write!(text, "{comma}{}:", Value::from(key.as_str()));
                write_canonical(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (place, item) in items.iter().enumerate() {
                text.push_str(if place > 0 { "," } else { "" });
                write_canonical(item, text);
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let _ = write!(text, "{value}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use agentv_base::Span;
    use serde_json::json;

    use super::*;

    fn check(settings: &Value, instrument: &str) -> String {
        let provider = settings.get("provider").and_then(Value::as_str).unwrap_or("openai");
        let target = TargetSpec {
            name: "judge".into(),
            name_span: Span::default(),
            provider: provider.to_lowercase().into(),
            provider_span: Span::default(),
            workers: None,
            judge_target: None,
            node: Node::from_json(settings),
            definition: Value::Null,
            prices: Arc::default(),
            file: Arc::<Path>::from(Path::new("/targets.yaml")).to_path_buf(),
        };
        fingerprint(&target, instrument, &Redactor::new(["hunter22".to_owned()]))
    }

    #[test]
    fn how_a_judge_is_reached_and_what_it_costs_makes_it_no_other() {
        let plain = check(&json!({"provider": "openai", "model": "m", "temperature": 0}), "i");
        let same = json!({
            "temperature": 0, "name": "other", "provider": "OpenAI", "model": "m", "workers": 9,
            "timeoutSeconds": 5, "connect_timeout_seconds": 1, "maxRetries": 7, "verbose": true,
            "retry_status_codes": [500], "healthcheck": {"type": "http"}, "prices": {"input": 1},
            "grader_target": "x", "keep_temp_files": true, "api_key": "sk-1234", "note": "mine",
            "x-mine": 1,
        });
        assert_eq!(check(&same, "i"), plain);
        assert_eq!(plain.len(), 64);
    }

    #[test]
    fn what_changes_what_it_says_makes_it_another() {
        let settings = json!({"provider": "openai", "model": "m", "temperature": 0});
        let plain = check(&settings, "i");
        assert_ne!(check(&settings, "another prompt"), plain);
        for other in [
            json!({"model": "n", "temperature": 0}),
            json!({"model": "m", "temperature": 0.5}),
            json!({"model": "m", "temperature": 0, "base_url": "http://127.0.0.1/v1"}),
            json!({"model": "m", "temperature": 0, "system_prompt": "Be kind."}),
            json!({"model": "m", "temperature": 0, "max_tokens": 100}),
            json!({"model": "m", "temperature": 0, "maxTokens": "100"}),
            json!({"model": "m", "temperature": 0, "max_output_tokens": 100}),
            json!({"model": "m", "temperature": 0, "extra_body": {"max_completion_tokens": 100}}),
            json!({"model": "m", "temperature": 0, "headers": {"X-Team": "y"}}),
            json!({"model": "m", "temperature": 0, "env": {"JUDGE_MODEL": "n"}}),
            json!({"model": "m", "temperature": 0, "cwd": "judges"}),
        ] {
            assert_ne!(check(&other, "i"), plain, "{other}");
        }
    }

    #[test]
    fn the_same_in_other_words_is_the_same_judge() {
        let openai = json!({
            "provider": "openai", "model": "Gpt-X", "base_url": "u", "max_output_tokens": 9,
        });
        for (one, other) in [
            (
                &openai,
                json!({
                    "provider": "OpenAI", "model": "Gpt-X", "baseUrl": "u", "maxTokens": 9,
                }),
            ),
            (&openai, json!({"provider": "openai:Gpt-X", "api_base": "u", "max_tokens": 9})),
            (
                &openai,
                json!({
                    "provider": "openai: Gpt-X", "model": "Gpt-X", "base_url": "u", "max_tokens": 9,
                }),
            ),
            (
                &json!({"provider": "openai", "model": "m", "api_format": "responses"}),
                json!({"provider": "openai:responses:m"}),
            ),
            (
                &json!({"provider": "azure", "endpoint": "e", "deployment": "d"}),
                json!({"provider": "azure:d", "endpoint": "e"}),
            ),
            (
                &json!({"provider": "cli", "command_template": "ask {PROMPT}"}),
                json!({"provider": "cli", "command": "ask {PROMPT}"}),
            ),
            (
                &json!({"provider": "openai", "model": "m", "headers": {"X-Team": "y"}}),
                json!({"provider": "openai", "model": "m", "headers": {"x-team": "y"}}),
            ),
        ] {
            assert_eq!(check(one, "i"), check(&other, "i"), "{one} {other}");
        }
        assert_ne!(check(&json!({"provider": "openai:n"}), "i"), check(&openai, "i"));
    }

    #[test]
    fn secrets_among_variables_and_headers_have_no_part_in_it() {
        let with = |secret: &str| {
            let settings = json!({
                "provider": "cli", "command": "ask", "env": {"JUDGE_KEY": secret, "MODEL": "m"},
                "headers": {"Authorization": secret}, "extra_body": {"user": {"token": secret}},
            });
            check(&settings, "i")
        };
        assert_eq!(with("one"), with("another"));
    }

    #[test]
    fn a_secret_and_the_order_of_settings_have_no_part_in_it() {
        let with = |secret: &str| {
            check(&json!({"command": format!("ask {secret}"), "b": {"x": 1, "y": [2]}}), "i")
        };
        let hidden = check(&json!({"b": {"y": [2], "x": 1}, "command": "ask ***"}), "i");
        assert_eq!(with("hunter22"), hidden);
        assert_ne!(with("otherwise"), hidden);
    }
}
