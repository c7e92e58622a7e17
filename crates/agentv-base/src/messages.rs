//! Messages as their author wrote them, with the text of attached files in their blocks.
//!
//! They are kept as they were read, and become a prompt or JSON only for those who ask: a suite of
//! a hundred thousand cases is loaded long before the last of them is needed.

use std::{borrow::Cow, path::Path, sync::Arc};

use serde::Serialize;
use serde_json::Value;

use crate::node::{Node, NodeValue};

/// What stands between the blocks of a message that speaks alone.
pub(crate) const BETWEEN_BLOCKS: &str = "\n\n";

/// A list of messages. Invariant: each is a map with `role`, and `content`, `name` and
/// `tool_calls` where it has them; a block of a file also has its `path` and its `text`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Messages(Arc<[Node]>);

/// What messages say in the end, as an answer is compared with it.
#[derive(Clone, Debug, PartialEq)]
pub enum Reference<'m> {
    Text(Cow<'m, str>),
    /// A map, or a list that is no list of blocks.
    Json(&'m Node),
}

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

    /// What the last message says: a string as it is, anything else as JSON.
    pub fn last_words(&self) -> String {
        let said = |key: &str| self.0.last()?.get(key).filter(|node| !node.is_null());
        match said("content").or_else(|| said("tool_calls")) {
            None => String::new(),
            Some(node) => match node.as_str() {
                Some(text) => text.to_owned(),
                None => format!("{:#}", node.to_json()),
            },
        }
    }

    /// What the last message that has content says. Blocks are the texts that they and their files
    /// hold, one below the other as in a prompt; anything else that is no text stays JSON.
    pub fn reference(&self) -> Option<Reference<'_>> {
        let mut contents = self.0.iter().rev().filter_map(|message| message.get("content"));
        let content = contents.find(|content| !content.is_null())?;
        if let Some(text) = content.as_str() {
            return Some(Reference::Text(Cow::Borrowed(text)));
        }
        let text = content.as_list().and_then(text_of_blocks).map(Cow::Owned);
        Some(text.map_or(Reference::Json(content), Reference::Text))
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

/// The text of a list of blocks; nothing where it is a list of something else, or of blocks that
/// hold no text.
fn text_of_blocks(list: &[Node]) -> Option<String> {
    let is_block = |item: &Node| item.as_str().or_else(|| item.get("type")?.as_str()).is_some();
    if !list.iter().all(is_block) {
        return None;
    }
    let texts = list.iter().filter_map(segment).filter_map(|segment| match segment {
        Segment::Text(text) | Segment::File { text, .. } => Some(text.trim()),
        Segment::Object(_) => None,
    });
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join(BETWEEN_BLOCKS))
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
