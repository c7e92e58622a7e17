//! `input`, `expected_output` and prompts, in any of their forms → a list of messages.

use std::sync::Arc;

use agentv_base::{Entry, Node, NodeValue, Problems, Span};

use crate::data::json_value;

/// The messages that a value stands for: a text or an object is what `role` says, a map with a
/// role is a message, a list is messages or the content of one.
pub(super) fn messages(
    key: &str,
    node: &Node,
    role: &'static str,
    problems: &mut Problems,
) -> Option<Vec<Node>> {
    match &node.value {
        NodeValue::Map(_) if is_message(node) => Some(vec![node.clone()]),
        NodeValue::List(items) if items.is_empty() || items.iter().any(is_message) => {
            Some(items.to_vec())
        }
        NodeValue::String(_) | NodeValue::Map(_) | NodeValue::List(_) => {
            Some(vec![message(role, node.clone())])
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
            let kind = node.kind_name();
            let expected = "a text, a message or a list of messages";
            problems.push(
                agentv_base::Diagnostic::error(format!("`{key}` must be {expected}, not {kind}"))
                    .at(node.span)
                    .hint("put it into quotes"),
            );
            None
        }
    }
}

/// A prompt that is written as the JSON of a chat is that chat.
pub(super) fn chat_in(node: &Node) -> Option<Node> {
    let text = node.as_str()?.trim();
    if !text.starts_with('[') {
        return None;
    }
    let mut ignored = Problems::default();
    let chat = json_value(text, node.span.source, &mut ignored)?;
    let all = chat.as_list().is_some_and(|items| {
        !items.is_empty() && items.iter().all(|item| item.get("role").is_some())
    });
    all.then(|| placed(&chat, node.span))
}

/// The same value at another place: a rendered text has no places of its own.
fn placed(node: &Node, span: Span) -> Node {
    let value = match &node.value {
        NodeValue::List(items) => {
            NodeValue::List(items.iter().map(|item| placed(item, span)).collect())
        }
        NodeValue::Map(entries) => NodeValue::Map(
            entries
                .iter()
                .map(|entry| Entry {
                    key: entry.key.clone(),
                    key_span: span,
                    value: placed(&entry.value, span),
                })
                .collect(),
        ),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::String(_) => node.value.clone(),
    };
    Node::new(span, value)
}

/// Whether a value is a message, or was meant to be one: then what is missing is told.
fn is_message(node: &Node) -> bool {
    ["role", "tool_calls", "toolCalls"].iter().any(|key| node.get(key).is_some())
        || (node.get("content").is_some() && node.get("type").is_none())
}

fn message(role: &str, content: Node) -> Node {
    let span = content.span;
    let text = |value: &str| Node::new(span, NodeValue::String(value.into()));
    let entry = |key: &str, value| Entry { key: key.into(), key_span: span, value };
    let entries = vec![entry("role", text(role)), entry("content", content)];
    Node::new(span, NodeValue::Map(Arc::from(entries)))
}

/// Attaches files to the last message of the user that says something, before what it says;
/// without such a message they are one of their own.
pub(super) fn attach(files: &[(Arc<str>, Span)], messages: &mut Vec<Node>) {
    if files.is_empty() {
        return;
    }
    let mut blocks: Vec<Node> =
        files.iter().map(|(path, span)| block("file", path, *span)).collect();
    let users = |node: &Node| {
        node.get("role").and_then(Node::as_str) == Some("user") && node.get("content").is_some()
    };
    match messages.iter_mut().rev().find(|message| users(message)) {
        None => {
            let span = blocks.first().map(|block| block.span).unwrap_or_default();
            messages.push(message("user", Node::new(span, NodeValue::List(Arc::from(blocks)))));
        }
        Some(message) => {
            let NodeValue::Map(entries) = &mut message.value else { return };
            let entries = Arc::make_mut(entries);
            let content = entries.iter_mut().find(|entry| &*entry.key == "content");
            let Some(entry) = content else { return };
            match &entry.value.value {
                NodeValue::List(said) => blocks.extend(said.iter().cloned()),
                NodeValue::Map(_) => {
                    let json = format!("{:#}", entry.value.to_json());
                    blocks.push(block("text", &json.into(), entry.value.span));
                }
                NodeValue::String(text) => {
                    blocks.push(block("text", &text.to_shared(), entry.value.span));
                }
                NodeValue::Null
                | NodeValue::Bool(_)
                | NodeValue::Integer(_)
                | NodeValue::Float(_) => blocks.push(entry.value.clone()),
            }
            entry.value.value = NodeValue::List(Arc::from(blocks));
        }
    }
}

fn block(kind: &str, value: &Arc<str>, span: Span) -> Node {
    let entry = |key: &str, value: Arc<str>| Entry {
        key: key.into(),
        key_span: span,
        value: Node::new(span, NodeValue::String(value.into())),
    };
    let entries = vec![entry("type", kind.into()), entry("value", value.clone())];
    Node::new(span, NodeValue::Map(Arc::from(entries)))
}
