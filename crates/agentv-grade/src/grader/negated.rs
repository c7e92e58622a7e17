//! `not_` in front of a type: the same look at the answer, with the opposite wish.

use std::sync::Arc;

use agentv_base::{BoxFuture, EvalCase, GradeContext, Grader, GraderFault, JudgeWish, Score};

/// Gives 1 − s for a score of s. Hits and misses change places: they are facts about the answer,
/// and what was welcome before is unwelcome now. A grader that fails still fails.
pub(crate) struct Negated(Arc<dyn Grader>);

impl Negated {
    pub(crate) fn of(grader: Arc<dyn Grader>) -> Arc<dyn Grader> {
        Arc::new(Self(grader))
    }
}

impl Grader for Negated {
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async move {
            let found = self.0.grade(context).await?;
            Ok(Score { score: 1.0 - found.score, hits: found.misses, misses: found.hits, ..found })
        })
    }

    fn judge_wishes(&self) -> Vec<JudgeWish> {
        self.0.judge_wishes()
    }

    fn looks_at_trail(&self) -> bool {
        self.0.looks_at_trail()
    }

    fn lacks(&self, case: &EvalCase) -> Option<String> {
        self.0.lacks(case)
    }

    fn remedy(&self) -> Option<&'static str> {
        self.0.remedy()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::grade_text;

    #[test]
    fn a_negated_grader_wishes_for_the_opposite_and_says_what_is_there() {
        let keys = json!({"type": "not-contains", "value": "sorry"});
        let score = grade_text(&keys, "I am sorry");
        assert_eq!((score.score, score.hits.len()), (0.0, 0));
        assert_eq!(score.misses, ["contains `sorry`"]);

        let score = grade_text(&keys, "Here you are");
        assert_eq!((score.score, score.misses.len()), (1.0, 0));
        assert_eq!(score.hits, ["does not contain `sorry`"]);
    }
}
