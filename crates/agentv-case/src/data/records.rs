//! The records of a CSV file, each with its place. What the columns mean is not known here.

use agentv_base::{Diagnostic, SourceId, Span};
use csv::{ReaderBuilder, StringRecord};

/// A table with a line of names, record by record.
pub(crate) struct Records<'t> {
    text: &'t str,
    source: SourceId,
    names: StringRecord,
    rest: csv::StringRecordsIntoIter<&'t [u8]>,
    /// Where the last record begins so far; nothing when all has been told.
    last: Option<usize>,
}

impl<'t> Records<'t> {
    pub(crate) fn new(text: &'t str, source: SourceId) -> Result<Self, Diagnostic> {
        Self::separated_by(b',', text, source)
    }

    /// A table whose cells have another sign between them.
    pub(crate) fn separated_by(
        separator: u8,
        text: &'t str,
        source: SourceId,
    ) -> Result<Self, Diagnostic> {
        let mut reader = ReaderBuilder::new().delimiter(separator).from_reader(text.as_bytes());
        let names = match reader.headers() {
            Ok(names) => names.clone(),
            Err(error) => return Err(broken(&error, text, source)),
        };
        Ok(Self { text, source, names, rest: reader.into_records(), last: Some(0) })
    }

    pub(crate) fn names(&self) -> &StringRecord {
        &self.names
    }

    /// The place of the line of names.
    pub(crate) fn names_span(&self) -> Span {
        let line = self.text.split('\n').next().unwrap_or_default();
        place(self.source, 0, line.trim_end().len())
    }

    /// A quote that is never closed takes in all rows that follow: they would be lost in a cell.
    fn unclosed_quote(&mut self) -> Option<Diagnostic> {
        let start = self.last.take()?;
        let rest = self.text.get(start..)?;
        if rest.matches('"').count() % 2 == 0 {
            return None;
        }
        Some(
            Diagnostic::error("a quote of this row is never closed")
                .code("syntax")
                .at(line_at(self.text, start, self.source))
                .hint("close it; a quote inside of a cell is written twice: \"5\"\" wide\""),
        )
    }
}

impl Iterator for Records<'_> {
    type Item = Result<(StringRecord, Span), Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(record) = self.rest.next() else {
            return self.unclosed_quote().map(Err);
        };
        let position = match &record {
            Ok(record) => record.position(),
            Err(error) => error.position(),
        };
        let start = position.map_or(0, |at| usize::try_from(at.byte()).unwrap_or_default());
        self.last = Some(start);
        Some(match record {
            Ok(record) => Ok((record, line_at(self.text, start, self.source))),
            Err(error) => Err(broken(&error, self.text, self.source)),
        })
    }
}

fn broken(error: &csv::Error, text: &str, source: SourceId) -> Diagnostic {
    let at = error.position().map_or(0, |at| usize::try_from(at.byte()).unwrap_or_default());
    let span = line_at(text, at, source);
    if let csv::ErrorKind::UnequalLengths { expected_len, len, .. } = error.kind() {
        let message = format!("this row has {len} cells, and the table {expected_len} columns");
        let hint = "put a cell with a comma or a line break into double quotes";
        return Diagnostic::error(message).code("syntax").at(span).hint(hint);
    }
    Diagnostic::error(format!("this is no CSV: {error}")).code("syntax").at(span)
}

/// The line that a record begins with, which may begin after some ends of lines.
fn line_at(text: &str, at: usize, source: SourceId) -> Span {
    let rest = text.get(at..).unwrap_or_default();
    let start = at + rest.len() - rest.trim_start_matches(['\r', '\n']).len();
    let line = text.get(start..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
    place(source, start, line.trim_end().len())
}

fn place(source: SourceId, start: usize, length: usize) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span { source, start: offset(start), end: offset(start + length) }
}
