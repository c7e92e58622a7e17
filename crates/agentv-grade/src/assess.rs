//! All graders of a case at work, and what their scores add up to: mean, verdict, or the reason
//! why there is neither.

use std::{borrow::Cow, sync::Arc};

use agentv_base::{
    Assessment, Assessor, BoxFuture, EvalCase, Grade, GradeContext, GraderResult, Judge, Redactor,
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
    /// Who judges the answers of the target that is asked, where a model must.
    pub judge: Option<Arc<dyn Judge>>,
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

    /// What graders say goes to screens and records; they may have been told a secret to look for.
    fn hide(&self, results: &mut [GraderResult]) {
        let hide = |text: &mut String| {
            if let Cow::Owned(hidden) = self.redactor.redact(text) {
                *text = hidden;
            }
        };
        for result in results {
            result.hits.iter_mut().chain(&mut result.misses).for_each(hide);
            let said = [&mut result.reasoning, &mut result.stderr, &mut result.error];
            said.into_iter().flatten().for_each(hide);
            self.hide(&mut result.evaluator_results);
        }
    }
}

impl Assessor for CaseAssessor {
    fn assess<'a>(
        &'a self,
        case: usize,
        target: &'a str,
        response: &'a Response,
    ) -> BoxFuture<'a, Option<Assessment>> {
        Box::pin(async move {
            let Some(GradedCase { case, graders, judge }) = self.cases.get(case) else {
                return Some(Assessment {
                    results: Vec::new(),
                    grade: Err(format!("there are no graders for case {case} of the plan")),
                    threshold: self.threshold,
                });
            };
            let threshold = self.overruling.or(case.threshold).unwrap_or(self.threshold);
            let summary = response.trace_summary();
            let context = GradeContext {
                case,
                target,
                response,
                trace_summary: summary.as_ref(),
                threshold,
                judge: judge.as_deref(),
            };
            let mut results = match panel::hear(&graders.graders, &context).await {
                Ok(results) => results,
                Err(Interrupted) => return None,
            };
            self.hide(&mut results);
            let grade = add_up(&results, threshold);
            Some(Assessment { results, grade, threshold })
        })
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
