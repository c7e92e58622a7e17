//! Parser events → a tree of nodes with their places.

mod handing;

use std::{borrow::Cow, sync::Arc};

use agentv_base::{Diagnostic, Entry, Node, NodeValue, Problems, SourceId, Span, Text, Word};
use granit_parser::{Event, ScalarStyle, StructureStyle, Tag};

use super::{
    anchors::{Anchors, Built, DEEPEST, too_deep},
    map::MapFrame,
    names::Names,
    scalar,
};

/// Roles, types and the like are not longer; they come again in every case.
const LONGEST_WORD: usize = 16;

enum Content {
    /// Where the items of this list begin on the stack of items.
    List(usize),
    Map(MapFrame),
}

struct Frame {
    content: Content,
    style: StructureStyle,
    start: u32,
    /// Where the last thing inside ended, which is where a block ends.
    end: u32,
    anchor: usize,
    size: u64,
    height: usize,
}

pub(super) struct TreeBuilder<'t> {
    text: &'t str,
    source: SourceId,
    /// The same text, where the tree may hold on to it.
    shared: Option<&'t Arc<String>>,
    problems: Problems,
    stack: Vec<Frame>,
    /// Items of all open lists, and entries of all open maps.
    items: Vec<Node>,
    entries: Vec<Entry>,
    anchors: Anchors,
    names: Names<'t>,
    root: Option<Node>,
    /// A value could not be kept: what would be said of the tree is no longer to be trusted.
    lost: bool,
}

impl<'t> TreeBuilder<'t> {
    pub(super) fn new(text: &'t str, source: SourceId) -> Self {
        Self {
            text,
            source,
            shared: None,
            problems: Problems::default(),
            stack: Vec::new(),
            items: Vec::new(),
            entries: Vec::new(),
            anchors: Anchors::default(),
            names: Names::default(),
            root: None,
            lost: false,
        }
    }

    /// Lets the tree keep pieces of its text; it must be the same text.
    pub(super) fn sharing(self, shared: &'t Arc<String>) -> Self {
        Self { shared: Some(shared), ..self }
    }

    /// The tree, where every value of the file is in it, and what is wrong with it.
    pub(super) fn finish(self) -> (Option<Node>, Problems) {
        let nothing = Node::new(self.place(0, 0), NodeValue::Null);
        let tree = if self.lost { None } else { Some(self.root.unwrap_or(nothing)) };
        (tree, self.problems)
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.lost = true;
        self.problems.push(diagnostic);
    }

    /// Takes one event; false where the rest of the file is not to be read.
    pub(super) fn take(&mut self, event: Event<'t>, at: &granit_parser::Span) -> bool {
        let span = self.span(at);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(text, style, anchor, tag.as_deref(), span, at);
            }
            Event::DocumentStart(..) if self.root.is_some() => {
                self.report(
                    Diagnostic::error("a second document starts in this file")
                        .code("syntax")
                        .at(span)
                        .hint("keep one document per file"),
                );
                return false;
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), "seq", at);
                self.open(Content::List(self.items.len()), style, anchor, span);
            }
            Event::MappingStart(style, anchor, tag) => {
                self.check_tag(tag.as_deref(), "map", at);
                self.open(Content::Map(MapFrame::new(self.entries.len())), style, anchor, span);
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(id) => self.alias(id, span),
            Event::UnresolvedAlias(name) => {
                self.report(
                    Diagnostic::error(format!("no `&{name}` stands before this"))
                        .code("syntax")
                        .at(span),
                );
                self.null(span);
            }
            // What frames a document, and events that our options leave off.
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd
            | Event::Anchor(..)
            | _ => {}
        }
        true
    }

    pub(super) fn place(&self, start: usize, end: usize) -> Span {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { source: self.source, start: offset(start), end: offset(end) }
    }

    pub(super) fn span(&self, at: &granit_parser::Span) -> Span {
        let range = at.byte_range().unwrap_or_default();
        self.place(range.start, range.end)
    }

    fn open(&mut self, content: Content, style: StructureStyle, anchor: usize, span: Span) {
        if self.stack.len() == DEEPEST {
            self.report(too_deep(span));
        }
        self.stack.push(Frame {
            content,
            style,
            start: span.start,
            end: span.end,
            anchor,
            size: 1,
            height: 1,
        });
    }

    fn close(&mut self, span: Span) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        let end = match frame.style {
            StructureStyle::Flow => span.end,
            StructureStyle::Block => frame.end,
        };
        let value = match frame.content {
            Content::List(first) => NodeValue::List(self.items.drain(first..).collect()),
            Content::Map(map) => NodeValue::Map(map.finish(&mut self.entries)),
        };
        let node = Node::new(Span { source: self.source, start: frame.start, end }, value);
        let built = Built { node, size: frame.size, height: frame.height };
        self.anchors.remember(frame.anchor, &built);
        if self.awaits_key() {
            let kind = built.node.kind_name();
            self.problems.push(
                Diagnostic::error(format!("a key must be a text, not {kind}"))
                    .code("wrong-type")
                    .at(built.node.span)
                    .hint("put a text that starts with `{` or `[` into quotes"),
            );
            self.reject_key(built.node.span);
        } else {
            self.add(built);
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        mut span: Span,
        at: &granit_parser::Span,
    ) {
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            span = self.without_trailing_space(span);
        }
        if !self.awaits_key() {
            let node = Node::new(span, self.resolve(text, style, tag, at));
            if anchor != 0 {
                self.anchors.remember(anchor, &Built::leaf(node.clone()));
            }
            return self.add_leaf(node);
        }
        // The value of a key is wanted only where something can check it or refer to it.
        if anchor != 0 || tag.is_some() {
            let built = Built::leaf(Node::new(span, self.resolve(text.clone(), style, tag, at)));
            self.anchors.remember(anchor, &built);
        }
        if style == ScalarStyle::Plain && tag.is_none() && text == "<<" {
            self.with_map(span, |map, _, problems| map.merge_key(span, problems));
        } else if style == ScalarStyle::Plain && span.start == span.end {
            self.problems
                .push(Diagnostic::error("a `:` without a key before it").code("syntax").at(span));
            self.reject_key(span);
        } else {
            let name = self.names.shared(text);
            self.key(name, span);
        }
    }

    /// A text as the tree keeps it: a word that may come again once for all of them, a longer text
    /// as a piece of the file.
    fn kept(&mut self, text: Cow<'t, str>) -> Text {
        let written = match text {
            Cow::Borrowed(written) => written,
            Cow::Owned(text) => return text.into(),
        };
        if written.len() <= LONGEST_WORD {
            return self.names.shared(Cow::Borrowed(written)).into();
        }
        let start = (written.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let range = start..start.saturating_add(written.len());
        self.shared
            .and_then(|shared| Text::piece(shared, range))
            .unwrap_or_else(|| Text::from(written))
    }

    fn resolve(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
        at: &granit_parser::Span,
    ) -> NodeValue {
        let Some(tag) = tag else {
            let meaning = match style {
                ScalarStyle::Plain => scalar::plain(&text),
                ScalarStyle::SingleQuoted
                | ScalarStyle::DoubleQuoted
                | ScalarStyle::Literal
                | ScalarStyle::Folded => None,
            };
            if let Some(problem) =
                meaning.as_ref().and_then(|value| scalar::lost_digits(&text, value))
            {
                self.report(problem.at(self.span(at)));
            }
            return meaning.unwrap_or_else(|| NodeValue::String(self.kept(text)));
        };
        if is_non_specific(tag) {
            return scalar::string(&text);
        }
        let Some(core) = tag.core_suffix() else {
            self.report(unknown_tag(tag, self.tag_span(at)));
            return NodeValue::Null;
        };
        scalar::tagged(core, &text).unwrap_or_else(|problem| {
            self.report(Diagnostic::error(problem).code("wrong-type").at(self.span(at)));
            NodeValue::Null
        })
    }

    fn check_tag(&mut self, tag: Option<&Tag>, expected: &str, at: &granit_parser::Span) {
        let Some(tag) = tag else { return };
        match tag.core_suffix() {
            Some(core) if core == expected => {}
            Some(core) => {
                let kind = if expected == "map" { "a map" } else { "a list" };
                self.report(
                    Diagnostic::error(format!("`!!{core}` does not fit {kind}"))
                        .code("wrong-type")
                        .at(self.tag_span(at)),
                );
            }
            None if is_non_specific(tag) => {}
            None => self.report(unknown_tag(tag, self.tag_span(at))),
        }
    }

    fn tag_span(&self, at: &granit_parser::Span) -> Span {
        self.span(&at.tag_span().unwrap_or(*at))
    }

    fn alias(&mut self, id: usize, span: Span) {
        if self.awaits_key()
            && let Some(node) = self.anchors.named(id).cloned()
        {
            return self.alias_key(&node, span);
        }
        match self.anchors.follow(id, self.stack.len(), span) {
            Ok(built) => self.add(built),
            Err(reason) => {
                self.lost = true;
                if let Some(reason) = reason {
                    self.problems.push(reason);
                }
                self.null(span);
            }
        }
    }

    fn alias_key(&mut self, node: &Node, span: Span) {
        let written = self.text.get(node.span.start as usize..node.span.end as usize);
        let name = match &node.value {
            NodeValue::String(text) => Some(Word::from(text.to_shared())),
            NodeValue::List(_) | NodeValue::Map(_) => None,
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
                written.map(Word::from)
            }
        };
        if let Some(name) = name {
            self.key(name, span);
        } else {
            let kind = node.kind_name();
            self.problems.push(
                Diagnostic::error(format!("a key must be a text, not {kind}"))
                    .code("wrong-type")
                    .at(span),
            );
            self.reject_key(span);
        }
    }

    fn null(&mut self, span: Span) {
        if self.awaits_key() {
            self.reject_key(span);
        } else {
            self.add(Built::leaf(Node::new(span, NodeValue::Null)));
        }
    }

    /// As `add`, for the most common of values.
    fn add_leaf(&mut self, node: Node) {
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(node);
            return;
        };
        frame.end = frame.end.max(node.span.end);
        frame.size = frame.size.saturating_add(1);
        frame.height = frame.height.max(2);
        match &mut frame.content {
            Content::List(_) => self.items.push(node),
            Content::Map(map) => {
                self.lost |= !map.value(node, self.lost, &mut self.entries, &mut self.problems);
            }
        }
    }

    /// Puts a finished value where it belongs.
    fn add(&mut self, built: Built) {
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(built.node);
            return;
        };
        frame.end = frame.end.max(built.node.span.end);
        frame.size = frame.size.saturating_add(built.size);
        frame.height = frame.height.max(built.height + 1);
        match &mut frame.content {
            Content::List(_) => self.items.push(built.node),
            Content::Map(map) => {
                self.lost |=
                    !map.value(built.node, self.lost, &mut self.entries, &mut self.problems);
            }
        }
    }

    fn awaits_key(&self) -> bool {
        match self.stack.last().map(|frame| &frame.content) {
            Some(Content::Map(map)) => map.awaits_key(),
            Some(Content::List(_)) | None => false,
        }
    }

    fn reject_key(&mut self, span: Span) {
        self.with_map(span, |map, _, _| map.reject_key());
    }

    fn key(&mut self, name: Word, span: Span) {
        self.with_map(span, |map, entries, problems| {
            map.key(name, span, entries, problems);
        });
    }

    fn with_map(&mut self, span: Span, act: impl FnOnce(&mut MapFrame, &[Entry], &mut Problems)) {
        if let Some(frame) = self.stack.last_mut()
            && let Content::Map(map) = &mut frame.content
        {
            frame.end = frame.end.max(span.end);
            act(map, &self.entries, &mut self.problems);
        }
    }

    fn without_trailing_space(&self, span: Span) -> Span {
        let written = self.text.get(span.start as usize..span.end as usize);
        let length = written.map_or(0, |written| written.trim_end().len());
        self.place(span.start as usize, span.start as usize + length)
    }
}

/// `!` alone: "as it stands, and no guessing".
fn is_non_specific(tag: &Tag) -> bool {
    tag.handle().is_empty() && tag.suffix() == "!"
}

fn unknown_tag(tag: &Tag, span: Span) -> Diagnostic {
    Diagnostic::error(format!("unknown tag `{}`", tag.original()))
        .code("syntax")
        .at(span)
        .hint("put a text that starts with `!` into quotes")
}
