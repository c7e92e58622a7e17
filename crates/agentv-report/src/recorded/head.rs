//! What tells one row from another: the first look at a file, which passes over everything else.

use std::{
    borrow::Cow,
    fs::File,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
};

use agentv_base::excerpt;
use serde::Deserialize;

use super::{MOST_FAULTS, RecordedFault, foreign::row_of_any, no_results};
use crate::record::{LONGEST_LINE, RowProblem};

/// A row as far as its place among others depends on it.
pub(crate) struct HeadRow {
    pub(crate) offset: u64,
    pub(crate) at_line: u64,
    pub(crate) suite: Box<str>,
    pub(crate) id: Box<str>,
    pub(crate) target: Box<str>,
    pub(crate) repeat: u32,
    /// The line of the suite.
    pub(crate) line: Option<u64>,
    /// Of all that names it.
    pub(crate) key: [u64; 2],
}

pub(super) struct Heads {
    pub(super) rows: Vec<HeadRow>,
    pub(super) notes: Vec<String>,
}

/// What names a row of ours; every other key is passed over. Rows that do not fit are read whole.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    eval_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    dataset: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    suite: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    target: Option<Cow<'a, str>>,
    #[serde(default)]
    repeat: Option<u32>,
    #[serde(default)]
    line: Option<u64>,
    #[serde(default)]
    status: Option<serde::de::IgnoredAny>,
}

impl Heads {
    pub(super) fn read(path: &Path, name: &str) -> Result<Self, RecordedFault> {
        let cannot = |cause: std::io::Error| no_results(name, &format!("cannot read it: {cause}"));
        let file = File::open(path).map_err(cannot)?;
        if file.metadata().map_err(cannot)?.is_dir() {
            return Err(no_results(name, "it is a folder without `run.json`"));
        }
        let mut source = BufReader::with_capacity(1 << 16, file);
        let mut reading = Reading::default();
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let length =
                (&mut source).take(LONGEST_LINE).read_until(b'\n', &mut buffer).map_err(cannot)?
                    as u64;
            if length == 0 {
                break;
            }
            if length == LONGEST_LINE {
                return Err(no_results(name, "a line of it is longer than any row"));
            }
            reading.line(&buffer);
            reading.offset += length;
        }
        reading.end(name)
    }
}

#[derive(Default)]
struct Reading {
    rows: Vec<HeadRow>,
    offset: u64,
    line: u64,
    faults: Vec<String>,
    more_faults: usize,
    /// The last line has no end and is no row.
    is_torn: bool,
    /// Rows that some other program, or an earlier version, wrote.
    foreign: usize,
}

impl Reading {
    fn line(&mut self, bytes: &[u8]) {
        self.line += 1;
        let is_ended = bytes.last() == Some(&b'\n');
        let text = if self.line == 1 { bytes.strip_prefix(b"\xef\xbb\xbf") } else { None };
        let text = text.unwrap_or(bytes).trim_ascii();
        if text.is_empty() {
            return;
        }
        let fault = match serde_json::from_slice::<Head<'_>>(text) {
            Ok(head) if head.eval_id.is_some() => return self.row(&head),
            Ok(_) => None,
            // What was being written begins as a row does, and says nothing wrong before it ends.
            Err(fault) if !is_ended && fault.is_eof() && text.starts_with(b"{") => {
                self.is_torn = true;
                return;
            }
            Err(fault) => Some(fault),
        };
        match (row_of_any(text), fault) {
            (Ok(row), _) => self.row(&Head {
                eval_id: Some(row.eval_id),
                dataset: Some(row.dataset),
                suite: Some(row.suite),
                target: Some(row.target),
                repeat: Some(row.repeat),
                line: None,
                status: None,
            }),
            (Err(_), Some(fault)) if !fault.is_data() => {
                let reason = fault.to_string();
                let position = format!(" at line {} column {}", fault.line(), fault.column());
                let reason = reason.strip_suffix(&position).unwrap_or(&reason);
                self.fault(&format!("{} (column {})", excerpt(reason, 160), fault.column()));
            }
            (Err(RowProblem::NotARow(reason)), _) => self.fault(&reason),
            (Err(problem), _) => self.fault(&problem.to_string()),
        }
    }

    fn row(&mut self, head: &Head<'_>) {
        let text = |text: &Option<Cow<'_, str>>| text.as_deref().unwrap_or_default().into();
        let (suite, id, target): (Box<str>, Box<str>, Box<str>) =
            (text(&head.suite), text(&head.eval_id), text(&head.target));
        let dataset = head.dataset.as_deref().unwrap_or_default();
        let repeat = head.repeat.unwrap_or(1).max(1);
        let key = [0_u8, 1].map(|half| {
            let mut hasher = DefaultHasher::new();
            (half, &suite, dataset, &id, &target, repeat).hash(&mut hasher);
            hasher.finish()
        });
        self.foreign += usize::from(head.status.is_none());
        let (offset, at_line, line) = (self.offset, self.line, head.line);
        self.rows.push(HeadRow { offset, at_line, suite, id, target, repeat, line, key });
    }

    fn fault(&mut self, reason: &str) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(format!("line {}: {reason}", self.line));
        } else {
            self.more_faults += 1;
        }
    }

    fn end(self, name: &str) -> Result<Heads, RecordedFault> {
        let shown = excerpt(name, 200);
        if self.rows.is_empty()
            && let Some(first) = self.faults.first()
        {
            return Err(no_results(name, first));
        }
        if !self.faults.is_empty() {
            let mut messages: Vec<String> = self
                .faults
                .iter()
                .map(|fault| {
                    format!("{shown}, {}", fault.replacen(": ", ": not a result row: ", 1))
                })
                .collect();
            if self.more_faults > 0 {
                messages.push(format!("{shown}: {} more lines are no rows", self.more_faults));
            }
            return Err(RecordedFault { messages, hint: None });
        }
        let mut notes = Vec::new();
        if self.is_torn {
            notes.push(format!(
                "{shown}: the last line is torn (the row on it was never finished) and left out"
            ));
        }
        if self.foreign > 0 {
            let rows = if self.foreign == 1 {
                "1 row does not say whether its case".to_owned()
            } else {
                format!("{} rows do not say whether their case", self.foreign)
            };
            notes.push(format!("{shown}: {rows} passed; a score from 0.8 on counts as passed"));
        }
        Ok(Heads { rows: self.rows, notes })
    }
}
