//! Chat completions, of OpenAI and of Azure.

use serde_json::{Value, json};

use super::{
    Refusal, is_count, is_text, is_the_key,
    openai::{
        check_format, check_is_json, check_key, check_temperature, invalid, missing, refusal,
        unknown,
    },
    unknown_key,
};
use crate::model_server::{
    answer::{Finish, Said},
    asked::Asked,
};

const KNOWN: &[&str] = &[
    "model",
    "messages",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "response_format",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "top_p",
    "n",
    "stop",
    "seed",
    "user",
    "metadata",
    "store",
    "stream",
    "frequency_penalty",
    "presence_penalty",
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "reasoning_effort",
    "verbosity",
    "service_tier",
];

pub(super) fn check(asked: &Asked, key: Option<&str>) -> Result<(), Refusal> {
    check_key(asked, key)?;
    check_is_json(asked)?;
    if !is_text(&asked.body["model"]) {
        return Err(refusal("you must provide a model parameter", None, None));
    }
    check_body(asked)
}

pub(super) fn check_azure(asked: &Asked, key: Option<&str>) -> Result<(), Refusal> {
    let refused = |status: u16, code: &str, message: &str| {
        Err(Refusal { status, body: json!({"error": {"code": code, "message": message}}) })
    };
    if !asked.header("api-key").is_some_and(|given| is_the_key(given, key)) {
        let message = "Access denied due to invalid subscription key or wrong API endpoint.";
        return refused(401, "401", message);
    }
    let version = asked.parameter("api-version").unwrap_or_default();
    if version.is_empty() {
        return refused(400, "BadRequest", "The api-version query parameter is required.");
    }
    if !version.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return refused(400, "BadRequest", "API version not supported");
    }
    check_is_json(asked)?;
    check_body(asked)
}

fn check_body(asked: &Asked) -> Result<(), Refusal> {
    let body = &asked.body;
    if let Some(name) = unknown_key(body, KNOWN) {
        return Err(unknown(name));
    }
    let Some(messages) = body["messages"].as_array() else {
        return Err(missing("messages"));
    };
    if messages.is_empty() {
        return Err(invalid("messages", "empty array. Expected an array with minimum length 1"));
    }
    for (place, message) in messages.iter().enumerate() {
        check_message(place, message)?;
    }
    check_temperature(body)?;
    for name in ["max_tokens", "max_completion_tokens"] {
        if !body[name].is_null() && !is_count(&body[name]) {
            return Err(invalid(name, "expected an integer above 0"));
        }
    }
    check_of_model(asked)?;
    let format = &body["response_format"];
    match format["type"].as_str() {
        Some("json_schema") => check_format(&format["json_schema"], "response_format.json_schema"),
        Some("json_object" | "text") => Ok(()),
        _ if format.is_null() => Ok(()),
        _ => Err(invalid("response_format.type", "expected one of 'json_schema', 'text'")),
    }
}

fn check_message(place: usize, message: &Value) -> Result<(), Refusal> {
    let role = message["role"].as_str().unwrap_or_default();
    if !["system", "developer", "user", "assistant", "tool"].contains(&role) {
        return Err(invalid(&format!("messages[{place}].role"), "no such role"));
    }
    let content = &message["content"];
    let called = role == "assistant" && message["tool_calls"].is_array();
    let is_part = |part: &Value| match part["type"].as_str() {
        Some("text") => part["text"].is_string(),
        Some("image_url") => part["image_url"].is_object(),
        _ => false,
    };
    let fits = match content {
        Value::String(_) => true,
        Value::Array(parts) => !parts.is_empty() && parts.iter().all(is_part),
        _ => called,
    };
    if !fits {
        return Err(invalid(&format!("messages[{place}].content"), "expected text or parts"));
    }
    Ok(())
}

/// Models that think before they answer take neither a temperature nor the old name of the limit.
fn check_of_model(asked: &Asked) -> Result<(), Refusal> {
    let model = asked.model().unwrap_or_default();
    if !["o1", "o3", "o4", "gpt-5"].iter().any(|start| model.starts_with(start)) {
        return Ok(());
    }
    let message = if !asked.body["max_tokens"].is_null() {
        "Unsupported parameter: 'max_tokens' is not supported with this model. \
         Use 'max_completion_tokens' instead."
    } else if !asked.body["temperature"].is_null() && asked.body["temperature"] != 1 {
        "Unsupported value: 'temperature' does not support this value with this model."
    } else {
        return Ok(());
    };
    Err(refusal(message, None, Some("unsupported_parameter")))
}

pub(super) fn body(asked: &Asked, said: &Said) -> Value {
    let number = asked.number;
    let calls: Vec<Value> = said
        .calls
        .iter()
        .enumerate()
        .map(|(place, (tool, input))| {
            json!({
                "id": format!("call_{number}_{place}"),
                "type": "function",
                "function": {"name": tool, "arguments": input.to_string()},
            })
        })
        .collect();
    let content =
        if said.text.is_empty() && !calls.is_empty() { Value::Null } else { json!(said.text) };
    let mut message = json!({"role": "assistant", "content": content, "refusal": null});
    let reason = match said.finish {
        Finish::Length => "length",
        Finish::Done if !calls.is_empty() => "tool_calls",
        Finish::Done | Finish::Refusal => "stop",
    };
    if said.finish == Finish::Refusal {
        message["refusal"] = message["content"].take();
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let mut body = json!({
        "id": format!("chatcmpl-{number}"),
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": said.model.as_deref().or(asked.model()),
        "choices": [
            {"index": 0, "message": message, "logprobs": null, "finish_reason": reason},
        ],
        "system_fingerprint": "fp_1",
    });
    if let Some(usage) = said.usage {
        body["usage"] = json!({
            "prompt_tokens": usage.input,
            "completion_tokens": usage.output,
            "total_tokens": usage.input + usage.output,
            "prompt_tokens_details": {"cached_tokens": usage.cached, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        });
    }
    body
}
