//! One line about one event: the words that all displays share.

use agentv_base::{
    Failure, FailureKind, Outcome, SettledCase, SkipReason, SkippedCase, StopLevel, excerpt,
    excerpt_ends,
};

use crate::{
    record::{Status, duration_of, error_of, status_of},
    style::{Style, Tone, counted, duration_text, told_with},
};

/// A line is for a glance; the summary and the rows say the rest.
const LONGEST_REASON: usize = 160;
const LONGEST_NAME: usize = 120;

/// `PASS 0.95 id (target) 1.2s`, and the first reason where there is one to give.
pub(super) fn settled_line(settled: &SettledCase, style: Style) -> String {
    let mut line = head(settled, style);
    if let Some(milliseconds) = duration_of(&settled.outcome) {
        line.push(' ');
        line.push_str(&style.paint(Tone::Aside, &duration_text(milliseconds)));
    }
    if let Some(reason) = reason(&settled.outcome) {
        line.push_str(": ");
        line.push_str(&reason);
    }
    line
}

fn head(settled: &SettledCase, style: Style) -> String {
    let word = match status_of(&settled.outcome) {
        Some(Status::Passed) => style.paint(Tone::Good, "PASS"),
        Some(Status::Failed) => style.paint(Tone::Bad, "FAIL"),
        Some(Status::Error) => style.paint(Tone::Odd, "ERROR"),
        None => match settled.outcome {
            Outcome::Failed { .. } => style.paint(Tone::Aside, "STOPPED"),
            Outcome::Answered { .. } | Outcome::Assessed { .. } => style.paint(Tone::Good, "DONE"),
        },
    };
    let score = score(&settled.outcome).map_or_else(String::new, |score| format!(" {score:.2}"));
    format!("{word}{score} {}", name(settled.case.id(), settled.repeat, &settled.target))
}

/// `id #2 (target)`.
fn name(id: &str, repeat: u32, target: &str) -> String {
    format!("{}{}", excerpt(id, LONGEST_NAME), behind_id(repeat, 1, target))
}

/// ` #2 and 3 more (target)`: what stands behind the id of the first of some cases.
pub(super) fn behind_id(repeat: u32, cases: usize, target: &str) -> String {
    let repeat = if repeat > 1 { format!(" #{repeat}") } else { String::new() };
    let more = if cases > 1 { format!(" and {} more", cases - 1) } else { String::new() };
    format!("{repeat}{more} ({})", excerpt(target, LONGEST_NAME))
}

/// `SKIP id (target) (budget)`.
pub(super) fn skipped_line(skipped: &SkippedCase, style: Style) -> String {
    let reason = match &skipped.reason {
        SkipReason::Dependency { on } => format!("depends on `{}`", excerpt(on, LONGEST_NAME)),
        SkipReason::FailFast => "--fail-fast".to_owned(),
        SkipReason::Decided => "not needed".to_owned(),
        reason @ (SkipReason::Budget | SkipReason::Deadline) => reason.name().to_owned(),
    };
    let word = style.paint(Tone::Aside, "SKIP");
    let name = name(skipped.case.id(), skipped.repeat, &skipped.target);
    format!("{word} {name} ({reason})")
}

/// `RETRY id #2 (target), attempt 2: exit: …`; `attempts` were made before.
pub(super) fn retry_line(
    first: (&str, u32, &str),
    cases: usize,
    attempts: u32,
    again: Option<&Failure>,
    style: Style,
) -> String {
    let (id, repeat, target) = first;
    let word = style.paint(Tone::Aside, "RETRY");
    let name = format!("{}{}", excerpt(id, LONGEST_NAME), behind_id(repeat, cases, target));
    let why = again.map_or_else(String::new, |failure| {
        format!(": {}", failure_words(failure.kind, &failure.message, LONGEST_REASON))
    });
    format!("{word} {name}, attempt {}{why}", u64::from(attempts) + 1)
}

/// The kind and what was said, on one line and no longer than `limit` with it.
pub(super) fn failure_words(kind: FailureKind, message: &str, limit: usize) -> String {
    let message = message.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    told_with(kind.name(), &excerpt_ends(&message, limit))
}

fn score(outcome: &Outcome) -> Option<f64> {
    match outcome {
        Outcome::Assessed { assessment, .. } => {
            assessment.grade.as_ref().ok().map(|grade| grade.score)
        }
        Outcome::Answered { .. } | Outcome::Failed { .. } => None,
    }
}

/// The error, or what the first grader missed.
fn reason(outcome: &Outcome) -> Option<String> {
    if let Some((kind, message)) = error_of(outcome) {
        return Some(failure_words(kind, message, LONGEST_REASON));
    }
    if status_of(outcome) != Some(Status::Failed) {
        return None;
    }
    match outcome {
        Outcome::Assessed { assessment, .. } => assessment
            .results
            .iter()
            .flat_map(|result| &result.misses)
            .next()
            .map(|miss| excerpt(first_line(miss), LONGEST_REASON)),
        Outcome::Answered { .. } | Outcome::Failed { .. } => None,
    }
}

/// What a miss of several lines begins with; what it announces does not follow here.
fn first_line(miss: &str) -> &str {
    miss.split_once('\n').map_or(miss, |(first, _)| first.trim_end().trim_end_matches(':'))
}

pub(super) fn warning_line(text: &str, style: Style) -> String {
    let text = excerpt(text, 4 * LONGEST_REASON);
    format!("{}: {text}", style.paint(Tone::Odd, "warning"))
}

/// What was shown once and came again.
pub(super) fn repeated_line(text: &str, more: usize, style: Style) -> String {
    let text = excerpt(text, LONGEST_REASON);
    let count = style.paint(Tone::Aside, &counted(more, "more time", "more times"));
    format!("{count}: {text}")
}

pub(super) fn stopping_line(level: StopLevel, style: Style) -> Option<String> {
    let words = match level {
        StopLevel::Run => return None,
        StopLevel::Terminate => {
            "stopping: nothing new is started, what runs is being ended; once more to kill it now"
        }
        StopLevel::Kill => "killing what still runs",
    };
    Some(style.paint(Tone::Odd, words))
}
