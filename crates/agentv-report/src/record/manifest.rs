//! `run.json`: what was run, with what, and how it ended.

use std::{fs, io, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{fault::RecordFault, timestamp::Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Running,
    Finished,
    Interrupted,
    /// It could not go on, as when its rows could not be written.
    Failed,
}

/// Keys that are not known are let pass on reading, as in rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunManifest {
    /// Given by the folder that is made for the run.
    #[serde(default)]
    pub run_id: String,
    pub agentv_version: String,
    pub status: RunStatus,
    pub started_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// The program and its arguments, as typed.
    pub command: Vec<String>,
    pub suites: Vec<RunSuite>,
    pub targets: Vec<RunTarget>,
    /// The targets that judged: a score is worth what is known of who gave it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<RunTarget>,
    /// What the flags came to mean.
    pub options: Map<String, Value>,
    pub counts: RunCounts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSuite {
    /// From the repository root, with `/`.
    pub path: String,
    /// Of the file's content, in hex.
    pub sha256: String,
    pub cases: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunTarget {
    pub name: String,
    pub provider: String,
    /// As written, with secrets removed.
    pub definition: Value,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCounts {
    pub planned: usize,
    pub passed: usize,
    pub failed: usize,
    pub errors: usize,
    /// Planned, and without a row: never begun, or interrupted. The other counts and this one add up to `planned`.
    pub not_run: usize,
}

impl RunManifest {
    /// Reads a `run.json`.
    pub fn read(path: &Path) -> Result<Self, RecordFault> {
        let bytes = fs::read(path).map_err(RecordFault::of("read", path))?;
        serde_json::from_slice(&bytes)
            .map_err(io::Error::from)
            .map_err(RecordFault::of("understand", path))
    }

    /// Indented, for people: the file is small and is looked at.
    pub(crate) fn to_json(&self) -> io::Result<Vec<u8>> {
        let mut json = serde_json::to_vec_pretty(self)?;
        json.push(b'\n');
        Ok(json)
    }
}
