//! Recorded results from one format to another: rows of ours and of the original, JSONL and YAML.
//!
//! Every field stays, also those that nobody here knows, in the order in which they stand. Reading
//! goes row by row, so that a file of any length costs the memory of its longest row.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Seek as _, Write},
    path::{Path, PathBuf},
};

use agentv_base::{escape_controls, excerpt};
use serde_json::{Map, Value};

use crate::render::yaml::cause;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsFormat {
    /// One row a line.
    Jsonl,
    /// One document a row.
    Yaml,
}

impl RowsFormat {
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Jsonl => Self::Yaml,
            Self::Yaml => Self::Jsonl,
        }
    }
}

/// Why rows were not converted.
#[derive(Debug, thiserror::Error)]
pub enum ConvertFault {
    #[error("`{}` cannot be read: {cause}", escape_controls(&path.to_string_lossy()))]
    Read { path: PathBuf, cause: io::Error },
    #[error("{}, line {line}: {problem}", escape_controls(&path.to_string_lossy()))]
    Row { path: PathBuf, line: usize, problem: String },
    #[error("{0}")]
    Write(#[from] io::Error),
}

/// Rows beyond this wait on disk until all of them have been read.
const MOST_IN_MEMORY: usize = 16 * 1024 * 1024;

/// The keys that a row is known by, in any dialect.
pub(crate) const ID_KEYS: [&str; 2] = ["eval_id", "test_id"];

/// In which format the rows of a file are; nothing where it holds no rows.
pub fn rows_format(path: &Path) -> io::Result<Option<RowsFormat>> {
    let mut first = true;
    for line in BufReader::new(File::open(path)?).split(b'\n') {
        let line = line?;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}');
        if first && text.trim_start().starts_with('{') {
            let row = serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
            let is_row = ID_KEYS.iter().any(|key| row.contains_key(*key));
            return Ok(is_row.then_some(RowsFormat::Jsonl));
        }
        let is_id = |key: &str| text.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
        if ID_KEYS.iter().any(|key| is_id(key)) {
            return Ok(Some(RowsFormat::Yaml));
        }
        if is_separator(text) && !first {
            return Ok(None);
        }
        let is_nothing = text.trim().is_empty() || text.starts_with('#') || is_separator(text);
        first = first && is_nothing;
    }
    Ok(None)
}

/// Reads one YAML document, or says on which of its lines (from 1) it is none, and why. Files of
/// ours are read in one way only, which this crate is handed.
pub type ReadDocument = fn(&str) -> Result<Value, (usize, String)>;

/// Writes every row of a file in a format, and says how many there were. Nothing is written before
/// all of it has been read.
pub fn convert_rows(
    path: &Path,
    from: RowsFormat,
    to: RowsFormat,
    read: ReadDocument,
    out: &mut dyn Write,
) -> Result<usize, ConvertFault> {
    let mut rows = BufWriter::new(tempfile::spooled_tempfile(MOST_IN_MEMORY));
    let count = write_rows(path, from, to, read, &mut rows)?;
    let mut rows = rows.into_inner().map_err(io::IntoInnerError::into_error)?;
    rows.rewind()?;
    io::copy(&mut rows, out)?;
    Ok(count)
}

fn write_rows(
    path: &Path,
    from: RowsFormat,
    to: RowsFormat,
    read: ReadDocument,
    mut out: &mut dyn Write,
) -> Result<usize, ConvertFault> {
    let mut count = 0;
    let mut take = |row: &Map<String, Value>| -> Result<(), ConvertFault> {
        match to {
            RowsFormat::Jsonl => {
                serde_json::to_writer(&mut out, row).map_err(io::Error::from)?;
                out.write_all(b"\n")?;
            }
            RowsFormat::Yaml => {
                if count > 0 {
                    out.write_all(b"---\n")?;
                }
                serde_saphyr::to_io_writer(&mut out, row).map_err(cause)?;
            }
        }
        count += 1;
        Ok(())
    };
    let file = Lines::open(path)?;
    match from {
        RowsFormat::Jsonl => each_line(file, &mut take)?,
        RowsFormat::Yaml => each_document(file, read, &mut take)?,
    }
    Ok(count)
}

type Take<'t> = dyn FnMut(&Map<String, Value>) -> Result<(), ConvertFault> + 't;

fn each_line(mut lines: Lines<'_>, take: &mut Take<'_>) -> Result<(), ConvertFault> {
    while let Some(line) = lines.next()? {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let value = serde_json::from_str::<Value>(line).map_err(|fault| {
            let reason = fault.to_string();
            let place = format!(" at line {} column {}", fault.line(), fault.column());
            // Where a text ends too early, its last character is the place.
            let column = if fault.is_eof() { line.trim_end().len() } else { fault.column() };
            let reason = reason.strip_suffix(&place).unwrap_or(&reason);
            lines.fault(
                lines.number,
                format!("not JSON: {reason} (column {column}): {}", excerpt(line, 80)),
            )
        })?;
        take(&row_of(value).map_err(|problem| lines.fault(lines.number, problem))?)?;
    }
    Ok(())
}

fn each_document(
    mut lines: Lines<'_>,
    read: ReadDocument,
    take: &mut Take<'_>,
) -> Result<(), ConvertFault> {
    let mut document = String::new();
    let mut start = 1;
    loop {
        let line = lines.next()?;
        match line {
            Some(line) if !is_separator(&line) => document.push_str(&line),
            line => {
                if !is_blank(&document) {
                    let value = read(&document).map_err(|(line, problem)| {
                        // Only what is wrong: the file is not the one that the reader shows.
                        let problem = problem.lines().next().unwrap_or_default();
                        let problem = problem.strip_prefix("error: ").unwrap_or(problem);
                        lines.fault(start + line.max(1) - 1, format!("not YAML: {problem}"))
                    })?;
                    take(&row_of(value).map_err(|problem| lines.fault(start, problem))?)?;
                }
                document.clear();
                if line.is_none() {
                    return Ok(());
                }
                start = lines.number + 1;
            }
        }
    }
}

fn row_of(value: Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(row) if ID_KEYS.iter().any(|key| row.contains_key(*key)) => Ok(row),
        Value::Object(_) => Err("not a result row: it has no `eval_id`".to_owned()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err("not a result row: it is no object".to_owned())
        }
    }
}

/// In YAML a line that begins like this never belongs to a value.
fn is_separator(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.trim().is_empty())
}

fn is_blank(document: &str) -> bool {
    document.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#')
    })
}

/// The lines of a file with their ends, counted from 1.
struct Lines<'p> {
    path: &'p Path,
    source: BufReader<File>,
    number: usize,
}

impl<'p> Lines<'p> {
    fn open(path: &'p Path) -> Result<Self, ConvertFault> {
        let opened = File::open(path);
        let file = opened.map_err(|cause| ConvertFault::Read { path: path.to_owned(), cause })?;
        Ok(Self { path, source: BufReader::with_capacity(64 * 1024, file), number: 0 })
    }

    fn next(&mut self) -> Result<Option<String>, ConvertFault> {
        let mut line = Vec::new();
        let read = self.source.read_until(b'\n', &mut line);
        let length =
            read.map_err(|cause| ConvertFault::Read { path: self.path.to_owned(), cause })?;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        let text = String::from_utf8(line)
            .map_err(|_| self.fault(self.number, "not UTF-8 text".to_owned()))?;
        Ok(Some(match text.strip_prefix('\u{feff}') {
            Some(rest) if self.number == 1 => rest.to_owned(),
            _ => text,
        }))
    }

    fn fault(&self, line: usize, problem: String) -> ConvertFault {
        ConvertFault::Row { path: self.path.to_owned(), line, problem }
    }
}

#[cfg(test)]
mod tests;
