//! Chat completions of OpenAI, which Azure, most gateways and most local servers speak too.

use agentv_base::{TokenUsage, ToolCall};
use serde_json::{Map, Value, json};

use super::{
    Ask, Manner, Outgoing, Reply, Wire,
    reading::{self, Found, call, count, list, text, word},
    schema,
};

/// What the limit of an answer is called. Reasoning models know only the newer name, and servers
/// that came before it only the older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) enum LimitName {
    MaxTokens,
    MaxCompletionTokens,
}

impl LimitName {
    fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

pub(in crate::provider) struct OpenaiChat {
    pub(in crate::provider) url: String,
    pub(in crate::provider) manner: Manner,
    pub(in crate::provider) limit: LimitName,
    /// Whether the body names the model; else the address does.
    pub(in crate::provider) names_model: bool,
}

impl Wire for OpenaiChat {
    fn request(&self, ask: &Ask<'_>) -> Outgoing {
        let manner = &self.manner;
        let mut body = Map::new();
        if self.names_model {
            body.insert("model".to_owned(), json!(manner.model));
        }
        body.insert("messages".to_owned(), json!(ask.chat));
        if let Some(temperature) = manner.temperature {
            body.insert("temperature".to_owned(), json!(temperature));
        }
        if let Some(limit) = manner.max_output_tokens {
            body.insert(self.limit.name().to_owned(), json!(limit));
        }
        if let Some(schema) = manner.schema(ask) {
            let (strict, schema) = schema::for_openai(schema);
            let described = json!({"name": schema::NAME, "strict": strict, "schema": schema});
            let format = json!({"type": "json_schema", "json_schema": described});
            body.insert("response_format".to_owned(), format);
        }
        manner.outgoing(&self.url, body)
    }

    fn read(&self, body: &[u8]) -> Result<Reply, String> {
        let answer = reading::answer(body)?;
        let choice = reading::first(&answer, "choices")?;
        let message = choice.get("message").filter(|message| message.is_object());
        let message = message.ok_or("has no `message` in its first choice")?;
        let mut found = Found {
            calls: calls(message)?,
            token_usage: answer.get("usage").and_then(token_usage),
            model: word(answer.get("model")),
            finish_reason: word(choice.get("finish_reason")),
            ..Found::default()
        };
        if let Some(refusal) = text(message, "refusal")? {
            refusal.clone_into(&mut found.refusal);
        }
        match message.get("content") {
            Some(Value::Array(parts)) => add_parts(parts, &mut found)?,
            _ => text(message, "content")?.unwrap_or_default().clone_into(&mut found.text),
        }
        Ok(found.reply())
    }

    fn error_in(&self, body: &[u8]) -> Option<String> {
        reading::error_in(body)
    }

    fn dead_end(&self, body: &[u8]) -> Option<&'static str> {
        reading::lacks_quota(body).then_some("check the plan and billing of the account")
    }
}

/// What the parts of a message say. Parts that are no text, such as thoughts, are no answer.
fn add_parts(parts: &[Value], found: &mut Found) -> Result<(), String> {
    for part in parts {
        found.text.push_str(part.as_str().or(text(part, "text")?).unwrap_or_default());
        found.refusal.push_str(text(part, "refusal")?.unwrap_or_default());
    }
    Ok(())
}

fn calls(message: &Value) -> Result<Vec<ToolCall>, String> {
    let mut calls = Vec::new();
    for item in list(message, "tool_calls")?.unwrap_or_default() {
        let called = item.get("function").or_else(|| item.get("custom"));
        let field = |name: &str| called.and_then(|called| called.get(name));
        let input = field("arguments").or_else(|| field("input"));
        calls.push(call(field("name"), input, item.get("id"))?);
    }
    // The form from before there could be several.
    if let Some(called) = message.get("function_call").filter(|called| !called.is_null()) {
        calls.push(call(called.get("name"), called.get("arguments"), None)?);
    }
    Ok(calls)
}

fn token_usage(usage: &Value) -> Option<TokenUsage> {
    let details = usage.get("prompt_tokens_details");
    Some(TokenUsage {
        input: count(usage, "prompt_tokens")?,
        output: count(usage, "completion_tokens")?,
        cached: details.and_then(|details| count(details, "cached_tokens")),
    })
}
