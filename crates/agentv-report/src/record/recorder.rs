//! The first to hear of a settled case: a row on disk before anything is shown.
//!
//! Invariant: `results.jsonl` only grows, by whole lines; no row is ever changed.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, ErrorKind, Write as _},
    os::unix::fs::MetadataExt as _,
    path::PathBuf,
    sync::Arc,
};

use agentv_base::{RunEvent, SettledCase, Sink, SinkFault, SkipReason, SkippedCase};

use super::{
    fault::RecordFault,
    folder::RunFolder,
    ledger::{KeptRow, Ledger},
    manifest::{RunCounts, RunManifest, RunSkipped},
    row::{Keeping, Row, Status},
    syncer::Syncer,
};

#[derive(Clone, Copy, Debug, Default)]
pub struct RecorderOptions {
    /// What rows keep besides the outcome.
    pub keeping: Keeping,
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
    skipped: Vec<RunSkipped>,
    fingerprint: Option<FingerprintOf>,
    syncer: Syncer,
}

/// What the outcome of the case at a place of the plan depends on, in one word.
pub type FingerprintOf = Box<dyn Fn(usize) -> Option<Arc<str>> + Send>;

/// Skipped cases that are named in `run.json`; the others are counted.
const MOST_NAMED: usize = 1000;

const SYNC: &str = "bring the rows to the disk in";

impl Recorder {
    /// Goes on after the rows that are there. The ledger's lock is kept as long as this lives.
    pub fn new(
        folder: RunFolder,
        ledger: Ledger,
        options: RecorderOptions,
    ) -> Result<Self, RecordFault> {
        let path = folder.results_path();
        let Ledger { file, .. } = ledger;
        let metadata = file.metadata().map_err(RecordFault::of("open", &path))?;
        let syncer = file.try_clone().and_then(Syncer::of);
        let syncer = syncer.map_err(RecordFault::of("watch over", &path))?;
        Ok(Self {
            folder,
            options,
            path,
            file,
            end: metadata.len(),
            line: Vec::new(),
            offsets: Vec::new(),
            counts: RunCounts::default(),
            skipped: Vec::new(),
            fingerprint: None,
            syncer,
        })
    }

    /// Writes into each row what its outcome depends on.
    #[must_use]
    pub fn with_fingerprints(self, fingerprint: FingerprintOf) -> Self {
        Self { fingerprint: Some(fingerprint), ..self }
    }

    /// A row that is there already, and its place in the plan.
    pub fn keep(&mut self, slot: usize, row: &KeptRow) {
        self.note(slot, row.offset, row.status);
    }

    /// Cases that were skipped, the first of them by name.
    pub fn skipped(&self) -> &[RunSkipped] {
        &self.skipped
    }

    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// What was heard so far; a planned case without a row counts as not run.
    pub fn counts(&self) -> RunCounts {
        let settled = self.counts.passed + self.counts.failed + self.counts.errors;
        let not_run = self.counts.planned.saturating_sub(settled + self.counts.decided);
        RunCounts { not_run, ..self.counts.clone() }
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
        let Some(mut row) = Row::of(settled, self.options.keeping) else {
            return Ok(());
        };
        row.threshold = row
            .threshold
            .or(self.options.threshold)
            .or(settled.case.threshold)
            .or(self.options.default_threshold);
        let fingerprint = self.fingerprint.as_ref().and_then(|of| of(settled.slot));
        row.fingerprint = fingerprint.as_deref().map(Cow::Borrowed);
        let status = row.status;
        self.line.clear();
        serde_json::to_writer(&mut self.line, &row)
            .map_err(io::Error::from)
            .map_err(RecordFault::of("write a row to", &self.path))?;
        self.line.push(b'\n');
        self.append().map_err(RecordFault::of("write a row to", &self.path))?;
        self.note(settled.slot, self.end, status);
        self.end += self.line.len() as u64;
        self.syncer.note().map_err(RecordFault::of(SYNC, &self.path))
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

    fn skip(&mut self, skipped: &SkippedCase) {
        let SkippedCase { case, target, repeat, reason, .. } = skipped;
        if *reason == SkipReason::Decided {
            self.counts.decided += 1;
            return;
        }
        *self.counts.skipped.entry(reason.name().to_owned()).or_default() += 1;
        if self.skipped.len() < MOST_NAMED {
            self.skipped.push(RunSkipped {
                reason: reason.name().to_owned(),
                suite: case.suite.to_string(),
                eval_id: case.id().to_owned(),
                target: target.to_string(),
                repeat: *repeat,
                depends_on: match reason {
                    SkipReason::Dependency { on } => Some(on.to_string()),
                    SkipReason::Budget
                    | SkipReason::Deadline
                    | SkipReason::FailFast
                    | SkipReason::Decided => None,
                },
            });
        }
    }

    fn note(&mut self, slot: usize, offset: u64, status: Status) {
        if self.offsets.len() <= slot {
            self.offsets.resize(slot + 1, None);
        }
        self.offsets[slot] = Some(offset);
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
            .map_err(RecordFault::of(SYNC, &self.path))
    }

    fn take(&mut self, event: &RunEvent) -> Result<(), RecordFault> {
        match event {
            RunEvent::Started { cases } => {
                self.counts.planned = *cases;
                self.offsets.reserve(cases.saturating_sub(self.offsets.len()));
                Ok(())
            }
            RunEvent::Settled(settled) => self.settle(settled),
            RunEvent::Skipped(skipped) => {
                self.skip(skipped);
                Ok(())
            }
            RunEvent::Finished(_) => self.sync(),
            RunEvent::Invoking { .. }
            | RunEvent::Invoked { .. }
            | RunEvent::Grading { .. }
            | RunEvent::Graded { .. }
            | RunEvent::Waiting { .. }
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

#[cfg(test)]
mod tests;
