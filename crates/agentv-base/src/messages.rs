//! Messages as their author wrote them, with the text of attached files in their blocks.
//!
//! They are kept as they were read, and become a prompt or JSON only for those who ask: a suite of
//! a hundred thousand cases is loaded long before the last of them is needed.

use std::{borrow::Cow, path::Path, sync::Arc};

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Value, json};

use crate::{
    node::{Entry, Node, NodeValue},
    text::Text,
};

/// What stands between the blocks of a message that speaks alone.
pub(crate) const BETWEEN_BLOCKS: &str = "\n\n";

/// A list of messages. Invariant: each is a map with `role`, and `content`, `name` and
/// `tool_calls` where it has them; a block of a file also has its `path` and its `text`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Messages(Arc<[Message]>);

/// Most messages are a role and a text. A suite of a million cases keeps nothing else of those: as
/// maps, they would be most of its memory.
#[derive(Clone, Debug, PartialEq)]
enum Message {
    Plain(Role, Text),
    AsWritten(Node),
}

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

impl Role {
    fn named(word: &str) -> Option<Self> {
        [Self::System, Self::User, Self::Assistant, Self::Tool]
            .into_iter()
            .find(|role| role.word() == word)
    }

    fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
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
        Self(messages.into_iter().map(Message::new).collect())
    }

    /// The same for a list that others hold on to.
    pub fn of(messages: &[Node]) -> Self {
        Self(messages.iter().map(Message::of).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn to_json(&self) -> Value {
        Value::Array(self.0.iter().map(Message::to_json).collect())
    }

    /// What the last message says: a string as it is, anything else as JSON.
    pub fn last_words(&self) -> String {
        let node = match self.0.last() {
            None => return String::new(),
            Some(Message::Plain(_, text)) => return text.to_string(),
            Some(Message::AsWritten(node)) => node,
        };
        let said = |key: &str| node.get(key).filter(|node| !node.is_null());
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
        self.0.iter().rev().find_map(|message| match message {
            Message::Plain(_, text) => Some(Reference::Text(Cow::Borrowed(&**text))),
            Message::AsWritten(node) => {
                node.get("content").filter(|content| !content.is_null()).map(reference)
            }
        })
    }

    /// What is said, where one who asks says all of it in one text.
    pub(crate) fn only_text(&self) -> Option<&str> {
        match &*self.0 {
            [Message::Plain(Role::System | Role::User, text)] => Some(text),
            _ => None,
        }
    }

    pub(crate) fn spoken(&self) -> Vec<Spoken<'_>> {
        let spoken = |message| match message {
            &Message::Plain(role, ref text) => Spoken { role, segments: vec![Segment::Text(text)] },
            Message::AsWritten(node) => spoken(node),
        };
        self.0.iter().map(spoken).collect()
    }
}

impl Serialize for Messages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter())
    }
}

impl Message {
    fn new(node: Node) -> Self {
        plain(&node).unwrap_or(Self::AsWritten(node))
    }

    fn of(node: &Node) -> Self {
        plain(node).unwrap_or_else(|| Self::AsWritten(node.clone()))
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Plain(role, text) => json!({"role": role.word(), "content": &**text}),
            Self::AsWritten(node) => node.to_json(),
        }
    }
}

/// As JSON has it.
impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(role, text) => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("role", role.word())?;
                map.serialize_entry("content", text)?;
                map.end()
            }
            Self::AsWritten(node) => node.serialize(serializer),
        }
    }
}

/// A role and a text, in this order, and nothing besides.
fn plain(message: &Node) -> Option<Message> {
    let [Entry { key: first, value: role, .. }, Entry { key: second, value: content, .. }] =
        message.as_map()?
    else {
        return None;
    };
    match (&**first, &**second, &content.value) {
        ("role", "content", NodeValue::String(text)) => {
            Some(Message::Plain(Role::named(role.as_str()?)?, text.clone()))
        }
        _ => None,
    }
}

fn reference(content: &Node) -> Reference<'_> {
    if let Some(text) = content.as_str() {
        return Reference::Text(Cow::Borrowed(text));
    }
    let text = content.as_list().and_then(text_of_blocks).map(Cow::Owned);
    text.map_or(Reference::Json(content), Reference::Text)
}

fn spoken(message: &Node) -> Spoken<'_> {
    let role = message.get("role").and_then(Node::as_str).and_then(Role::named);
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
    Spoken { role: role.unwrap_or(Role::User), segments }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_message_says_what_it_says_as_a_map() {
        for role in ["system", "user", "assistant", "tool"] {
            for message in [
                json!({"role": role, "content": "a \"word\""}),
                json!({"content": "a", "role": role}),
                json!({"role": role, "content": "a", "name": "b"}),
                json!({"role": role, "content": ""}),
                json!({"role": role, "content": {"a": 1}}),
            ] {
                let written = Node::from_json(&message);
                let messages = Messages::of(std::slice::from_ref(&written));
                let whole = Messages(Arc::new([Message::AsWritten(written.clone())]));
                let said = serde_json::to_string(&messages).ok();
                assert_eq!(said, serde_json::to_string(&whole).ok());
                assert_eq!(messages.to_json().to_string(), json!([message]).to_string());
                assert_eq!(messages.last_words(), whole.last_words());
                assert_eq!(messages.reference(), whole.reference());
                assert_eq!(messages, Messages::new(vec![written]));
            }
        }
    }
}
