//! The seam between a finished answer and its score.

use crate::{
    case::EvalCase,
    future::BoxFuture,
    response::Response,
    score::{Assessment, GraderResult, Score},
    trace::TraceSummary,
};

/// Everything a grader may look at.
pub struct GradeContext<'a> {
    pub case: &'a EvalCase,
    pub target: &'a str,
    pub response: &'a Response,
    pub trace_summary: Option<&'a TraceSummary>,
    /// The score from which the case passes.
    pub threshold: f64,
    /// Who judges the answers of this target where a model must; nobody where nobody is named.
    pub judge: Option<&'a dyn Judge>,
}

/// What a model is asked, or whoever stands in for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeQuestion {
    /// How to answer, whatever the question.
    pub instructions: String,
    pub prompt: String,
}

/// Someone who can be asked for an opinion on an answer.
pub trait Judge: Send + Sync {
    /// Asks once; what comes back is text that nobody has looked at yet.
    fn ask<'a>(
        &'a self,
        question: &'a JudgeQuestion,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<String, GraderFault>>;
}

/// A grader that could not give a score, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct GraderFault {
    pub message: String,
    /// The run was stopped while it worked: no fault of the grader's, and no row.
    pub interrupted: bool,
    /// What the graders that it is made of said.
    pub parts: Vec<GraderResult>,
}

impl GraderFault {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), interrupted: false, parts: Vec::new() }
    }

    pub fn interrupted() -> Self {
        Self { interrupted: true, ..Self::new("interrupted") }
    }
}

/// Looks at one answer and says how good it is.
pub trait Grader: Send + Sync {
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>>;

    /// Whether it asks the judge of the target whose answers it grades.
    fn asks_judge(&self) -> bool {
        false
    }

    /// What it would lack to grade this case, in words that go on after "grader `x` "; asked before
    /// anything is run.
    fn lacks(&self, _case: &EvalCase) -> Option<String> {
        None
    }
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
