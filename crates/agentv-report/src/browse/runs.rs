//! A list of runs, the newest first: as a table, as JSON, as CSV.

use std::{io, time::SystemTime};

use agentv_base::{escape_controls, excerpt};
use serde::Serialize;

use super::{
    moment::{age_text, cost_text, minute_text},
    table::{Cell, Column, cut_path, table},
};
use crate::{
    csv_cells,
    index::RunEntry,
    page::Page,
    record::RunCounts,
    style::{Style, Tone, counted},
};

/// A run, and what is known of it beyond its `run.json`.
#[derive(Clone, Debug, Serialize)]
pub struct ListedRun {
    #[serde(flatten)]
    pub entry: RunEntry,
    /// `run.json` says that it is running, and nobody is writing to it: it was killed.
    pub is_abandoned: bool,
    /// Where it was asked for and any row says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// Of a longer path of a suite the end is told.
const LONGEST_PATH: usize = 60;

const COLUMNS: [Column; 14] = [
    Column::text("run", 0),
    Column::text("started (UTC)", 8),
    Column::text("when", 5),
    Column::text("kind", 7).usually("eval"),
    // Goes only where all are finished: that a run is made up, or was killed, must not be missed.
    Column::text("status", 0).usually("finished"),
    Column::number("passed", 4),
    Column::number("failed", 2).usually("0"),
    Column::number("errors", 3).usually("0"),
    Column::number("not run", 6).usually("0"),
    Column::text("pass rate [95 %]", 0),
    // There only where it was asked for.
    Column::number("cost", 0),
    // As narrow as they can be in a window of 80 beside failed and errors.
    Column::cut("suites", 10, 20).keeping_end(),
    Column::cut("targets", 7, 10),
    Column::text("from", 9),
];

impl ListedRun {
    /// What it is at now, in a word or two. What is made up says so: its numbers look like any.
    pub fn status(&self) -> &str {
        match (self.entry.status.as_deref(), self.entry.dry_run) {
            (Some(_), false) if self.is_abandoned => "abandoned",
            (Some(_), true) if self.is_abandoned => "dry run, abandoned",
            (Some("running"), true) => "dry run, running",
            (Some("interrupted"), true) => "dry run, interrupted",
            (Some("failed"), true) => "dry run, failed",
            (Some(_), true) => "dry run",
            (Some(status), false) => status,
            (None, _) => "unreadable",
        }
    }

    fn tone(&self) -> Option<Tone> {
        match self.status() {
            "finished" => None,
            "dry run" => Some(Tone::Aside),
            "running" => Some(Tone::Good),
            "failed" | "unreadable" => Some(Tone::Bad),
            _ => Some(Tone::Odd),
        }
    }

    fn kind(&self) -> String {
        let kind = self.entry.kind.as_deref().unwrap_or_default();
        match &self.entry.shard {
            Some(shard) => format!("{} {shard}", excerpt(kind, 20)),
            None => excerpt(kind, 20),
        }
    }

    fn from(&self) -> String {
        match (&self.entry.parent, self.entry.parts.len()) {
            (Some(parent), _) => excerpt(parent, 40),
            (None, 0) => String::new(),
            (None, parts) => format!("{parts} parts"),
        }
    }

    fn count(&self, of: impl Fn(&RunCounts) -> usize) -> String {
        self.entry.counts.as_ref().map_or("—".to_owned(), |counts| of(counts).to_string())
    }

    fn rate(&self) -> String {
        self.entry.pass_rate.map_or("—".to_owned(), |rate| rate.told())
    }

    fn cells(&self, now: SystemTime) -> Vec<Cell> {
        let started = self.entry.started_at;
        let wrong = |text: String, tone: Tone| {
            let is_some = !matches!(text.as_str(), "0" | "—");
            Cell::toned(text, is_some.then_some(tone))
        };
        vec![
            Cell::plain(excerpt(&self.entry.run_id, 60)),
            Cell::plain(started.map_or("—".to_owned(), minute_text)),
            Cell::toned(started.map_or("—".to_owned(), |it| age_text(it, now)), Some(Tone::Aside)),
            Cell::plain(self.kind()),
            Cell::toned(excerpt(self.status(), 20), self.tone()),
            Cell::plain(self.count(|counts| counts.passed)),
            wrong(self.count(|counts| counts.failed), Tone::Bad),
            wrong(self.count(|counts| counts.errors), Tone::Odd),
            Cell::plain(self.count(|counts| counts.not_run)),
            Cell::plain(self.rate()),
            Cell::plain(self.cost_usd.map_or(String::new(), cost_text)),
            Cell::plain(suites(&self.entry.suites, LONGEST_PATH)),
            Cell::plain(names(&self.entry.targets)),
            Cell::toned(self.from(), Some(Tone::Aside)),
        ]
    }

    /// For a window that is too narrow for a table.
    fn write(&self, page: &mut Page, now: SystemTime) {
        let id = page.style.paint(Tone::Heading, &excerpt(&self.entry.run_id, 60));
        let status = excerpt(self.status(), 20);
        let status = self.tone().map_or(status.clone(), |tone| page.style.paint(tone, &status));
        page.line(&format!("{id}  {status}"));
        if let Some(started) = self.entry.started_at {
            let kind = self.kind();
            page.wrapped("  ", &format!("{}, {kind}", age_text(started, now)));
        }
        if let Some(counts) = &self.entry.counts {
            let RunCounts { passed, failed, errors, not_run, .. } = counts;
            page.line(&format!("  {passed} passed, {failed} failed"));
            let errors = counted(*errors, "error", "errors");
            page.line(&format!("  {errors}, {not_run} not run"));
            page.wrapped("  ", &format!("pass rate {}", self.rate()));
        }
        if let Some(cost) = self.cost_usd {
            page.wrapped("  ", &cost_text(cost));
        }
        let width = page.style.width.saturating_sub(2).max(20);
        let targets = names(&self.entry.targets);
        let targets = console::truncate_str(&targets, width, "…");
        for told in [suites(&self.entry.suites, width.min(LONGEST_PATH)), targets.into_owned()] {
            if !told.is_empty() {
                page.line(&format!("  {told}"));
            }
        }
    }
}

/// The first of them, and how many more: `…/orders.yaml +3`.
fn suites(paths: &[String], width: usize) -> String {
    let Some(first) = paths.first() else { return String::new() };
    let more = if paths.len() > 1 { format!(" +{}", paths.len() - 1) } else { String::new() };
    format!("{}{more}", cut_path(&escape_controls(first), width.saturating_sub(more.len())))
}

/// `agent, other`, or `agent +3`.
fn names(names: &[String]) -> String {
    let told = if names.len() > 2 { 1 } else { 2 };
    let more = names.len().saturating_sub(told);
    let told: Vec<String> = names.iter().take(told).map(|name| excerpt(name, 60)).collect();
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    format!("{}{more}", told.join(", "))
}

/// For people. Faults of single runs stand below, each with its run.
pub fn runs_text(runs: &[ListedRun], now: SystemTime, style: Style) -> String {
    let rows: Vec<Vec<Cell>> = runs.iter().map(|run| run.cells(now)).collect();
    let mut page = Page::new(style);
    match table(&COLUMNS, &rows, style) {
        Some(table) => page.text.push_str(&table),
        None => {
            for run in runs {
                run.write(&mut page, now);
            }
        }
    }
    for run in runs {
        if let Some(fault) = &run.entry.fault {
            let sign = page.style.paint(Tone::Odd, "!");
            page.wrapped(
                &format!("{sign} "),
                &format!("{}: {fault}", excerpt(&run.entry.run_id, 60)),
            );
        }
    }
    page.text
}

/// A list of objects, also where there are none.
pub fn runs_json(runs: &[ListedRun]) -> io::Result<String> {
    let mut json = serde_json::to_string_pretty(runs)?;
    json.push('\n');
    Ok(json)
}

/// A line a run, after a line with the names of the columns.
pub fn runs_csv(runs: &[ListedRun]) -> io::Result<String> {
    let mut out = csv_cells::table(Vec::new());
    out.write_record([
        "run_id",
        "started_at",
        "finished_at",
        "kind",
        "status",
        "planned",
        "passed",
        "failed",
        "errors",
        "not_run",
        "pass_rate",
        "pass_rate_low",
        "pass_rate_high",
        "cost_usd",
        "suites",
        "targets",
        "parent",
        "fault",
    ])
    .map_err(csv_cells::cause)?;
    for run in runs {
        let entry = &run.entry;
        let moment =
            |it: Option<crate::record::Timestamp>| it.map_or(String::new(), |it| it.to_string());
        let count = |of: fn(&RunCounts) -> usize| {
            entry.counts.as_ref().map_or(String::new(), |counts| of(counts).to_string())
        };
        let number = |it: Option<f64>| it.map_or(String::new(), |it| it.to_string());
        let text = |value: &str| csv_cells::text(value).into_owned();
        let rate = entry.pass_rate;
        out.write_record([
            text(&entry.run_id),
            moment(entry.started_at),
            moment(entry.finished_at),
            entry.kind.clone().unwrap_or_default(),
            run.status().to_owned(),
            count(|it| it.planned),
            count(|it| it.passed),
            count(|it| it.failed),
            count(|it| it.errors),
            count(|it| it.not_run),
            number(rate.map(|it| it.value)),
            number(rate.and_then(|it| it.low)),
            number(rate.and_then(|it| it.high)),
            number(run.cost_usd),
            text(&entry.suites.join(";")),
            text(&entry.targets.join(";")),
            text(entry.parent.as_deref().unwrap_or_default()),
            text(entry.fault.as_deref().unwrap_or_default()),
        ])
        .map_err(csv_cells::cause)?;
    }
    let bytes = out.into_inner().map_err(|fault| io::Error::other(fault.to_string()))?;
    String::from_utf8(bytes).map_err(io::Error::other)
}
