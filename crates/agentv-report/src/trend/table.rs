//! A trend for people: the plot, a line for each run, and what it comes to in words.

use agentv_base::{escape_controls, excerpt};

use super::{
    Change, Trend, TrendPoint,
    plot::{PlotSigns, plot},
};
use crate::{
    compare::Finding,
    page::Page,
    statistics::{How, Slope},
    style::{Style, Tone, counted},
};

/// Where it is looked at.
#[derive(Clone, Copy, Debug)]
pub struct TrendScreen {
    pub style: Style,
    /// Lines of the plot.
    pub plot_height: usize,
    pub signs: PlotSigns,
}

pub(super) fn text(trend: &Trend, screen: TrendScreen) -> String {
    let mut page = Page::new(screen.style);
    if trend.runs.is_empty() {
        page.line("No run has a row that was asked for.");
        left_out(&mut page, trend);
        return page.text;
    }
    page.wrapped("", "Mean score of each run, oldest first, with its 95 % interval");
    page.line("");
    let plot = plot(trend, screen.style.width, screen.plot_height, screen.signs);
    plot.lines.iter().for_each(|line| page.line(line));
    let ends = [trend.runs.first(), trend.runs.last()].map(|run| run.map_or(String::new(), day));
    page.line(&format!("        {}", ends_text(&ends, trend.runs.len())));
    if plot.drawn < trend.runs.len() {
        let words = format!(
            "{} of {} runs are drawn, because the window has no room for more; the table has all.",
            plot.drawn,
            trend.runs.len()
        );
        page.wrapped("        ", &words);
    }
    page.line("");
    runs(&mut page, trend);
    page.line("");
    if let Some(slope) = &trend.mean_slope {
        page.wrapped("", &slope_text(slope));
    }
    if let Some(change) = &trend.change {
        told_change(&mut page, change);
    } else if trend.runs.len() > 1 {
        page.wrapped("", "The first run and the last have no graded case in common.");
    }
    left_out(&mut page, trend);
    page.text
}

fn day(run: &TrendPoint) -> String {
    run.started_at.map_or("?".to_owned(), |it| it.to_string().chars().take(10).collect())
}

fn ends_text([first, last]: &[String; 2], runs: usize) -> String {
    match runs {
        1 => first.clone(),
        _ if first == last => format!("{first}, {runs} runs"),
        _ => format!("{first} to {last}, {runs} runs"),
    }
}

fn left_out(page: &mut Page, trend: &Trend) {
    if trend.without_rows > 0 {
        let runs = counted(trend.without_rows, "run has", "runs have");
        page.wrapped("", &format!("{runs} no row that was asked for, and left out."));
    }
    if trend.earlier > 0 {
        let runs = counted(trend.earlier, "earlier run", "earlier runs");
        page.wrapped("", &format!("{runs} not looked at: --last N takes more."));
    }
}

/// A column of the table.
struct Column {
    head: &'static str,
    /// In a narrow window.
    short: &'static str,
    /// Those of the highest number go first where there is no room.
    spared: u8,
    is_number: bool,
    cells: Vec<String>,
}

impl Column {
    fn head(&self, is_narrow: bool) -> &'static str {
        if is_narrow { self.short } else { self.head }
    }

    fn width(&self, is_narrow: bool) -> usize {
        let cells = self.cells.iter().map(|cell| console::measure_text_width(cell));
        cells.chain([console::measure_text_width(self.head(is_narrow))]).max().unwrap_or(0)
    }
}

const GAP: usize = 2;

/// Wide enough for full words.
const WIDE: usize = 60;

/// Wide enough for years as well, which stand below the plot.
const WIDEST: usize = 110;

fn runs(page: &mut Page, trend: &Trend) {
    let is_narrow = page.style.width < WIDE;
    let mut columns = columns(trend, page.style.width);
    let width = |columns: &[Column]| -> usize {
        let gaps = GAP * columns.len().saturating_sub(1);
        columns.iter().map(|column| column.width(is_narrow)).sum::<usize>() + gaps
    };
    while width(&columns) > page.style.width {
        let last = columns.iter().map(|column| column.spared).max().filter(|it| *it > 0);
        let Some(last) = last else { break };
        columns.retain(|column| column.spared != last);
    }
    let line = |cell: &dyn Fn(&Column) -> String| {
        let cells = columns.iter().map(|column| {
            let cell = cell(column);
            let missing =
                column.width(is_narrow).saturating_sub(console::measure_text_width(&cell));
            let space = " ".repeat(missing);
            if column.is_number { format!("{space}{cell}") } else { format!("{cell}{space}") }
        });
        cells.collect::<Vec<String>>().join(&" ".repeat(GAP))
    };
    let head = line(&|column| column.head(is_narrow).to_owned());
    let head = page.style.paint(Tone::Heading, head.trim_end());
    page.line(&head);
    for place in 0..trend.runs.len() {
        let text = line(&|column| column.cells.get(place).cloned().unwrap_or_default());
        page.line(&text);
    }
}

fn columns(trend: &Trend, width: usize) -> Vec<Column> {
    let is_narrow = width < WIDE;
    let column = |head, short, spared, is_number, cell: &dyn Fn(&TrendPoint) -> String| Column {
        head,
        short,
        spared,
        is_number,
        cells: trend.runs.iter().map(cell).collect(),
    };
    let unknown = || "—".to_owned();
    vec![
        column("begun (UTC)", "begun", 0, false, &|run| {
            let Some(moment) = run.started_at else { return unknown() };
            let text = moment.to_string().replace('T', " ");
            let (skip, take) = if is_narrow {
                (5, 5)
            } else if width < WIDEST {
                (5, 11)
            } else {
                (0, 16)
            };
            text.chars().skip(skip).take(take).collect()
        }),
        column("run", "run", 4, false, &|run| excerpt(&escape_controls(&run.run), 32)),
        column("graded", "n", 0, true, &|run| run.graded.to_string()),
        column("errors", "err", 0, true, &|run| run.errors.to_string()),
        column("pass rate", "pass rate", 2, true, &|run| {
            run.pass_rate.map_or_else(unknown, |it| it.told_percent())
        }),
        column("mean score", "mean score", 0, true, &|run| {
            run.mean_score.map_or_else(unknown, |it| it.told(3))
        }),
        column("cost", "cost", 3, true, &|run| cost(run).unwrap_or_else(unknown)),
    ]
}

/// `$0.0123`, with a `+` where some of it is not known.
pub(super) fn cost(run: &TrendPoint) -> Option<String> {
    let cost = run.cost_usd?;
    let more = if run.cost_unknown > 0 { "+" } else { "" };
    Some(format!("${cost:.4}{more}"))
}

pub(super) fn slope_text(slope: &Slope) -> String {
    let runs = slope.count;
    let per_run = signed(slope.per_step);
    match slope.interval {
        Some(interval) => {
            let (low, high) = (signed(interval.low), signed(interval.high));
            let meaning = if interval.low > 0.0 {
                "it rises"
            } else if interval.high < 0.0 {
                "it falls"
            } else {
                "neither rising nor falling for sure"
            };
            format!(
                "Slope of the mean: {per_run} per run [{low} to {high}], t, over {runs} runs: {meaning}."
            )
        }
        None => format!(
            "Slope of the mean: {per_run} per run over {runs} runs; too few, or too even, for an \
             interval."
        ),
    }
}

fn told_change(page: &mut Page, change: &Change) {
    let text = change_text(change);
    let tone = match change.finding {
        Finding::Better => Some(Tone::Good),
        Finding::Worse => Some(Tone::Bad),
        Finding::NoWorse | Finding::Inconclusive => None,
    };
    match tone {
        // A line that is painted is not broken, so only its verdict is.
        Some(tone) => {
            let (verdict, rest) = text.split_once(": ").unwrap_or((&text, ""));
            let verdict = page.style.paint(tone, verdict);
            page.wrapped("", &format!("{verdict}: {rest}"));
        }
        None => page.wrapped("", &text),
    }
}

pub(super) fn change_text(change: &Change) -> String {
    let statistics = &change.statistics;
    let words = match change.finding {
        Finding::Better => "Better than the first run",
        Finding::Worse => "Worse than the first run",
        Finding::NoWorse => "No worse than the first run",
        Finding::Inconclusive => "Inconclusive from the first run to the last: it could be chance",
    };
    let cases = counted(
        usize::try_from(statistics.clusters).unwrap_or(usize::MAX),
        "case that both graded",
        "cases that both graded",
    );
    let amount = match (statistics.mean_delta, statistics.interval) {
        (Some(mean), Some(interval)) => {
            let how = how_text(statistics.interval_how);
            let (low, high) = (signed(interval.low), signed(interval.high));
            format!("{} [{low} to {high}, {how}] over {cases}", signed(mean))
        }
        (Some(mean), None) => format!("{} over {cases}", signed(mean)),
        (None, _) => cases,
    };
    let tested = statistics.permutation.map_or(String::new(), |tested| {
        format!(", p = {:.3} (sign flips, {})", tested.p, how_text(Some(tested.how)))
    });
    format!("{words}: {amount}{tested}.")
}

fn how_text(how: Option<How>) -> &'static str {
    match how {
        Some(How::Exact) => "exact",
        Some(How::Resampled { .. }) => "resampled",
        Some(How::Analytic) => "analytic",
        Some(How::Bounded) => "for any scores",
        None => "unknown",
    }
}

/// `+0.012`, `−0.004`; what rounds to nothing has no sign.
fn signed(value: f64) -> String {
    let text = format!("{:.3}", value.abs());
    if text == "0.000" {
        text
    } else if value < 0.0 {
        format!("−{text}")
    } else {
        format!("+{text}")
    }
}
