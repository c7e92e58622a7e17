//! All graders of a case at work, and what their scores add up to: mean, verdict, or the reason
//! why there is neither.

use std::{borrow::Cow, sync::Arc};

use agentv_base::{
    Assessment, Assessor, Bench, BoxFuture, EvalCase, Grade, GradeContext, GraderResult, Redactor,
    Response, Verdict,
};

use crate::{
    case_graders::CaseGraders,
    mean::weighted_mean,
    panel::{self, Interrupted},
};

/// A case of a plan, and who grades it.
pub struct GradedCase {
    pub case: Arc<EvalCase>,
    pub graders: Arc<CaseGraders>,
    /// Who judges where a model must.
    pub bench: Arc<Bench>,
}

/// Grades the cases of a plan by their place in it.
pub struct CaseAssessor {
    threshold: f64,
    overruling: Option<f64>,
    cases: Vec<GradedCase>,
    redactor: Redactor,
}

impl CaseAssessor {
    /// `cases` in the order of the plan; a case that does not say otherwise passes from `threshold`
    /// on.
    pub fn new(threshold: f64, cases: Vec<GradedCase>) -> Self {
        Self { threshold, overruling: None, cases, redactor: Redactor::default() }
    }

    /// A threshold that holds whatever the cases say.
    #[must_use]
    pub fn overruled_by(self, overruling: Option<f64>) -> Self {
        Self { overruling, ..self }
    }

    /// What a grader says of its failure comes from outside, and must not give secrets away.
    #[must_use]
    pub fn hiding(self, redactor: Redactor) -> Self {
        Self { redactor, ..self }
    }
}

impl Assessor for CaseAssessor {
    fn assess<'a>(
        &'a self,
        case: usize,
        target: &'a str,
        repeat: u32,
        response: &'a Response,
    ) -> BoxFuture<'a, Option<Assessment>> {
        Box::pin(async move {
            let Some(GradedCase { case, graders, bench }) = self.cases.get(case) else {
                return Some(Assessment {
                    results: Vec::new(),
                    grade: Err(format!("there are no graders for case {case} of the plan")),
                    threshold: self.threshold,
                });
            };
            let threshold = self.overruling.or(case.threshold).unwrap_or(self.threshold);
            let context = GradeContext { case, target, repeat, response, threshold, bench };
            let mut results = match panel::hear(&graders.graders, &context).await {
                Ok(results) => results,
                Err(Interrupted) => return None,
            };
            hide(&self.redactor, &mut results);
            let grade = add_up(&results, threshold);
            Some(Assessment { results, grade, threshold })
        })
    }
}

/// What graders say goes to screens and records; they may have been told a secret to look for.
pub(crate) fn hide(redactor: &Redactor, results: &mut [GraderResult]) {
    let hide_one = |text: &mut String| {
        if let Cow::Owned(hidden) = redactor.redact(text) {
            *text = hidden;
        }
    };
    for result in results {
        result.hits.iter_mut().chain(&mut result.misses).for_each(hide_one);
        let said = [&mut result.reasoning, &mut result.stderr, &mut result.error];
        said.into_iter().flatten().for_each(hide_one);
        if let Some(judge) = &mut result.judge {
            judge.checks.iter_mut().filter_map(|check| check.reasoning.as_mut()).for_each(hide_one);
            for exchange in &mut judge.exchanges {
                let said = [&mut exchange.instructions, &mut exchange.prompt];
                said.into_iter().for_each(hide_one);
                exchange.repair.iter_mut().chain([&mut exchange.answer]).for_each(hide_one);
            }
        }
        hide(redactor, &mut result.evaluator_results);
    }
}

fn add_up(results: &[GraderResult], threshold: f64) -> Result<Grade, String> {
    if let Some(fault) = panel::fault_of(results, "grader") {
        return Err(fault);
    }
    let parts: Vec<(f64, f64)> =
        results.iter().filter_map(|result| Some((result.score?, result.weight))).collect();
    let score = weighted_mean(&parts).ok_or_else(|| "no grader has a weight above 0".to_owned())?;
    let barred = results.iter().any(panel::bars);
    let verdict = if barred { Verdict::Fail } else { Verdict::of(score, threshold) };
    Ok(Grade { score, verdict })
}

#[cfg(test)]
#[path = "assess_tests.rs"]
mod tests;
