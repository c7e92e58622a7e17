//! The first to hear of a settled case: a row on disk before anything is shown.
//!
//! Invariant: `results.jsonl` only grows, by whole lines; no row is ever changed.

use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind, Write as _},
    os::unix::fs::MetadataExt as _,
    path::PathBuf,
    time::{Duration, SystemTime},
};

use agentv_base::{RunEvent, SettledCase, Sink, SinkFault};

use super::{
    fault::RecordFault,
    folder::RunFolder,
    manifest::{RunCounts, RunManifest},
    row::{Row, Status},
};

#[derive(Clone, Copy, Debug, Default)]
pub struct RecorderOptions {
    /// Keep messages and trace in the rows.
    pub include_trace: bool,
    /// The cut-off of the run whatever its cases say, for the rows of cases that no grader saw.
    pub threshold: Option<f64>,
    /// The cut-off where nobody says otherwise.
    pub default_threshold: Option<f64>,
}

/// Appends the rows of a run to its `results.jsonl`.
pub struct Recorder {
    folder: RunFolder,
    options: RecorderOptions,
    path: PathBuf,
    file: File,
    /// Where the next row begins.
    end: u64,
    /// Used again for every row, so that a row costs no allocation of its own.
    line: Vec<u8>,
    /// By place in the plan, where the case's row begins.
    offsets: Vec<Option<u64>>,
    counts: RunCounts,
    pace: SyncPace,
}

impl Recorder {
    pub fn new(folder: RunFolder, options: RecorderOptions) -> Result<Self, RecordFault> {
        let path = folder.results_path();
        let opened = OpenOptions::new().append(true).open(&path);
        let file = opened.map_err(RecordFault::of("open", &path))?;
        let metadata = file.metadata().map_err(RecordFault::of("open", &path))?;
        Ok(Self {
            folder,
            options,
            path,
            file,
            end: metadata.len(),
            line: Vec::new(),
            offsets: Vec::new(),
            counts: RunCounts::default(),
            pace: SyncPace::default(),
        })
    }

    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// What was heard so far; a planned case without a row counts as not run.
    pub fn counts(&self) -> RunCounts {
        let settled = self.counts.passed + self.counts.failed + self.counts.errors;
        RunCounts { not_run: self.counts.planned.saturating_sub(settled), ..self.counts }
    }

    /// Where the rows begin in `results.jsonl`, in the order of the plan rather than that in
    /// which the cases came to their end.
    pub fn offsets(&self) -> impl Iterator<Item = u64> + '_ {
        self.offsets.iter().copied().flatten()
    }

    /// Brings every row to the disk and writes the last `run.json`.
    pub fn finish(&mut self, manifest: &RunManifest) -> Result<(), RecordFault> {
        self.sync()?;
        self.folder.write_manifest(manifest)
    }

    fn settle(&mut self, settled: &SettledCase) -> Result<(), RecordFault> {
        let Some(mut row) = Row::of(settled, self.options.include_trace) else {
            return Ok(());
        };
        row.threshold = row
            .threshold
            .or(self.options.threshold)
            .or(settled.case.threshold)
            .or(self.options.default_threshold);
        let status = row.status;
        self.line.clear();
        serde_json::to_writer(&mut self.line, &row)
            .map_err(io::Error::from)
            .map_err(RecordFault::of("write a row to", &self.path))?;
        self.line.push(b'\n');
        self.append().map_err(RecordFault::of("write a row to", &self.path))?;
        self.note(settled.slot, status);
        if self.pace.is_due(settled.settled_at) {
            self.sync()?;
        }
        Ok(())
    }

    /// The line in one piece, or none of it.
    fn append(&mut self) -> io::Result<()> {
        if let Err(fault) = self.file.write_all(&self.line) {
            // The piece that did get through is taken back where that is possible; where it is
            // not, the reader knows a torn last line when it sees one.
            let _ = self.file.set_len(self.end);
            return Err(fault);
        }
        self.still_there()
    }

    /// A file that was deleted takes rows without complaint and keeps none of them.
    fn still_there(&self) -> io::Result<()> {
        if self.file.metadata()?.nlink() == 0 {
            return Err(io::Error::new(
                ErrorKind::NotFound,
                "the file was deleted while the run was writing to it",
            ));
        }
        Ok(())
    }

    fn note(&mut self, slot: usize, status: Status) {
        if self.offsets.len() <= slot {
            self.offsets.resize(slot + 1, None);
        }
        self.offsets[slot] = Some(self.end);
        self.end += self.line.len() as u64;
        match status {
            Status::Passed => self.counts.passed += 1,
            Status::Failed => self.counts.failed += 1,
            Status::Error => self.counts.errors += 1,
        }
    }

    fn sync(&mut self) -> Result<(), RecordFault> {
        self.file
            .sync_data()
            .and_then(|()| self.still_there())
            .map_err(RecordFault::of("bring the rows to the disk in", &self.path))
    }

    fn take(&mut self, event: &RunEvent) -> Result<(), RecordFault> {
        match event {
            RunEvent::Started { cases } => {
                self.counts.planned = *cases;
                self.offsets.reserve(*cases);
                Ok(())
            }
            RunEvent::Settled(settled) => self.settle(settled),
            RunEvent::Finished(_) => self.sync(),
            RunEvent::Invoking { .. }
            | RunEvent::Invoked { .. }
            | RunEvent::Grading { .. }
            | RunEvent::Graded { .. }
            | RunEvent::Warning(_)
            | RunEvent::Stopping(_) => Ok(()),
        }
    }
}

impl Sink for Recorder {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault> {
        self.take(event).map_err(|fault| SinkFault { message: fault.to_string() })
    }
}

/// When to bring the rows to the disk: waiting for it at every row would hold up a fast run, and
/// a process that dies without the machine loses nothing anyway.
#[derive(Default)]
struct SyncPace {
    last: Option<SystemTime>,
}

impl SyncPace {
    const SPACING: Duration = Duration::from_secs(1);

    fn is_due(&mut self, now: SystemTime) -> bool {
        let due = self.last.is_none_or(|last| {
            // A clock that was set back must not put the next sync off for hours.
            now.duration_since(last).map_or(true, |passed| passed >= Self::SPACING)
        });
        if due {
            self.last = Some(now);
        }
        due
    }
}

#[cfg(test)]
mod tests;
