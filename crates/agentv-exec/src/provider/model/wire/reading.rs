//! Reading what services answer. Nothing is taken for granted: what has another form than it
//! should have is told, and what is not known stays unknown.

use agentv_base::{Message, TokenUsage, ToolCall, excerpt};
use serde_json::Value;

use super::Reply;

/// Names of models and reasons are short words; anything longer is something else.
const LONGEST_WORD: usize = 200;

/// As much of an error as anybody reads. Who shows it cuts it once more.
const LONGEST_ERROR: usize = 2000;

/// The body as an object, unless it says that something went wrong.
pub(super) fn answer(body: &[u8]) -> Result<Value, String> {
    if let Err(error) = std::str::from_utf8(body) {
        let valid = error.valid_up_to();
        return Err(format!("is not UTF-8: it has other bytes after the first {valid}"));
    }
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let start = String::from_utf8_lossy(body.get(..400).unwrap_or(body)).into_owned();
        match start.trim() {
            "" => "is empty".to_owned(),
            start => format!("is not JSON ({error}): `{}`", excerpt(start, 100)),
        }
    })?;
    if !value.is_object() {
        return Err(format!("is {} instead of a JSON object", kind(&value)));
    }
    let is_error = value.get("error").is_some_and(|error| !error.is_null())
        || ["object", "type"].iter().any(|key| value.get(*key).is_some_and(|kind| kind == "error"));
    if is_error {
        let said = error_of(&value).unwrap_or_else(|| excerpt(&value.to_string(), LONGEST_ERROR));
        return Err(format!("is an error: {said}"));
    }
    Ok(value)
}

/// What a body says of an error, in any of the forms that services and servers have.
pub(super) fn error_in(body: &[u8]) -> Option<String> {
    error_of(&serde_json::from_slice(body).ok()?)
}

/// Whether OpenAI says that there is nothing left to pay with. It has the status of too many
/// requests, and does not pass.
pub(super) fn lacks_quota(body: &[u8]) -> bool {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let says = |key: &str| body.get("error").and_then(|error| error.get(key)?.as_str());
    ["code", "type"].into_iter().filter_map(says).any(|name| name == "insufficient_quota")
}

fn error_of(value: &Value) -> Option<String> {
    // Gemini wraps an error of a stream in a list.
    let value = value.as_array().and_then(|all| all.first()).unwrap_or(value);
    let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
    let text = |key: &str| said(error.get(key));
    let message = said(Some(error)).or_else(|| text("message")).or_else(|| {
        let detail = error.get("detail").filter(|detail| !detail.is_null())?;
        said(Some(detail)).or_else(|| Some(detail.to_string()))
    });
    // A gateway passes on what the service behind it said.
    let behind = error.get("metadata").and_then(|metadata| said(metadata.get("raw")));
    let name = ["code", "status", "type"].into_iter().find_map(text);
    let mut told = message.or_else(|| name.clone())?;
    if let Some(behind) = behind {
        told = format!("{told}: {behind}");
    }
    if let Some(name) = name.filter(|name| !told.contains(name.as_str())) {
        told = format!("{told} ({name})");
    }
    Some(excerpt(&told, LONGEST_ERROR))
}

/// A text that says something.
fn said(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A short word of the service: a model, a reason.
pub(super) fn word(value: Option<&Value>) -> Option<String> {
    said(value).map(|word| excerpt(&word, LONGEST_WORD))
}

/// What a value is, in the words of a message.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The list under a key; nothing where there is none, or null.
pub(super) fn list<'v>(map: &'v Value, key: &str) -> Result<Option<&'v [Value]>, String> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(items)) => Ok(Some(items)),
        Some(other) => Err(format!("has {} where `{key}` should be a list", kind(other))),
    }
}

/// The list under a key that must have something in it.
pub(super) fn first<'v>(map: &'v Value, key: &str) -> Result<&'v Value, String> {
    list(map, key)?.and_then(<[Value]>::first).ok_or_else(|| format!("has no `{key}`"))
}

/// What a part of an answer says under a key; nothing where it has no such key.
pub(super) fn text<'v>(part: &'v Value, key: &str) -> Result<Option<&'v str>, String> {
    match part.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("has {} where `{key}` should be a text", kind(other))),
    }
}

/// The number of tokens under a key, where it is one.
pub(super) fn count(map: &Value, key: &str) -> Option<u64> {
    map.get(key)?.as_u64()
}

/// A call of a tool. What it was called with is JSON in a text or JSON itself.
pub(super) fn call(
    name: Option<&Value>,
    input: Option<&Value>,
    id: Option<&Value>,
) -> Result<ToolCall, String> {
    let tool = said(name).ok_or("calls a tool without a name")?;
    let input = match input {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) if text.trim().is_empty() => None,
        Some(Value::String(text)) => {
            Some(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())))
        }
        Some(other) => Some(other.clone()),
    };
    let id = said(id);
    Ok(ToolCall { tool, input, output: None, id, timestamp: None, duration_ms: None })
}

/// What was found in an answer.
#[derive(Default)]
pub(super) struct Found {
    pub(super) text: String,
    /// Why it says nothing else. It is what the model answered where there is no other text.
    pub(super) refusal: String,
    pub(super) calls: Vec<ToolCall>,
    pub(super) token_usage: Option<TokenUsage>,
    pub(super) cache_written: u64,
    pub(super) model: Option<String>,
    pub(super) finish_reason: Option<String>,
}

impl Found {
    /// The reply. One that neither says nor does anything is one too: what it took is known.
    pub(super) fn reply(self) -> Reply {
        let Self { text, refusal, calls, token_usage, cache_written, model, finish_reason } = self;
        let refused = text.trim().is_empty() && !refusal.is_empty();
        let text = if refused { refusal } else { text };
        // Services say `stop` all the same.
        let finish_reason = if refused { Some("refusal".to_owned()) } else { finish_reason };
        let output_messages = (!calls.is_empty()).then(|| {
            vec![Message {
                role: "assistant".to_owned(),
                name: None,
                content: (!text.is_empty()).then(|| Value::String(text.clone())),
                tool_calls: calls,
                timestamp: None,
                metadata: None,
            }]
        });
        Reply { text, output_messages, token_usage, cache_written, model, finish_reason }
    }
}
