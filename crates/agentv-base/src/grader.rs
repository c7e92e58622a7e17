//! The seam between a finished answer and its score.

use crate::{
    case::EvalCase,
    future::BoxFuture,
    judge::{Bench, JudgeRecord, JudgeWish},
    response::Response,
    score::{Assessment, GraderResult, Score},
};

/// Everything a grader may look at.
pub struct GradeContext<'a> {
    pub case: &'a EvalCase,
    pub target: &'a str,
    /// Which of the repeats of the case it is, from 1.
    pub repeat: u32,
    pub response: &'a Response,
    /// The score from which the case passes.
    pub threshold: f64,
    /// Who judges where a model must.
    pub bench: &'a Bench,
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
    /// What was asked of a model all the same, and what that took.
    pub judge: Option<Box<JudgeRecord>>,
}

impl GraderFault {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), interrupted: false, parts: Vec::new(), judge: None }
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

    /// Whom it asks for an opinion, it and the graders that it is made of.
    fn judge_wishes(&self) -> Vec<JudgeWish> {
        Vec::new()
    }

    /// Whether it looks at what the target did on the way to its answer, besides the answer.
    fn looks_at_trail(&self) -> bool {
        false
    }

    /// What it would lack to grade this case, in words that go on after "grader `x` "; asked before
    /// anything is run.
    fn lacks(&self, _case: &EvalCase) -> Option<String> {
        None
    }

    /// What the author can do where it lacks something.
    fn remedy(&self) -> Option<&'static str> {
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
        repeat: u32,
        response: &'a Response,
    ) -> BoxFuture<'a, Option<Assessment>>;
}
