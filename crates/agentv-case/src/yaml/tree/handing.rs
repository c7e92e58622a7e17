//! A list of the file's own map, of which each item is handed out as soon as it is read.

use std::sync::Arc;

use agentv_base::{Entry, Node, NodeValue, Span};
use granit_parser::StructureStyle;

use super::{Content, Frame, MapFrame, TreeBuilder};

impl TreeBuilder<'_> {
    /// The file so far, where the first item of a wanted list is the last thing that was read.
    pub(in super::super) fn first_item(&self, wanted: impl Fn(&str) -> bool) -> Option<Node> {
        let ([file, list], [item]) = (&*self.stack, &*self.items) else {
            return None;
        };
        let (Content::Map(map), Content::List(_)) = (&file.content, &list.content) else {
            return None;
        };
        let (key, key_span) = map.pending_name().filter(|(key, _)| wanted(key))?;
        if self.lost || !is_plain(list, map) {
            return None;
        }
        let span = |from: &Frame| Span { start: from.start, ..item.span };
        let items = NodeValue::List(Arc::from([item.clone()]));
        let list = Entry { key: key.clone(), key_span, value: Node::new(span(list), items) };
        let entries = self.entries.iter().cloned().chain([list]);
        Some(Node::new(span(file), NodeValue::Map(entries.collect())))
    }

    /// Takes the item that was read last out of the list.
    pub(in super::super) fn take_item(&mut self) -> Option<Node> {
        if self.stack.len() == 2 { self.items.pop() } else { None }
    }

    pub(in super::super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(in super::super) fn is_lost(&self) -> bool {
        self.lost
    }
}

/// Nothing can refer to the list as a whole, and nothing is mixed into what stands before it.
fn is_plain(list: &Frame, map: &MapFrame) -> bool {
    list.style == StructureStyle::Block && list.anchor == 0 && !map.merges()
}
