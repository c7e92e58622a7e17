//! All graders of a case at work, and what their scores add up to: mean, verdict, or the reason
//! why there is neither.

use std::{borrow::Cow, sync::Arc, time::Instant};

use agentv_base::{
    Assessment, Assessor, BoxFuture, EvalCase, Grade, GradeContext, GraderFault, GraderResult,
    Redactor, Response, Score, Verdict, reaches,
};
use futures_util::future::join_all;

use crate::{
    case_graders::{CaseGraders, NamedGrader},
    mean::weighted_mean,
};

/// Grades the cases of a plan by their place in it.
pub struct CaseAssessor {
    threshold: f64,
    overruling: Option<f64>,
    cases: Vec<(Arc<EvalCase>, Arc<CaseGraders>)>,
    redactor: Redactor,
}

impl CaseAssessor {
    /// `cases` in the order of the plan; a case that does not say otherwise passes from `threshold`
    /// on.
    pub fn new(threshold: f64, cases: Vec<(Arc<EvalCase>, Arc<CaseGraders>)>) -> Self {
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

impl CaseAssessor {
    /// What graders say goes to screens and records; they may have been told a secret to look for.
    fn hide(&self, score: &mut Result<Score, GraderFault>) {
        let hide = |text: &mut String| {
            if let Cow::Owned(hidden) = self.redactor.redact(text) {
                *text = hidden;
            }
        };
        match score {
            Ok(score) => {
                score.hits.iter_mut().chain(&mut score.misses).for_each(hide);
                score.reasoning.iter_mut().for_each(hide);
            }
            Err(fault) => hide(&mut fault.message),
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
            let Some((case, graders)) = self.cases.get(case) else {
                return Some(Assessment {
                    results: Vec::new(),
                    grade: Err(format!("there are no graders for case {case} of the plan")),
                    threshold: self.threshold,
                });
            };
            let threshold = self.overruling.or(case.threshold).unwrap_or(self.threshold);
            let summary = response.trace_summary();
            let context = GradeContext { case, target, response, trace_summary: summary.as_ref() };
            let graders = &graders.graders;
            let mut said = join_all(graders.iter().map(|grader| ask(grader, &context))).await;
            for said in &mut said {
                self.hide(&mut said.score);
            }
            add_up(graders, said, threshold)
        })
    }
}

/// What one grader said, and how long it took.
struct Said {
    score: Result<Score, GraderFault>,
    duration_ms: f64,
}

async fn ask(grader: &NamedGrader, context: &GradeContext<'_>) -> Said {
    let started = Instant::now();
    let score = grader.grader.grade(context).await;
    // Microseconds are as fine as such a clock is worth reading.
    let duration_ms = (started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
    Said { score: score.and_then(checked), duration_ms }
}

/// Invariant: no score outside 0 to 1 gets past here, whatever grader it comes from.
fn checked(score: Score) -> Result<Score, GraderFault> {
    if (0.0..=1.0).contains(&score.score) {
        return Ok(score);
    }
    Err(GraderFault::new(format!(
        "it gave a score of {}, which is not between 0 and 1",
        score.score
    )))
}

/// The assessment; nothing where the run was stopped while a grader worked.
fn add_up(graders: &[NamedGrader], said: Vec<Said>, threshold: f64) -> Option<Assessment> {
    let interrupted = |said: &Said| matches!(&said.score, Err(fault) if fault.interrupted);
    if said.iter().any(interrupted) {
        return None;
    }
    let mut results = Vec::with_capacity(graders.len());
    let mut parts = Vec::with_capacity(graders.len());
    let mut faults = Vec::new();
    let mut case_barred = false;
    for (grader, said) in graders.iter().zip(said) {
        match said.score {
            Ok(score) => {
                parts.push((score.score, grader.weight));
                let (result, barred) = graded(grader, score, said.duration_ms, threshold);
                case_barred |= barred;
                results.push(result);
            }
            Err(fault) => {
                faults.push(format!("grader `{}` failed: {}", grader.name, fault.message));
                results.push(GraderResult {
                    error: Some(fault.message),
                    ..blank(grader, said.duration_ms)
                });
            }
        }
    }
    Some(Assessment { results, grade: grade(&parts, &faults, case_barred, threshold), threshold })
}

/// The result of a grader that spoke, and whether it bars the case from passing.
fn graded(
    grader: &NamedGrader,
    score: Score,
    duration_ms: f64,
    threshold: f64,
) -> (GraderResult, bool) {
    let cutoff = grader.bar.min_score.unwrap_or(threshold);
    let barred = grader.bar.required && !reaches(score.score, cutoff);
    let result = GraderResult {
        score: Some(score.score),
        required_score: grader.bar.required.then_some(cutoff),
        verdict: Some(if barred { Verdict::Fail } else { Verdict::of(score.score, cutoff) }),
        hits: score.hits,
        misses: score.misses,
        reasoning: score.reasoning,
        ..blank(grader, duration_ms)
    };
    (result, barred)
}

fn blank(grader: &NamedGrader, duration_ms: f64) -> GraderResult {
    GraderResult {
        name: grader.name.clone(),
        kind: grader.kind.clone(),
        score: None,
        required_score: None,
        weight: grader.weight,
        verdict: None,
        hits: Vec::new(),
        misses: Vec::new(),
        reasoning: None,
        duration_ms,
        error: None,
        evaluator_results: Vec::new(),
    }
}

fn grade(
    parts: &[(f64, f64)],
    faults: &[String],
    barred: bool,
    threshold: f64,
) -> Result<Grade, String> {
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let score = weighted_mean(parts).ok_or_else(|| "no grader has a weight above 0".to_owned())?;
    let verdict = if barred { Verdict::Fail } else { Verdict::of(score, threshold) };
    Ok(Grade { score, verdict })
}

#[cfg(test)]
#[path = "assess_tests.rs"]
mod tests;
