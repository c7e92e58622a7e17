//! The responses of OpenAI.

use serde_json::{Value, json};

use super::{
    Refusal, is_count, is_text,
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
    "input",
    "instructions",
    "temperature",
    "max_output_tokens",
    "text",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "top_p",
    "user",
    "metadata",
    "store",
    "stream",
    "reasoning",
    "include",
    "truncation",
    "previous_response_id",
    "service_tier",
];

/// What has another name here than in the chat form.
const MOVED: &[(&str, &str)] = &[
    ("messages", "input"),
    ("response_format", "text.format"),
    ("max_tokens", "max_output_tokens"),
    ("max_completion_tokens", "max_output_tokens"),
];

pub(super) fn check(asked: &Asked, key: Option<&str>) -> Result<(), Refusal> {
    check_key(asked, key)?;
    check_is_json(asked)?;
    let body = &asked.body;
    for (old, new) in MOVED {
        if !body[*old].is_null() {
            let message = format!(
                "Unsupported parameter: '{old}'. In the Responses API, this parameter has moved to \
                 '{new}'."
            );
            return Err(refusal(&message, Some(old), Some("unsupported_parameter")));
        }
    }
    if let Some(name) = unknown_key(body, KNOWN) {
        return Err(unknown(name));
    }
    if !is_text(&body["model"]) {
        return Err(missing("model"));
    }
    match &body["input"] {
        Value::String(text) if !text.is_empty() => {}
        Value::Array(items) if !items.is_empty() => {
            for (place, item) in items.iter().enumerate() {
                check_item(place, item)?;
            }
        }
        _ => return Err(missing("input")),
    }
    if !body["instructions"].is_null() && !body["instructions"].is_string() {
        return Err(invalid("instructions", "expected a string"));
    }
    if !body["max_output_tokens"].is_null() && !is_count(&body["max_output_tokens"]) {
        return Err(invalid("max_output_tokens", "expected an integer above 0"));
    }
    check_temperature(body)?;
    let format = &body["text"]["format"];
    match format["type"].as_str() {
        Some("json_schema") => check_format(format, "text.format"),
        Some("json_object" | "text") => Ok(()),
        _ if format.is_null() => Ok(()),
        _ => Err(missing("text.format.type")),
    }
}

fn check_item(place: usize, item: &Value) -> Result<(), Refusal> {
    let role = item["role"].as_str().unwrap_or_default();
    if !item["type"].is_null() && item["type"] != "message" {
        return Ok(());
    }
    if !["system", "developer", "user", "assistant"].contains(&role) {
        return Err(invalid(&format!("input[{place}].role"), "no such role"));
    }
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    let is_part = |part: &Value| part["type"] == kind || part["type"] == "input_image";
    let fits = match &item["content"] {
        Value::String(_) => true,
        Value::Array(parts) => !parts.is_empty() && parts.iter().all(is_part),
        _ => false,
    };
    if !fits {
        let why = format!("supported parts of this role are: '{kind}'");
        return Err(invalid(&format!("input[{place}].content"), &why));
    }
    Ok(())
}

pub(super) fn body(asked: &Asked, said: &Said) -> Value {
    let number = asked.number;
    // Models that think put that before what they say.
    let mut output = vec![json!({"type": "reasoning", "id": "rs_1", "summary": []})];
    if said.calls.is_empty() || !said.text.is_empty() {
        let part = match said.finish {
            Finish::Refusal => json!({"type": "refusal", "refusal": said.text}),
            Finish::Done | Finish::Length => {
                json!({"type": "output_text", "text": said.text, "annotations": []})
            }
        };
        output.push(json!({
            "type": "message",
            "id": format!("msg_{number}"),
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }));
    }
    for (place, (tool, input)) in said.calls.iter().enumerate() {
        output.push(json!({
            "type": "function_call",
            "id": format!("fc_{number}_{place}"),
            "call_id": format!("call_{number}_{place}"),
            "name": tool,
            "arguments": input.to_string(),
            "status": "completed",
        }));
    }
    let (status, details) = match said.finish {
        Finish::Length => ("incomplete", json!({"reason": "max_output_tokens"})),
        Finish::Done | Finish::Refusal => ("completed", Value::Null),
    };
    let mut body = json!({
        "id": format!("resp_{number}"),
        "object": "response",
        "created_at": 1_790_000_000,
        "status": status,
        "error": null,
        "incomplete_details": details,
        "model": said.model.as_deref().or(asked.model()),
        "output": output,
    });
    if let Some(usage) = said.usage {
        body["usage"] = json!({
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cached},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.input + usage.output,
        });
    }
    body
}
