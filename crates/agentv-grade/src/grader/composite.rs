//! `composite`: graders inside of a grader, to any depth, and one score of all of theirs.
//!
//! This file reads the members and asks them; `aggregator.rs` is how their scores add up, with
//! `weights.rs` for those that it gives them and `by_model.rs` for the way that asks a model;
//! `said.rs` is what the whole says of its members, `nesting.rs` how many there may be, and
//! `results.rs` how others are told of them. Members are built by the same code as the graders of a
//! case and see the same context.

mod aggregator;
mod by_model;
mod manual;
mod nesting;
mod results;
mod said;
mod weights;

use std::sync::Arc;

use agentv_base::{
    BoxFuture, Diagnostic, EvalCase, Fields, GradeContext, Grader, GraderFault, GraderResult,
    JudgeWish, Key, MEMBERS, Problems, Score, Shape,
};

use self::aggregator::{AGGREGATOR, AGGREGATORS, Aggregator};
pub(super) use self::results::ByName;
use crate::{
    case_graders::{self, NamedGrader},
    kind::{BuildContext, GraderKind},
    manual::Manual,
    panel::{self, Interrupted},
    told::cut,
};

pub(crate) struct Composite;

/// Members that are named of those that lack something. The next are told when these are right.
const MOST_LACKS: usize = 3;

/// Characters of all that is said of them: every level says again what those inside of it lack.
const LACKS_SHOWN: usize = 2000;

impl GraderKind for Composite {
    fn name(&self) -> &'static str {
        "composite"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["assert_set"]
    }

    fn description(&self) -> &'static str {
        "Several graders as one: their mean, the lowest or highest, a share that must pass, or what \
         a program or a model makes of them"
    }

    fn manual(&self) -> Manual {
        manual::MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[
                MEMBERS,
                Key::new(
                    "aggregator",
                    Shape::Either(&[Shape::Choice(&AGGREGATORS), Shape::Part(&AGGREGATOR)]),
                    "How their scores add up: a word, or a map with `type`",
                )
                .default("`weighted_average`, or `threshold` where there is one"),
                Key::new(
                    "threshold",
                    Shape::Share,
                    "Short for the aggregator `threshold` with this share",
                ),
            ]
        }
    }

    fn can_be_negated(&self) -> bool {
        true
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        // Everything is read before anything is given up, so that all problems are told.
        let members = read_members(fields, context, problems);
        let aggregator = Aggregator::read(fields, members.as_deref(), context, problems);
        let (mut members, (aggregator, weights)) = (members?, aggregator?);
        for member in &mut members {
            member.weight = weights.get(&*member.name).copied().unwrap_or(member.weight);
        }
        if members.iter().all(|member| member.weight <= 0.0) {
            let span = fields.get("aggregator").map_or(fields.span(), |node| node.span);
            problems.error(span, "every member has weight 0, so there would be no score");
            return None;
        }
        Some(Arc::new(Panel { members, aggregator }))
    }
}

/// The members; nothing where one of them cannot be built, which is reported.
fn read_members(
    fields: &Fields<'_>,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<Vec<NamedGrader>> {
    let list = fields.required("evaluators", problems)?;
    let nodes = fields.list("evaluators", problems)?;
    if nodes.is_empty() {
        problems.push(
            Diagnostic::error("`evaluators` is empty, so there is nothing to grade by")
                .code("no-grader")
                .at(list.span)
                .hint("add at least one grader, such as `{type: contains, value: …}`"),
        );
        return None;
    }
    nesting::check(nodes).map_err(|problem| problems.push(problem)).ok()?;
    let mut found = Problems::default();
    let members = case_graders::read_all(nodes, "a composite", context, &mut found);
    let failed = found.has_errors();
    problems.append(found);
    (!failed).then_some(members)
}

/// Graders that give one score together.
struct Panel {
    members: Vec<NamedGrader>,
    aggregator: Aggregator,
}

impl Panel {
    async fn score(
        &self,
        results: &[GraderResult],
        context: &GradeContext<'_>,
    ) -> Result<Score, GraderFault> {
        if let Some(fault) = panel::fault_of(results, "member") {
            return Err(GraderFault::new(fault));
        }
        // Whoever is required decides alone, so nobody else needs to be asked.
        let barred = said::barred(results);
        if !barred.is_empty() {
            let mut score = said::of_members(results, 0.0);
            score.misses.splice(0..0, barred);
            return Ok(score);
        }
        self.aggregator.add_up(results, context).await
    }
}

impl Grader for Panel {
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async move {
            let results = match panel::hear(&self.members, context).await {
                Ok(results) => results,
                Err(Interrupted) => return Err(GraderFault::interrupted()),
            };
            match self.score(&results, context).await {
                Ok(score) => Ok(Score { parts: results, ..score }),
                Err(fault) => Err(GraderFault { parts: results, ..fault }),
            }
        })
    }

    fn judge_wishes(&self) -> Vec<JudgeWish> {
        let members = self.members.iter().flat_map(|member| member.grader.judge_wishes());
        self.aggregator.judge_wish().into_iter().chain(members).collect()
    }

    /// Members are asked for themselves when it is their turn.
    fn looks_at_trail(&self) -> bool {
        matches!(self.aggregator, Aggregator::Program(_))
    }

    fn lacks(&self, case: &EvalCase) -> Option<String> {
        let members = self.members.iter().filter_map(|member| {
            let what = member.grader.lacks(case)?;
            Some(format!("has the member `{}`, which {what}", member.name))
        });
        let all: Vec<String> = members.take(MOST_LACKS).collect();
        (!all.is_empty()).then(|| cut(all.join(", and "), LACKS_SHOWN))
    }

    fn remedy(&self) -> Option<&'static str> {
        self.members.iter().find_map(|member| member.grader.remedy())
    }
}

#[cfg(test)]
#[path = "composite_tests.rs"]
mod tests;
