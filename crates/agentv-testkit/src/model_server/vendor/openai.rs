//! What the two forms of OpenAI have in common: errors, keys, and schemas that are strict.

use serde_json::{Value, json};

use super::{Refusal, is_an_object, is_the_key};
use crate::model_server::asked::Asked;

pub(super) fn refusal(message: &str, param: Option<&str>, code: Option<&str>) -> Refusal {
    let body = json!({"error": {
        "message": message, "type": "invalid_request_error", "param": param, "code": code,
    }});
    Refusal { status: 400, body }
}

pub(super) fn missing(name: &str) -> Refusal {
    let message = format!("Missing required parameter: '{name}'.");
    refusal(&message, Some(name), Some("missing_required_parameter"))
}

pub(super) fn unknown(name: &str) -> Refusal {
    refusal(&format!("Unknown parameter: '{name}'."), Some(name), Some("unknown_parameter"))
}

pub(super) fn invalid(name: &str, why: &str) -> Refusal {
    refusal(&format!("Invalid '{name}': {why}."), Some(name), Some("invalid_value"))
}

pub(super) fn check_key(asked: &Asked, key: Option<&str>) -> Result<(), Refusal> {
    let given = asked.header("authorization").unwrap_or_default();
    let (message, code) = match given.strip_prefix("Bearer ") {
        Some(given) if is_the_key(given, key) => return Ok(()),
        Some(_) => ("Incorrect API key provided: sk-****.", json!("invalid_api_key")),
        None => ("You didn't provide an API key.", Value::Null),
    };
    let body = json!({"error": {
        "message": message, "type": "invalid_request_error", "param": null, "code": code,
    }});
    Err(Refusal { status: 401, body })
}

pub(super) fn check_is_json(asked: &Asked) -> Result<(), Refusal> {
    if is_an_object(asked) {
        return Ok(());
    }
    Err(refusal("We could not parse the JSON body of your request.", None, None))
}

pub(super) fn check_temperature(body: &Value) -> Result<(), Refusal> {
    match &body["temperature"] {
        Value::Null => Ok(()),
        value if value.as_f64().is_some_and(|value| (0.0..=2.0).contains(&value)) => Ok(()),
        _ => Err(invalid("temperature", "expected a number from 0 to 2")),
    }
}

/// The form of an answer: `format` is what both call it, `place` where it stands.
pub(super) fn check_format(format: &Value, place: &str) -> Result<(), Refusal> {
    let name = format["name"].as_str().unwrap_or_default();
    if name.is_empty() {
        return Err(missing(&format!("{place}.name")));
    }
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)) || name.len() > 64 {
        let why = "string does not match pattern. Expected '^[a-zA-Z0-9_-]+$'";
        return Err(invalid(&format!("{place}.name"), why));
    }
    if !format["schema"].is_object() {
        return Err(missing(&format!("{place}.schema")));
    }
    if format["strict"] == true {
        check_strict(&format["schema"]).map_err(|why| {
            let message = format!("Invalid schema for response_format '{name}': {why}");
            refusal(&message, Some(place), Some("invalid_json_schema"))
        })?;
    }
    Ok(())
}

/// A strict schema names every property as required, and allows no others.
fn check_strict(schema: &Value) -> Result<(), String> {
    if let Some(properties) = schema["properties"].as_object() {
        if schema["additionalProperties"] != false {
            return Err("'additionalProperties' is required to be supplied and to be false.".into());
        }
        let required = schema["required"].as_array();
        for name in properties.keys() {
            if !required.is_some_and(|required| required.iter().any(|known| known == name)) {
                return Err(format!(
                    "'required' is required to be supplied and to be an array including every key \
                     in properties. Missing '{name}'."
                ));
            }
        }
        properties.values().try_for_each(check_strict)?;
    } else if schema["type"] == "object" {
        return Err("'additionalProperties' is required to be supplied and to be false.".into());
    }
    match &schema["items"] {
        Value::Null => Ok(()),
        items => check_strict(items),
    }
}
