//! Requests and replies of every wire, as the services publish them, and bodies that nobody would
//! publish.

mod hostile;
mod replies;
mod requests;
mod schemas;

use agentv_base::{ChatMessage, ChatRole};
use serde_json::{Map, Value, json};

use super::*;

fn manner() -> Manner {
    Manner {
        model: "a-model".to_owned(),
        temperature: None,
        max_output_tokens: None,
        structured_output: true,
        headers: vec![("authorization".to_owned(), "Bearer sk-canary".to_owned())],
        extra_body: Map::new(),
    }
}

fn chat(wanted: impl FnOnce(&mut Manner)) -> OpenaiChat {
    let mut manner = manner();
    wanted(&mut manner);
    let (limit, names_model) = (LimitName::MaxCompletionTokens, true);
    OpenaiChat { url: "https://host/v1/chat/completions".to_owned(), manner, limit, names_model }
}

fn responses(wanted: impl FnOnce(&mut Manner)) -> OpenaiResponses {
    let mut manner = manner();
    wanted(&mut manner);
    OpenaiResponses { url: "https://host/v1/responses".to_owned(), manner }
}

fn anthropic(wanted: impl FnOnce(&mut Manner)) -> Anthropic {
    let mut manner = manner();
    wanted(&mut manner);
    Anthropic { url: "https://host/v1/messages".to_owned(), manner, thinking_budget: None }
}

fn gemini(wanted: impl FnOnce(&mut Manner)) -> Gemini {
    let mut manner = manner();
    wanted(&mut manner);
    Gemini { url: "https://host/v1beta/models/a-model:generateContent".to_owned(), manner }
}

/// One of each, with nothing set.
fn all() -> [(&'static str, Box<dyn Wire>); 4] {
    [
        ("chat", Box::new(chat(|_| {}))),
        ("responses", Box::new(responses(|_| {}))),
        ("anthropic", Box::new(anthropic(|_| {}))),
        ("gemini", Box::new(gemini(|_| {}))),
    ]
}

/// `S: …`, `U: …` and `A: …` as messages.
fn messages(said: &[&str]) -> Vec<ChatMessage> {
    let message = |said: &&str| {
        let (speaker, content) = said.split_once(": ").unwrap();
        let role = match speaker {
            "S" => ChatRole::System,
            "U" => ChatRole::User,
            _ => ChatRole::Assistant,
        };
        ChatMessage { role, content: content.to_owned() }
    };
    said.iter().map(message).collect()
}

fn body(wire: &dyn Wire, said: &[&str], schema: Option<&Value>) -> Value {
    wire.request(&Ask { chat: &messages(said), schema }).body
}

fn read(wire: &dyn Wire, body: &Value) -> Result<Reply, String> {
    wire.read(body.to_string().as_bytes())
}

fn score_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"score": {"type": "number"}},
        "required": ["score"],
        "additionalProperties": false,
    })
}
