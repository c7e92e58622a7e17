//! Byte offset → line and column, quickly and for any number of offsets.
//!
//! `Source::line_and_column` counts from the start of the file, which is right for a handful of
//! problems; every case of a suite has its place, and fifty thousand of those, or of problems,
//! need an index.

use std::sync::Arc;

/// Marks stand this far apart: a lookup never reads more than this.
const STRIDE: usize = 256;

#[derive(Clone, Copy)]
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
        let mut at = Mark { lines: 0, characters: 0 };
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
        let mut offset = offset.min(self.text.len());
        while self.text.as_bytes().get(offset).is_some_and(|byte| continues(*byte)) {
            offset -= 1;
        }
        let nearest = (offset / STRIDE).min(self.marks.len().saturating_sub(1));
        let (Some(mark), Some(piece)) =
            (self.marks.get(nearest), self.text.as_bytes().get(nearest * STRIDE..offset))
        else {
            return (1, 1);
        };
        let at = advance(*mark, piece);
        (at.lines + 1, at.characters + 1)
    }
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
    }
}
