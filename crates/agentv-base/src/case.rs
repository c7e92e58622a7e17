//! A suite and its cases, after every dialect has been lowered to one form.

use std::{path::PathBuf, sync::Arc};

use serde_json::Value;

use crate::{
    node::{Node, Span},
    request::Input,
};

/// One question with all that is known about a good answer.
#[derive(Clone, Debug)]
pub struct EvalCase {
    /// What the target may see.
    pub input: Arc<Input>,
    pub dataset: Arc<str>,
    /// The suite's path from the repository root, with `/`.
    pub suite: Arc<str>,
    pub place: CasePlace,
    pub expected_outcome: Option<String>,
    /// A list of messages, as written, with the text of attached files.
    pub expected_messages: Value,
    pub reference_answer: String,
    /// Files that went into the guidelines, absolute.
    pub guideline_files: Vec<PathBuf>,
    /// The graders as written; shared by the cases that take the suite's.
    pub graders: Arc<[Node]>,
    /// The name of the target that the case, else its suite, asks for.
    pub target: Option<(Arc<str>, Span)>,
}

impl EvalCase {
    pub fn id(&self) -> &str {
        &self.input.eval_id
    }
}

/// Where a case stands, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CasePlace {
    pub span: Span,
    pub line: usize,
    pub column: usize,
}

/// One file of cases.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Absolute.
    pub file: PathBuf,
    /// From the repository root, with `/`.
    pub path: Arc<str>,
    /// SHA-256 of the file, in hex.
    pub content_hash: String,
    pub cases: Vec<Arc<EvalCase>>,
}
