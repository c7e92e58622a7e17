//! A suite and its cases, after every dialect has been lowered to one form.

use std::{path::PathBuf, sync::Arc};

use serde_json::{Map, Value};

use crate::{
    messages::{Messages, Reference},
    node::{Node, Span},
    request::Input,
    text::Text,
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
    pub expected_outcome: Option<Text>,
    /// As written, with the text of attached files.
    pub expected_messages: Messages,
    /// The graders as written; shared by the cases that take the suite's.
    pub graders: Arc<[Node]>,
    /// The targets that the case, else its suite, asks for by name; all of them are asked.
    pub targets: Arc<[NamedTarget]>,
    /// The target that judges where a model must, by the word of the case, else of its suite.
    pub judge_target: Option<NamedTarget>,
    /// The score from which the case passes, where the suite says so.
    pub threshold: Option<f64>,
    /// How often the case is asked, where it or its suite says so.
    pub repeat: Option<u32>,
    /// The cases of its suite that must have passed before it is asked.
    pub depends_on: Arc<[Dependency]>,
    pub tags: Arc<[Arc<str>]>,
    /// The variables of the case, for those who render a text of their own.
    pub vars: Option<Arc<Map<String, Value>>>,
}

/// A case that another one builds on.
#[derive(Clone, Debug, PartialEq)]
pub struct Dependency {
    pub id: Arc<str>,
    pub span: Span,
    /// Whether the other must have passed, or only have been asked.
    pub must_pass: bool,
}

/// A target that a suite or a case asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTarget {
    pub name: Arc<str>,
    pub span: Span,
}

impl EvalCase {
    pub fn id(&self) -> &str {
        &self.input.eval_id
    }

    /// What an answer is compared with: what the last expected message that has content says.
    pub fn reference(&self) -> Option<Reference<'_>> {
        self.expected_messages.reference()
    }

    /// What the last of the expected messages says, as judges are told it: a text as it is, and
    /// anything else as JSON, also where it is a list of blocks.
    pub fn reference_answer(&self) -> String {
        self.expected_messages.last_words()
    }
}

/// Where a case stands, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CasePlace {
    /// The file that the case stands in, from the repository root, where that is not its suite.
    pub file: Option<Arc<str>>,
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
    /// SHA-256 of the file, and of those that it takes cases from, in hex.
    pub content_hash: String,
    /// Most invocations at once of a target that sets no number of its own.
    pub workers: Option<usize>,
    /// The graders that cases take from the suite, also where none of them does.
    pub graders: Arc<[Node]>,
    pub cases: Vec<Arc<EvalCase>>,
}
