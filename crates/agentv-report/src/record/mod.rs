//! The record of a run: the row, its only reader and its only writer, and the manifest beside it.
//!
//! What rows look like to people is not said here.

mod ending;
mod fault;
mod folder;
mod manifest;
mod reader;
mod recorder;
mod row;
mod row_keys;
mod run_id;
mod timestamp;

pub(crate) use ending::{error_of, status_of};
pub use fault::RecordFault;
pub use folder::RunFolder;
pub use manifest::{RunCounts, RunManifest, RunStatus, RunSuite, RunTarget};
pub use reader::{RowFault, RowProblem, RowReader, RowsAt, read_rows, read_rows_at};
pub use recorder::{Recorder, RecorderOptions};
pub(crate) use row::duration_of;
pub use row::{FailedAttemptRow, Row, Status};
pub use row_keys::ROW;
pub use timestamp::Timestamp;

#[cfg(test)]
pub(crate) mod sample;
