//! Graders that need to wait for nobody: a plain function from what is known to a score.

use std::sync::Arc;

use agentv_base::{BoxFuture, GradeContext, Grader, GraderFault, Score};

struct Immediate<F>(F);

impl<F> Grader for Immediate<F>
where
    F: Fn(&GradeContext<'_>) -> Result<Score, GraderFault> + Send + Sync,
{
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async move { (self.0)(context) })
    }
}

/// The grader that `score` is.
pub(super) fn immediate<F>(score: F) -> Arc<dyn Grader>
where
    F: Fn(&GradeContext<'_>) -> Score + Send + Sync + 'static,
{
    fallible(move |context| Ok(score(context)))
}

/// As [`immediate`], for a score that may depend on something that nobody knows.
pub(super) fn fallible<F>(score: F) -> Arc<dyn Grader>
where
    F: Fn(&GradeContext<'_>) -> Result<Score, GraderFault> + Send + Sync + 'static,
{
    Arc::new(Immediate(score))
}
