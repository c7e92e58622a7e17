//! The JSONL file of a batch, read in two passes.
//!
//! The first pass looks at every line (syntax, ids, doubles, missing ones) and keeps only where
//! each record stands, so that a bad last line is known before anything is settled, and memory
//! does not grow with the answers. The second reads one record at a time from its place.

mod header;
mod lines;
mod skim;

use std::{collections::HashMap, fs::File, io, num::NonZeroU32, sync::Arc};

use agentv_base::excerpt;

use self::header::read_id;
use super::ahead::Ahead;
use crate::provider::{
    jsonl::{bad_line, cannot_be_used, strip_mark},
    plain_record,
    record::Reading,
};

/// What messages call the file.
const FILE: &str = "batch output";
/// Most missing ids that a message names; the others are counted.
const MISSING_NAMED: usize = 50;
/// Most characters of an id that a message shows.
const ID_EXCERPT: usize = 120;
/// Most bytes that are shown of a line that is too long.
const EXCERPT: usize = 1000;

/// Where a record stands in the file, in few bytes: there may be millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    offset: u64,
    length: u32,
    /// 1-based, physical.
    line: NonZeroU32,
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
        let mut wanted = Wanted { requested, next: 0, places: None };
        let mut index = Self { places: vec![None; requested.len()], unasked: None };
        let mut unasked_lines: HashMap<String, usize> = HashMap::new();
        let (mut offset, mut line) = (0, 0);
        lines::each(file, |text| {
            line += 1;
            let start = if line == 1 { text.len() - strip_mark(text).len() } else { 0 };
            let content = text.get(start..).unwrap_or_default().trim_ascii_end();
            let begin = offset + start as u64;
            offset += text.len() as u64;
            if content.trim_ascii_start().is_empty() {
                return Ok(());
            }
            let id = read_id(content, line)?;
            let place = Place::new(begin, content, line)?;
            let first = match wanted.place(&id) {
                Some(request) => index.places[request].replace(place).map(Place::line),
                None => {
                    let (count, _) =
                        index.unasked.get_or_insert_with(|| (0, excerpt(&id, ID_EXCERPT)));
                    *count += 1;
                    unasked_lines.insert(id.clone().into_owned(), line)
                }
            };
            match first {
                Some(first) => Err(NoIndex(format!(
                    "id `{}` of batch output stands on line {first} and again on line {line}",
                    excerpt(&id, ID_EXCERPT)
                ))),
                None => Ok(()),
            }
        })
        .map_err(|NoIndex(why)| why)?;
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

/// Why there is none.
struct NoIndex(String);

impl From<String> for NoIndex {
    fn from(why: String) -> Self {
        Self(why)
    }
}

impl From<io::Error> for NoIndex {
    fn from(error: io::Error) -> Self {
        Self(format!("cannot read batch output: {error}"))
    }
}

/// Where ids stand among the requests. Most files are in their order: then none is looked for.
struct Wanted<'r> {
    requested: &'r [Arc<str>],
    /// The one that is expected next.
    next: usize,
    /// All of them, once one came out of order.
    places: Option<foldhash::HashMap<&'r str, usize>>,
}

impl Wanted<'_> {
    fn place(&mut self, id: &str) -> Option<usize> {
        let place = match self.requested.get(self.next) {
            Some(expected) if **expected == *id => self.next,
            _ => {
                let all = self.requested.iter().enumerate();
                let places = self
                    .places
                    .get_or_insert_with(|| all.map(|(place, id)| (&**id, place)).collect());
                *places.get(id)?
            }
        };
        self.next = place + 1;
        Some(place)
    }
}

impl Place {
    fn new(offset: u64, content: &[u8], line: usize) -> Result<Self, String> {
        let numbers = u32::try_from(content.len()).ok().zip(u32::try_from(line).ok());
        let numbers = numbers.and_then(|(length, line)| Some((length, NonZeroU32::new(line)?)));
        let (length, line) = numbers.ok_or_else(|| {
            bad_line(
                FILE,
                line,
                "is too long, or one of too many",
                &content[..EXCERPT.min(content.len())],
            )
        })?;
        Ok(Self { offset, length, line })
    }

    /// Reads the record that stands here. What is wrong with it is the fault of its case alone.
    pub fn record(self, file: &Ahead) -> Result<Reading, String> {
        let piece = file
            .read(self.offset, self.length as usize)
            .map_err(|error| format!("cannot read line {} of batch output: {error}", self.line))?;
        plain_record::read(piece.bytes())
            .map_err(|error| bad_line(FILE, self.line(), &cannot_be_used(&error), piece.bytes()))
    }

    pub fn line(self) -> usize {
        self.line.get() as usize
    }
}

#[cfg(test)]
mod tests;
