//! `run.json`: what was run, with what, and how it ended.

use std::{collections::BTreeMap, fs, io, path::Path};

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

/// How a run came about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    #[default]
    Eval,
    /// Answers of another run, graded again.
    Grade,
    /// Shards, joined.
    Merge,
}

/// The form of `run.json` and of the rows beside it. A newer one may mean things that this version
/// does not know.
pub const RUN_FORMAT: u32 = 1;

/// Keys that are not known are let pass on reading, as in rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunManifest {
    /// Given by the folder that is made for the run.
    #[serde(default)]
    pub run_id: String,
    #[serde(default)]
    pub format: u32,
    pub agentv_version: String,
    #[serde(default)]
    pub kind: RunKind,
    /// The run that this one takes rows from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The parts that were joined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    pub status: RunStatus,
    pub started_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// The program and its arguments, as typed.
    pub command: Vec<String>,
    /// Every time that somebody worked on the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<RunSession>,
    /// The part of the plan that this run is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<RunShard>,
    /// All that would be asked without shards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<RunPlan>,
    pub suites: Vec<RunSuite>,
    pub targets: Vec<RunTarget>,
    /// The targets that judged: a score is worth what is known of who gave it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<RunTarget>,
    /// Files of the project that targets and graders name, as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RunFile>,
    /// What the flags came to mean.
    pub options: Map<String, Value>,
    pub counts: RunCounts,
    /// Cases that were planned and skipped, the first of them by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<RunSkipped>,
    /// What the repeats came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Value>,
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
    /// Of the settings that matter, variables filled in, without secrets; in hex.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sha256: String,
}

/// A file that the outcome of cases depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunFile {
    /// From the repository root, with `/`.
    pub path: String,
    /// Of the file's content when the run began, in hex.
    pub sha256: String,
    /// Of what the run made of it by its end, where that is another: a target may keep its state in
    /// a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_sha256: Option<String>,
}

impl RunFile {
    /// A file as a run found it.
    pub fn found(path: String, sha256: String) -> Self {
        Self { path, sha256, left_sha256: None }
    }
}

/// One time that a run was worked on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSession {
    pub agentv_version: String,
    pub started_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// The program and its arguments, as typed.
    pub command: Vec<String>,
    /// How many rows there were before.
    pub rows_before: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunShard {
    /// From 1.
    pub index: u32,
    pub count: u32,
}

/// A plan by the names of its slots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPlan {
    pub slots: usize,
    /// Of the names, in hex.
    pub sha256: String,
    /// How often cases are asked; nothing where that would take more room than it is worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<RunRepeats>,
}

/// How often cases are asked: most of them, and those that are not like most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRepeats {
    pub usual: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<PlannedRepeats>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedRepeats {
    pub suite: String,
    pub eval_id: String,
    pub repeats: u32,
}

/// A case that was skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSkipped {
    pub reason: String,
    pub suite: String,
    pub eval_id: String,
    pub target: String,
    pub repeat: u32,
    /// The case that it depends on and that did not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCounts {
    pub planned: usize,
    pub passed: usize,
    pub failed: usize,
    pub errors: usize,
    /// Planned, and without a row: skipped, never begun, or interrupted. With `passed`, `failed`,
    /// `errors` and `decided` it adds up to `planned`.
    pub not_run: usize,
    /// Repeats that were not needed: the verdict of their case was settled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub decided: usize,
    /// Those of `not_run` that were skipped, by reason; the others were interrupted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped: BTreeMap<String, usize>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
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
