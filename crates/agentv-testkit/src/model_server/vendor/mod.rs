//! The forms of the vendors: what each takes, how it refuses, and how it answers.

use serde_json::{Value, json};

use super::{
    answer::Said,
    asked::{Asked, Vendor},
};

mod anthropic;
mod gemini;
mod openai;
mod openai_chat;
mod openai_responses;

/// What comes before the name of a model of Gemini.
pub(super) const GEMINI_MODELS: &str = "/v1beta/models/";

/// Why a request is not taken, as the vendor says it.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) body: Value,
}

pub(super) fn of_path(path: &str) -> Option<Vendor> {
    let deployment = path
        .strip_prefix("/openai/deployments/")
        .and_then(|rest| rest.strip_suffix("/chat/completions"));
    let model =
        path.strip_prefix(GEMINI_MODELS).and_then(|rest| rest.strip_suffix(":generateContent"));
    let is_a_name = |name: &str| !name.is_empty() && !name.contains('/');
    match path {
        "/v1/chat/completions" => Some(Vendor::OpenaiChat),
        "/v1/responses" => Some(Vendor::OpenaiResponses),
        "/v1/messages" => Some(Vendor::Anthropic),
        _ if deployment.is_some_and(is_a_name) => Some(Vendor::Azure),
        _ if model.is_some_and(is_a_name) => Some(Vendor::Gemini),
        _ => None,
    }
}

/// Whether the vendor would take the request. Without a key, every key will do, but there must be
/// one.
pub(super) fn check(asked: &Asked, key: Option<&str>) -> Result<(), Refusal> {
    let Some(vendor) = asked.vendor else {
        return Err(not_found(&asked.method, &asked.path));
    };
    if asked.method != "POST" {
        return Err(not_found(&asked.method, &asked.path));
    }
    match vendor {
        Vendor::OpenaiChat => openai_chat::check(asked, key),
        Vendor::OpenaiResponses => openai_responses::check(asked, key),
        Vendor::Azure => openai_chat::check_azure(asked, key),
        Vendor::Anthropic => anthropic::check(asked, key),
        Vendor::Gemini => gemini::check(asked, key),
    }
}

/// What a model says, in the form of the vendor that was asked.
pub(super) fn body(asked: &Asked, said: &Said) -> Value {
    match asked.vendor {
        Some(Vendor::OpenaiChat | Vendor::Azure) | None => openai_chat::body(asked, said),
        Some(Vendor::OpenaiResponses) => openai_responses::body(asked, said),
        Some(Vendor::Anthropic) => anthropic::body(asked, said),
        Some(Vendor::Gemini) => gemini::body(asked, said),
    }
}

fn not_found(method: &str, path: &str) -> Refusal {
    let message = format!("Invalid URL ({method} {path})");
    let body = json!({"error": {
        "message": message, "type": "invalid_request_error", "param": null, "code": null,
    }});
    Refusal { status: 404, body }
}

/// Whether the key is the one that is asked for; where none is, any key will do.
fn is_the_key(given: &str, key: Option<&str>) -> bool {
    key.map_or(!given.is_empty(), |key| given == key)
}

/// Whether a body is said to be JSON and is an object.
fn is_an_object(asked: &Asked) -> bool {
    let is_json = |kind: &str| kind.split(';').next().unwrap_or_default() == "application/json";
    asked.header("content-type").is_some_and(is_json) && asked.body.is_object()
}

/// A key of an object that is not among those that are known.
fn unknown_key<'a>(object: &'a Value, known: &[&str]) -> Option<&'a str> {
    let mut keys = object.as_object()?.keys().map(String::as_str);
    keys.find(|key| !known.contains(key))
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn is_count(value: &Value) -> bool {
    value.as_u64().is_some_and(|count| count > 0)
}
