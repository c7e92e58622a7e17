//! Messages as their author wrote them, with the text of attached files in their blocks.
//!
//! They are kept as they were read, and become a prompt or JSON only for those who ask: a suite of
//! a hundred thousand cases is loaded long before the last of them is needed.

use std::{path::Path, sync::Arc};

use serde::Serialize;
use serde_json::Value;

use crate::node::{Node, NodeValue};

/// A list of messages. Invariant: each is a map with `role`, and `content`, `name` and
/// `tool_calls` where it has them; a block of a file also has its `path` and its `text`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Messages(Arc<[Node]>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    System,
    User,
    Assistant,
    Tool,
}

/// One piece of what a message says.
pub(crate) enum Segment<'m> {
    Text(&'m str),
    Object(&'m Node),
    File { name: &'m str, path: &'m Path, text: &'m str },
}

/// A message as far as it becomes part of a prompt.
pub(crate) struct Spoken<'m> {
    pub(crate) role: Role,
    pub(crate) segments: Vec<Segment<'m>>,
}

impl Messages {
    /// Of messages that were checked.
    pub fn new(messages: Vec<Node>) -> Self {
        Self(messages.into())
    }

    pub fn to_json(&self) -> Value {
        Value::Array(self.0.iter().map(Node::to_json).collect())
    }

    /// What the last message says, as it is written.
    pub fn last_said(&self) -> Option<&Node> {
        let said = |key: &str| self.0.last()?.get(key).filter(|node| !node.is_null());
        said("content").or_else(|| said("tool_calls"))
    }

    /// What the last message says: a string as it is, anything else as JSON.
    pub fn last_words(&self) -> String {
        match self.last_said() {
            None => String::new(),
            Some(node) => match node.as_str() {
                Some(text) => text.to_owned(),
                None => format!("{:#}", node.to_json()),
            },
        }
    }

    /// The content of the last message of a role, where it has one.
    pub fn last_content(&self, role: &str) -> Option<&Node> {
        let is_of_role = |message: &&Node| message.get("role").and_then(Node::as_str) == Some(role);
        self.0.iter().rev().find(is_of_role)?.get("content").filter(|node| !node.is_null())
    }

    pub(crate) fn spoken(&self) -> Vec<Spoken<'_>> {
        self.0.iter().map(spoken).collect()
    }
}

fn spoken(message: &Node) -> Spoken<'_> {
    let role = match message.get("role").and_then(Node::as_str) {
        Some("system") => Role::System,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        Some(_) | None => Role::User,
    };
    let segments = match message.get("content") {
        None => Vec::new(),
        Some(content) => match &content.value {
            NodeValue::String(text) => vec![Segment::Text(text)],
            NodeValue::Map(_) => vec![Segment::Object(content)],
            NodeValue::List(blocks) => blocks.iter().filter_map(segment).collect(),
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
                Vec::new()
            }
        },
    };
    Spoken { role, segments }
}

/// Blocks of the author's own types say what their `value` says, where that is a text.
fn segment(block: &Node) -> Option<Segment<'_>> {
    if let Some(text) = block.as_str() {
        return Some(Segment::Text(text));
    }
    let text = |key: &str| block.get(key).and_then(Node::as_str);
    let value = text("value")?;
    match (text("type"), text("path"), text("text")) {
        (Some("file"), Some(path), Some(text)) => {
            let name = value.trim_start_matches(['/', '\\']);
            Some(Segment::File { name, path: Path::new(path), text })
        }
        _ => Some(Segment::Text(value)),
    }
}
