//! The text of the files that problems are reported in.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::redact::Redactor;

/// Which file a span belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SourceId(pub u32);

/// One file as it was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// How the file is shown to the user: relative to the current folder where it lies below it.
    pub path: PathBuf,
    /// In the buffer that it was read into: a large file is not copied once more.
    pub text: Arc<String>,
}

impl Source {
    /// The 1-based line and column (in characters) of a byte offset.
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = self.text.get(..offset).unwrap_or_default();
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        (line, column)
    }
}

/// Every file that was read, by the id that its spans carry.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<Arc<String>>) -> SourceId {
        let id = SourceId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(Source { path: path.into(), text: text.into() });
        id
    }

    /// The same files as they may be shown, with every place where it was.
    #[must_use]
    pub fn without_secrets(&self, redactor: &Redactor) -> Self {
        let shown = |source: &Source| match redactor.blank(&source.text) {
            Cow::Borrowed(_) => source.clone(),
            Cow::Owned(text) => Source { path: source.path.clone(), text: Arc::new(text) },
        };
        Self { files: self.files.iter().map(shown).collect() }
    }

    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.files.get(id.0 as usize)
    }

    /// The files, in the order in which they were read.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|source| source.path.as_path())
    }

    pub fn path(&self, id: SourceId) -> &Path {
        self.get(id).map_or(Path::new("?"), |source| source.path.as_path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let source = Source { path: "a".into(), text: Arc::new("äb\ncd".to_owned()) };
        assert_eq!(source.line_and_column(0), (1, 1));
        assert_eq!(source.line_and_column(2), (1, 2));
        assert_eq!(source.line_and_column(4), (2, 1));
        assert_eq!(source.line_and_column(99), (2, 3));
    }

    #[test]
    fn an_offset_inside_a_character_is_moved_to_its_start() {
        let source = Source { path: "a".into(), text: Arc::new("äb".to_owned()) };
        assert_eq!(source.line_and_column(1), (1, 1));
    }
}
