//! Byte offset → line and column, quickly and for any number of offsets.
//!
//! `Source::line_and_column` counts from the start of the file, which is right for a handful of
//! problems; every case of a suite has its place, and fifty thousand of those, or of problems,
//! need an index.

use std::sync::Arc;

/// Marks stand this far apart: a lookup never reads more than this.
const STRIDE: usize = 256;

#[derive(Clone, Copy, Default)]
struct Mark {
    /// Line breaks before the mark.
    lines: usize,
    /// Characters between the last line break and the mark.
    characters: usize,
}

/// Marks at equal distances. They do not stand at line starts, because a suite written as JSON
/// may be one line of many megabytes.
pub struct LineIndex {
    text: Arc<String>,
    marks: Vec<Mark>,
}

impl LineIndex {
    pub fn new(text: Arc<String>) -> Self {
        let mut at = Mark::default();
        let mut marks = Vec::with_capacity(text.len() / STRIDE + 1);
        for piece in text.as_bytes().chunks(STRIDE) {
            marks.push(at);
            at = advance(at, piece);
        }
        marks.push(at);
        Self { text, marks }
    }

    /// The 1-based line and column (in characters) of a byte offset; that of the whole character
    /// where the offset lies inside of one.
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let offset = start_of_character(&self.text, offset);
        let nearest = (offset / STRIDE).min(self.marks.len().saturating_sub(1));
        let (Some(mark), Some(piece)) =
            (self.marks.get(nearest), self.text.as_bytes().get(nearest * STRIDE..offset))
        else {
            return (1, 1);
        };
        advance(*mark, piece).place()
    }
}

/// The same for offsets that mostly come in their order, as those of the cases of a file do: it
/// counts on from the last one, and needs an index only once it is asked to go back.
pub(crate) struct LineCounter {
    text: Arc<String>,
    /// How far it has counted.
    offset: usize,
    at: Mark,
    index: Option<LineIndex>,
}

impl LineCounter {
    pub(crate) fn new(text: Arc<String>) -> Self {
        Self { text, offset: 0, at: Mark::default(), index: None }
    }

    /// As `LineIndex::line_and_column`.
    pub(crate) fn line_and_column(&mut self, offset: usize) -> (usize, usize) {
        let offset = start_of_character(&self.text, offset);
        let Some(piece) = self.text.as_bytes().get(self.offset..offset) else {
            let index = self.index.get_or_insert_with(|| LineIndex::new(Arc::clone(&self.text)));
            return index.line_and_column(offset);
        };
        self.at = advance(self.at, piece);
        self.offset = offset;
        self.at.place()
    }
}

impl Mark {
    fn place(self) -> (usize, usize) {
        (self.lines + 1, self.characters + 1)
    }
}

fn start_of_character(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while text.as_bytes().get(offset).is_some_and(|byte| continues(*byte)) {
        offset -= 1;
    }
    offset
}

fn advance(from: Mark, piece: &[u8]) -> Mark {
    let lines = memchr::memchr_iter(b'\n', piece).count();
    let (kept, rest) = match memchr::memrchr(b'\n', piece) {
        Some(last) => (0, piece.get(last + 1..).unwrap_or_default()),
        None => (from.characters, piece),
    };
    // Every character has one byte that does not continue another.
    let characters = rest.iter().filter(|byte| !continues(**byte)).count();
    Mark { lines: from.lines + lines, characters: kept + characters }
}

/// Whether a byte of UTF-8 belongs to the character that began before it.
fn continues(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use agentv_base::Source;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_index_agrees_with_counting(text in "(?s)[a-zäß\n]{0,40}", times in 1usize..200) {
            let text = text.repeat(times);
            let source = Source { path: "x".into(), text: Arc::new(text.clone()) };
            let index = LineIndex::new(Arc::new(text.clone()));
            for offset in (0..text.len()).step_by(97).chain([text.len(), text.len() + 1]) {
                prop_assert_eq!(index.line_and_column(offset), source.line_and_column(offset));
            }
        }

        #[test]
        fn counting_on_agrees_with_counting_also_where_it_goes_back(
            text in "(?s)[a-zäß\n]{0,40}",
            offsets in proptest::collection::vec(0usize..90, 0..20),
        ) {
            let source = Source { path: "x".into(), text: Arc::new(text.clone()) };
            let mut counter = LineCounter::new(Arc::new(text));
            for offset in offsets {
                prop_assert_eq!(counter.line_and_column(offset), source.line_and_column(offset));
            }
        }
    }
}
