//! A list of messages as its author wrote it → checked, with the text of attached files.

use std::sync::Arc;

use agentv_base::{Diagnostic, Fields, Node, NodeValue, Problems, nearest};
use serde_json::{Map, Value};

use super::{
    attachment::Attacher,
    keys::{BLOCK_KEYS, MESSAGE_KEYS, TOOL_CALL_KEYS},
    prompt::{Role, Segment, Spoken},
};

/// Messages in both forms that are needed: as JSON, and as pieces of a prompt.
#[derive(Default)]
pub(crate) struct Conversation {
    pub(crate) messages: Vec<Value>,
    pub(crate) spoken: Vec<Spoken>,
}

/// Reads every message of a list; nothing where one of them is not right.
pub(crate) fn read_messages(
    items: &[Node],
    attacher: &mut Attacher<'_>,
    problems: &mut Problems,
) -> Option<Conversation> {
    let mut conversation = Conversation {
        messages: Vec::with_capacity(items.len()),
        spoken: Vec::with_capacity(items.len()),
    };
    let mut all_read = true;
    for item in items {
        match read_message(item, attacher, problems) {
            Some((message, spoken)) => {
                conversation.messages.push(message);
                conversation.spoken.push(spoken);
            }
            None => all_read = false,
        }
    }
    all_read.then_some(conversation)
}

fn read_message(
    node: &Node,
    attacher: &mut Attacher<'_>,
    problems: &mut Problems,
) -> Option<(Value, Spoken)> {
    let fields = Fields::read(node, "message", &[MESSAGE_KEYS], problems)?;
    let role = fields.required("role", problems).and_then(|role| read_role(role, problems));
    fields.string("name", problems);
    let calls = fields.list("tool_calls", problems).unwrap_or_default();
    let tool_calls: Vec<Value> =
        calls.iter().filter_map(|call| read_tool_call(call, problems)).collect();
    let content = match fields.get("content") {
        Some(content) => read_content(content, attacher, problems),
        None if !calls.is_empty() => Some((Value::Null, Vec::new())),
        None => {
            let span = fields.entry("content").map_or(node.span, |entry| entry.key_span);
            problems.push(
                Diagnostic::error("a message needs `content` or `tool_calls`")
                    .at(span)
                    .hint("add `content: …`"),
            );
            None
        }
    };
    let (content, segments) = content?;
    // Only what a message is made of: notes and keys of the author's own are not for the target.
    let mut message = Map::with_capacity(MESSAGE_KEYS.len());
    for key in ["role", "name"] {
        if let Some(value) = fields.get(key) {
            message.insert(key.to_owned(), value.to_json());
        }
    }
    if !content.is_null() {
        message.insert("content".to_owned(), content);
    }
    if fields.get("tool_calls").is_some() {
        message.insert("tool_calls".to_owned(), Value::Array(tool_calls));
    }
    let role = role?;
    Some((Value::Object(message), Spoken { role, segments }))
}

fn read_role(node: &Node, problems: &mut Problems) -> Option<Role> {
    let Some(name) = node.as_str() else {
        let kind = node.kind_name();
        problems.error(node.span, format!("`role` must be a string, not {kind}"));
        return None;
    };
    let role = Role::named(name);
    if role.is_none() {
        let hint = match nearest(name, Role::NAMES) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("roles are {}", Role::NAMES.join(", ")),
        };
        problems.push(
            Diagnostic::error(format!("unknown role `{name}`"))
                .code("bad-value")
                .at(node.span)
                .hint(hint),
        );
    }
    role
}

/// A tool call under the names that files and judges know, whichever spelling was typed.
fn read_tool_call(node: &Node, problems: &mut Problems) -> Option<Value> {
    let fields = Fields::read(node, "tool call", &[TOOL_CALL_KEYS], problems)?;
    if fields.required("tool", problems).is_some() {
        fields.non_blank("tool", problems);
    }
    fields.string("id", problems);
    fields.string("timestamp", problems);
    fields.number("duration_ms", problems);
    let mut call = Map::with_capacity(TOOL_CALL_KEYS.len());
    for key in TOOL_CALL_KEYS {
        if let Some(entry) = fields.entry(key.name) {
            call.insert(key.name.to_owned(), entry.value.to_json());
        }
    }
    Some(Value::Object(call))
}

/// The content as JSON with the text of its files, and its pieces.
fn read_content(
    node: &Node,
    attacher: &mut Attacher<'_>,
    problems: &mut Problems,
) -> Option<(Value, Vec<Segment>)> {
    match &node.value {
        NodeValue::String(text) => Some((Value::from(&**text), vec![Segment::Text(text.clone())])),
        NodeValue::Map(_) => {
            let json = node.to_json();
            let text = format!("{json:#}");
            Some((json, vec![Segment::Text(text.into())]))
        }
        NodeValue::List(blocks) => {
            let mut all_read = true;
            let mut values = Vec::with_capacity(blocks.len());
            let mut segments = Vec::with_capacity(blocks.len());
            for block in blocks.iter() {
                match read_block(block, attacher, problems) {
                    Some((value, segment)) => {
                        values.push(value);
                        segments.extend(segment);
                    }
                    None => all_read = false,
                }
            }
            all_read.then_some((Value::Array(values), segments))
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
            problems.push(
                Diagnostic::error(format!(
                    "`content` must be a string, a list or a map, not {}",
                    node.kind_name()
                ))
                .at(node.span)
                .hint("put it into quotes"),
            );
            None
        }
    }
}

fn read_block(
    node: &Node,
    attacher: &mut Attacher<'_>,
    problems: &mut Problems,
) -> Option<(Value, Option<Segment>)> {
    if let NodeValue::String(text) = &node.value {
        return Some((Value::from(&**text), Some(Segment::Text(text.clone()))));
    }
    if node.as_map().is_none() {
        problems.push(
            Diagnostic::error(format!(
                "a block of `content` must be a string or a map, not {}",
                node.kind_name()
            ))
            .at(node.span),
        );
        return None;
    }
    let kind = node.get("type").and_then(Node::as_str).unwrap_or_default();
    if !matches!(kind, "text" | "file") {
        check_block_type(kind, node, problems);
        let text = match node.get("value").map(|value| &value.value) {
            Some(NodeValue::String(text)) => Some(Segment::Text(text.clone())),
            _ => None,
        };
        return Some((node.to_json(), text));
    }
    let fields = Fields::read(node, "block", &[BLOCK_KEYS], problems)?;
    let value = fields.required("value", problems)?;
    fields.string("value", problems)?;
    let NodeValue::String(text) = &value.value else {
        return None;
    };
    let mut block = Map::new();
    block.insert("type".to_owned(), Value::from(kind));
    block.insert("value".to_owned(), Value::from(&**text));
    if kind == "text" {
        return Some((Value::Object(block), Some(Segment::Text(text.clone()))));
    }
    match attacher.attach(text) {
        Ok(file) => {
            block.insert("path".to_owned(), Value::from(file.path.to_string_lossy()));
            block.insert("text".to_owned(), Value::from(&*file.text));
            Some((Value::Object(block), Some(Segment::File(Arc::clone(&file)))))
        }
        Err(fault) => {
            let mut diagnostic =
                Diagnostic::error(fault.message).code("missing-file").at(value.span);
            diagnostic.hint = fault.hint;
            problems.push(diagnostic);
            None
        }
    }
}

/// Blocks of other types are kept as they stand, but a slip of the pen is no other type.
fn check_block_type(kind: &str, node: &Node, problems: &mut Problems) {
    let meant = nearest(kind, ["text", "file"]).filter(|near| kind.len().abs_diff(near.len()) <= 1);
    if let Some(meant) = meant {
        let span = node.get("type").map_or(node.span, |kind| kind.span);
        problems.push(
            Diagnostic::error(format!("unknown type of block `{kind}`"))
                .at(span)
                .hint(format!("did you mean `{meant}`?")),
        );
    }
}

/// What the last expected message says: a string as it is, anything else as JSON.
pub(crate) fn reference_answer(messages: &[Value]) -> String {
    let Some(last) = messages.last() else {
        return String::new();
    };
    match last.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => {
            last.get("tool_calls").map(|calls| format!("{calls:#}")).unwrap_or_default()
        }
        Some(other) => format!("{other:#}"),
    }
}
