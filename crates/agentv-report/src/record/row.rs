//! One line of `results.jsonl`: all that is kept of a case.
//!
//! The order of the fields is the order of the keys on disk.

use std::borrow::Cow;

use agentv_base::{
    Assessment, Earlier, FailedAttempt, GraderResult, LeakedProcess, Message, Outcome, Provenance,
    Response, SettledCase, TokenUsage, TraceEvent, TraceSummary, Verdict,
};
use serde::{Deserialize, Serialize};

use super::{
    ending::{error_of, status_of},
    timestamp::Timestamp,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Passed,
    Failed,
    /// It could not be evaluated: no score, and no part of any mean.
    Error,
}

impl Status {
    /// As rows say it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
        }
    }
}

/// Borrows from the settled case when it is written; owns its texts when it was read.
///
/// Keys that are not known are let pass on reading: a newer version may have written them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row<'a> {
    pub timestamp: Timestamp,
    pub eval_id: Cow<'a, str>,
    pub dataset: Cow<'a, str>,
    /// From the repository root, with `/`.
    pub suite: Cow<'a, str>,
    pub target: Cow<'a, str>,
    /// From 1.
    pub repeat: u32,
    pub status: Status,
    /// Null for an error.
    pub score: Option<f64>,
    /// Null for an error.
    pub verdict: Option<Verdict>,
    /// Null where nothing says what it would have been: the case was never graded.
    pub threshold: Option<f64>,
    pub hits: Vec<Cow<'a, str>>,
    pub misses: Vec<Cow<'a, str>>,
    /// Null where there was none; an empty answer is an empty string.
    pub candidate_answer: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluator_results: Option<Cow<'a, [GraderResult]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_summary: Option<TraceSummary>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_messages: Option<Cow<'a, [Message]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Cow<'a, [TraceEvent]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<Cow<'a, str>>,
    /// Those of the case, for tables and filters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Cow<'a, str>>,
    /// What was asked, so that a report can show it without the suite. Long ones are cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Cow<'a, str>>,
    /// Characters of the question that were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub question_omitted: usize,
    /// What was expected, where the case failed: the difference is what one looks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_answer: Option<Cow<'a, str>>,
    /// Characters of the expected answer that were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reference_omitted: usize,
    /// How often it was asked for.
    pub attempts: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_attempts: Vec<FailedAttemptRow<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Cow<'a, str>>,
    /// A name of `FailureKind`, or one that only a newer version knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<Cow<'a, str>>,
    /// Where to look for the cause of the error: a name of `FaultClass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_class: Option<Cow<'a, str>>,
    /// The answer was given before, and kept: in the cache, in a recording, or in an earlier run. The
    /// target was not asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// Of all that the outcome depends on besides chance: by it, a row says whether it still speaks
    /// of the case as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Cow<'a, str>>,
    /// The file that the case stands in, where that is not its suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Cow<'a, str>>,
    /// The line of that file, else of the suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// "pid command" of what its invocations left behind and could not be ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaked_processes: Vec<String>,
    /// Elements of its messages and trace that did not fit and were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped_elements: usize,
}

/// An attempt before the one that counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedAttemptRow<'a> {
    pub error: Cow<'a, str>,
    pub error_kind: Cow<'a, str>,
    /// Null where it was not this case's own, as in a batch.
    pub duration_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// How much a row keeps of what can be many times the size of everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keeping {
    /// Messages and trace.
    pub trace: bool,
    /// What was asked: whoever only adds rows up has no use for it.
    pub question: bool,
    /// Questions and expected answers of any length.
    pub prompts: bool,
}

impl<'a> Row<'a> {
    /// The row of a settled case; nothing where it leaves none.
    pub fn of(settled: &'a SettledCase, keeping: Keeping) -> Option<Self> {
        let status = status_of(&settled.outcome)?;
        let (response, assessment): (Option<&Response>, Option<&Assessment>) =
            match &settled.outcome {
                Outcome::Assessed { response, assessment } => (Some(response), Some(assessment)),
                Outcome::Answered { response } => (Some(response), None),
                Outcome::Failed { .. } => (None, None),
            };
        let results = assessment.map_or(&[] as &[GraderResult], |assessment| &assessment.results);
        let grade = assessment.and_then(|assessment| assessment.grade.as_ref().ok());
        let error = error_of(&settled.outcome);
        let earlier = earlier(response);
        let traced = response.filter(|_| keeping.trace);
        let (question, question_omitted) = if keeping.question {
            kept_text(settled.case.input.question(), keeping)
        } else {
            (None, 0)
        };
        let (reference_answer, reference_omitted) = reference(settled, status, keeping);
        let (token_usage, cost_usd) = spent(&settled.outcome);
        Some(Self {
            timestamp: Timestamp::of(settled.settled_at),
            eval_id: Cow::Borrowed(settled.case.id()),
            dataset: Cow::Borrowed(&settled.case.dataset),
            suite: Cow::Borrowed(&settled.case.suite),
            target: Cow::Borrowed(&settled.target),
            repeat: settled.repeat,
            status,
            score: grade.map(|grade| grade.score),
            verdict: grade.map(|grade| grade.verdict),
            threshold: assessment.map(|assessment| assessment.threshold),
            hits: collect(results, |result| &result.hits),
            misses: collect(results, |result| &result.misses),
            candidate_answer: response.map(|response| Cow::Borrowed(response.text.as_str())),
            reasoning: reasoning(results),
            evaluator_results: assessment.map(|_| Cow::Borrowed(results)),
            trace_summary: response.and_then(Response::trace_summary),
            output_messages: traced
                .and_then(|response| response.output_messages.as_deref())
                .map(Cow::Borrowed),
            trace: traced.and_then(|response| response.trace.as_deref()).map(Cow::Borrowed),
            conversation_id: settled.case.input.conversation_id.as_deref().map(Cow::Borrowed),
            tags: settled.case.tags.iter().map(|tag| Cow::Borrowed(&**tag)).collect(),
            question,
            question_omitted,
            reference_answer,
            reference_omitted,
            attempts: earlier.map_or(settled.attempts, |earlier| earlier.attempts),
            failed_attempts: failed_attempts(
                earlier.map_or(&settled.failed_attempts, |earlier| &earlier.failed_attempts),
            ),
            duration_ms: duration_of(&settled.outcome),
            token_usage,
            cost_usd,
            error: error.map(|(_, message)| Cow::Borrowed(message)),
            error_kind: error.map(|(kind, _)| Cow::Borrowed(kind.name())),
            error_class: error.map(|(kind, _)| Cow::Borrowed(kind.class().name())),
            cached: response.is_some_and(|it| it.provenance != Provenance::Asked),
            fingerprint: None,
            file: settled.case.place.file.as_deref().map(Cow::Borrowed),
            line: Some(settled.case.place.line),
            leaked_processes: leaked(settled),
            dropped_elements: response.map_or(0, |response| response.dropped_elements),
        })
    }
}

/// A thousand years in milliseconds, and more dollars than there are.
const LONGEST_MS: f64 = 1e13;
const MOST_USD: f64 = 1e12;

impl Row<'_> {
    /// Times and costs that cannot be are not known: added up they would spoil everything else.
    pub(crate) fn forget_absurdities(&mut self) {
        self.duration_ms = self.duration_ms.filter(|it| (0.0..=LONGEST_MS).contains(it));
        self.cost_usd = self.cost_usd.filter(|it| (0.0..=MOST_USD).contains(it));
        for attempt in &mut self.failed_attempts {
            attempt.duration_ms = attempt.duration_ms.filter(|it| (0.0..=LONGEST_MS).contains(it));
            attempt.cost_usd = attempt.cost_usd.filter(|it| (0.0..=MOST_USD).contains(it));
        }
    }
}

/// Questions and expected answers of so many characters are kept whole: enough to know what a case is about,
/// too little for an attached book to be copied into every row.
const LONGEST_KEPT: usize = 8 * 1024;

/// A text as far as it is kept, and how many of its characters are not.
fn kept_text(text: Cow<'_, str>, keeping: Keeping) -> (Option<Cow<'_, str>>, usize) {
    if text.is_empty() {
        return (None, 0);
    }
    let is_short = text.len() <= LONGEST_KEPT || text.chars().nth(LONGEST_KEPT).is_none();
    if keeping.prompts || is_short {
        return (Some(text), 0);
    }
    let kept: String = text.chars().take(LONGEST_KEPT).collect();
    let omitted = text.chars().skip(LONGEST_KEPT).count();
    (Some(Cow::Owned(kept)), omitted)
}

/// What was expected, where that says something that the score does not.
fn reference(
    settled: &SettledCase,
    status: Status,
    keeping: Keeping,
) -> (Option<Cow<'static, str>>, usize) {
    if status != Status::Failed {
        return (None, 0);
    }
    kept_text(Cow::Owned(settled.case.reference_answer()), keeping)
}

/// How long the invocation took, where that is known of this case alone.
pub(crate) fn duration_of(outcome: &Outcome) -> Option<f64> {
    match outcome {
        Outcome::Assessed { response, .. } | Outcome::Answered { response } => response.duration_ms,
        Outcome::Failed { failure } => failure.duration_ms,
    }
}

/// What the target said that it took, whatever came of it.
fn spent(outcome: &Outcome) -> (Option<TokenUsage>, Option<f64>) {
    match outcome {
        Outcome::Assessed { response, .. } | Outcome::Answered { response } => {
            (response.token_usage, response.cost_usd)
        }
        Outcome::Failed { failure } => (failure.token_usage, failure.cost_usd),
    }
}

/// What the graders said, in their order, as they said it.
fn collect(results: &[GraderResult], said: fn(&GraderResult) -> &Vec<String>) -> Vec<Cow<'_, str>> {
    results.iter().flat_map(said).map(|text| Cow::Borrowed(text.as_str())).collect()
}

/// The only grader's own words; of several, each under its name.
fn reasoning(results: &[GraderResult]) -> Option<Cow<'_, str>> {
    if let [only] = results {
        return only.reasoning.as_deref().map(Cow::Borrowed);
    }
    let said: Vec<String> = results
        .iter()
        .filter_map(|result| {
            let reasoning = result.reasoning.as_deref()?;
            Some(format!("{}: {reasoning}", result.name))
        })
        .collect();
    (!said.is_empty()).then(|| Cow::Owned(said.join(" | ")))
}

/// What an earlier run knows of the answer, where it comes from there.
fn earlier(response: Option<&Response>) -> Option<&Earlier> {
    match &response?.provenance {
        Provenance::Earlier(earlier) => Some(earlier),
        Provenance::Asked | Provenance::Cache => None,
    }
}

fn failed_attempts(attempts: &[FailedAttempt]) -> Vec<FailedAttemptRow<'_>> {
    attempts
        .iter()
        .map(|attempt| FailedAttemptRow {
            error: Cow::Borrowed(&attempt.failure.message),
            error_kind: Cow::Borrowed(attempt.failure.kind.name()),
            duration_ms: attempt.failure.duration_ms,
            token_usage: attempt.failure.token_usage,
            cost_usd: attempt.failure.cost_usd,
        })
        .collect()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What any attempt left behind, not only the last.
fn leaked(settled: &SettledCase) -> Vec<String> {
    let last: &[LeakedProcess] = match &settled.outcome {
        Outcome::Assessed { response, .. } | Outcome::Answered { response } => &response.leaked,
        Outcome::Failed { failure } => &failure.leaked,
    };
    settled
        .failed_attempts
        .iter()
        .flat_map(|attempt| attempt.failure.leaked.iter())
        .chain(last)
        .map(|process| format!("{} {}", process.pid, process.command))
        .collect()
}

#[cfg(test)]
mod tests;
