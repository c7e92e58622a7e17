//! Cases that did not pass as workflow commands, which GitHub Actions shows as annotations at the
//! line of the case.
//!
//! GitHub shows ten errors a step and drops the others without a word, so that ten are written and
//! the rest is counted. Those that could not be evaluated come first: they say nothing about the
//! target, and hide what would.

use std::{fmt::Write as _, io::Write};

use agentv_base::escape_controls;

use super::{
    Format, RenderFault, Report,
    reason::{CaseKey, case_name, cut, file_of, reasons, scored},
};
use crate::record::{Row, Status};

pub(super) struct Github;

/// As many as GitHub shows.
const MOST_SHOWN: usize = 10;

/// Characters of a title, which is shown in one line.
const LONGEST_TITLE: usize = 120;

/// Characters of a message: an annotation is a hint at the line, not the place to read answers.
const LONGEST_MESSAGE: usize = 2000;

impl Format for Github {
    fn name(&self) -> &'static str {
        "github"
    }

    /// Nobody keeps these in a file.
    fn endings(&self) -> &'static [&'static str] {
        &[]
    }

    fn write(&self, report: &Report<'_>, out: &mut dyn Write) -> Result<(), RenderFault> {
        let (mut errors, mut failed) = (Shown::default(), Shown::default());
        for row in report.rows()? {
            let row = row?;
            match row.status {
                Status::Error => errors.add(&row),
                Status::Failed => failed.add(&row),
                Status::Passed => {}
            }
        }
        let shown = errors.lines.iter().chain(&failed.lines).take(MOST_SHOWN);
        let mut told = 0;
        for line in shown {
            writeln!(out, "{line}")?;
            told += 1;
        }
        let cases = errors.count + failed.count - errors.repeats - failed.repeats;
        if let Some(more @ 1..) = cases.checked_sub(told) {
            let cases = if more == 1 { "case that did" } else { "cases that did" };
            let message = data(&format!(
                "{more} more {cases} not pass: {} failed and {} errors in all; GitHub shows ten \
                 annotations a step",
                failed.count, errors.count
            ));
            writeln!(out, "::notice title=agentv::{message}")?;
        }
        Ok(())
    }
}

/// The first cases of a kind, and how many there are.
#[derive(Default)]
struct Shown {
    lines: Vec<String>,
    count: u64,
    /// The case of the last row: its repeats, which follow it, stand at the same line.
    last: Option<CaseKey>,
    repeats: u64,
}

impl Shown {
    fn add(&mut self, row: &Row<'_>) {
        self.count += 1;
        let key = CaseKey::of(row);
        if self.last.as_ref() == Some(&key) {
            self.repeats += 1;
            return;
        }
        self.last = Some(key);
        if self.lines.len() < MOST_SHOWN {
            self.lines.push(line(row));
        }
    }
}

fn line(row: &Row<'_>) -> String {
    let mut properties = String::new();
    let file = file_of(row);
    if !file.is_empty() {
        properties = format!("file={},", property(file));
        if let Some(line) = row.line {
            let _ = write!(properties, "line={line},");
        }
    }
    let ended = if row.status == Status::Error { "error" } else { "failed" };
    let name = case_name(&row.eval_id, row.repeat);
    let target = if row.target.is_empty() { String::new() } else { format!(" ({})", row.target) };
    let title = property(&cut(&format!("{ended}: {name}{target}"), LONGEST_TITLE));
    let mut message = reasons(row);
    // What a failed case missed does not say by how much.
    if let Some(scored) = scored(row).filter(|scored| !message.contains(scored)) {
        message.insert(0, scored);
    }
    let message = data(&cut(&message.join("\n"), LONGEST_MESSAGE));
    format!("::error {properties}title={title}::{message}")
}

/// What the message of a workflow command may hold: GitHub reads a command up to the end of its
/// line.
pub fn data(text: &str) -> String {
    let escaped = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    // Workflow logs are shown on screens too.
    escape_controls(&escaped).into_owned()
}

/// As [`data`], where also what ends a property must not stand.
pub fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests;
