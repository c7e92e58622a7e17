//! What tells one row from another: the first look at a file, which passes over everything else.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
};

use agentv_base::excerpt;
use serde::Deserialize;

use super::{
    MOST_FAULTS, RecordedFault,
    foreign::row_of_any,
    light::{LightRow, Text},
    no_results,
};
use crate::{
    names::{Name, Names},
    record::{LONGEST_LINE, RowProblem, Status},
};

/// A row as far as its place among others, and a comparison of its score, depend on it: 64 bytes.
#[derive(Clone, Copy)]
pub(crate) struct HeadRow {
    pub(crate) offset: u64,
    /// The line of the suite; [`NO_LINE`] where it is not known.
    pub(crate) line: u64,
    pub(crate) suite: Name,
    pub(crate) dataset: Name,
    pub(crate) id: Name,
    pub(crate) target: Name,
    pub(crate) repeat: u32,
    /// Which line of the file it is, from 1.
    pub(crate) at_line: u32,
    /// Nothing where the row has to be read as a whole for it.
    pub(crate) grade: Option<HeadGrade>,
}

pub(crate) const NO_LINE: u64 = u64::MAX;

#[derive(Clone, Copy)]
pub(crate) struct HeadGrade {
    /// No number for an error.
    pub(crate) score: f64,
    /// No number where nothing says.
    pub(crate) threshold: f32,
    /// The file that the case stands in.
    pub(crate) file: Name,
    pub(crate) conversation: Name,
    pub(crate) status: Status,
}

/// The names of the row before, which most rows have as well.
#[derive(Default)]
pub(crate) struct Before {
    suite: Name,
    dataset: Name,
    target: Name,
    file: Name,
}

impl HeadRow {
    /// A row without its place in the file.
    pub(crate) fn of(row: &LightRow<'_>, names: &mut Names, before: &mut Before) -> Self {
        let suite = names.place_near(&row.suite, &mut before.suite);
        let file = row.file.as_ref().map_or(suite, |it| names.place_near(&it.0, &mut before.file));
        #[expect(clippy::cast_possible_truncation, reason = "only compared with another such")]
        let threshold = row.threshold.map_or(f32::NAN, |threshold| threshold as f32);
        let grade = HeadGrade {
            score: row.score().unwrap_or(f64::NAN),
            threshold,
            file,
            conversation: row.conversation_id.as_ref().map_or(0, |it| names.place(&it.0)),
            status: row.status(),
        };
        Self {
            offset: 0,
            line: row.line.unwrap_or(NO_LINE),
            suite,
            dataset: names.place_near(&row.dataset, &mut before.dataset),
            id: names.place(&row.eval_id),
            target: names.place_near(&row.target, &mut before.target),
            repeat: row.repeat.max(1),
            at_line: 0,
            grade: Some(grade),
        }
    }

    pub(crate) fn has_line(&self) -> bool {
        self.line != NO_LINE
    }
}

/// Rows, and the names that they go by; the empty one is at 0.
pub(crate) struct HeadRows {
    pub(crate) rows: Vec<HeadRow>,
    pub(crate) names: Names,
}

pub(super) struct Heads {
    pub(super) all: HeadRows,
    pub(super) notes: Vec<String>,
}

/// What names a row that is not quite one of ours; every other key is passed over. Rows that do not
/// fit are read whole.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    eval_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    dataset: Option<Text<'a>>,
    #[serde(borrow, default)]
    suite: Option<Text<'a>>,
    #[serde(borrow, default)]
    target: Option<Text<'a>>,
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
        let mut reading = Reading::new();
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

struct Reading {
    rows: Vec<HeadRow>,
    names: Names,
    before: Before,
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
    fn new() -> Self {
        Self {
            rows: Vec::new(),
            names: Names::with_empty(),
            before: Before::default(),
            offset: 0,
            line: 0,
            faults: Vec::new(),
            more_faults: 0,
            is_torn: false,
            foreign: 0,
        }
    }

    fn line(&mut self, bytes: &[u8]) {
        self.line += 1;
        let is_ended = bytes.last() == Some(&b'\n');
        let text = if self.line == 1 { bytes.strip_prefix(b"\xef\xbb\xbf") } else { None };
        let text = text.unwrap_or(bytes).trim_ascii();
        if text.is_empty() {
            return;
        }
        if let Some(row) = LightRow::read(text) {
            let row = HeadRow::of(&row, &mut self.names, &mut self.before);
            return self.add(row);
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
                eval_id: Some(Text(row.eval_id)),
                dataset: Some(Text(row.dataset)),
                suite: Some(Text(row.suite)),
                target: Some(Text(row.target)),
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
        let mut name =
            |text: &Option<Text<'_>>| text.as_ref().map_or(0, |it| self.names.place(&it.0));
        let row = HeadRow {
            offset: 0,
            line: head.line.unwrap_or(NO_LINE),
            suite: name(&head.suite),
            dataset: name(&head.dataset),
            id: name(&head.eval_id),
            target: name(&head.target),
            repeat: head.repeat.unwrap_or(1).max(1),
            at_line: 0,
            grade: None,
        };
        self.foreign += usize::from(head.status.is_none());
        self.add(row);
    }

    fn add(&mut self, row: HeadRow) {
        let at_line = u32::try_from(self.line).unwrap_or(u32::MAX);
        self.rows.push(HeadRow { offset: self.offset, at_line, ..row });
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
        Ok(Heads { all: HeadRows { rows: self.rows, names: self.names }, notes })
    }
}
