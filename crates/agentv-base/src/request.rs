//! What a target is asked: everything it may know of a case, and nothing more.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::Value;

use crate::messages::Messages;

/// The part of a case that a target may see.
///
/// Invariant: no expected answer, grader or outcome is reachable from here, so a provider cannot
/// leak one: it is never handed the case itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub eval_id: Arc<str>,
    /// The suite's own file, absolute.
    pub suite_file: Arc<Path>,
    /// The messages as written, with the text of attached files. `question` and the like are made
    /// of them.
    pub messages: Messages,
    /// Files attached to the messages, absolute, in order, each once.
    pub files: Vec<PathBuf>,
    /// Files that went into the guidelines, absolute.
    pub guideline_files: Vec<PathBuf>,
    pub conversation_id: Option<String>,
}

impl Input {
    /// The folder of the suite: where a target and a judge run unless they say otherwise.
    pub fn suite_dir(&self) -> &Path {
        self.suite_file.parent().unwrap_or(Path::new("."))
    }
}

/// One question put to a target.
#[derive(Clone, Debug)]
pub struct Request {
    pub input: Arc<Input>,
    /// 0 for the first try.
    pub attempt: u32,
    /// Which of the repeats of its case it is, from 1.
    pub repeat: u32,
    /// What the answer must look like, for providers that can hold a model to it: a JSON Schema.
    pub output_schema: Option<Arc<Value>>,
}
