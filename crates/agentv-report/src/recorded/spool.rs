//! Rows of a file that is no JSONL, as JSONL in a temporary one.

use std::{
    fmt,
    fs::File,
    io::{self, BufReader, BufWriter, Read as _, Write as _},
    path::Path,
};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::{RecordedFault, no_results};
use crate::convert::{ID_KEYS, ReadDocument, RowsFormat, convert_rows, rows_format};

/// Keys under which files that are one JSON document keep their rows.
const LISTS: [&str; 2] = ["results", "rows"];

/// Nothing where the file is JSONL, or is nothing that is known: whoever reads its lines will say.
pub(super) fn spooled(
    path: &Path,
    read: ReadDocument,
) -> Result<Option<NamedTempFile>, RecordedFault> {
    let name = path.to_string_lossy();
    let cannot = |cause: io::Error| no_results(&name, &format!("cannot read it: {cause}"));
    if path.is_dir() {
        return Ok(None);
    }
    match rows_format(path).map_err(cannot)? {
        Some(RowsFormat::Yaml) => {
            let mut spool = NamedTempFile::new().map_err(cannot)?;
            let mut out = BufWriter::new(spool.as_file_mut());
            convert_rows(path, RowsFormat::Yaml, RowsFormat::Jsonl, read, &mut out)
                .map_err(|fault| RecordedFault::new(fault.to_string()))?;
            out.flush().map_err(cannot)?;
            drop(out);
            Ok(Some(spool))
        }
        None if is_one_document(path).map_err(cannot)? => of_document(path, &name),
        Some(RowsFormat::Jsonl) | None => Ok(None),
    }
}

/// Whether a file begins as a list, or as an object that does not end on its line.
fn is_one_document(path: &Path) -> io::Result<bool> {
    let mut start = String::new();
    let mut file = BufReader::new(File::open(path)?.take(1 << 12));
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    start.push_str(&String::from_utf8_lossy(&bytes));
    let start = start.trim_start_matches('\u{feff}').trim_start();
    Ok(start.starts_with('[') || start.starts_with('{'))
}

fn of_document(path: &Path, name: &str) -> Result<Option<NamedTempFile>, RecordedFault> {
    let cannot = |cause: io::Error| no_results(name, &format!("cannot read it: {cause}"));
    let file = BufReader::with_capacity(1 << 16, File::open(path).map_err(cannot)?);
    let mut spool = NamedTempFile::new().map_err(cannot)?;
    let mut out = BufWriter::new(spool.as_file_mut());
    let mut document = serde_json::Deserializer::from_reader(file);
    let found = Document { out: &mut out }.deserialize(&mut document);
    let found = found.and_then(|found| document.end().map(|()| found));
    match found {
        Ok(Found::Rows) => out.flush().map_err(cannot)?,
        Ok(Found::Nothing) => {
            return Err(no_results(name, "it is an object without a list of `results`"));
        }
        // A file of one row is a document too, and what is none may still be lines.
        Ok(Found::Row) | Err(_) => return Ok(None),
    }
    drop(out);
    Ok(Some(spool))
}

/// A list of rows, or an object with one: each row becomes a line when it is read, so that a file of
/// any length costs the memory of its longest row.
struct Document<'o, W> {
    out: &'o mut W,
}

/// What a document is.
enum Found {
    Rows,
    Row,
    Nothing,
}

impl<'de, W: io::Write> DeserializeSeed<'de> for Document<'_, W> {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, document: D) -> Result<Found, D::Error> {
        document.deserialize_any(self)
    }
}

impl<'de, W: io::Write> Visitor<'de> for Document<'_, W> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of rows, or an object with one")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Found, A::Error> {
        while let Some(row) = rows.next_element::<Value>()? {
            serde_json::to_writer(&mut *self.out, &row).map_err(A::Error::custom)?;
            self.out.write_all(b"\n").map_err(A::Error::custom)?;
        }
        Ok(Found::Rows)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Found, A::Error> {
        let mut found = Found::Nothing;
        while let Some(key) = object.next_key::<String>()? {
            if matches!(found, Found::Nothing) && LISTS.contains(&key.as_str()) {
                found = object.next_value_seed(Document { out: &mut *self.out })?;
            } else {
                object.next_value::<IgnoredAny>()?;
                if matches!(found, Found::Nothing) && ID_KEYS.contains(&key.as_str()) {
                    found = Found::Row;
                }
            }
        }
        Ok(found)
    }
}
