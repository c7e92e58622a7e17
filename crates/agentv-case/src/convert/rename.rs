//! A file of ours in any dialect → the same file under the current names.
//!
//! Names are exchanged where they stand in the text, so comments, order, quoting and anchors are
//! what they were. The result is read again and compared with what it must be; rather than write
//! anything else, nothing is written.

use std::collections::HashMap;

use agentv_base::{
    Diagnostic, Entry, Key, Node, NodeValue, OWN_KEY_PREFIX, Problems, Shape, SourceId, Span,
    TARGET_KEYS, find_key,
};

use super::{
    edit::{Edits, NewName, same},
    flatten::{self, NestedSettings},
    kind::Content,
    trials,
    vocabulary::Vocabulary,
};
use crate::{config::CONFIG, suite::keys, targets::TARGETS, yaml};

/// A text under the current names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    pub text: String,
    /// How many names were exchanged; 0 where the text is the one that was given.
    pub changes: usize,
}

/// Exchanges every name of another dialect. Nothing where that would change what the file says.
pub fn rename(
    text: &str,
    node: &Node,
    content: Content,
    vocabulary: &Vocabulary,
    problems: &mut Problems,
) -> Option<Renamed> {
    for dissolves in [true, false] {
        let mut found = Problems::default();
        let edits = collect(text, node, content, vocabulary, dissolves, &mut found);
        if found.has_errors() {
            problems.append(found);
            return None;
        }
        if edits.is_empty() {
            return Some(Renamed { text: text.to_owned(), changes: 0 });
        }
        let changed = edits.apply(text);
        if says_the_same(&changed, &edits.apply_to_tree(node)) {
            return Some(Renamed { text: changed, changes: edits.changes() });
        }
    }
    problems.push(
        Diagnostic::error("with the current names this file would not say the same")
            .at(node.span)
            .label("nothing is converted")
            .hint("an alias (`*name`) may stand for a name here and for a text elsewhere"),
    );
    None
}

fn says_the_same(changed: &str, expected: &Node) -> bool {
    let mut problems = Problems::default();
    let read = yaml::parse(changed, SourceId::default(), &mut problems);
    problems.is_empty() && read.is_some_and(|read| same(&read, expected))
}

fn collect(
    text: &str,
    node: &Node,
    content: Content,
    vocabulary: &Vocabulary,
    dissolves: bool,
    problems: &mut Problems,
) -> Edits {
    let mut walk = Walk {
        text,
        vocabulary,
        dissolves,
        edits: Edits::default(),
        kept: HashMap::new(),
        problems,
    };
    match content {
        Content::Suite if node.as_list().is_some() => {
            walk.shape(node, &Shape::List(&Shape::Part(&keys::CASE)));
        }
        Content::Suite => walk.part(node, keys::SUITE.tables),
        Content::Targets => walk.part(node, TARGETS.tables),
        Content::Config => walk.part(node, CONFIG.tables),
        Content::Promptfoo | Content::Foreign => {}
    }
    walk.finish()
}

struct Walk<'w> {
    text: &'w str,
    vocabulary: &'w Vocabulary,
    /// Whether nested settings of targets are taken out of their map.
    dissolves: bool,
    edits: Edits,
    /// Places of names that must stay, by where they begin: an anchor can lead to one place from
    /// several, and the name may be ours in one of them only.
    kept: HashMap<u32, Span>,
    problems: &'w mut Problems,
}

impl Walk<'_> {
    fn finish(self) -> Edits {
        for (start, new) in &self.edits.names {
            if self.kept.contains_key(start) {
                self.problems.push(
                    Diagnostic::error(format!(
                        "this is called `{}` in one place that uses it, and not in another",
                        new.name
                    ))
                    .at(new.span)
                    .hint("write it out where it is used, instead of sharing it by an anchor"),
                );
            }
        }
        self.edits
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "no other shape has names in it")]
    fn shape(&mut self, node: &Node, shape: &Shape) {
        match shape {
            Shape::Any | Shape::AnyMap | Shape::Later(_) => self.keep(node),
            Shape::MapOf(inner) => {
                for entry in node.as_map().unwrap_or_default() {
                    self.kept.insert(entry.key_span.start, entry.key_span);
                    self.shape(&entry.value, inner);
                }
            }
            Shape::List(inner) => {
                for item in node.as_list().unwrap_or_default() {
                    self.shape(item, inner);
                }
            }
            Shape::Part(part) => self.part(node, part.tables),
            Shape::Tagged(tagged) => {
                let tag = node.get(tagged.key).and_then(Node::as_str).unwrap_or_default();
                match tagged.parts.iter().find(|(name, _)| *name == tag) {
                    Some((_, part)) => self.part(node, part.tables),
                    None => self.keep(node),
                }
            }
            Shape::Either(shapes) => {
                if let Some(shape) = shapes.iter().find(|shape| fits(shape, node)) {
                    self.shape(node, shape);
                }
            }
            Shape::Named("grader") => self.grader(node),
            Shape::Named("target") => self.target(node),
            _ => {}
        }
    }

    /// A map with known keys. What is unknown in it stays; `agentv validate` speaks of it.
    fn part(&mut self, node: &Node, tables: &[&'static [Key]]) {
        let mut given: Vec<(&'static str, &Entry)> = Vec::new();
        for entry in node.as_map().unwrap_or_default() {
            let Some(key) = find_key(&entry.key, tables) else {
                self.unknown(entry);
                continue;
            };
            let trials = trials::in_short(self.text, key, entry).filter(|_| self.dissolves);
            let name = if trials.is_some() { trials::NAME } else { key.name };
            if let Some((_, first)) = given.iter().find(|(known, _)| *known == name) {
                self.problems.push(
                    Diagnostic::error(format!(
                        "`{}` and `{}` are the same key: both would be `{name}`",
                        first.key, entry.key
                    ))
                    .at(entry.key_span)
                    .label("given again here")
                    .note(first.key_span, "first given here"),
                );
            }
            given.push((name, entry));
            if let Some((change, new)) = trials {
                self.edits.layout.push(change);
                self.edits.rewritten.insert(entry.key_span.start, new);
                continue;
            }
            self.name(&entry.key, entry.key_span, key.name, false);
            self.shape(&entry.value, &key.shape);
        }
    }

    fn unknown(&mut self, entry: &Entry) {
        // What is parked under a key of the author's own follows whoever uses it.
        if !entry.key.starts_with(OWN_KEY_PREFIX) {
            self.kept.insert(entry.key_span.start, entry.key_span);
        }
        if matches!(&*entry.key, "metadata" | "note" | "description") {
            self.keep(&entry.value);
        }
    }

    fn grader(&mut self, node: &Node) {
        let known = node.get("type").and_then(|typed| {
            let name = typed.as_str()?;
            Some((typed, name, self.vocabulary.grader(name)?))
        });
        let Some((typed, name, (current, kind))) = known else {
            return self.part(node, &[self.vocabulary.grader_keys]);
        };
        let keys = kind.keys;
        self.name(name, typed.span, &current, true);
        self.part(node, &[self.vocabulary.grader_keys, keys]);
    }

    fn target(&mut self, node: &Node) {
        if node.get("provider").is_none()
            && let Some(nested) = NestedSettings::of(node, self.vocabulary)
        {
            return self.nested_target(node, &nested);
        }
        let provider = node.get("provider").and_then(Node::as_str).unwrap_or_default();
        match self.vocabulary.provider(provider) {
            Some(kind) => self.part(node, &[TARGET_KEYS, kind.keys]),
            None => self.part(node, &[TARGET_KEYS]),
        }
    }

    /// `{id: cli, label: x, config: {…}}`: made flat where that is a matter of a few lines of text,
    /// and else left as it is.
    fn nested_target(&mut self, node: &Node, nested: &NestedSettings<'_>) {
        let tables: &[&'static [Key]] = &[TARGET_KEYS, nested.keys];
        self.part(&nested.config.value, tables);
        let layout = flatten::layout(self.text, node, nested, tables).filter(|_| self.dissolves);
        let Some(layout) = layout else {
            for entry in [nested.id, nested.config].into_iter().chain(nested.label) {
                self.kept.insert(entry.key_span.start, entry.key_span);
            }
            return;
        };
        self.edits.layout.extend(layout);
        self.edits.dissolved.insert(nested.config.key_span.start);
        self.name(&nested.id.key, nested.id.key_span, "provider", false);
        if let Some(label) = nested.label {
            self.name(&label.key, label.key_span, "name", false);
        }
        let ours = ["id", "label", "config"];
        let rest = node.as_map().unwrap_or_default().iter();
        for entry in rest.filter(|entry| !ours.contains(&&*entry.key)) {
            match find_key(&entry.key, tables) {
                Some(key) => {
                    self.name(&entry.key, entry.key_span, key.name, false);
                    self.shape(&entry.value, &key.shape);
                }
                None => self.unknown(entry),
            }
        }
    }

    fn name(&mut self, old: &str, span: Span, name: &str, is_value: bool) {
        if old == name {
            self.kept.insert(span.start, span);
            return;
        }
        let new = NewName { span, name: name.to_owned(), is_value };
        let before = self.edits.names.insert(span.start, new);
        if let Some(before) = before.filter(|before| before.name != name) {
            self.problems.push(
                Diagnostic::error(format!(
                    "this is called `{}` in one place that uses it, and `{name}` in another",
                    before.name
                ))
                .at(span)
                .hint("write it out where it is used, instead of sharing it by an anchor"),
            );
        }
    }

    /// The author's own data: no name in it is ours.
    fn keep(&mut self, node: &Node) {
        match &node.value {
            NodeValue::List(items) => items.iter().for_each(|item| self.keep(item)),
            NodeValue::Map(entries) => {
                for entry in entries.iter() {
                    self.kept.insert(entry.key_span.start, entry.key_span);
                    self.keep(&entry.value);
                }
            }
            NodeValue::String(_) => {
                self.kept.insert(node.span.start, node.span);
            }
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {}
        }
    }
}

/// Whether a value can be meant by a shape that has names in it.
#[expect(clippy::wildcard_enum_match_arm, reason = "`is_plain` knows the others")]
fn fits(shape: &Shape, node: &Node) -> bool {
    match shape {
        Shape::Any => true,
        Shape::List(_) => node.as_list().is_some(),
        Shape::Either(shapes) => shapes.iter().any(|shape| fits(shape, node)),
        // All others are maps.
        _ => !shape.is_plain() && node.as_map().is_some(),
    }
}
