//! What the outcome of a case means: the one place that turns it into a status.

use agentv_base::{FailureKind, Outcome, Verdict};

use super::row::Status;

/// The status that a row of this outcome has; nothing where the outcome leaves no row: nobody
/// graded it, or the run was stopped while it was under way.
pub(crate) fn status_of(outcome: &Outcome) -> Option<Status> {
    match outcome {
        Outcome::Assessed { assessment, .. } => Some(match &assessment.grade {
            Ok(grade) if grade.verdict == Verdict::Pass => Status::Passed,
            Ok(_) => Status::Failed,
            Err(_) => Status::Error,
        }),
        Outcome::Answered { .. } => None,
        Outcome::Failed { failure } => {
            (failure.kind != FailureKind::Interrupted).then_some(Status::Error)
        }
    }
}

/// Why the case could not be evaluated, where it could not.
pub(crate) fn error_of(outcome: &Outcome) -> Option<(FailureKind, &str)> {
    match outcome {
        Outcome::Assessed { assessment, .. } => {
            assessment.grade.as_ref().err().map(|message| (FailureKind::Grader, message.as_str()))
        }
        Outcome::Answered { .. } => None,
        Outcome::Failed { failure } => Some((failure.kind, &failure.message)),
    }
}
