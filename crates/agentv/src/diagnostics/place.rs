//! Where a problem is: the piece of a file that is meant, and its lines and columns.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use agentv_base::{Diagnostic, Note, Piece, SourceId, Sources, Span};
use agentv_case::LineIndex;

use super::Report;

/// The place that a problem points to.
pub(super) fn span_of(diagnostic: &Diagnostic, sources: &Sources) -> Option<Span> {
    diagnostic.span.map(|span| narrowed(span, diagnostic.piece.as_deref(), sources))
}

/// The place of the piece that is meant, where it is found as it was read.
fn narrowed(span: Span, piece: Option<&Piece>, sources: &Sources) -> Span {
    let found = piece.filter(|piece| !piece.text.is_empty()).and_then(|piece| {
        let written = sources.get(span.source)?.text.get(span.start as usize..span.end as usize)?;
        let (at, text) = written.match_indices(&piece.text).nth(piece.before)?;
        let start = span.start + u32::try_from(at).ok()?;
        Some(Span { start, end: start + u32::try_from(text.len()).ok()?, ..span })
    });
    found.unwrap_or(span)
}

/// A range of a file in lines and columns, both from 1, columns in characters. The end is the
/// first place that does not belong to it.
pub(super) struct Place<'s> {
    /// As every message shows it: relative to the current folder where it lies below it.
    pub(super) path: &'s Path,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) end_line: usize,
    pub(super) end_column: usize,
}

/// The places of many problems: the lines of a file are counted once, not for each of them.
pub(super) struct Places<'s> {
    sources: &'s Sources,
    indexes: HashMap<SourceId, LineIndex>,
}

impl<'s> Places<'s> {
    pub(super) fn new(sources: &'s Sources) -> Self {
        Self { sources, indexes: HashMap::new() }
    }

    pub(super) fn of(&mut self, diagnostic: &Diagnostic) -> Option<Place<'s>> {
        span_of(diagnostic, self.sources).and_then(|span| self.at(span))
    }

    pub(super) fn of_note(&mut self, note: &Note) -> Option<Place<'s>> {
        self.at(note.span)
    }

    fn at(&mut self, span: Span) -> Option<Place<'s>> {
        let source = self.sources.get(span.source)?;
        let index =
            self.indexes.entry(span.source).or_insert_with(|| LineIndex::new(source.text.clone()));
        let (line, column) = index.line_and_column(span.start as usize);
        let (end_line, end_column) = index.line_and_column(span.end.max(span.start) as usize);
        Some(Place { path: &source.path, line, column, end_line, end_column })
    }
}

impl Report<'_> {
    /// A path as services see it that know the repository and not who stands where in it:
    /// relative to its folder where it lies below.
    pub(super) fn in_repository(&self, path: &Path) -> PathBuf {
        let path = self.current_dir.join(path);
        path.strip_prefix(self.root).map(Path::to_owned).unwrap_or(path)
    }
}
