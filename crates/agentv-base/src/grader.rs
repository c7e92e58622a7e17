//! The seam between a finished answer and its score.

use crate::{
    case::EvalCase,
    future::BoxFuture,
    response::Response,
    score::{Assessment, Score},
    trace::TraceSummary,
};

/// Everything a grader may look at.
pub struct GradeContext<'a> {
    pub case: &'a EvalCase,
    pub target: &'a str,
    pub response: &'a Response,
    pub trace_summary: Option<&'a TraceSummary>,
}

/// A grader that could not give a score, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GraderFault {
    pub message: String,
    /// The run was stopped while it worked: no fault of the grader's, and no row.
    pub interrupted: bool,
}

impl GraderFault {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), interrupted: false }
    }

    pub fn interrupted() -> Self {
        Self { message: "interrupted".to_owned(), interrupted: true }
    }
}

/// Looks at one answer and says how good it is.
pub trait Grader: Send + Sync {
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>>;
}

/// All graders of a case together, as the engine sees them.
pub trait Assessor: Send + Sync {
    /// Grades the answer to the case at this place of the plan; nothing where the run was stopped
    /// meanwhile.
    fn assess<'a>(
        &'a self,
        case: usize,
        target: &'a str,
        response: &'a Response,
    ) -> BoxFuture<'a, Option<Assessment>>;
}
