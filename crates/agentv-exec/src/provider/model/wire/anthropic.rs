//! The Messages API of Anthropic.

use std::borrow::Cow;

use agentv_base::TokenUsage;
use serde_json::{Map, Value, json};

use super::{
    Ask, Manner, Outgoing, Reply, Wire,
    reading::{self, Found, call, count, list, text, word},
    schema,
    turns::{Turn, alternating},
};

pub(in crate::provider) struct Anthropic {
    pub(in crate::provider) url: String,
    pub(in crate::provider) manner: Manner,
    pub(in crate::provider) thinking_budget: Option<u64>,
}

/// The service must be told a limit; this one stands for none.
const DEFAULT_LIMIT: u64 = 4096;

impl Wire for Anthropic {
    fn request(&self, ask: &Ask<'_>) -> Outgoing {
        let manner = &self.manner;
        let (system, turns) = alternating(ask.chat);
        // Thoughts count against the limit, so they come on top of one that nobody chose.
        let limit = manner
            .max_output_tokens
            .unwrap_or_else(|| DEFAULT_LIMIT.saturating_add(self.thinking_budget.unwrap_or(0)));
        let mut body = Map::from_iter([
            ("model".to_owned(), json!(manner.model)),
            ("max_tokens".to_owned(), json!(limit)),
        ]);
        if let Some(system) = system {
            body.insert("system".to_owned(), json!(system));
        }
        body.insert("messages".to_owned(), turns.iter().map(message).collect());
        if let Some(temperature) = manner.temperature {
            body.insert("temperature".to_owned(), json!(temperature));
        }
        if let Some(budget) = self.thinking_budget {
            let thinking = json!({"type": "enabled", "budget_tokens": budget});
            body.insert("thinking".to_owned(), thinking);
        }
        if let Some(schema) = manner.schema(ask).filter(|_| self.answers_by_tool()) {
            let mut schema = schema.clone();
            if let Value::Object(map) = &mut schema {
                map.shift_remove("$schema");
            }
            let tool = json!({"name": schema::NAME, "input_schema": schema});
            body.insert("tools".to_owned(), json!([tool]));
            body.insert("tool_choice".to_owned(), self.tool_choice());
        }
        manner.outgoing(&self.url, body)
    }

    fn read(&self, body: &[u8]) -> Result<Reply, String> {
        let answer = reading::answer(body)?;
        let Some(blocks) = list(&answer, "content")? else {
            return Err("has no `content`".to_owned());
        };
        let mut found = Found {
            token_usage: answer.get("usage").and_then(token_usage),
            cache_written: answer.get("usage").map_or(0, cache_written),
            model: word(answer.get("model")),
            finish_reason: word(answer.get("stop_reason")),
            ..Found::default()
        };
        let mut answers: Vec<String> = Vec::new();
        for block in blocks {
            match block.get("type").and_then(Value::as_str) {
                Some("text") => found.text.push_str(text(block, "text")?.unwrap_or_default()),
                Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                    let (name, input) = (block.get("name"), block.get("input"));
                    if self.answers_by_tool() && name.is_some_and(|name| name == schema::NAME) {
                        answers.push(input.ok_or("has no `input` of its answer")?.to_string());
                    } else {
                        found.calls.push(call(name, input, block.get("id"))?);
                    }
                }
                // Thoughts, and what tools of the service found.
                Some(_) | None => {}
            }
        }
        if !answers.is_empty() {
            found.text = answers.join("\n");
        }
        Ok(found.reply())
    }

    fn error_in(&self, body: &[u8]) -> Option<String> {
        reading::error_in(body)
    }
}

impl Anthropic {
    /// Whether a call of the tool `answer` is the answer. Where the author has tools of their own,
    /// they say what is called.
    fn answers_by_tool(&self) -> bool {
        let extra = &self.manner.extra_body;
        self.manner.structured_output
            && !["tools", "tool_choice"].iter().any(|key| extra.contains_key(*key))
    }

    /// A model that thinks cannot be made to call a tool, only offered one.
    fn tool_choice(&self) -> Value {
        let thinks =
            self.thinking_budget.is_some() || self.manner.extra_body.contains_key("thinking");
        if thinks { json!({"type": "auto"}) } else { json!({"type": "tool", "name": schema::NAME}) }
    }
}

fn message(turn: &Turn<'_>) -> Value {
    let role = if turn.by_model { "assistant" } else { "user" };
    let block = |text: &Cow<'_, str>| json!({"type": "text", "text": text});
    let content = match turn.parts.as_slice() {
        [only] => json!(only),
        several => several.iter().map(block).collect(),
    };
    json!({"role": role, "content": content})
}

/// `input_tokens` are only those that touched no cache.
fn token_usage(usage: &Value) -> Option<TokenUsage> {
    let cached = count(usage, "cache_read_input_tokens");
    let written = cache_written(usage);
    let input = count(usage, "input_tokens")?;
    Some(TokenUsage {
        input: input.saturating_add(written).saturating_add(cached.unwrap_or(0)),
        output: count(usage, "output_tokens")?,
        cached,
    })
}

fn cache_written(usage: &Value) -> u64 {
    count(usage, "cache_creation_input_tokens").unwrap_or(0)
}
