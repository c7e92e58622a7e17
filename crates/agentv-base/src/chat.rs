//! The messages of a case as a chat with a model: one system message, then turns.
//!
//! The question of an input is one text for programs; models are spoken to in turns. Both say the
//! same, in the same words.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::request::Input;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    System,
    User,
    Assistant,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChatMessage {
    pub role: ChatRole,
    pub content: String,
}

/// What stands before the guidelines in the system message.
const GUIDELINES: &str = "[[ ## Guidelines ## ]]";

impl Input {
    /// The input as a chat. Guidelines and the system messages at the beginning are one system
    /// message; system and tool messages further down are told as turns of the assistant that say
    /// whose words they are, because models take neither there; messages that say nothing are left
    /// out.
    pub fn chat_prompt(&self) -> Vec<ChatMessage> {
        let mut system: Vec<String> =
            self.guidelines.iter().map(|text| format!("{GUIDELINES}\n\n{text}")).collect();
        let mut turns = Vec::new();
        for message in self.messages.as_array().into_iter().flatten() {
            let content = self.spoken(message);
            if content.is_empty() {
                continue;
            }
            let (role, content) = match message.get("role").and_then(Value::as_str) {
                Some("system") if turns.is_empty() => {
                    system.push(content);
                    continue;
                }
                Some("system") => (ChatRole::Assistant, format!("@[System]:\n{content}")),
                Some("tool") => (ChatRole::Assistant, format!("@[Tool]:\n{content}")),
                Some("assistant") => (ChatRole::Assistant, content),
                Some(_) | None => (ChatRole::User, content),
            };
            turns.push(ChatMessage { role, content });
        }
        if !system.is_empty() {
            let content = system.join("\n\n");
            turns.insert(0, ChatMessage { role: ChatRole::System, content });
        }
        turns
    }

    /// The text of one message, its files in their places.
    fn spoken(&self, message: &Value) -> String {
        let parts: Vec<String> = match message.get("content") {
            Some(Value::String(text)) => vec![text.trim().to_owned()],
            Some(Value::Array(blocks)) => {
                blocks.iter().filter_map(|block| self.block(block)).collect()
            }
            Some(object @ Value::Object(_)) => vec![format!("{object:#}")],
            Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => Vec::new(),
        };
        let said: Vec<&str> =
            parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        said.join("\n")
    }

    fn block(&self, block: &Value) -> Option<String> {
        if let Some(text) = block.as_str() {
            return Some(text.trim().to_owned());
        }
        let text = |key: &str| block.get(key).and_then(Value::as_str);
        let value = text("value")?;
        if text("type") != Some("file") {
            return Some(value.trim().to_owned());
        }
        let name = value.trim_start_matches(['/', '\\']);
        let path = Path::new(text("path")?);
        if self.guideline_files.iter().any(|file| file == path) {
            return Some(format!("<Attached: {name}>"));
        }
        Some(format!("<file path=\"{name}\">\n{}\n</file>", text("text")?.trim()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(guidelines: Option<&str>, messages: Value) -> String {
        let input = Input {
            eval_id: "a".into(),
            suite_file: Path::new("/r/a.yaml").into(),
            question: String::new(),
            guidelines: guidelines.map(str::to_owned),
            messages,
            files: Vec::new(),
            guideline_files: vec!["/r/house.md".into()],
            conversation_id: None,
        };
        serde_json::to_string(&input.chat_prompt()).unwrap()
    }

    #[test]
    fn guidelines_and_leading_system_messages_are_one_system_message() {
        let messages = json!([
            {"role": "system", "content": "be brief\n"},
            {"role": "system", "content": [{"type": "text", "value": "be kind"}]},
            {"role": "user", "content": "hi"},
        ]);
        assert_eq!(
            check(Some("RULES"), messages),
            r#"[{"role":"system","content":"[[ ## Guidelines ## ]]\n\nRULES\n\nbe brief\n\nbe kind"},{"role":"user","content":"hi"}]"#
        );
    }

    #[test]
    fn later_system_and_tool_messages_are_told_by_the_assistant() {
        let messages = json!([
            {"role": "user", "content": "hi"},
            {"role": "system", "content": "now in French"},
            {"role": "assistant", "tool_calls": [{"tool": "search"}]},
            {"role": "tool", "content": {"found": 1}},
        ]);
        assert_eq!(
            check(None, messages),
            r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"@[System]:\nnow in French"},{"role":"assistant","content":"@[Tool]:\n{\n  \"found\": 1\n}"}]"#
        );
    }

    #[test]
    fn files_stand_where_they_are_attached_and_guidelines_are_only_named() {
        let messages = json!([{"role": "user", "content": [
            "Look:",
            {"type": "file", "value": "/a.txt", "path": "/r/a.txt", "text": "A\n"},
            {"type": "file", "value": "house.md", "path": "/r/house.md", "text": "RULES"},
        ]}]);
        assert_eq!(
            check(None, messages),
            r#"[{"role":"user","content":"Look:\n<file path=\"a.txt\">\nA\n</file>\n<Attached: house.md>"}]"#
        );
    }
}
