//! Prompts: texts, files of texts, and lists of messages.

use std::path::Path;

use agentv_base::{Node, NodeValue, Span};
use serde_json::{Value, json};

use super::{
    Import,
    files::{FILE, ending},
};

/// Endings by which promptfoo knows a file without `file://`.
const ENDINGS: [&str; 13] =
    ["txt", "md", "j2", "json", "jsonl", "yaml", "yml", "csv", "js", "cjs", "mjs", "ts", "py"];

impl Import {
    pub(super) fn prompts(&mut self, config: &Node, has_targets: bool) -> Vec<Value> {
        let Some(node) = config.get("prompts") else {
            self.error(config.span, "the configuration has no `prompts`");
            return Vec::new();
        };
        let before = self.problems.iter().count();
        let found: Vec<(Span, Value)> = match &node.value {
            NodeValue::List(items) => items.iter().flat_map(|item| self.prompt(item)).collect(),
            // Paths with the labels that they go by.
            NodeValue::Map(entries) if node.get("raw").is_none() && node.get("id").is_none() => {
                let entries = entries.iter();
                let labelled = entries.flat_map(|entry| {
                    let label = entry.value.as_str().map(str::to_owned);
                    self.referenced(&entry.key, entry.key_span, label.as_deref())
                });
                labelled.collect()
            }
            NodeValue::Null
            | NodeValue::Bool(_)
            | NodeValue::Integer(_)
            | NodeValue::Float(_)
            | NodeValue::String(_)
            | NodeValue::Map(_) => self.prompt(node),
        };
        if found.is_empty() && self.problems.iter().count() == before {
            self.error(node.span, "no prompt of this configuration can be carried over");
        }
        let chat = found.iter().find(|(_, prompt)| {
            prompt.is_array() || prompt.get("prompt").is_some_and(Value::is_array)
        });
        if let Some((span, _)) = chat
            && has_targets
        {
            self.leave(
                *span,
                "a prompt of several messages",
                "promptfoo hands its JSON to scripts; AgentV hands over text, in which `@[Role]:` \
                 says who speaks",
            );
        }
        found.into_iter().map(|(_, prompt)| prompt).collect()
    }

    fn prompt(&mut self, node: &Node) -> Vec<(Span, Value)> {
        if let Some(text) = node.as_str() {
            return self.referenced(text, node.span, None);
        }
        if node.as_map().is_none() {
            self.error(node.span, format!("a prompt must be a text, not {}", node.kind_name()));
            return Vec::new();
        }
        let text = |key: &str| node.get(key).and_then(Node::as_str);
        let (label, raw) = (text("label"), text("raw"));
        self.leave_rest(node, &["id", "label", "raw"], "a prompt");
        match (raw, text("id")) {
            (Some(raw), Some(id)) if label.is_some() => {
                self.leave(node.span, format!("the id `{id}` of a prompt"), "it goes by its label");
                self.referenced(raw, node.span, label)
            }
            (Some(raw), id) => self.referenced(raw, node.span, label.or(id)),
            (None, Some(id)) => self.referenced(id, node.span, label),
            (None, None) => {
                self.error(node.span, "a prompt needs `raw` or `id`");
                Vec::new()
            }
        }
    }

    /// A prompt as it is written, or the prompts of the file that it names.
    fn referenced(&mut self, text: &str, span: Span, label: Option<&str>) -> Vec<(Span, Value)> {
        let names_file = text.starts_with(FILE)
            || (ENDINGS.contains(&ending(text)) && !text.contains('\n') && self.exists(text));
        if text.starts_with("exec:") {
            self.leave(span, "a prompt that a program makes", "AgentV runs no program for prompts");
            return Vec::new();
        }
        if !names_file {
            self.check_template(text, span);
            return vec![(span, labelled(spoken(text), label))];
        }
        let mut found = Vec::new();
        for file in self.files(text, span) {
            for prompt in self.prompts_of(&file, text, span) {
                // A label names one prompt, and a file may hold several.
                let number = found.len() + 1;
                let own = label.filter(|_| number > 1).map(|label| format!("{label}-{number}"));
                found.push((span, labelled(prompt, own.as_deref().or(label))));
            }
        }
        found
    }

    fn prompts_of(&mut self, file: &Path, reference: &str, span: Span) -> Vec<Value> {
        let kind = ending(&file.to_string_lossy()).to_owned();
        if !matches!(kind.as_str(), "txt" | "md" | "j2" | "json" | "jsonl" | "yaml" | "yml" | "") {
            let why = "AgentV takes prompts from .txt, .md, .j2, .json, .jsonl and .yaml files";
            self.leave(span, format!("the prompt `{reference}`"), why);
            return Vec::new();
        }
        if matches!(kind.as_str(), "yaml" | "yml") {
            let node = self.read_yaml(file, span);
            return node.map(|node| spoken(&node.to_json().to_string())).into_iter().collect();
        }
        let Some((text, _)) = self.read_text(file, span) else { return Vec::new() };
        let text = text.replace("\r\n", "\n");
        self.check_template(&text, span);
        match kind.as_str() {
            // Several prompts of one file stand apart by a line of dashes.
            "txt" => text
                .split("\n---\n")
                .map(|prompt| spoken(prompt.trim()))
                .filter(|prompt| prompt != "")
                .collect(),
            "jsonl" => text.lines().filter(|line| !line.trim().is_empty()).map(spoken).collect(),
            _ => vec![spoken(text.trim_end_matches('\n'))],
        }
    }
}

fn labelled(prompt: Value, label: Option<&str>) -> Value {
    match label {
        Some(label) => json!({"label": label, "prompt": prompt}),
        None => prompt,
    }
}

/// A list of messages where the text is one in JSON, else the text.
fn spoken(text: &str) -> Value {
    let read = serde_json::from_str::<Value>(text).ok();
    let is_message = |message: &Value| {
        let role = message.get("role").and_then(Value::as_str);
        let known =
            role.is_some_and(|role| ["system", "user", "assistant", "tool"].contains(&role));
        known && message.get("content").is_some_and(Value::is_string)
    };
    match read {
        Some(Value::Array(messages)) if !messages.is_empty() && messages.iter().all(is_message) => {
            Value::Array(messages)
        }
        _ => json!(text),
    }
}
