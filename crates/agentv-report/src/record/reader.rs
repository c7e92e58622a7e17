//! Reads rows back, one at a time: a file of any length costs the memory of its longest row.
//!
//! Nothing is left out without a word, except lines with nothing on them. Whether a bad line ends
//! the work is for the caller to say: reading can go on after it.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use agentv_base::{escape_controls, excerpt};
use serde::Deserialize;

use super::row::{Row, Status};

/// Far beyond any row of ours: a file that is not made of lines must not fill the memory.
pub(crate) const LONGEST_LINE: u64 = 1 << 30;

/// Fewer trips to the system than the usual 8 KiB; rows are often longer than that.
const BUFFER: usize = 64 * 1024;

/// A line that is no row, or a file that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {problem}", escape_controls(&.path.to_string_lossy()), self.place())]
pub struct RowFault {
    pub path: PathBuf,
    /// From 1; 0 where the lines were not counted.
    pub line: u64,
    /// Where the line begins, in bytes.
    pub offset: u64,
    pub problem: RowProblem,
}

#[derive(Debug, thiserror::Error)]
pub enum RowProblem {
    /// The last line is the beginning of a row: whoever wrote it was ended while writing.
    #[error("the last line is torn: the row on it was never finished")]
    Torn,
    /// It is not a row.
    #[error("not a result row: {0}")]
    NotARow(String),
    #[error("the line is longer than any row")]
    TooLong,
    #[error("cannot read: {0}")]
    Io(io::Error),
}

impl RowFault {
    /// Whether it is the beginning of a row that was never finished.
    pub fn is_torn(&self) -> bool {
        matches!(self.problem, RowProblem::Torn)
    }

    fn place(&self) -> String {
        match (self.line, &self.problem) {
            (_, RowProblem::Io(_)) => String::new(),
            (0, _) => format!(", byte {}", self.offset),
            (line, _) => format!(", line {line}"),
        }
    }
}

/// The rows of a file from its beginning, as an iterator.
pub struct RowReader<R = BufReader<File>> {
    path: PathBuf,
    source: R,
    buffer: Vec<u8>,
    /// Of the line that was read last.
    line: u64,
    offset: u64,
    next_offset: u64,
    over: bool,
    longest: u64,
}

/// Opens a file of rows.
pub fn read_rows(path: &Path) -> Result<RowReader, RowFault> {
    Ok(RowReader::of(path, open(path)?))
}

impl<R: BufRead> RowReader<R> {
    pub(super) fn of(path: &Path, source: R) -> Self {
        Self {
            path: path.to_owned(),
            source,
            buffer: Vec::new(),
            line: 0,
            offset: 0,
            next_offset: 0,
            over: false,
            longest: LONGEST_LINE,
        }
    }

    /// Where the row that was read last begins, in bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How long its line is, in bytes, with its end.
    pub fn length(&self) -> u64 {
        self.next_offset - self.offset
    }

    /// Which line it is, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    fn fault(&self, problem: RowProblem) -> RowFault {
        RowFault { path: self.path.clone(), line: self.line, offset: self.offset, problem }
    }

    /// The next line that has something on it.
    fn step(&mut self) -> Option<Result<Row<'static>, RowProblem>> {
        while !self.over {
            self.offset = self.next_offset;
            let read = match read_line(&mut self.source, &mut self.buffer, self.longest) {
                Ok(read) => read,
                Err(fault) => {
                    self.over = true;
                    return Some(Err(RowProblem::Io(fault)));
                }
            };
            self.line += 1;
            self.next_offset += self.buffer.len() as u64;
            if !matches!(read, LineEnd::Newline) {
                self.over = true;
            }
            if matches!(read, LineEnd::TooLong) {
                return Some(Err(RowProblem::TooLong));
            }
            if !self.buffer.trim_ascii().is_empty() {
                return Some(row_of_line(&self.buffer, matches!(read, LineEnd::File)));
            }
        }
        None
    }
}

impl<R: BufRead> Iterator for RowReader<R> {
    type Item = Result<Row<'static>, RowFault>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step()?;
        Some(step.map_err(|problem| self.fault(problem)))
    }
}

/// The rows that begin at given places of a file, in the order of the places.
pub struct RowsAt<O> {
    path: PathBuf,
    source: BufReader<File>,
    buffer: Vec<u8>,
    position: u64,
    offsets: O,
}

/// Opens a file of rows to read those that begin at `offsets`.
pub fn read_rows_at<O: IntoIterator<Item = u64>>(
    path: &Path,
    offsets: O,
) -> Result<RowsAt<O::IntoIter>, RowFault> {
    Ok(RowsAt {
        path: path.to_owned(),
        source: open(path)?,
        buffer: Vec::new(),
        position: 0,
        offsets: offsets.into_iter(),
    })
}

impl<O> RowsAt<O> {
    fn read_at(&mut self, offset: u64) -> Result<Row<'static>, RowProblem> {
        line_at(&mut self.source, &mut self.position, offset, &mut self.buffer)?;
        row_of_line(&self.buffer, self.buffer.last() != Some(&b'\n'))
    }
}

impl<O: Iterator<Item = u64>> Iterator for RowsAt<O> {
    type Item = Result<Row<'static>, RowFault>;

    fn next(&mut self) -> Option<Self::Item> {
        let offset = self.offsets.next()?;
        Some(self.read_at(offset).map_err(|problem| RowFault {
            path: self.path.clone(),
            line: 0,
            offset,
            problem,
        }))
    }
}

fn open(path: &Path) -> Result<BufReader<File>, RowFault> {
    match File::open(path) {
        Ok(file) => Ok(BufReader::with_capacity(BUFFER, file)),
        Err(fault) => Err(RowFault {
            path: path.to_owned(),
            line: 0,
            offset: 0,
            problem: RowProblem::Io(fault),
        }),
    }
}

enum LineEnd {
    Newline,
    File,
    TooLong,
}

fn read_line(source: &mut impl BufRead, buffer: &mut Vec<u8>, longest: u64) -> io::Result<LineEnd> {
    buffer.clear();
    // One outsized row must not hold its memory for the rest of the file.
    buffer.shrink_to(BUFFER);
    source.take(longest).read_until(b'\n', buffer)?;
    if buffer.last() == Some(&b'\n') {
        Ok(LineEnd::Newline)
    } else if buffer.len() as u64 >= longest {
        Ok(LineEnd::TooLong)
    } else {
        Ok(LineEnd::File)
    }
}

/// The row on a line. A last line without its end that makes no row is one that was being
/// written; it is never taken for data.
fn row_of_line(line: &[u8], is_unended: bool) -> Result<Row<'static>, RowProblem> {
    let mut row = from_line::<Row<'static>>(line).map_err(|fault| {
        if is_unended && (fault.is_eof() || fault.is_syntax()) {
            RowProblem::Torn
        } else {
            RowProblem::NotARow(describe(&fault))
        }
    })?;
    let graded = row.status != Status::Error;
    if graded && !row.score.is_some_and(|score| (0.0..=1.0).contains(&score)) {
        return Err(RowProblem::NotARow("a graded case needs a `score` from 0 to 1".to_owned()));
    }
    row.forget_absurdities();
    Ok(row)
}

/// What a line says. Its characters are checked once for the whole line, instead of in every key and
/// text of it; one that is not all UTF-8 may still be so where it is looked at.
pub(crate) fn from_line<'l, T: Deserialize<'l>>(line: &'l [u8]) -> serde_json::Result<T> {
    match std::str::from_utf8(line) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(line),
    }
}

/// The row on a line that has its end.
pub(crate) fn strict_row(line: &[u8]) -> Result<Row<'static>, RowProblem> {
    row_of_line(line, false)
}

/// Reads the line that begins at a place into the buffer; `position` is where the source stands.
/// Rows lie mostly in the order in which they are wanted, so the next one is often there already.
pub(crate) fn line_at(
    source: &mut BufReader<File>,
    position: &mut u64,
    offset: u64,
    buffer: &mut Vec<u8>,
) -> Result<(), RowProblem> {
    let sought = match (i64::try_from(offset), i64::try_from(*position)) {
        (Ok(to), Ok(from)) => source.seek_relative(to - from),
        _ => source.seek(SeekFrom::Start(offset)).map(drop),
    };
    sought.map_err(RowProblem::Io)?;
    let end = read_line(source, buffer, LONGEST_LINE).map_err(RowProblem::Io)?;
    *position = offset + buffer.len() as u64;
    match end {
        LineEnd::TooLong => Err(RowProblem::TooLong),
        LineEnd::File | LineEnd::Newline => Ok(()),
    }
}

/// Whether a last line lacks nothing but its end.
pub(super) fn is_whole_row(line: &[u8]) -> bool {
    row_of_line(line, true).is_ok()
}

/// The reason without the position inside the line, which would look like one in the file.
fn describe(fault: &serde_json::Error) -> String {
    let text = fault.to_string();
    let position = format!(" at line {} column {}", fault.line(), fault.column());
    let reason = text.strip_suffix(&position).unwrap_or(&text);
    format!("{} (column {})", excerpt(reason, 200), fault.column())
}

#[cfg(test)]
mod tests;
