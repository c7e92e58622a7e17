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
