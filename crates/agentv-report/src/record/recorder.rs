//! The first to hear of a settled case: a row on disk before anything is shown.
//!
//! Invariant: `results.jsonl` only grows, by whole lines; no row is ever changed.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, ErrorKind, Write as _},
    os::unix::fs::MetadataExt as _,
    path::PathBuf,
};

use agentv_base::{RunEvent, SettledCase, Sink, SinkFault, SkipReason, SkippedCase, append_json};

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
    /// Up to where the disk was asked to keep them, besides what the syncer does.
    synced: u64,
    /// Rows that are not written yet: of the events that are being heard, never of earlier ones.
    /// Used again and again, so that a row costs no allocation of its own.
    lines: Vec<u8>,
    /// Where each of those ends.
    ends: Vec<usize>,
    /// By place in the plan, where the case's row begins.
    offsets: Vec<Option<u64>>,
    counts: RunCounts,
    skipped: Vec<RunSkipped>,
    fingerprint: Option<FingerprintOf>,
    /// Who is told of every row that is on disk.
    listener: Option<Listener>,
    syncer: Syncer,
}

/// Somebody who adds up rows: to make each of them once more would be half the work again.
pub type Listener = Box<dyn FnMut(&Row<'_>) + Send>;

/// What the outcome of the case at a place of the plan depends on, in one word.
pub type FingerprintOf = Box<dyn Fn(usize) -> Option<String> + Send>;

/// Rows are written at once as long as they are no more bytes than this, and no more rows: more of
/// them would no longer be near at hand when they are told.
const MOST_UNWRITTEN: usize = 1 << 20;
const MOST_ROWS: usize = 64;

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
        let syncer = file.try_clone().and_then(|file| Syncer::of(folder.clone(), file));
        let syncer = syncer.map_err(RecordFault::of("watch over", &path))?;
        Ok(Self {
            folder,
            options,
            path,
            file,
            end: metadata.len(),
            synced: 0,
            lines: Vec::new(),
            ends: Vec::new(),
            offsets: Vec::new(),
            counts: RunCounts::default(),
            skipped: Vec::new(),
            fingerprint: None,
            listener: None,
            syncer,
        })
    }

    /// Writes into each row what its outcome depends on.
    #[must_use]
    pub fn with_fingerprints(self, fingerprint: FingerprintOf) -> Self {
        Self { fingerprint: Some(fingerprint), ..self }
    }

    /// Tells of every row that is on disk, in order.
    #[must_use]
    pub fn telling(self, listener: Listener) -> Self {
        Self { listener: Some(listener), ..self }
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
        self.syncer.end().map_err(RecordFault::of(SYNC, &self.path))?;
        self.folder.write_manifest(manifest)
    }

    fn settle<'e>(
        &mut self,
        settled: &'e SettledCase,
        rows: &mut Vec<(usize, Row<'e>)>,
    ) -> Result<(), RecordFault> {
        let Some(mut row) = Row::of(settled, self.options.keeping) else {
            return Ok(());
        };
        row.threshold = row
            .threshold
            .or(self.options.threshold)
            .or(settled.case.threshold)
            .or(self.options.default_threshold);
        rows.push((settled.slot, row));
        if rows.len() < MOST_ROWS { Ok(()) } else { self.write(rows) }
    }

    /// Writes the rows of the events that were heard, mostly with one call to the system. One thing is
    /// done for all of them before the next, so that its code stays in the processor.
    fn write(&mut self, rows: &mut Vec<(usize, Row<'_>)>) -> Result<(), RecordFault> {
        let written = self.write_rows(rows);
        rows.clear();
        written
    }

    fn write_rows(&mut self, rows: &mut [(usize, Row<'_>)]) -> Result<(), RecordFault> {
        if let Some(fingerprint) = &self.fingerprint {
            for (slot, row) in &mut *rows {
                row.fingerprint = fingerprint(*slot).map(Cow::Owned);
            }
        }
        let mut rest = &*rows;
        while !rest.is_empty() {
            let made = self.make_lines(rest);
            let (some, more) = rest.split_at_checked(self.ends.len()).unwrap_or((rest, &[]));
            self.write_lines(some)?;
            made?;
            rest = more;
        }
        Ok(())
    }

    /// Makes the lines of the first few rows, as many as are written at once.
    fn make_lines(&mut self, rows: &[(usize, Row<'_>)]) -> Result<(), RecordFault> {
        self.lines.clear();
        self.ends.clear();
        for (_, row) in rows {
            let begin = self.lines.len();
            if let Err(fault) = append_json(&mut self.lines, row) {
                self.lines.truncate(begin);
                return Err(RecordFault::of("write a row to", &self.path)(fault.into()));
            }
            self.lines.push(b'\n');
            self.ends.push(self.lines.len());
            if self.lines.len() >= MOST_UNWRITTEN {
                break;
            }
        }
        Ok(())
    }

    fn write_lines(&mut self, rows: &[(usize, Row<'_>)]) -> Result<(), RecordFault> {
        let (mut written, mut fault) = self.append();
        if let Err(gone) = self.still_there() {
            (written, fault) = (0, Some(gone));
        }
        let ends = std::mem::take(&mut self.ends);
        let mut begin = 0;
        for ((slot, row), end) in rows.iter().zip(&ends).take_while(|it| *it.1 <= written) {
            self.note(*slot, self.end + begin as u64, row.status);
            begin = *end;
            if let Some(listener) = &mut self.listener {
                listener(row);
            }
        }
        self.ends = ends;
        self.end += begin as u64;
        if begin < written {
            // The piece of a row that did get through is taken back where that is possible; where
            // it is not, the reader knows a torn last line when it sees one.
            let _ = self.file.set_len(self.end);
        }
        fault.map_or(Ok(()), Err).map_err(RecordFault::of("write a row to", &self.path))?;
        self.syncer.note().map_err(RecordFault::of(SYNC, &self.path))
    }

    /// As much as the file takes: how many bytes, and why not all of them.
    fn append(&mut self) -> (usize, Option<io::Error>) {
        let mut written = 0;
        while let Some(rest) = self.lines.get(written..).filter(|rest| !rest.is_empty()) {
            match self.file.write(rest) {
                Ok(0) => return (written, Some(ErrorKind::WriteZero.into())),
                Ok(more) => written += more,
                Err(fault) if fault.kind() == ErrorKind::Interrupted => {}
                Err(fault) => return (written, Some(fault)),
            }
        }
        (written, None)
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
        if std::mem::replace(&mut self.synced, self.end) < self.end {
            self.file.sync_data().map_err(RecordFault::of(SYNC, &self.path))?;
        }
        self.still_there().map_err(RecordFault::of(SYNC, &self.path))
    }

    fn take<'e>(
        &mut self,
        event: &'e RunEvent,
        rows: &mut Vec<(usize, Row<'e>)>,
    ) -> Result<(), RecordFault> {
        match event {
            RunEvent::Started { cases, .. } => {
                self.counts.planned = *cases;
                self.offsets.reserve(cases.saturating_sub(self.offsets.len()));
                Ok(())
            }
            RunEvent::Settled(settled) => self.settle(settled, rows),
            RunEvent::Skipped(skipped) => {
                self.skip(skipped);
                Ok(())
            }
            RunEvent::Finished(_) => {
                self.write(rows)?;
                self.sync()
            }
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
        self.hear_all(&[event])
    }

    fn hear_all(&mut self, events: &[&RunEvent]) -> Result<(), SinkFault> {
        let mut rows = Vec::with_capacity(events.len().min(MOST_ROWS));
        let heard = events.iter().try_for_each(|event| self.take(event, &mut rows));
        // Rows from before a fault are good rows.
        let written = self.write(&mut rows);
        heard.and(written).map_err(|fault| SinkFault { message: fault.to_string() })
    }
}

#[cfg(test)]
mod tests;
