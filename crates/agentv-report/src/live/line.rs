//! One line about one event: the words that all displays share.

use agentv_base::{
    Outcome, SettledCase, SkipReason, SkippedCase, StopLevel, excerpt, excerpt_ends,
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
    let repeat = match repeat {
        0 | 1 => String::new(),
        repeat => format!(" #{repeat}"),
    };
    format!("{}{repeat} ({})", excerpt(id, LONGEST_NAME), excerpt(target, LONGEST_NAME))
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

/// `RETRY id (target), attempt 2`; `attempts` were made before.
pub(super) fn retry_line(
    id: &str,
    target: &str,
    cases: usize,
    attempts: u32,
    style: Style,
) -> String {
    let word = style.paint(Tone::Aside, "RETRY");
    let more = match cases {
        0 | 1 => String::new(),
        cases => format!(" and {} more", cases - 1),
    };
    let (id, target) = (excerpt(id, LONGEST_NAME), excerpt(target, LONGEST_NAME));
    format!("{word} {id}{more} ({target}), attempt {}", u64::from(attempts) + 1)
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
        let message = message.lines().map(str::trim).collect::<Vec<_>>().join("; ");
        return Some(told_with(kind.name(), &excerpt_ends(&message, LONGEST_REASON)));
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
