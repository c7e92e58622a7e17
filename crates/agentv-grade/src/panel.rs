//! Several graders at work on one answer, and the result of each. What their scores add up to is
//! not said here: a case takes their mean, a composite has its own ways.

use std::time::Instant;

use agentv_base::{GradeContext, GraderFault, GraderResult, Score, Verdict, reaches};
use futures_util::future::join_all;

use crate::{
    case_graders::NamedGrader,
    told::{cut, first_of},
};

/// Graders that are named of those that failed; more are counted.
const MOST_FAULTS: usize = 10;

/// Characters of all that is said of them: what failed deep inside is said again at every level.
const FAULTS_SHOWN: usize = 8000;

/// What is said where an answer was recorded without the trail that led to it.
pub(crate) const TRAIL_LOST: &str =
    "the messages were not kept: the answer was recorded without --include-trace";

/// The run was stopped while a grader worked: there is nothing to record.
pub(crate) struct Interrupted;

/// Asks all graders at the same time. A grader that failed has a result too, with its error.
pub(crate) async fn hear(
    graders: &[NamedGrader],
    context: &GradeContext<'_>,
) -> Result<Vec<GraderResult>, Interrupted> {
    // Nearly all cases of a large suite have one.
    if let [only] = graders {
        return Ok(vec![ask(only, context).await?]);
    }
    join_all(graders.iter().map(|grader| ask(grader, context))).await.into_iter().collect()
}

pub(crate) async fn ask(
    grader: &NamedGrader,
    context: &GradeContext<'_>,
) -> Result<GraderResult, Interrupted> {
    let started = Instant::now();
    let said = if context.response.trail_was_lost() && grader.grader.looks_at_trail() {
        Err(GraderFault::new(TRAIL_LOST))
    } else {
        grader.grader.grade(context).await.and_then(checked)
    };
    // Microseconds are as fine as such a clock is worth reading.
    let duration_ms = (started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
    let result = GraderResult {
        name: grader.name.clone(),
        kind: grader.kind.clone(),
        score: None,
        required_score: None,
        weight: grader.weight,
        verdict: None,
        barred: false,
        hits: Vec::new(),
        misses: Vec::new(),
        reasoning: None,
        duration_ms,
        stderr: None,
        judge: None,
        error: None,
        evaluator_results: Vec::new(),
    };
    match said {
        Ok(score) => Ok(scored(grader, score, result, context.threshold)),
        Err(fault) if fault.interrupted => Err(Interrupted),
        Err(fault) => Ok(GraderResult {
            error: Some(fault.message),
            evaluator_results: fault.parts,
            judge: fault.judge,
            ..result
        }),
    }
}

/// Invariant: no score outside 0 to 1 gets past here, whatever grader it comes from.
fn checked(score: Score) -> Result<Score, GraderFault> {
    if (0.0..=1.0).contains(&score.score) {
        return Ok(score);
    }
    let message = format!("it gave a score of {}, which is not between 0 and 1", score.score);
    Err(GraderFault { parts: score.parts, judge: score.judge, ..GraderFault::new(message) })
}

fn scored(
    grader: &NamedGrader,
    mut score: Score,
    result: GraderResult,
    threshold: f64,
) -> GraderResult {
    let cutoff = grader.bar.min_score.unwrap_or(threshold);
    let enough = reaches(score.score, cutoff);
    if enough { &mut score.hits } else { &mut score.misses }.extend(score.measured.take());
    let barred = score.barred || grader.bar.required && !enough;
    GraderResult {
        score: Some(score.score),
        required_score: grader.bar.required.then_some(cutoff),
        verdict: Some(if barred { Verdict::Fail } else { Verdict::of(score.score, cutoff) }),
        barred: score.barred,
        hits: score.hits,
        misses: score.misses,
        reasoning: score.reasoning,
        stderr: score.stderr,
        judge: score.judge,
        evaluator_results: score.parts,
        ..result
    }
}

/// Whether a grader that is required did not reach what is required of it, or of a part of it.
pub(crate) fn bars(result: &GraderResult) -> bool {
    if result.barred {
        return true;
    }
    match (result.score, result.required_score) {
        (Some(score), Some(cutoff)) => !reaches(score, cutoff),
        _ => false,
    }
}

/// What to say of those that failed, where any did; each is a `noun`, such as a grader.
pub(crate) fn fault_of(results: &[GraderResult], noun: &str) -> Option<String> {
    let failed = results.iter().filter_map(|result| Some((result, result.error.as_deref()?)));
    let told = first_of(
        failed,
        MOST_FAULTS,
        |(result, error)| format!("{noun} `{}` failed: {error}", result.name),
        |more| format!("{more} more {noun}{} failed", if more == 1 { "" } else { "s" }),
    );
    (!told.is_empty()).then(|| cut(told.join("\n"), FAULTS_SHOWN))
}
