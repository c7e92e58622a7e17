//! Recorded results, wherever they are from: a run, a file of its rows, or a file of the original
//! tool; as JSONL, YAML or JSON. Each case once, in the order of the suites.
//!
//! Rows stay on disk: what is kept in memory is where each begins, what it is called and its grade,
//! about a hundred bytes a row.
//! Whatever was passed over is in `notes`, to be told; a line that is no row is a fault.

mod foreign;
mod head;
mod light;
mod order;
mod spool;

use std::{
    fs::File,
    io::{self, BufReader, Read as _},
    path::{Path, PathBuf},
};

use agentv_base::{escape_controls, excerpt};
use tempfile::NamedTempFile;

pub(crate) use self::{
    foreign::row_of_any,
    head::{Before, HeadGrade, HeadRow, HeadRows, NO_LINE},
    light::LightRow,
};
use self::{
    head::Heads,
    order::{Doubled, sort},
};
use crate::{
    convert::ReadDocument,
    record::{FoundRun, Row, RowFault, RowProblem, RunManifest, RunStatus, line_at},
};

/// Bad lines that are told before the rest is only counted.
const MOST_FAULTS: usize = 10;

/// A run, or a file of rows, to be read as often as needed.
pub struct Recorded {
    /// What the user calls it: the id of the run, or the file.
    pub name: String,
    /// What was run, where that is known.
    pub manifest: Option<RunManifest>,
    /// What was passed over, and why; for people.
    pub notes: Vec<String>,
    path: PathBuf,
    /// Holds the rows of a file that is no JSONL, as long as they are needed.
    _spool: Option<NamedTempFile>,
    heads: HeadRows,
}

/// Why recorded results cannot be read: a line for each thing that is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{}", messages.join("\n"))]
pub struct RecordedFault {
    pub messages: Vec<String>,
    pub hint: Option<String>,
}

impl RecordedFault {
    fn new(message: impl Into<String>) -> Self {
        Self { messages: vec![message.into()], hint: None }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl Recorded {
    /// The rows of a run. One that is still at work is read as far as it is.
    pub fn of_run(run: FoundRun) -> Result<Self, RecordedFault> {
        let path = run.folder.results_path();
        let is_running = run.manifest.status == RunStatus::Running;
        let mut recorded = Self::read(&path, run.folder.run_id(), Some(run.manifest), None)?;
        if is_running {
            let note = format!("run {} is not finished: these are its rows so far", recorded.name);
            recorded.notes.push(note);
        }
        Ok(recorded)
    }

    /// Rows of a run that somebody has found already, with what was passed over on the way.
    pub(crate) fn of_rows(run: FoundRun, mut heads: HeadRows, mut notes: Vec<String>) -> Self {
        let name = run.folder.run_id().to_owned();
        if run.manifest.status == RunStatus::Running {
            notes.push(format!("run {name} is not finished: these are its rows so far"));
        }
        sort(&mut heads, Some(&run.manifest));
        let path = run.folder.results_path();
        Self { name, manifest: Some(run.manifest), notes, path, _spool: None, heads }
    }

    /// The rows of a file. `name` is what the user calls it.
    pub fn of_file(path: &Path, name: &str, read: ReadDocument) -> Result<Self, RecordedFault> {
        match spool::spooled(path, read)? {
            Some(spool) => {
                let path = spool.path().to_owned();
                Self::read(&path, name, None, Some(spool))
            }
            None => Self::read(path, name, None, None),
        }
    }

    fn read(
        path: &Path,
        name: &str,
        manifest: Option<RunManifest>,
        spool: Option<NamedTempFile>,
    ) -> Result<Self, RecordedFault> {
        let Heads { all: mut heads, mut notes } = Heads::read(path, name)?;
        let doubled = Doubled::out_of(&mut heads);
        notes.extend(doubled.note(name));
        sort(&mut heads, manifest.as_ref());
        heads.rows.shrink_to_fit();
        heads.names.rest();
        let name = name.to_owned();
        Ok(Self { name, manifest, notes, path: path.to_owned(), _spool: spool, heads })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.heads.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heads.rows.is_empty()
    }

    /// The file that the rows stand in.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is known of each row without reading it again, in order.
    pub(crate) fn heads(&self) -> &HeadRows {
        &self.heads
    }

    /// Every row, in order. A line that turns out to be no row is told with its number.
    pub fn rows(&self) -> Result<impl Iterator<Item = Result<Row<'static>, RowFault>>, RowFault> {
        rows_at(&self.path, self.heads.rows.iter().map(|row| row.offset))
    }
}

/// The rows that begin at these places of a file, of ours or of the original tool.
pub fn rows_at<'p>(
    path: &'p Path,
    offsets: impl Iterator<Item = u64> + 'p,
) -> Result<impl Iterator<Item = Result<Row<'static>, RowFault>> + 'p, RowFault> {
    let fault = |offset: u64, problem: RowProblem| RowFault {
        path: path.to_owned(),
        line: line_of(path, offset).unwrap_or(0),
        offset,
        problem,
    };
    let file = File::open(path).map_err(|cause| fault(0, RowProblem::Io(cause)))?;
    let mut source = BufReader::with_capacity(1 << 16, file);
    let mut position = 0;
    let mut buffer = Vec::new();
    Ok(offsets.map(move |offset| {
        line_at(&mut source, &mut position, offset, &mut buffer)
            .and_then(|()| row_of_any(&buffer))
            .map_err(|problem| fault(offset, problem))
    }))
}

/// Which line begins at a place, from 1.
fn line_of(path: &Path, offset: u64) -> io::Result<u64> {
    let mut before = BufReader::new(File::open(path)?.take(offset));
    let mut lines = 1;
    let mut piece = [0; 1 << 14];
    loop {
        let read = before.read(&mut piece)?;
        if read == 0 {
            return Ok(lines);
        }
        let piece = piece.get(..read).unwrap_or_default();
        lines += piece.split(|byte| *byte == b'\n').count() as u64 - 1;
    }
}

/// What a file that holds no results is told.
fn no_results(name: &str, reason: &str) -> RecordedFault {
    let shown = escape_controls(name);
    RecordedFault::new(format!("`{shown}` holds no results: {}", excerpt(reason, 200))).hint(
        "give a run (its id, the beginning of it, or its folder) or a file of rows: .jsonl, .yaml, \
         .json",
    )
}

#[cfg(test)]
mod tests;
