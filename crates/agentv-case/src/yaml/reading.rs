//! A file that is read event by event: at once, or one long list of it item by item.

use std::sync::Arc;

use agentv_base::{Node, Problems, SourceId, Span};
use granit_parser::{Parser, ScanError, StrInput};

use super::{syntax, tree::TreeBuilder};

/// How much of the end of a file is looked at for keys that come after a list. Settings that stand
/// behind the cases are seldom longer; where they are, the file is read twice.
const TAIL: usize = 64 * 1024;

/// A first item that is far shorter than the others says nothing.
const MOST_ABOUT: usize = 100_000;

pub(crate) struct Reading<'t> {
    text: &'t str,
    events: Parser<'t, StrInput<'t>>,
    tree: TreeBuilder<'t>,
    is_over: bool,
}

impl<'t> Reading<'t> {
    pub(super) fn new(text: &'t str, source: SourceId) -> Self {
        let mut options = granit_parser::options! { emit_unresolved_aliases: true };
        // Another crate may have switched comments on for all of us.
        options.set_emit_comments(false);
        let events = Parser::new_from_str_with_options(text, options);
        Self { text, events, tree: TreeBuilder::new(text, source), is_over: false }
    }

    /// The texts of the tree are pieces of the file's own text.
    pub(crate) fn sharing(text: &'t Arc<String>, source: SourceId) -> Self {
        let reading = Self::new(text, source);
        Self { tree: reading.tree.sharing(text), ..reading }
    }

    /// Everything to the end of the file; no tree where a value is lost.
    pub(crate) fn whole(mut self) -> (Option<Node>, Problems) {
        while self.step() {}
        self.tree.finish()
    }

    /// Reads up to the first item of a wanted list of the file's map, if it seems to be the last
    /// thing in the file: all before, and this item. The reading may still go on as a whole.
    pub(crate) fn up_to_items(&mut self, wanted: impl Fn(&str) -> bool) -> Option<Node> {
        while self.step() {
            if let Some(head) = self.tree.first_item(&wanted) {
                return Some(head).filter(|head| !more_follows(self.text, head.span.end as usize));
            }
        }
        None
    }

    /// The items after the first one, each read when it is asked for.
    pub(crate) fn items(mut self) -> Items<'t> {
        let first = self.tree.take_item().map_or(Span::default(), |item| item.span);
        let left = self.text.len().saturating_sub(first.end as usize);
        let about = (left / (first.end - first.start).max(1) as usize).min(MOST_ABOUT);
        Items { reading: self, about, alone: true }
    }

    /// Reads one event; false where there is no more to be read.
    fn step(&mut self) -> bool {
        if self.is_over {
            return false;
        }
        let goes_on = match self.events.next() {
            Some(Ok((event, ref at))) => self.tree.take(event, at),
            Some(Err(error)) => {
                self.broken(&error);
                false
            }
            None => false,
        };
        self.is_over = !goes_on;
        goes_on
    }

    fn broken(&mut self, error: &ScanError) {
        let offset = error.marker().byte_offset().unwrap_or_default();
        let end = offset + width_of_character(self.text, offset);
        let span = self.tree.place(offset, end);
        self.tree.report(syntax::diagnose(error, span));
    }
}

/// The items of a list that is being read.
pub(crate) struct Items<'t> {
    reading: Reading<'t>,
    about: usize,
    /// Nothing was met after the list.
    alone: bool,
}

impl Items<'_> {
    /// About how many there are, if they are as long as the first.
    pub(crate) fn about(&self) -> usize {
        self.about
    }

    /// What is wrong with the file, if every item was given and nothing else came after them. Where
    /// not, what was made of the items may be wrong, and the file is to be read as a whole.
    pub(crate) fn finish(self) -> Option<Problems> {
        let (tree, problems) = self.reading.tree.finish();
        tree.filter(|_| self.alone).map(|_| problems)
    }

    fn read_the_end(&mut self) {
        let ended = self.reading.step() && self.reading.tree.depth() == 0;
        while ended && self.reading.step() {}
        self.alone = ended;
    }
}

impl Iterator for Items<'_> {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        while self.reading.tree.depth() > 1 {
            if !self.reading.step() || self.reading.tree.is_lost() {
                self.alone = false;
                return None;
            }
            if let Some(item) = self.reading.tree.take_item() {
                return Some(item);
            }
        }
        if self.reading.tree.depth() == 1 {
            self.read_the_end();
        }
        None
    }
}

/// Whether a line of the end of a file, after this place, begins with a key.
fn more_follows(text: &str, after: usize) -> bool {
    let from = after.max(text.len().saturating_sub(TAIL));
    let tail = text.as_bytes().get(from..).unwrap_or_default();
    let begins_with_key = |line: &[u8]| {
        line.first().is_some_and(|first| !matches!(first, b' ' | b'\t' | b'-' | b'#' | b'\r'))
    };
    tail.split(|byte| *byte == b'\n').skip(1).any(begins_with_key)
}

/// A place of no width cannot be underlined; at the end of a line there is nothing to underline.
fn width_of_character(text: &str, offset: usize) -> usize {
    let next = text.get(offset..).and_then(|rest| rest.chars().next());
    next.filter(|c| !c.is_control()).map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests;
