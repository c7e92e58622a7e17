//! Markdown for the comment of a pull request or the summary of a step in GitHub Actions.
//!
//! It is written to be small, whatever the run: a comment takes 65,536 characters and a step
//! summary 1 MiB, and nobody reads that much. Cases that have no room are counted. Everything that
//! came from outside stands in code, where no service makes it a link, a mention or markup.

mod code;
mod gathered;

use std::{fmt::Write as _, io::Write};

use self::{code::cell, gathered::Gathered};
use super::{Format, RenderFault, Report};
use crate::{
    digest::{Digest, Estimate, Figures, Group},
    record::RunManifest,
    style::{counted, duration_text},
};

pub(super) struct Markdown;

/// Bytes of the whole text; below what a comment takes, with room for a line of its sender's own.
const MOST_BYTES: usize = 60_000;

/// Lines of a table.
const MOST_LINES: usize = 20;

/// Characters of a name.
const LONGEST_NAME: usize = 100;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "md"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["md", "markdown"]
    }

    fn write(&self, report: &Report<'_>, out: &mut dyn Write) -> Result<(), RenderFault> {
        let digest = report.digest()?;
        let mut text = headline(digest, report.run);
        text.push_str(&numbers(report, digest));
        for (title, groups, least) in
            [("Target", &digest.targets, 2), ("Suite", &digest.suites, 2), ("Tag", &digest.tags, 1)]
        {
            if groups.len() >= least {
                let more = if title == "Tag" { digest.more_tags } else { 0 };
                text.push_str(&table(title, groups, more));
            }
        }
        let room = MOST_BYTES.saturating_sub(text.len());
        let gathered = Gathered::of(report)?;
        let again = report.run.and_then(|run| again(run, &report.title));
        // Errors are told first where there are some: they are few, being grouped, and hide what
        // would have been found out.
        let errors = gathered.errors(room / 2);
        text.push_str(&errors);
        let room = room.saturating_sub(errors.len());
        text.push_str(&gathered.failures(room, again.as_deref()));
        out.write_all(text.as_bytes())?;
        Ok(())
    }
}

fn headline(digest: &Digest, run: Option<&RunManifest>) -> String {
    let Figures { rows, graded, passed, failed, errors, .. } = digest.all;
    let not_run = run.map_or(0, |run| run.counts.not_run as u64);
    let (sign, mut words) = if rows == 0 {
        ("⚪", "no results".to_owned())
    } else if graded == 0 {
        ("⚠️", "nothing could be evaluated".to_owned())
    } else if failed == 0 {
        let sign = if errors + not_run == 0 { "✅" } else { "⚠️" };
        (sign, format!("{passed} of {graded} passed"))
    } else {
        ("❌", format!("{failed} of {graded} failed"))
    };
    for (count, one, many) in [(errors, "error", "errors"), (not_run, "not run", "not run")] {
        if count > 0 {
            let _ = write!(words, ", {count} {}", if count == 1 { one } else { many });
        }
    }
    format!("## {sign} AgentV: {words}\n\n")
}

/// Everything with its interval and what is behind it.
fn numbers(report: &Report<'_>, digest: &Digest) -> String {
    let all = &digest.all;
    let mut text = String::from("| | |\n|---|---|\n");
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "| {name} | {value} |");
    };
    let behind = behind(all);
    line("Pass rate", &with_method(all.pass_rate, Estimate::told_percent, &behind));
    line("Mean score", &with_method(all.mean_score, |mean| mean.told(3), &behind));
    if let Some(durations) = &all.durations {
        line(
            "Time of an answer",
            &format!(
                "median {}, 95 % within {}, longest {}",
                duration_text(durations.median_ms),
                duration_text(durations.p95_ms),
                duration_text(durations.longest_ms)
            ),
        );
    }
    if let Some(spent) = spent(all) {
        line("Spent", &spent);
    }
    if let Some(run) = report.run {
        let started = run.started_at.to_string();
        line("Run", &format!("{}, {started}", cell(&run.run_id, LONGEST_NAME)));
    } else {
        line("Results", &cell(&report.title, LONGEST_NAME));
    }
    text.push('\n');
    text
}

/// What rates and means are taken over, and what is no part of them.
fn behind(figures: &Figures) -> String {
    let graded = told(figures.graded, "graded case", "graded cases");
    let graded = if figures.is_repeated() {
        let cases = told(figures.cases, "case", "cases");
        let results = told(figures.graded, "graded result", "graded results");
        format!("{cases}, {results}")
    } else {
        graded
    };
    format!("{graded}, {}", told(figures.errors, "error", "errors"))
}

fn told(count: u64, one: &str, many: &str) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), one, many)
}

fn with_method(
    estimate: Option<Estimate>,
    in_words: impl Fn(&Estimate) -> String,
    behind: &str,
) -> String {
    let Some(estimate) = estimate else { return format!("— ({behind})") };
    let method = estimate.method.map_or_else(
        || "; no interval of one".to_owned(),
        |method| format!("; 95 % interval: {}", method.name()),
    );
    format!("**{}** ({behind}{method})", in_words(&estimate))
}

fn spent(figures: &Figures) -> Option<String> {
    let spent = &figures.spent;
    let mut parts = Vec::new();
    if let Some(cost) = spent.cost_usd.filter(|cost| cost.is_finite()) {
        let unknown = match spent.cost_unknown {
            0 => String::new(),
            count => format!(" (of {} the cost is not known)", told(count, "answer", "answers")),
        };
        parts.push(format!("${cost:.4}{unknown}"));
    }
    if let (Some(input), Some(output)) = (spent.input_tokens, spent.output_tokens) {
        parts.push(format!("{input} tokens in, {output} out"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The command that runs again what did not pass, where the run is there. The name of a run that came
/// from elsewhere may be anything; one that a shell would not take as it is has no command.
fn again(run: &RunManifest, title: &str) -> Option<String> {
    // A run that is only about to end does not know its own name yet.
    let name = if run.run_id.is_empty() { title } else { &run.run_id };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_plain)
        && name.len() <= LONGEST_NAME;
    is_name.then(|| format!("agentv eval --rerun-failed {name}"))
}

fn table(title: &str, groups: &[Group], more: usize) -> String {
    let mut text = format!(
        "| {title} | Graded | Passed | Failed | Errors | Pass rate | Mean score |\n\
         |---|---:|---:|---:|---:|---:|---:|\n"
    );
    let mut told: Vec<&Group> = groups.iter().collect();
    if told.len() > MOST_LINES {
        // Where not all have room, those are told that something is wrong with.
        told.sort_by_key(|group| std::cmp::Reverse(group.figures.failed + group.figures.errors));
    }
    for group in told.iter().take(MOST_LINES) {
        let Figures { graded, passed, failed, errors, pass_rate, mean_score, .. } = &group.figures;
        let rate = pass_rate.map_or_else(|| "—".to_owned(), |rate| rate.told_percent());
        let mean = mean_score.map_or_else(|| "—".to_owned(), |mean| mean.told(3));
        let name = cell(&group.name, LONGEST_NAME);
        let _ = writeln!(
            text,
            "| {name} | {graded} | {passed} | {failed} | {errors} | {rate} | {mean} |"
        );
    }
    let more = more + groups.len().saturating_sub(MOST_LINES);
    if more > 0 {
        let _ = writeln!(text, "\n… and {more} more.");
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests;
