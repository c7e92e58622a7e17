//! A list of messages as its author wrote it → checked, with the text of attached files.

use std::sync::Arc;

use agentv_base::{
    Diagnostic, Entry, Fields, Messages, Node, NodeValue, Problems, Text, choice_of, nearest,
};

use super::{
    attachment::{Attacher, Attachment},
    keys::{BLOCK_KEYS, MESSAGE_KEYS, ROLES, TOOL_CALL_KEYS},
};

/// Messages that were checked, and the files attached to them in their order.
#[derive(Default)]
pub(crate) struct Conversation {
    pub(crate) messages: Messages,
    pub(crate) attached: Vec<Arc<Attachment>>,
}

/// What was read: as it was written, or with other words or with the text of files in its place.
enum Checked<T = Node> {
    AsWritten,
    Replaced(T),
}

/// Reads every item of a list; nothing where one of them is not right.
fn read_items(
    items: &[Node],
    mut read: impl FnMut(&Node) -> Option<Checked>,
) -> Option<Checked<Vec<Node>>> {
    let mut replaced: Option<Vec<Node>> = None;
    let mut all_read = true;
    for (place, item) in items.iter().enumerate() {
        match (read(item), &mut replaced) {
            (Some(Checked::AsWritten), None) => {}
            (Some(Checked::AsWritten), Some(replaced)) => replaced.push(item.clone()),
            (Some(Checked::Replaced(node)), Some(replaced)) => replaced.push(node),
            (Some(Checked::Replaced(node)), None) => {
                let before = items.iter().take(place).cloned();
                replaced = Some(before.chain([node]).collect());
            }
            (None, _) => all_read = false,
        }
    }
    all_read.then(|| replaced.map_or(Checked::AsWritten, Checked::Replaced))
}

/// Reads every message of a list; nothing where one of them is not right.
pub(crate) fn read_messages(
    items: &[Node],
    attacher: &mut Attacher<'_>,
    problems: &mut Problems,
) -> Option<Conversation> {
    let mut files = Vec::new();
    let read = |item: &Node| read_message(item, &mut files, attacher, problems);
    let messages = match read_items(items, read)? {
        Checked::AsWritten => Messages::of(items),
        Checked::Replaced(messages) => Messages::new(messages),
    };
    Some(Conversation { messages, attached: files })
}

/// Whether a message is a known role and a text, as most are: then there is nothing to look up or to
/// tell.
fn is_plain(message: &Node) -> bool {
    let Some([role, content]) = message.as_map() else {
        return false;
    };
    let is_known = role.value.as_str().is_some_and(|role| ROLES.contains(&role));
    &*role.key == "role"
        && &*content.key == "content"
        && is_known
        && content.value.as_str().is_some()
}

/// A message, where nothing but a message is in it.
fn read_message(
    node: &Node,
    files: &mut Vec<Arc<Attachment>>,
    attacher: &mut Attacher<'_>,
    problems: &mut Problems,
) -> Option<Checked> {
    if is_plain(node) {
        return Some(Checked::AsWritten);
    }
    let fields = Fields::read(node, "message", &[MESSAGE_KEYS], problems)?;
    let role = fields.required("role", problems).and_then(|role| read_role(role, problems));
    fields.string("name", problems);
    let calls = fields.list("tool_calls", problems).unwrap_or_default();
    let tool_calls: Vec<Node> =
        calls.iter().filter_map(|call| read_tool_call(call, problems)).collect();
    let content = match fields.get("content") {
        Some(content) => Some(read_content(content, files, attacher, problems)?),
        None if !calls.is_empty() => None,
        None => {
            let span = fields.entry("content").map_or(node.span, |entry| entry.key_span);
            problems.push(
                Diagnostic::error("a message needs `content` or `tool_calls`")
                    .code("missing-key")
                    .at(span)
                    .hint("add `content: …`"),
            );
            return None;
        }
    };
    let role = role?;
    let replaced = matches!(content, Some(Checked::Replaced(_)));
    let entries = node.as_map().unwrap_or_default();
    let plain = |entry: &Entry| {
        matches!(&*entry.key, "role" | "name" | "content") && !entry.value.is_null()
    };
    let as_known = fields.get("role").and_then(Node::as_str) == Some(role);
    if !replaced && as_known && entries.iter().all(plain) {
        return Some(Checked::AsWritten);
    }
    // Only what a message is made of: notes and keys of the author's own are not for the target.
    let mut message: Vec<Entry> = Vec::with_capacity(MESSAGE_KEYS.len());
    let mut keep = |key: &str, value: Option<Node>| {
        if let (Some(entry), Some(value)) = (fields.entry(key), value) {
            message.push(Entry { key: key.into(), key_span: entry.key_span, value });
        }
    };
    let role_node = |node: &Node| Node::new(node.span, NodeValue::String(role.into()));
    keep("role", fields.get("role").map(role_node));
    keep("name", fields.get("name").cloned());
    let content = content.and_then(|content| match content {
        Checked::AsWritten => fields.get("content").cloned(),
        Checked::Replaced(node) => Some(node),
    });
    keep("content", content);
    let place = fields.get("tool_calls").map(|calls| calls.span);
    keep("tool_calls", place.map(|span| Node::new(span, NodeValue::List(Arc::from(tool_calls)))));
    Some(Checked::Replaced(Node::new(node.span, NodeValue::Map(Arc::from(message)))))
}

/// The role as it is known, whatever stands around it.
fn read_role(node: &Node, problems: &mut Problems) -> Option<&'static str> {
    choice_of("role", node, &ROLES.map(|role| (role, role)), problems)
}

/// A tool call under the names that files and judges know, whichever spelling was typed.
fn read_tool_call(node: &Node, problems: &mut Problems) -> Option<Node> {
    let fields = Fields::read(node, "tool call", &[TOOL_CALL_KEYS], problems)?;
    if fields.required("tool", problems).is_some() {
        fields.non_blank("tool", problems);
    }
    fields.string("id", problems);
    fields.string("timestamp", problems);
    fields.number("duration_ms", problems);
    let call = TOOL_CALL_KEYS.iter().filter_map(|key| {
        let entry = fields.entry(key.name)?;
        Some(Entry { key: key.name.into(), ..entry.clone() })
    });
    Some(Node::new(node.span, NodeValue::Map(call.collect())))
}

fn read_content(
    node: &Node,
    files: &mut Vec<Arc<Attachment>>,
    attacher: &mut Attacher<'_>,
    problems: &mut Problems,
) -> Option<Checked> {
    match &node.value {
        NodeValue::String(_) | NodeValue::Map(_) => Some(Checked::AsWritten),
        NodeValue::List(blocks) => {
            let read = |block: &Node| read_block(block, files, attacher, problems);
            Some(match read_items(blocks, read)? {
                Checked::Replaced(blocks) => {
                    let blocks = NodeValue::List(Arc::from(blocks));
                    Checked::Replaced(Node::new(node.span, blocks))
                }
                Checked::AsWritten => Checked::AsWritten,
            })
        }
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
            problems.push(
                Diagnostic::error(format!(
                    "`content` must be a string, a list or a map, not {}",
                    node.kind_name()
                ))
                .code("wrong-type")
                .at(node.span)
                .hint("put it into quotes"),
            );
            None
        }
    }
}

fn read_block(
    node: &Node,
    files: &mut Vec<Arc<Attachment>>,
    attacher: &mut Attacher<'_>,
    problems: &mut Problems,
) -> Option<Checked> {
    if node.as_str().is_some() {
        return Some(Checked::AsWritten);
    }
    if node.as_map().is_none() {
        problems.push(
            Diagnostic::error(format!(
                "a block of `content` must be a string or a map, not {}",
                node.kind_name()
            ))
            .code("wrong-type")
            .at(node.span),
        );
        return None;
    }
    let kind = node.get("type").and_then(Node::as_str).unwrap_or_default();
    if !matches!(kind, "text" | "file") {
        check_block_type(kind, node, problems);
        return Some(Checked::AsWritten);
    }
    let fields = Fields::read(node, "block", &[BLOCK_KEYS], problems)?;
    let value = fields.required("value", problems)?;
    fields.string("value", problems)?;
    let NodeValue::String(text) = &value.value else {
        return None;
    };
    let part = |key: &str, value: Text| Entry {
        key: key.into(),
        key_span: node.span,
        value: Node::new(node.span, NodeValue::String(value)),
    };
    let mut block = vec![part("type", kind.into()), part("value", text.clone())];
    if kind == "file" {
        match attacher.attach(text) {
            Ok(file) => {
                block.push(part("path", Text::from(&*file.path.to_string_lossy())));
                block.push(part("text", file.text.clone().into()));
                files.push(file);
            }
            Err(fault) => {
                let mut diagnostic =
                    Diagnostic::error(fault.message).code("missing-file").at(value.span);
                diagnostic.hint = fault.hint;
                problems.push(diagnostic);
                return None;
            }
        }
    }
    Some(Checked::Replaced(Node::new(node.span, NodeValue::Map(Arc::from(block)))))
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
