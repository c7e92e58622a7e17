//! Why a case could not be evaluated. It is data of the case, never the end of the run and never
//! a score.

use std::sync::Arc;

use crate::{process::LeakedProcess, usage::TokenUsage};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureKind {
    /// The command could not be started at all.
    Spawn,
    /// It ended with a code other than 0.
    Exit,
    /// It was ended by a signal that was not ours.
    Signal,
    /// It was still running at its deadline.
    Timeout,
    /// Its output was absent, empty or unreadable.
    Output,
    /// The output of its batch broke the rules of the format.
    Batch,
    /// Its batch ended without an answer for it.
    Missing,
    /// The target itself said that this case failed.
    Target,
    /// It could not be reached, or the connection broke.
    Connection,
    /// It answered with a status that may pass: too many requests, a fault of its own.
    Http,
    /// It answered that it will not: a wrong key, a request that it does not take.
    Refused,
    /// The target was not fit to be asked.
    Healthcheck,
    /// A grader could not give a score.
    Grader,
    /// The run was stopped while the case was under way. Leaves no row.
    Interrupted,
}

impl FailureKind {
    /// The name in rows and in `invoke`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spawn => "spawn",
            Self::Exit => "exit",
            Self::Signal => "signal",
            Self::Timeout => "timeout",
            Self::Output => "output",
            Self::Batch => "batch",
            Self::Missing => "missing",
            Self::Target => "target",
            Self::Connection => "connection",
            Self::Http => "http",
            Self::Refused => "refused",
            Self::Healthcheck => "healthcheck",
            Self::Grader => "grader",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether another attempt could end differently: anything an invocation did wrong.
    pub fn is_worth_another_attempt(self) -> bool {
        match self {
            Self::Spawn
            | Self::Exit
            | Self::Signal
            | Self::Timeout
            | Self::Output
            | Self::Batch
            | Self::Missing
            | Self::Target
            | Self::Connection
            | Self::Http => true,
            Self::Refused | Self::Healthcheck | Self::Grader | Self::Interrupted => false,
        }
    }
}

/// Why, in words. Cases of one batch share the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    pub message: Arc<str>,
    /// How long the attempt took, where it was this case's own.
    pub duration_ms: Option<f64>,
    /// What the target said that it took all the same.
    pub token_usage: Option<TokenUsage>,
    pub cost_usd: Option<f64>,
    pub leaked: Arc<[LeakedProcess]>,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<Arc<str>>) -> Self {
        Self {
            kind,
            message: message.into(),
            duration_ms: None,
            token_usage: None,
            cost_usd: None,
            leaked: Arc::from([]),
        }
    }
}
