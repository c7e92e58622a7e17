//! A map while it is read: its keys, the doubled ones, and what `<<` brings in.
//!
//! The entries of all open maps lie on one stack, which the tree owns; a map knows where its own
//! begin. So a finished map is allocated once, in its size.

use std::{collections::HashMap, sync::Arc};

use agentv_base::{Diagnostic, Entry, Node, Problems, Span, Word};

/// Below this size a look at every key is quicker than a table of them.
const FEW_KEYS: usize = 16;

/// A key that waits for its value.
enum PendingKey {
    Name(Word, Span),
    /// `<<`: the value is a map, or a list of maps, to take keys from.
    Merge,
    /// Reported already; its value is read and dropped.
    Rejected,
}

pub(super) struct MapFrame {
    /// Where the entries of this map begin on the stack.
    first: usize,
    pending: Option<PendingKey>,
    /// What most maps do not need.
    rare: Option<Box<Rare>>,
}

#[derive(Default)]
struct Rare {
    /// Key → place on the stack, once there are many.
    index: HashMap<Word, usize>,
    merge_span: Option<Span>,
    merged: Vec<Node>,
}

impl MapFrame {
    pub(super) fn new(first: usize) -> Self {
        Self { first, pending: None, rare: None }
    }

    pub(super) fn awaits_key(&self) -> bool {
        self.pending.is_none()
    }

    /// The key that waits for its value.
    pub(super) fn pending_name(&self) -> Option<(&Word, Span)> {
        match &self.pending {
            Some(PendingKey::Name(name, span)) => Some((name, *span)),
            Some(PendingKey::Merge | PendingKey::Rejected) | None => None,
        }
    }

    /// Whether `<<` brings something in.
    pub(super) fn merges(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.merge_span.is_some())
    }

    pub(super) fn key(&mut self, name: Word, span: Span, stack: &[Entry], problems: &mut Problems) {
        self.pending = Some(match self.find(&name, stack) {
            Some(first) => {
                problems.push(duplicate(&name, span, first));
                PendingKey::Rejected
            }
            None => PendingKey::Name(name, span),
        });
    }

    pub(super) fn merge_key(&mut self, span: Span, problems: &mut Problems) {
        let rare = self.rare.get_or_insert_default();
        if let Some(first) = rare.merge_span {
            problems.push(
                duplicate("<<", span, first)
                    .hint("several maps are merged as a list: `<<: [*first, *second]`"),
            );
            self.pending = Some(PendingKey::Rejected);
        } else {
            rare.merge_span = Some(span);
            self.pending = Some(PendingKey::Merge);
        }
    }

    pub(super) fn reject_key(&mut self) {
        self.pending = Some(PendingKey::Rejected);
    }

    /// Takes the value of the pending key. False where a value is lost; where one was lost before,
    /// a null may stand in its place, of which all has been said.
    pub(super) fn value(
        &mut self,
        value: Node,
        lost: bool,
        stack: &mut Vec<Entry>,
        problems: &mut Problems,
    ) -> bool {
        match self.pending.take() {
            Some(PendingKey::Name(key, key_span)) => {
                let entry = Entry { key, key_span, value };
                self.push(entry, stack);
                true
            }
            Some(PendingKey::Merge) => self.merge(value, lost, problems),
            Some(PendingKey::Rejected) | None => true,
        }
    }

    fn merge(&mut self, value: Node, lost: bool, problems: &mut Problems) -> bool {
        let maps = match value.as_list() {
            Some(items) => items.to_vec(),
            None => vec![value],
        };
        let mut all_maps = true;
        for map in maps {
            if map.as_map().is_some() {
                self.rare.get_or_insert_default().merged.push(map);
            } else {
                all_maps = false;
                if lost && map.is_null() {
                    continue;
                }
                problems.push(
                    Diagnostic::error(format!(
                        "`<<` takes keys from a map, not from {}",
                        map.kind_name()
                    ))
                    .code("wrong-type")
                    .at(map.span)
                    .hint("write `<<: *name` with the name of a map, or a list of those"),
                );
            }
        }
        all_maps
    }

    /// The finished map: its own keys win over merged ones, earlier merges over later ones.
    pub(super) fn finish(mut self, stack: &mut Vec<Entry>) -> Arc<[Entry]> {
        let merged = self.rare.as_mut().map(|rare| std::mem::take(&mut rare.merged));
        for map in merged.unwrap_or_default() {
            for entry in map.as_map().unwrap_or_default() {
                if self.find(&entry.key, stack).is_none() {
                    self.push(entry.clone(), stack);
                }
            }
        }
        stack.drain(self.first..).collect()
    }

    fn push(&mut self, entry: Entry, stack: &mut Vec<Entry>) {
        let place = stack.len();
        let count = place - self.first + 1;
        if count > FEW_KEYS {
            let index = &mut self.rare.get_or_insert_default().index;
            if index.is_empty() {
                let known = stack.iter().enumerate().skip(self.first);
                index.extend(known.map(|(place, entry)| (entry.key.clone(), place)));
            }
            index.insert(entry.key.clone(), place);
        }
        stack.push(entry);
    }

    fn find(&self, name: &str, stack: &[Entry]) -> Option<Span> {
        let own = stack.get(self.first..).unwrap_or_default();
        let entry = match &self.rare {
            Some(rare) if !rare.index.is_empty() => stack.get(*rare.index.get(name)?),
            Some(_) | None => own.iter().find(|entry| &*entry.key == name),
        };
        entry.map(|entry| entry.key_span)
    }
}

fn duplicate(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(format!("key `{name}` stands twice in one map"))
        .code("duplicate-key")
        .at(span)
        .label("given again here")
        .note(first, "first given here")
}
