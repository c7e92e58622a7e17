//! The messages of Anthropic.

use serde_json::{Value, json};

use super::{Refusal, is_an_object, is_count, is_text, is_the_key, unknown_key};
use crate::model_server::{
    answer::{Finish, Said},
    asked::Asked,
};

const KNOWN: &[&str] = &[
    "model",
    "messages",
    "max_tokens",
    "system",
    "temperature",
    "tools",
    "tool_choice",
    "top_p",
    "top_k",
    "stop_sequences",
    "stream",
    "metadata",
    "thinking",
    "service_tier",
];

fn refusal(status: u16, kind: &str, message: &str) -> Refusal {
    let body = json!({
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": "req_1",
    });
    Refusal { status, body }
}

fn invalid(message: &str) -> Result<(), Refusal> {
    Err(refusal(400, "invalid_request_error", message))
}

pub(super) fn check(asked: &Asked, key: Option<&str>) -> Result<(), Refusal> {
    match asked.header("x-api-key") {
        Some(given) if is_the_key(given, key) => {}
        Some(_) => return Err(refusal(401, "authentication_error", "invalid x-api-key")),
        None => return Err(refusal(401, "authentication_error", "x-api-key header is required")),
    }
    match asked.header("anthropic-version") {
        None => return invalid("anthropic-version: header is required"),
        Some("2023-06-01" | "2023-01-01") => {}
        Some(other) => return invalid(&format!("anthropic-version: \"{other}\" is not valid")),
    }
    if !is_an_object(asked) {
        return invalid("The request body is not valid JSON");
    }
    let body = &asked.body;
    if !is_text(&body["model"]) {
        return invalid("model: Field required");
    }
    if body["max_tokens"].is_null() {
        return invalid("max_tokens: Field required");
    }
    if !is_count(&body["max_tokens"]) {
        return invalid("max_tokens: Input should be greater than or equal to 1");
    }
    if let Some(name) = unknown_key(body, KNOWN) {
        return invalid(&format!("{name}: Extra inputs are not permitted"));
    }
    let temperature = &body["temperature"];
    if !temperature.is_null() && !temperature.as_f64().is_some_and(|t| (0.0..=1.0).contains(&t)) {
        return invalid("temperature: range: 0..1");
    }
    if !body["system"].is_null() && !is_text_or_blocks(&body["system"]) {
        return invalid("system: text content blocks must be non-empty");
    }
    check_messages(body)?;
    check_tools(body)
}

fn check_messages(body: &Value) -> Result<(), Refusal> {
    let Some(messages) = body["messages"].as_array() else {
        return invalid("messages: Field required");
    };
    if messages.is_empty() {
        return invalid("messages: at least one message is required");
    }
    for (place, message) in messages.iter().enumerate() {
        match message["role"].as_str() {
            Some("user") => {}
            Some("assistant") if place > 0 => {}
            Some("assistant") => {
                return invalid("messages: first message must use the \"user\" role");
            }
            _ => {
                return invalid(
                    "messages: Unexpected role. Use the top-level `system` parameter for the \
                     system prompt.",
                );
            }
        }
        if !is_text_or_blocks(&message["content"]) {
            return invalid(&format!("messages.{place}: text content blocks must be non-empty"));
        }
    }
    Ok(())
}

fn check_tools(body: &Value) -> Result<(), Refusal> {
    let tools: &[Value] = body["tools"].as_array().map_or(&[], Vec::as_slice);
    for (place, tool) in tools.iter().enumerate() {
        if !is_text(&tool["name"]) {
            return invalid(&format!("tools.{place}.name: Field required"));
        }
        if tool["input_schema"]["type"] != "object" {
            return invalid(&format!("tools.{place}.input_schema.type: Input should be 'object'"));
        }
    }
    let choice = &body["tool_choice"];
    if choice["type"] == "tool" && !tools.iter().any(|tool| tool["name"] == choice["name"]) {
        return invalid("tool_choice: Tool not found in provided tools");
    }
    Ok(())
}

fn is_text_or_blocks(content: &Value) -> bool {
    match content {
        Value::Array(blocks) => {
            let is_block = |block: &Value| block["type"] != "text" || is_text(&block["text"]);
            !blocks.is_empty()
                && blocks.iter().all(|block| is_text(&block["type"]) && is_block(block))
        }
        other => is_text(other),
    }
}

pub(super) fn body(asked: &Asked, said: &Said) -> Value {
    let number = asked.number;
    let mut calls = said.calls.clone();
    let mut text = said.text.as_str();
    if let (Some(tool), Some(answer)) = (asked.forced_tool(), &said.json) {
        calls.push((tool.to_owned(), answer.clone()));
        text = "";
    }
    let mut content = Vec::new();
    if !text.is_empty() {
        content.push(json!({"type": "text", "text": text}));
    }
    for (place, (tool, input)) in calls.iter().enumerate() {
        let id = format!("toolu_{number}_{place}");
        content.push(json!({"type": "tool_use", "id": id, "name": tool, "input": input}));
    }
    let reason = match said.finish {
        Finish::Length => "max_tokens",
        Finish::Refusal => "refusal",
        Finish::Done if !calls.is_empty() => "tool_use",
        Finish::Done => "end_turn",
    };
    let mut body = json!({
        "id": format!("msg_{number}"),
        "type": "message",
        "role": "assistant",
        "model": said.model.as_deref().or(asked.model()),
        "content": content,
        "stop_reason": reason,
        "stop_sequence": null,
    });
    if let Some(usage) = said.usage {
        // What was cached is counted beside the input, not in it.
        body["usage"] = json!({
            "input_tokens": usage.input - usage.cached,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": usage.cached,
            "output_tokens": usage.output,
        });
    }
    body
}
