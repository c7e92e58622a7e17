//! One line a case, for spreadsheets and data frames: RFC 4180, UTF-8, a header with [`COLUMNS`].
//!
//! Not all of a row is here: what has parts of its own (graders, messages, traces) is in the JSON
//! formats.

use std::{borrow::Cow, io::Write};

use agentv_base::Verdict;

use super::{Format, RenderFault, Report};
use crate::{
    csv_cells::{cause, count, maybe, number, table, text},
    record::Row,
};

pub(super) struct Csv;

/// The header. New columns are added at the end, so that whoever counts them can go on.
pub(super) const COLUMNS: [&str; 28] = [
    "eval_id",
    "dataset",
    "suite",
    "target",
    "repeat",
    "status",
    "score",
    "verdict",
    "threshold",
    "duration_ms",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "attempts",
    "cached",
    "tags",
    "error_kind",
    "error",
    "hits",
    "misses",
    "question",
    "candidate_answer",
    "reference_answer",
    "reasoning",
    "conversation_id",
    "file",
    "line",
    "timestamp",
];

impl Format for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["csv"]
    }

    fn write(&self, report: &Report<'_>, out: &mut dyn Write) -> Result<(), RenderFault> {
        let mut lines = table(out);
        lines.write_record(COLUMNS).map_err(cause)?;
        for row in report.rows()? {
            let row = row?;
            lines.write_record(cells(&row).iter().map(|cell| cell.as_bytes())).map_err(cause)?;
        }
        lines.flush()?;
        Ok(())
    }
}

/// In the order of [`COLUMNS`].
fn cells<'r>(row: &'r Row<'_>) -> [Cow<'r, str>; COLUMNS.len()] {
    let tokens = row.token_usage;
    [
        text(&row.eval_id),
        text(&row.dataset),
        text(&row.suite),
        text(&row.target),
        Cow::Owned(row.repeat.to_string()),
        Cow::Borrowed(row.status.name()),
        number(row.score),
        Cow::Borrowed(row.verdict.map_or("", verdict)),
        number(row.threshold),
        number(row.duration_ms),
        count(tokens.map(|tokens| tokens.input)),
        count(tokens.map(|tokens| tokens.output)),
        number(row.cost_usd),
        Cow::Owned(row.attempts.to_string()),
        Cow::Borrowed(if row.cached { "true" } else { "false" }),
        joined(&row.tags, "; "),
        maybe(row.error_kind.as_deref()),
        maybe(row.error.as_deref()),
        joined(&row.hits, "\n"),
        joined(&row.misses, "\n"),
        maybe(row.question.as_deref()),
        maybe(row.candidate_answer.as_deref()),
        maybe(row.reference_answer.as_deref()),
        maybe(row.reasoning.as_deref()),
        maybe(row.conversation_id.as_deref()),
        maybe(row.file.as_deref()),
        count(row.line.map(|line| line as u64)),
        Cow::Owned(row.timestamp.to_string()),
    ]
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Borderline => "borderline",
        Verdict::Fail => "fail",
    }
}

fn joined<'r>(texts: &'r [Cow<'_, str>], between: &str) -> Cow<'r, str> {
    match texts {
        [] => Cow::Borrowed(""),
        [only] => text(only),
        several => Cow::Owned(text(&several.join(between)).into_owned()),
    }
}

#[cfg(test)]
mod tests;
