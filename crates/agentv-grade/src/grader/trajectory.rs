//! What graders of tool calls share: which call is wanted, how calls are compared with what was
//! expected, and how a difference is shown. Each grader only reads its keys and says what it wants.

pub(super) mod align;
pub(super) mod args;
pub(super) mod compare;
pub(super) mod limits;
pub(super) mod matching;
pub(super) mod numbers;
pub(super) mod step;
pub(super) mod tool;
pub(super) mod wanted_json;

use std::sync::Arc;

use agentv_base::{BoxFuture, Call, GradeContext, Grader, GraderFault, Score};

/// What is said of an answer that came without any trail.
pub(super) const NO_TRAIL: &str =
    "no trace: the target left neither a trace nor messages with tool calls";

struct OfCalls<F>(F);

impl<F> Grader for OfCalls<F>
where
    F: Fn(Option<&[Call<'_>]>) -> Result<Score, GraderFault> + Send + Sync,
{
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async move { (self.0)(context.response.calls().as_deref()) })
    }
}

/// The grader that `score` is of the calls of an answer; of nothing where there is no trail.
pub(super) fn of_calls<F>(score: F) -> Arc<dyn Grader>
where
    F: Fn(Option<&[Call<'_>]>) -> Result<Score, GraderFault> + Send + Sync + 'static,
{
    Arc::new(OfCalls(score))
}

/// As [`of_calls`], where an answer without a trail cannot be graded: a target that leaves none
/// cannot be told from one that called nothing.
pub(super) fn of_known_calls<F>(score: F) -> Arc<dyn Grader>
where
    F: Fn(&[Call<'_>]) -> Result<Score, GraderFault> + Send + Sync + 'static,
{
    of_calls(move |calls| calls.map_or_else(|| Err(GraderFault::new(NO_TRAIL)), &score))
}
