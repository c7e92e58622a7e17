//! `generateContent` of Gemini.

use std::borrow::Cow;

use agentv_base::TokenUsage;
use serde_json::{Map, Value, json};

use super::{
    Ask, Manner, Outgoing, Reply, Wire,
    reading::{self, Found, call, count, list, text, word},
    schema,
    turns::{Turn, alternating},
};

pub(in crate::provider) struct Gemini {
    pub(in crate::provider) url: String,
    pub(in crate::provider) manner: Manner,
}

impl Wire for Gemini {
    fn request(&self, ask: &Ask<'_>) -> Outgoing {
        let manner = &self.manner;
        let (system, turns) = alternating(ask.chat);
        let mut body = Map::new();
        if let Some(system) = system {
            body.insert("systemInstruction".to_owned(), json!({"parts": [{"text": system}]}));
        }
        body.insert("contents".to_owned(), turns.iter().map(content).collect());
        let mut config = Map::new();
        if let Some(temperature) = manner.temperature {
            config.insert("temperature".to_owned(), json!(temperature));
        }
        if let Some(limit) = manner.max_output_tokens {
            config.insert("maxOutputTokens".to_owned(), json!(limit));
        }
        if let Some(schema) = manner.schema(ask) {
            config.insert("responseMimeType".to_owned(), json!("application/json"));
            // The second way takes more of the language, and fewer models know it.
            match schema::for_gemini(schema) {
                Some(schema) => config.insert("responseSchema".to_owned(), schema),
                None => config.insert("responseJsonSchema".to_owned(), schema.clone()),
            };
        }
        if !config.is_empty() {
            body.insert("generationConfig".to_owned(), Value::Object(config));
        }
        manner.outgoing(&self.url, body)
    }

    fn read(&self, body: &[u8]) -> Result<Reply, String> {
        let answer = reading::answer(body)?;
        let Some(candidate) = list(&answer, "candidates")?.and_then(<[Value]>::first) else {
            let feedback = answer.get("promptFeedback");
            let reason = feedback.and_then(|feedback| word(feedback.get("blockReason")));
            return Err(match reason {
                Some(reason) => format!("is that the prompt was blocked: `{reason}`"),
                None => "has no `candidates`".to_owned(),
            });
        };
        let mut found = Found {
            token_usage: answer.get("usageMetadata").and_then(token_usage),
            model: word(answer.get("modelVersion")),
            finish_reason: word(candidate.get("finishReason")),
            ..Found::default()
        };
        let content = candidate.get("content").unwrap_or(&Value::Null);
        for part in list(content, "parts")?.unwrap_or_default() {
            if part.get("thought") == Some(&Value::Bool(true)) {
                continue;
            }
            found.text.push_str(text(part, "text")?.unwrap_or_default());
            if let Some(called) = part.get("functionCall") {
                found.calls.push(call(called.get("name"), called.get("args"), called.get("id"))?);
            }
        }
        Ok(found.reply())
    }

    fn error_in(&self, body: &[u8]) -> Option<String> {
        reading::error_in(body)
    }

    /// A wrong key is a 400 like any other argument that is wrong.
    fn dead_end(&self, body: &[u8]) -> Option<&'static str> {
        let body: Value = serde_json::from_slice(body).ok()?;
        let error = body.as_array().and_then(|all| all.first()).unwrap_or(&body).get("error")?;
        let message = error.get("message").and_then(Value::as_str);
        let details = error.get("details").and_then(Value::as_array);
        let by_reason = details.into_iter().flatten().filter_map(|detail| detail.get("reason"));
        let is_key = message.is_some_and(|message| message.contains("API key not valid"))
            || by_reason.into_iter().any(|reason| reason == "API_KEY_INVALID");
        is_key.then_some("check `api_key` of the target")
    }
}

fn content(turn: &Turn<'_>) -> Value {
    let role = if turn.by_model { "model" } else { "user" };
    let part = |text: &Cow<'_, str>| json!({"text": text});
    json!({"role": role, "parts": turn.parts.iter().map(part).collect::<Vec<_>>()})
}

/// Thoughts are paid as answers. A count of zero is left out by the service, so a missing one is
/// what the total leaves for it.
fn token_usage(usage: &Value) -> Option<TokenUsage> {
    let of_prompt = count(usage, "promptTokenCount")?;
    let of_tools = count(usage, "toolUsePromptTokenCount").unwrap_or(0);
    let input = of_prompt.saturating_add(of_tools);
    let output = match (count(usage, "candidatesTokenCount"), count(usage, "thoughtsTokenCount")) {
        (None, None) => count(usage, "totalTokenCount")?.checked_sub(input)?,
        (said, thought) => said.unwrap_or(0).saturating_add(thought.unwrap_or(0)),
    };
    Some(TokenUsage { input, output, cached: count(usage, "cachedContentTokenCount") })
}
