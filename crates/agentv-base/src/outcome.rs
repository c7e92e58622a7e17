//! How a case ended.

use std::{sync::Arc, time::SystemTime};

use crate::{case::EvalCase, failure::Failure, response::Response, score::Assessment};

/// An attempt that failed before the one that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedAttempt {
    pub failure: Failure,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    /// Answered, and looked at by its graders (which may have failed: see the assessment).
    Assessed { response: Box<Response>, assessment: Assessment },
    /// Answered; nobody was asked to grade it.
    Answered { response: Box<Response> },
    /// Not answered.
    Failed { failure: Failure },
}

/// A case that is done: what the record and the displays are told.
#[derive(Clone, Debug)]
pub struct SettledCase {
    /// Its place in the plan, from 0.
    pub slot: usize,
    pub case: Arc<EvalCase>,
    pub target: Arc<str>,
    /// From 1.
    pub repeat: u32,
    /// How often it was asked for.
    pub attempts: u32,
    pub failed_attempts: Vec<FailedAttempt>,
    pub outcome: Outcome,
    pub settled_at: SystemTime,
}

/// Why a planned case is not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// It cannot be paid for with what is left.
    Budget,
    /// The time of the run is over.
    Deadline,
    /// A case that it depends on did not pass.
    Dependency { on: Arc<str> },
    /// Enough cases failed.
    FailFast,
    /// The verdict on its case is settled without it. Not a case that is missing.
    Decided,
}

impl SkipReason {
    /// The name in `run.json`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Deadline => "deadline",
            Self::Dependency { .. } => "dependency",
            Self::FailFast => "fail_fast",
            Self::Decided => "decided",
        }
    }
}

/// A planned case that is not run.
#[derive(Clone, Debug)]
pub struct SkippedCase {
    /// Its place in the plan, from 0.
    pub slot: usize,
    pub case: Arc<EvalCase>,
    pub target: Arc<str>,
    /// From 1.
    pub repeat: u32,
    pub reason: SkipReason,
}

/// What something took: tokens and money, as far as anybody says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    pub tokens: Option<u64>,
    pub cost_usd: Option<f64>,
}

impl Spent {
    /// What two things took together. What is told of one alone counts as told.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let tokens = match (self.tokens, other.tokens) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        let cost_usd = match (self.cost_usd, other.cost_usd) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
        };
        Self { tokens, cost_usd }
    }
}
