//! The JSONL file of a batch, read in two passes.
//!
//! The first pass looks at every line (syntax, ids, doubles, missing ones) and keeps only where
//! each record stands, so that a bad last line is known before anything is settled, and memory
//! does not grow with the answers. The second reads one record at a time from its place.

use std::{
    borrow::Cow,
    collections::HashMap,
    fmt,
    fs::File,
    io::{BufRead as _, BufReader},
    os::unix::fs::FileExt as _,
    sync::Arc,
};

use agentv_base::excerpt;
use serde::{
    Deserialize,
    de::{Deserializer, IgnoredAny, MapAccess, Visitor},
};

use crate::provider::{
    jsonl::{bad_line, cannot_be_used, strip_mark, why_no_object},
    record::{Reading, Record},
};

/// What messages call the file.
const FILE: &str = "batch output";
/// Most missing ids that a message names; the others are counted.
const MISSING_NAMED: usize = 50;
/// Most characters of an id that a message shows.
const ID_EXCERPT: usize = 120;
/// Large reads: the first pass is bound by parsing, not by system calls.
const BUFFER: usize = 1 << 20;

/// Where a record stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    offset: u64,
    length: usize,
    /// 1-based, physical.
    line: usize,
}

/// What the first pass found, by the place of each request.
#[derive(Debug)]
pub(super) struct Index {
    pub places: Vec<Option<Place>>,
    /// Records that nobody asked for: how many, and the first of them.
    pub unasked: Option<(usize, String)>,
}

impl Index {
    /// Looks at every line. The error says what is wrong and on which line.
    pub fn read(file: &File, requested: &[Arc<str>]) -> Result<Self, String> {
        let wanted: HashMap<&str, usize> =
            requested.iter().enumerate().map(|(index, id)| (&**id, index)).collect();
        let mut index = Self { places: vec![None; requested.len()], unasked: None };
        let mut unasked_lines: HashMap<String, usize> = HashMap::new();
        let mut reader = BufReader::with_capacity(BUFFER, file);
        let mut buffer = Vec::new();
        let mut offset = 0;
        for line in 1.. {
            buffer.clear();
            let length = reader
                .read_until(b'\n', &mut buffer)
                .map_err(|error| format!("cannot read batch output: {error}"))?;
            if length == 0 {
                break;
            }
            let start = if line == 1 { buffer.len() - strip_mark(&buffer).len() } else { 0 };
            let content = buffer.get(start..).unwrap_or_default().trim_ascii_end();
            if !content.trim_ascii().is_empty() {
                let id = read_id(content, line)?;
                let place = Place { offset: offset + start as u64, length: content.len(), line };
                let first = match wanted.get(&*id) {
                    Some(request) => index.places[*request].replace(place).map(|first| first.line),
                    None => {
                        let (count, _) =
                            index.unasked.get_or_insert_with(|| (0, excerpt(&id, ID_EXCERPT)));
                        *count += 1;
                        unasked_lines.insert(id.clone().into_owned(), line)
                    }
                };
                if let Some(first) = first {
                    return Err(format!(
                        "id `{}` of batch output stands on line {first} and again on line {line}",
                        excerpt(&id, ID_EXCERPT)
                    ));
                }
            }
            offset += length as u64;
        }
        Ok(index)
    }

    /// The records that nobody asked for, in words.
    pub fn unasked_in_words(&self) -> Option<String> {
        let (count, first) = self.unasked.as_ref()?;
        let records = if *count == 1 { "record" } else { "records" };
        Some(format!("has {count} {records} nobody asked for (first id: `{first}`)"))
    }

    /// The ids that have no record, in words; nothing where all have.
    pub fn missing(&self, requested: &[Arc<str>]) -> Option<String> {
        let absent: Vec<&Arc<str>> = requested
            .iter()
            .zip(&self.places)
            .filter(|(_, place)| place.is_none())
            .map(|(id, _)| id)
            .collect();
        if absent.is_empty() {
            return None;
        }
        let named: Vec<String> =
            absent.iter().take(MISSING_NAMED).map(|id| excerpt(id, ID_EXCERPT)).collect();
        let more = match absent.len().saturating_sub(MISSING_NAMED) {
            0 => String::new(),
            more => format!(" … and {more} more"),
        };
        // A misspelt id is the likeliest reason for a missing one.
        let unasked =
            self.unasked_in_words().map_or(String::new(), |words| format!("; it {words}"));
        let records = absent.len() < requested.len() || self.unasked.is_some();
        Some(format!(
            "batch output {} {} of {} requested ids: {}{more}{unasked}",
            if records { "is missing" } else { "has no records: it is missing" },
            absent.len(),
            requested.len(),
            named.join(", ")
        ))
    }
}

impl Place {
    /// Reads the record that stands here. What is wrong with it is the fault of its case alone.
    pub fn record(self, file: &File) -> Result<Reading, String> {
        let mut bytes = vec![0; self.length];
        file.read_exact_at(&mut bytes, self.offset)
            .map_err(|error| format!("cannot read line {} of batch output: {error}", self.line))?;
        match serde_json::from_slice::<Record>(&bytes) {
            Ok(record) => Ok(record.read()),
            Err(error) => Err(bad_line(FILE, self.line, &cannot_be_used(&error), &bytes)),
        }
    }

    pub fn line(self) -> usize {
        self.line
    }
}

/// The id of the record on this line; every way in which there can be none has its own words.
fn read_id(content: &[u8], line: usize) -> Result<Cow<'_, str>, String> {
    let Ok(text) = std::str::from_utf8(content) else {
        return Err(bad_line(FILE, line, "is not UTF-8", content));
    };
    let header: Header<'_> = match serde_json::from_str(text) {
        Ok(header) => header,
        Err(error) => {
            return Err(bad_line(FILE, line, &why_no_object(text, &error), content));
        }
    };
    let what = match header.id {
        Id::Text(id) if !id.trim().is_empty() => return Ok(id),
        Id::Text(_) => "has a blank `id`",
        Id::Absent => "has no `id`",
        Id::Other => "has an `id` that is not a string",
    };
    Err(bad_line(FILE, line, what, content))
}

/// The one field that the first pass looks at; the others are checked for syntax and skipped.
struct Header<'a> {
    id: Id<'a>,
}

enum Id<'a> {
    Absent,
    Text(Cow<'a, str>),
    Other,
}

impl<'de> Deserialize<'de> for Header<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct HeaderVisitor;

        impl<'de> Visitor<'de> for HeaderVisitor {
            type Value = Header<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut id = Id::Absent;
                while let Some(IsId(is_id)) = map.next_key()? {
                    if is_id {
                        id = map.next_value()?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Header { id })
            }
        }

        deserializer.deserialize_map(HeaderVisitor)
    }
}

/// A key, of which only one thing is of interest.
struct IsId(bool);

impl<'de> Deserialize<'de> for IsId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl Visitor<'_> for KeyVisitor {
            type Value = IsId;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a key")
            }

            fn visit_str<E>(self, key: &str) -> Result<IsId, E> {
                Ok(IsId(key == "id"))
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}

impl<'de> Deserialize<'de> for Id<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdVisitor;

        impl<'de> Visitor<'de> for IdVisitor {
            type Value = Id<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON value")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Id<'de>, E> {
                Ok(Id::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Id<'de>, E> {
                Ok(Id::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_unit<E>(self) -> Result<Id<'de>, E> {
                Ok(Id::Absent)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Id<'de>, E> {
                Ok(Id::Other)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Id<'de>, E> {
                Ok(Id::Other)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Id<'de>, E> {
                Ok(Id::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Id<'de>, E> {
                Ok(Id::Other)
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut items: A,
            ) -> Result<Id<'de>, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Id::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Id<'de>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Id::Other)
            }
        }

        deserializer.deserialize_any(IdVisitor)
    }
}

#[cfg(test)]
mod tests;
