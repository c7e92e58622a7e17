//! One judge of a case, heard alone: for those who measure judges. What its score is to the case is
//! not asked.

use agentv_base::{GradeContext, GraderResult, JudgeWish, MEMBERS, Redactor, Span};

use crate::{
    assess::hide,
    case_graders::{CaseGraders, NamedGrader},
    panel, registry,
};

/// A grader that is the opinion of one judge and nothing else.
#[derive(Clone, Copy)]
pub struct CaseJudge<'g> {
    grader: &'g NamedGrader,
}

impl CaseGraders {
    /// Graders that ask a judge. One that is made of others is none of them: its score is not what
    /// a judge said.
    pub fn judges(&self) -> impl Iterator<Item = CaseJudge<'_>> {
        self.graders
            .iter()
            .filter(|grader| !grader.grader.judge_wishes().is_empty())
            .filter(|grader| !is_made_of_others(&grader.kind))
            .map(|grader| CaseJudge { grader })
    }
}

fn is_made_of_others(kind: &str) -> bool {
    let kind = registry::kind_called(kind);
    kind.is_ok_and(|kind| kind.keys().iter().any(|key| key.name == MEMBERS.name))
}

impl<'g> CaseJudge<'g> {
    pub fn name(self) -> &'g str {
        &self.grader.name
    }

    /// Where it is written.
    pub fn span(self) -> Span {
        self.grader.span
    }

    /// Whom it asks, and as what.
    pub fn wish(self) -> Option<JudgeWish> {
        self.grader.grader.judge_wishes().into_iter().next()
    }

    /// The score from which it passes an answer, where the case passes from `threshold` on.
    pub fn cutoff(self, threshold: f64) -> f64 {
        self.grader.bar.min_score.unwrap_or(threshold)
    }

    /// What it says of an answer; nothing where the run was stopped meanwhile.
    pub async fn judge(
        self,
        context: &GradeContext<'_>,
        redactor: &Redactor,
    ) -> Option<GraderResult> {
        let mut result = panel::ask(self.grader, context).await.ok()?;
        hide(redactor, std::slice::from_mut(&mut result));
        Some(result)
    }
}

#[cfg(test)]
mod tests {
    use agentv_base::Problems;
    use serde_json::json;

    use crate::{
        build,
        testing::{Project, node},
    };

    #[test]
    fn only_graders_that_are_one_opinion_are_judges_and_pass_from_their_own_score() {
        let prompt = "Is it kind? {{ candidate_answer }}";
        let nodes = [
            node(&json!({"type": "contains", "value": "x"})),
            node(&json!({"name": "kind", "type": "llm_judge", "prompt": prompt})),
            node(
                &json!({"name": "strict", "type": "llm_judge", "prompt": prompt, "min_score": 0.9}),
            ),
            node(&json!({
                "type": "composite",
                "evaluators": [{"name": "inside", "type": "llm_judge", "prompt": prompt}],
            })),
        ];
        let project = Project::new();
        let mut problems = Problems::default();
        let graders = build(&nodes, &project.context(), &mut problems).unwrap();
        let judges: Vec<(&str, f64)> =
            graders.judges().map(|judge| (judge.name(), judge.cutoff(0.8))).collect();
        assert_eq!(judges, [("kind", 0.8), ("strict", 0.9)]);
        assert_eq!(graders.judge_wishes().count(), 3);
    }
}
