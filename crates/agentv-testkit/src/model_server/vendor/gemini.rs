//! The contents of Gemini.

use serde_json::{Value, json};

use super::{Refusal, is_an_object, is_count, is_the_key, unknown_key};
use crate::model_server::{
    answer::{Finish, Said},
    asked::Asked,
};

const KNOWN: &[&str] = &[
    "contents",
    "systemInstruction",
    "generationConfig",
    "tools",
    "toolConfig",
    "safetySettings",
    "cachedContent",
    "labels",
];

const CONFIG: &[&str] = &[
    "temperature",
    "maxOutputTokens",
    "responseMimeType",
    "responseSchema",
    "responseJsonSchema",
    "topP",
    "topK",
    "candidateCount",
    "stopSequences",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
    "thinkingConfig",
];

/// A subset of OpenAPI's schemas, not of JSON Schema.
const SCHEMA: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "propertyOrdering",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "default",
];

fn refusal(code: u16, status: &str, message: &str) -> Refusal {
    let body = json!({"error": {"code": code, "message": message, "status": status}});
    Refusal { status: code, body }
}

fn invalid(message: &str) -> Result<(), Refusal> {
    Err(refusal(400, "INVALID_ARGUMENT", message))
}

fn unknown(name: &str, place: &str) -> Result<(), Refusal> {
    let place = if place.is_empty() { String::new() } else { format!(" at '{place}'") };
    invalid(&format!(
        "Invalid JSON payload received. Unknown name \"{name}\"{place}: Cannot find field."
    ))
}

pub(super) fn check(asked: &Asked, key: Option<&str>) -> Result<(), Refusal> {
    // A wrong key is a bad argument here, not a lack of rights.
    match asked.header("x-goog-api-key").or(asked.parameter("key")) {
        Some(given) if is_the_key(given, key) => {}
        Some(_) => return invalid("API key not valid. Please pass a valid API key."),
        None => {
            let message = "Method doesn't allow unregistered callers.";
            return Err(refusal(403, "PERMISSION_DENIED", message));
        }
    }
    if !is_an_object(asked) {
        return invalid("Invalid JSON payload received.");
    }
    let body = &asked.body;
    if let Some(name) = unknown_key(body, KNOWN) {
        return unknown(name, "");
    }
    let Some(contents) = body["contents"].as_array().filter(|contents| !contents.is_empty()) else {
        return invalid("* GenerateContentRequest.contents: contents is not specified");
    };
    for (place, content) in contents.iter().enumerate() {
        if !["user", "model"].contains(&content["role"].as_str().unwrap_or_default()) {
            return invalid("Please use a valid role: user, model.");
        }
        check_parts(content, &format!("contents[{place}]"))?;
    }
    if !body["systemInstruction"].is_null() {
        check_parts(&body["systemInstruction"], "system_instruction")?;
    }
    check_config(&body["generationConfig"])
}

fn check_parts(content: &Value, place: &str) -> Result<(), Refusal> {
    let parts: &[Value] = content["parts"].as_array().map_or(&[], Vec::as_slice);
    let has_data = |part: &Value| part.as_object().is_some_and(|part| !part.is_empty());
    if parts.is_empty() || !parts.iter().all(has_data) {
        return invalid(&format!(
            "* GenerateContentRequest.{place}.parts: contents.parts must not be empty."
        ));
    }
    Ok(())
}

fn check_config(config: &Value) -> Result<(), Refusal> {
    if let Some(name) = unknown_key(config, CONFIG) {
        return unknown(name, "generation_config");
    }
    let temperature = &config["temperature"];
    if !temperature.is_null() && !temperature.as_f64().is_some_and(|t| (0.0..=2.0).contains(&t)) {
        return invalid("Unable to submit request: temperature must be in the range [0.0, 2.0].");
    }
    if !config["maxOutputTokens"].is_null() && !is_count(&config["maxOutputTokens"]) {
        return invalid("max_output_tokens must be positive.");
    }
    if config["responseSchema"].is_null() {
        return Ok(());
    }
    if config["responseMimeType"] != "application/json" {
        return invalid("Function calling with a response schema needs `application/json`.");
    }
    check_schema(&config["responseSchema"], "generation_config.response_schema")
}

fn check_schema(schema: &Value, place: &str) -> Result<(), Refusal> {
    if let Some(name) = unknown_key(schema, SCHEMA) {
        return unknown(name, place);
    }
    let kinds = ["string", "number", "integer", "boolean", "array", "object", "null"];
    let kind = &schema["type"];
    let is_kind = |kind: &str| kinds.contains(&kind.to_ascii_lowercase().as_str());
    if !kind.is_null() && !kind.as_str().is_some_and(is_kind) {
        return invalid(&format!("Invalid value at '{place}.type'"));
    }
    let properties = schema["properties"].as_object();
    for (name, property) in properties.into_iter().flatten() {
        check_schema(property, &format!("{place}.properties[{name}]"))?;
    }
    if !schema["items"].is_null() {
        check_schema(&schema["items"], &format!("{place}.items"))?;
    }
    for option in schema["anyOf"].as_array().into_iter().flatten() {
        check_schema(option, &format!("{place}.any_of"))?;
    }
    Ok(())
}

pub(super) fn body(asked: &Asked, said: &Said) -> Value {
    let mut body = match said.finish {
        Finish::Refusal => json!({"promptFeedback": {"blockReason": "SAFETY"}}),
        Finish::Done | Finish::Length => {
            let mut parts = Vec::new();
            if !said.text.is_empty() {
                parts.push(json!({"text": said.text}));
            }
            let calls = said.calls.iter();
            parts.extend(
                calls.map(|(name, args)| json!({"functionCall": {"name": name, "args": args}})),
            );
            let reason = if said.finish == Finish::Length { "MAX_TOKENS" } else { "STOP" };
            let content = json!({"parts": parts, "role": "model"});
            json!({"candidates": [{"content": content, "finishReason": reason, "index": 0}]})
        }
    };
    body["modelVersion"] = json!(said.model.as_deref().or(asked.model()));
    body["responseId"] = json!(format!("r{}", asked.number));
    if let Some(usage) = said.usage {
        body["usageMetadata"] = json!({
            "promptTokenCount": usage.input,
            "candidatesTokenCount": usage.output,
            "totalTokenCount": usage.input + usage.output,
            "cachedContentTokenCount": usage.cached,
        });
    }
    body
}
