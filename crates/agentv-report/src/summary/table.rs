//! Tables of groups: targets, suites, tags. Columns are as wide as what stands in them; in a narrow
//! window the least important ones are left out, and nothing is wrapped.

use agentv_base::escape_controls;
use console::{measure_text_width, truncate_str};

use super::{
    LONGEST_TEXT, Summary, number,
    scores::{told_mean, told_rate},
};
use crate::{
    digest::{Digest, Figures, Group},
    page::Page,
    style::{Tone, duration_text},
};

/// Rows of a table that are told.
const MOST_ROWS: usize = 10;

/// Names are cut to so many columns before anything is left out for them, and at the most.
const SHORT_NAME: usize = 16;
const SHORTEST_NAME: usize = 7;
const LONGEST_NAME: usize = 40;

/// No window is narrower.
const NARROWEST: usize = 40;

/// Between columns there is less room where the window is narrower than this.
const NARROW: usize = 60;

/// What is not known.
const UNKNOWN: &str = "—";

impl Summary {
    /// Those of which there is more than one, and tags wherever there are any.
    pub(super) fn write_tables(&self, page: &mut Page, digest: &Digest) {
        let with_intervals = !self.repeats.are_ended_early();
        let by_name = |groups: &[Group]| {
            let mut groups = groups.to_vec();
            // Which was first depends on which answered first.
            groups.sort_by(|one, other| one.name.cmp(&other.name));
            groups
        };
        if digest.targets.len() > 1 {
            write_table(page, "Targets", &by_name(&digest.targets), 0, with_intervals);
        }
        if digest.suites.len() > 1 {
            write_table(page, "Suites", &by_name(&digest.suites), 0, with_intervals);
        }
        if !digest.tags.is_empty() {
            write_table(page, "Tags", &digest.tags, digest.more_tags, with_intervals);
        }
    }
}

/// A column of numbers.
struct Column {
    head: &'static str,
    cells: Vec<String>,
    /// The larger, the sooner it is left out.
    rank: u8,
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| measure_text_width(cell));
        cells.chain([measure_text_width(self.head)]).max().unwrap_or(0)
    }

    fn says_something(&self) -> bool {
        self.cells.iter().any(|cell| cell != UNKNOWN)
    }
}

fn write_table(page: &mut Page, head: &str, groups: &[Group], more: usize, with_intervals: bool) {
    let told = groups.get(..MOST_ROWS).unwrap_or(groups);
    let names: Vec<String> = told.iter().map(name_of).collect();
    let width = page.style.width.max(NARROWEST);
    let gap = if width < NARROW { 1 } else { 2 };
    let mut columns = columns(told, with_intervals);
    let natural = names.iter().map(|name| measure_text_width(name)).max().unwrap_or(0);
    let natural = natural.max(measure_text_width(head)).clamp(SHORTEST_NAME, LONGEST_NAME);
    let numbers = |columns: &[Column]| columns.iter().map(|it| gap + it.width()).sum::<usize>();
    while 2 + natural.min(SHORT_NAME) + numbers(&columns) > width
        && let Some(least) = columns.iter().map(|column| column.rank).max().filter(|rank| *rank > 2)
    {
        columns.retain(|column| column.rank != least);
    }
    let room = width.saturating_sub(2 + numbers(&columns));
    let room = natural.min(room).max(SHORTEST_NAME);
    page.line("");
    let padded =
        format!("{head}{}", " ".repeat((room + 2).saturating_sub(measure_text_width(head))));
    let heads = columns.iter().map(|column| (column.head, column));
    let line = row(&padded, heads, gap);
    let (bold, rest) = line.split_at_checked(head.len()).unwrap_or((&line, ""));
    let style = page.style;
    page.line(&format!("{}{}", style.paint(Tone::Heading, bold), style.paint(Tone::Aside, rest)));
    for (place, name) in names.iter().enumerate() {
        let name = truncate_str(name, room, "…");
        let pad = " ".repeat(room.saturating_sub(measure_text_width(&name)));
        let cell =
            |column: &'_ Column| column.cells.get(place).map_or("", String::as_str).to_owned();
        let cells: Vec<(String, &Column)> = columns.iter().map(|it| (cell(it), it)).collect();
        let cells = cells.iter().map(|(cell, column)| (cell.as_str(), *column));
        page.line(&row(&format!("  {name}{pad}"), cells, gap));
    }
    page.more(groups.len() - told.len() + more);
}

fn name_of(group: &Group) -> String {
    let name: String = group.name.chars().take(LONGEST_TEXT).collect();
    if name.is_empty() { UNKNOWN.to_owned() } else { escape_controls(&name).into_owned() }
}

/// Every cell at the right edge of its column.
fn row<'c>(start: &str, cells: impl Iterator<Item = (&'c str, &'c Column)>, gap: usize) -> String {
    let mut line = start.to_owned();
    for (cell, column) in cells {
        let pad = gap + column.width().saturating_sub(measure_text_width(cell));
        line.push_str(&" ".repeat(pad));
        line.push_str(cell);
    }
    line
}

/// In the order in which they stand. What nobody knows, and errors where there are none, take no room.
fn columns(groups: &[Group], with_intervals: bool) -> Vec<Column> {
    let column = |head: &'static str, rank: u8, cell: &dyn Fn(&Figures) -> Option<String>| {
        let cells = groups.iter().map(|group| cell(&group.figures));
        let cells = cells.map(|cell| cell.unwrap_or_else(|| UNKNOWN.to_owned())).collect();
        Column { head, cells, rank }
    };
    let has_errors = groups.iter().any(|group| group.figures.errors > 0);
    let time = |milliseconds: f64| Some(duration_text(milliseconds));
    let all = [
        column("graded", 1, &|it| Some(it.graded.to_string())),
        column("errors", 2, &|it| has_errors.then(|| it.errors.to_string())),
        column("pass rate", 0, &|it| Some(told_rate(&it.pass_rate?, with_intervals))),
        column("mean", 3, &|it| Some(told_mean(&it.mean_score?, 3, with_intervals))),
        column("cost", 5, &cost),
        column("tokens", 7, &tokens),
        column("median", 4, &|it| time(it.durations?.median_ms)),
        column("p95", 6, &|it| time(it.durations?.p95_ms)),
    ];
    all.into_iter().filter(Column::says_something).collect()
}

/// `≥` where the cost of some answers is not known.
fn cost(figures: &Figures) -> Option<String> {
    let cost = figures.spent.cost_usd?;
    let at_least = if figures.spent.cost_unknown > 0 { "≥" } else { "" };
    Some(format!("{at_least}${cost:.4}"))
}

/// Given and taken together, as far as they are known.
fn tokens(figures: &Figures) -> Option<String> {
    let spent = &figures.spent;
    spent.input_tokens.or(spent.output_tokens)?;
    let all = spent.input_tokens.unwrap_or(0).saturating_add(spent.output_tokens.unwrap_or(0));
    Some(short_count(number(all)))
}

/// `950`, `12.3k`, `4.1M`.
fn short_count(count: usize) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..999_950 => format!("{:.1}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests;
