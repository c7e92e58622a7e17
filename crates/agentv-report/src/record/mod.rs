//! The record of a run: the row, its only reader and its only writer, and the manifest beside it.
//!
//! What rows look like to people is not said here.

mod difference;
mod ending;
mod fault;
mod find;
mod folder;
mod ledger;
mod manifest;
mod merge;
mod reader;
mod recorder;
mod row;
mod row_keys;
mod run_id;
mod spending;
mod syncer;
mod timestamp;

pub use difference::{Between, differences, differing_options};
pub(crate) use ending::{error_of, status_of};
pub use fault::RecordFault;
pub use find::{FindFault, FoundRun, Wanted, find_run, run_folders};
pub use folder::RunFolder;
pub use ledger::{KeptRow, Ledger, LedgerFault, Purpose, SlotName, Torn};
pub use manifest::{
    PlannedRepeats, RUN_FORMAT, RunCounts, RunFile, RunKind, RunManifest, RunPlan, RunRepeats,
    RunSession, RunShard, RunSkipped, RunStatus, RunSuite, RunTarget,
};
pub use merge::{Merged, Part, merge};
pub(crate) use reader::{LONGEST_LINE, from_line, line_at, strict_row};
pub use reader::{RowFault, RowProblem, RowReader, RowsAt, read_rows, read_rows_at};
pub use recorder::{FingerprintOf, Recorder, RecorderOptions};
pub(crate) use row::duration_of;
pub use row::{FailedAttemptRow, Keeping, Row, Status};
pub use row_keys::ROW;
pub(crate) use spending::spent_on;
pub use timestamp::Timestamp;

#[cfg(test)]
pub(crate) mod sample;
