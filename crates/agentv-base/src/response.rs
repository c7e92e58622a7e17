//! What a target gave back for one case.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    call::{self, Call},
    message::Message,
    outcome::FailedAttempt,
    process::LeakedProcess,
    trace::{TraceEvent, TraceSummary},
    usage::TokenUsage,
};

#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The candidate answer.
    pub text: String,
    pub output_messages: Option<Vec<Message>>,
    pub trace: Option<Vec<TraceEvent>>,
    pub token_usage: Option<TokenUsage>,
    pub cost_usd: Option<f64>,
    /// What the tool said, else what was measured for this case alone; unknown in a batch.
    pub duration_ms: Option<f64>,
    /// Elements of `output_messages` and `trace` that did not fit and were left out.
    pub dropped_elements: usize,
    pub leaked: Vec<LeakedProcess>,
    pub provenance: Provenance,
    pub raw: Raw,
}

/// Whether the target was asked for this answer now.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Provenance {
    #[default]
    Asked,
    /// Somebody asked the same before, and the answer was kept: it costs nothing now.
    Cache,
    /// It was recorded in an earlier run, with all that led to it.
    Earlier(Arc<Earlier>),
}

/// What an earlier run knows of an answer besides the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    pub attempts: u32,
    pub failed_attempts: Vec<FailedAttempt>,
    /// What the trail came to, also where the trail itself was not kept.
    pub trace_summary: Option<TraceSummary>,
}

/// How the response came about, for those who debug a target.
#[derive(Clone, Debug, PartialEq)]
pub enum Raw {
    Command(CommandRaw),
    Model(ModelRaw),
    Record(RecordRaw),
}

/// The answer of a model over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRaw {
    /// The model as the service names it, else as it was asked for.
    pub model: String,
    /// Where it was asked, without anything secret.
    pub url: Arc<str>,
    pub status: u16,
    /// Why it stopped, in the words of the service.
    pub finish_reason: Option<String>,
    pub request_id: Option<String>,
    /// How often it was asked until it answered.
    pub tries: u32,
}

/// An answer that nobody was asked for: made up for a test, or recorded before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordRaw {
    /// The file and the line that it was taken from, where it was.
    pub file: Option<Arc<Path>>,
    pub line: Option<usize>,
}

/// The answer of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandRaw {
    /// One for all answers of a batch.
    pub run: Arc<CommandRun>,
    /// The record of the batch that it is.
    pub record_id: Option<Arc<str>>,
}

/// A command that was run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CommandRun {
    pub command: String,
    pub exit_code: Option<i32>,
    pub stderr: String,
    pub cwd: PathBuf,
    pub output_file: Option<PathBuf>,
}

impl Response {
    /// The explicit trace where there is one, else the tool calls of the messages.
    pub fn trace_summary(&self) -> Option<TraceSummary> {
        match (&self.trace, &self.output_messages) {
            (Some(events), _) => Some(TraceSummary::of_trace(events)),
            (None, Some(messages)) => Some(TraceSummary::of_messages(messages)),
            (None, None) => self.kept_summary().cloned(),
        }
    }

    /// Whether the target left a trail that nobody kept. What was in it is unknown, which is
    /// something else than that it was empty.
    pub fn trail_was_lost(&self) -> bool {
        self.trace.is_none() && self.output_messages.is_none() && self.kept_summary().is_some()
    }

    fn kept_summary(&self) -> Option<&TraceSummary> {
        match &self.provenance {
            Provenance::Earlier(earlier) => earlier.trace_summary.as_ref(),
            Provenance::Asked | Provenance::Cache => None,
        }
    }

    /// How many calls of that source do not say which tool was called.
    pub fn nameless_calls(&self) -> usize {
        match (&self.trace, &self.output_messages) {
            (Some(events), _) => call::nameless_in_trace(events),
            (None, Some(messages)) => call::nameless_in_messages(messages),
            (None, None) => 0,
        }
    }

    /// The calls of tools in their order, from the same source as the summary; nothing where the
    /// target left no trail at all.
    pub fn calls(&self) -> Option<Vec<Call<'_>>> {
        match (&self.trace, &self.output_messages) {
            (Some(events), _) => Some(call::of_trace(events)),
            (None, Some(messages)) => Some(call::of_messages(messages)),
            (None, None) => None,
        }
    }
}
