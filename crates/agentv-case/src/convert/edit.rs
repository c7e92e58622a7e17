//! Changes to a text at places that are known, and what they make of its tree.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use agentv_base::{Entry, Node, NodeValue, Span};

use super::written;

/// A name that another one takes the place of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NewName {
    pub(super) span: Span,
    pub(super) name: String,
    /// Whether the name is a value; else it is a key.
    pub(super) is_value: bool,
}

/// All changes to one text.
#[derive(Debug, Default)]
pub(super) struct Edits {
    /// By where the old name begins.
    pub(super) names: BTreeMap<u32, NewName>,
    /// Where the keys begin whose maps are dissolved into the map around them.
    pub(super) dissolved: BTreeSet<u32>,
    /// What stands in the place of an entry, by where its key begins.
    pub(super) rewritten: BTreeMap<u32, Entry>,
    /// What dissolving and rewriting them does to the text.
    pub(super) layout: Vec<(Range<usize>, String)>,
}

impl Edits {
    pub(super) fn is_empty(&self) -> bool {
        self.changes() == 0
    }

    /// How many keys and names are others.
    pub(super) fn changes(&self) -> usize {
        self.names.len() + self.dissolved.len() + self.rewritten.len()
    }

    /// The text with all changes in it, and every other byte as it was.
    pub(super) fn apply(&self, text: &str) -> String {
        let names = self.names.values().map(|new| {
            let range = new.span.start as usize..new.span.end as usize;
            (range, quoted_alike(written(text, new.span), &new.name))
        });
        let mut changes: Vec<(Range<usize>, String)> =
            names.chain(self.layout.iter().cloned()).collect();
        changes.sort_by_key(|(range, _)| range.start);
        let mut new_text = String::with_capacity(text.len());
        let mut at = 0;
        for (range, new) in changes {
            new_text.push_str(text.get(at..range.start).unwrap_or_default());
            new_text.push_str(&new);
            at = range.end;
        }
        new_text.push_str(text.get(at..).unwrap_or_default());
        new_text
    }

    /// The tree that the changed text must have.
    pub(super) fn apply_to_tree(&self, node: &Node) -> Node {
        let value = match &node.value {
            NodeValue::List(items) => {
                NodeValue::List(items.iter().map(|item| self.apply_to_tree(item)).collect())
            }
            NodeValue::Map(entries) => NodeValue::Map(
                entries.iter().flat_map(|entry| self.apply_to_entry(entry)).collect(),
            ),
            NodeValue::String(_) => match self.names.get(&node.span.start) {
                Some(new) if new.is_value && new.span == node.span => {
                    NodeValue::String(new.name.as_str().into())
                }
                _ => node.value.clone(),
            },
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
                node.value.clone()
            }
        };
        Node::new(node.span, value)
    }

    fn apply_to_entry(&self, entry: &Entry) -> Vec<Entry> {
        if let Some(new) = self.rewritten.get(&entry.key_span.start) {
            return vec![new.clone()];
        }
        let value = self.apply_to_tree(&entry.value);
        if self.dissolved.contains(&entry.key_span.start) {
            return value.as_map().unwrap_or_default().to_vec();
        }
        let key = match self.names.get(&entry.key_span.start) {
            Some(new) if !new.is_value => new.name.as_str().into(),
            _ => entry.key.clone(),
        };
        vec![Entry { key, key_span: entry.key_span, value }]
    }
}

/// A name in the quotes that the old one had. Names of ours need none for their own sake.
pub(super) fn quoted_alike(old: &str, name: &str) -> String {
    match old.chars().next() {
        Some(quote @ ('"' | '\'')) => format!("{quote}{name}{quote}"),
        _ => name.to_owned(),
    }
}

/// Whether two trees hold the same, wherever it stands.
pub(crate) fn same(a: &Node, b: &Node) -> bool {
    match (&a.value, &b.value) {
        (NodeValue::List(a), NodeValue::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b))
        }
        (NodeValue::Map(a), NodeValue::Map(b)) => {
            // A rename keeps the order; only keys that `<<` brought in can stand elsewhere.
            let in_order = |(a, b): (&Entry, &Entry)| a.key == b.key && same(&a.value, &b.value);
            a.len() == b.len()
                && (a.iter().zip(b.iter()).all(in_order)
                    || a.iter().all(|entry| b.iter().any(|other| in_order((entry, other)))))
        }
        (NodeValue::Float(a), NodeValue::Float(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}
