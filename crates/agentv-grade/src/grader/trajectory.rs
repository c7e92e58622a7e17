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

use agentv_base::{BoxFuture, Call, GradeContext, Grader, GraderFault, Response, Score};

/// What is said of an answer that came without any trail.
pub(super) const NO_TRAIL: &str =
    "no trace: the target left neither a trace with events nor messages";

/// A call that does not say of what could be any: a fault, and never a call that was not made.
pub(super) fn known_names(response: &Response) -> Result<(), GraderFault> {
    match response.nameless_calls() {
        0 => Ok(()),
        count => Err(GraderFault::new(format!(
            "nobody knows which tools were called: {count} of the calls in the trail {} no name \
             (`name` of a `tool_call` event, `tool` of a message's call)",
            if count == 1 { "has" } else { "have" }
        ))),
    }
}

/// The score with a word about what of the record did not fit, and was left out.
fn with_dropped(score: Score, dropped: usize) -> Score {
    if dropped == 0 {
        return score;
    }
    let said = format!(
        "{dropped} {} of the record did not fit and {} left out; a call may be among them",
        if dropped == 1 { "element" } else { "elements" },
        if dropped == 1 { "was" } else { "were" }
    );
    Score { reasoning: Some(said), ..score }
}

struct OfCalls<F>(F);

impl<F> Grader for OfCalls<F>
where
    F: Fn(Option<&[Call<'_>]>) -> Result<Score, GraderFault> + Send + Sync,
{
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async move {
            let response = context.response;
            known_names(response)?;
            let score = (self.0)(response.calls().as_deref())?;
            Ok(with_dropped(score, response.dropped_elements))
        })
    }

    fn looks_at_trail(&self) -> bool {
        true
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
