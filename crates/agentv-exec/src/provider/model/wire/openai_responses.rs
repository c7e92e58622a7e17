//! The Responses API of OpenAI.

use agentv_base::{TokenUsage, ToolCall};
use serde_json::{Map, Value, json};

use super::{
    Ask, Manner, Outgoing, Reply, Wire,
    reading::{self, Found, call, count, list, text, word},
    schema,
    turns::apart,
};

pub(in crate::provider) struct OpenaiResponses {
    pub(in crate::provider) url: String,
    pub(in crate::provider) manner: Manner,
}

impl Wire for OpenaiResponses {
    fn request(&self, ask: &Ask<'_>) -> Outgoing {
        let manner = &self.manner;
        let mut body = Map::from_iter([("model".to_owned(), json!(manner.model))]);
        match apart(ask.chat) {
            (Some(system), messages) if !messages.is_empty() => {
                body.insert("instructions".to_owned(), json!(system));
                body.insert("input".to_owned(), json!(messages));
            }
            // There must be an input; a system message that stands alone is it.
            _ => {
                body.insert("input".to_owned(), json!(ask.chat));
            }
        }
        if let Some(temperature) = manner.temperature {
            body.insert("temperature".to_owned(), json!(temperature));
        }
        if let Some(limit) = manner.max_output_tokens {
            body.insert("max_output_tokens".to_owned(), json!(limit));
        }
        if let Some(schema) = manner.schema(ask) {
            let (strict, schema) = schema::for_openai(schema);
            let format = json!({
                "type": "json_schema", "name": schema::NAME, "strict": strict, "schema": schema,
            });
            body.insert("text".to_owned(), json!({ "format": format }));
        }
        manner.outgoing(&self.url, body)
    }

    fn read(&self, body: &[u8]) -> Result<Reply, String> {
        let answer = reading::answer(body)?;
        let status = word(answer.get("status"));
        let stopped = answer.get("incomplete_details").and_then(|details| details.get("reason"));
        match status.as_deref() {
            None | Some("completed" | "incomplete") => {}
            Some("failed") => return Err("is that it failed, and not why".to_owned()),
            Some(status) => return Err(format!("is not finished: its status is `{status}`")),
        }
        let Some(items) = list(&answer, "output")? else {
            return Err("has no `output`".to_owned());
        };
        let mut found = Found {
            token_usage: answer.get("usage").and_then(token_usage),
            model: word(answer.get("model")),
            finish_reason: word(stopped).or(status),
            ..Found::default()
        };
        for item in items {
            add_item(item, &mut found)?;
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

/// What an item says or does. Items of other kinds, such as thoughts, are no answer.
fn add_item(item: &Value, found: &mut Found) -> Result<(), String> {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
    if kind == "message" {
        for part in list(item, "content")?.unwrap_or_default() {
            found.text.push_str(text(part, "text")?.unwrap_or_default());
            found.refusal.push_str(text(part, "refusal")?.unwrap_or_default());
        }
    } else if let Some(tool) = kind.strip_suffix("_call") {
        found.calls.push(call_of(item, tool)?);
    }
    Ok(())
}

/// A call of a function has a name; one of a tool of the service is called by its kind.
fn call_of(item: &Value, tool: &str) -> Result<ToolCall, String> {
    let field = |name: &str| item.get(name).filter(|value| !value.is_null());
    let by_kind = Value::from(tool);
    let is_own = matches!(tool, "function" | "custom_tool" | "mcp");
    let name = field("name").or(Some(&by_kind).filter(|_| !is_own));
    let input = ["arguments", "input", "action", "code", "queries"].into_iter().find_map(field);
    let mut call = call(name, input, field("call_id").or_else(|| field("id")))?;
    call.output = field("output").cloned();
    Ok(call)
}

fn token_usage(usage: &Value) -> Option<TokenUsage> {
    let details = usage.get("input_tokens_details");
    Some(TokenUsage {
        input: count(usage, "input_tokens")?,
        output: count(usage, "output_tokens")?,
        cached: details.and_then(|details| count(details, "cached_tokens")),
    })
}
