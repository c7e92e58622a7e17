//! A trend as one page: lines with their intervals as bands, and the table. No script, nothing from
//! the network, and everything that rows and files are called is escaped.

use std::{fmt::Write as _, io};

use agentv_base::escape_controls;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Trend, TrendPoint, scale, table};
use crate::{digest::Estimate, render::RenderFault, statistics::Interval};

const STYLE: &str = "\
:root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--dim:#667;--line:#0a66c2;--band:#0a66c233;--rule:#8884}
@media(prefers-color-scheme:dark){:root{--fg:#e6e8eb;--bg:#14171a;--dim:#9aa4ae;--line:#6cb2ff;--band:#6cb2ff33}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:70rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
svg{width:100%;height:auto;display:block}
.band{fill:var(--band)}.mean{fill:none;stroke:var(--line);stroke-width:2}
.run{fill:var(--line)}.bar{stroke:var(--line);stroke-opacity:.45}
.grid{stroke:var(--rule)}svg text{fill:var(--dim);font-size:12px}
.wide{overflow-x:auto}table{border-collapse:collapse;white-space:nowrap}
th,td{padding:.2rem .8rem .2rem 0;text-align:right;border-bottom:1px solid var(--rule)}
th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}
.dim{color:var(--dim)}
@media print{body{margin:0;max-width:none}}";

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 260.0;
/// For the numbers at the side and the dates below.
const LEFT: f64 = 44.0;
const BELOW: f64 = 24.0;
const ABOVE: f64 = 10.0;

type Of = fn(&TrendPoint) -> Option<Estimate>;

pub(super) fn write(trend: &Trend, out: &mut dyn io::Write) -> Result<(), RenderFault> {
    let page = page(trend).into_string();
    out.write_all(page.as_bytes())?;
    Ok(())
}

fn page(trend: &Trend) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'";
                title { "AgentV: trend of " (trend.runs.len()) " runs" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Trend of " (trend.runs.len()) " runs" }
                @if trend.runs.is_empty() {
                    p { "No run has a row that was asked for." }
                } @else {
                    (words(trend))
                    (chart(trend, "Mean score", |run| run.mean_score))
                    (chart(trend, "Pass rate", |run| run.pass_rate))
                    (runs(trend))
                }
                @if trend.without_rows > 0 {
                    p.dim { (trend.without_rows) " runs without a row that was asked for are left out." }
                }
                @if trend.earlier > 0 {
                    p.dim { (trend.earlier) " earlier runs were not looked at." }
                }
            }
        }
    }
}

fn words(trend: &Trend) -> Markup {
    html! {
        @if let Some(change) = &trend.change { p { (table::change_text(change)) } }
        @if let Some(slope) = &trend.mean_slope { p { (table::slope_text(slope)) } }
    }
}

/// Where the runs lie from left to right, and values from bottom to top.
struct Frame {
    range: Interval,
    last: f64,
}

impl Frame {
    fn x(&self, place: usize) -> f64 {
        let way = if self.last > 0.0 { place as f64 / self.last } else { 0.5 };
        LEFT + 8.0 + way * (WIDTH - LEFT - 16.0)
    }

    fn y(&self, value: f64) -> f64 {
        let room = HEIGHT - BELOW - ABOVE;
        ABOVE + (1.0 - scale::height(value, self.range)) * room
    }
}

fn chart(trend: &Trend, title: &str, of: Of) -> Markup {
    let frame =
        Frame { range: scale::range(trend, of), last: trend.runs.len().saturating_sub(1) as f64 };
    let known: Vec<(usize, &TrendPoint, Estimate)> = trend
        .runs
        .iter()
        .enumerate()
        .filter_map(|(place, run)| of(run).map(|it| (place, run, it)))
        .collect();
    let label = format!("{title} of {} runs, with 95 % intervals", known.len());
    html! {
        h2 { (title) " " span.dim { "with 95 % intervals" } }
        svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(label) {
            (grid(&frame))
            @for piece in pieces(&known) {
                polygon.band points=(band(&frame, piece)) {}
                polyline.mean points=(line(&frame, piece)) {}
            }
            @for (place, run, estimate) in &known {
                (dot(&frame, *place, run, estimate))
            }
            @for (place, anchor) in ends(trend) {
                text x=(round(frame.x(place))) y=(HEIGHT - 6.0) text-anchor=(anchor) {
                    (day(trend.runs.get(place)))
                }
            }
        }
    }
}

fn grid(frame: &Frame) -> Markup {
    let Interval { low, high } = frame.range;
    let values = [low, f64::midpoint(low, high), high];
    html! {
        @for value in values {
            @let y = round(frame.y(value));
            line.grid x1=(LEFT) x2=(WIDTH) y1=(y) y2=(y) {}
            text x=(LEFT - 6.0) y=(y) text-anchor="end" dominant-baseline="middle" {
                (format!("{value:.2}"))
            }
        }
    }
}

/// Runs side by side that have the number: a line does not cross those that have not.
fn pieces<'a>(
    known: &'a [(usize, &'a TrendPoint, Estimate)],
) -> impl Iterator<Item = &'a [(usize, &'a TrendPoint, Estimate)]> {
    known.chunk_by(|one, next| one.0 + 1 == next.0)
}

fn band(frame: &Frame, piece: &[(usize, &TrendPoint, Estimate)]) -> String {
    let mut points = String::new();
    for (place, _, estimate) in piece {
        let y = frame.y(scale::whole(estimate).high);
        let _ = write!(points, "{},{} ", round(frame.x(*place)), round(y));
    }
    for (place, _, estimate) in piece.iter().rev() {
        let y = frame.y(scale::whole(estimate).low);
        let _ = write!(points, "{},{} ", round(frame.x(*place)), round(y));
    }
    points
}

fn line(frame: &Frame, piece: &[(usize, &TrendPoint, Estimate)]) -> String {
    let mut points = String::new();
    for (place, _, estimate) in piece {
        let _ = write!(points, "{},{} ", round(frame.x(*place)), round(frame.y(estimate.value)));
    }
    points
}

fn dot(frame: &Frame, place: usize, run: &TrendPoint, estimate: &Estimate) -> Markup {
    let x = round(frame.x(place));
    let interval = scale::whole(estimate);
    // More runs than this and the dots would hide the line.
    let radius = if frame.last > 120.0 { 1.5 } else { 4.0 };
    html! {
        line.bar x1=(x) x2=(x) y1=(round(frame.y(interval.high))) y2=(round(frame.y(interval.low))) {}
        circle.run cx=(x) cy=(round(frame.y(estimate.value))) r=(radius) {
            title {
                (escape_controls(&run.run)) "\n" (begun(run)) "\n" (estimate.told(3)) " of "
                (estimate.cases) " cases, " (run.graded) " graded, " (run.errors) " errors"
            }
        }
    }
}

fn ends(trend: &Trend) -> Vec<(usize, &'static str)> {
    match trend.runs.len() {
        0 => Vec::new(),
        1 => vec![(0, "middle")],
        count => vec![(0, "start"), (count - 1, "end")],
    }
}

fn day(run: Option<&TrendPoint>) -> String {
    let moment = run.and_then(|run| run.started_at);
    moment.map_or(String::new(), |it| it.to_string().chars().take(10).collect())
}

fn begun(run: &TrendPoint) -> String {
    run.started_at
        .map_or("—".to_owned(), |it| it.to_string().replace('T', " ").chars().take(16).collect())
}

fn runs(trend: &Trend) -> Markup {
    let told = |estimate: Option<String>| estimate.unwrap_or_else(|| "—".to_owned());
    html! {
        h2 { "Runs" }
        div.wide {
            table {
                thead { tr {
                    @for head in ["begun (UTC)", "run", "cases", "graded", "errors", "pass rate", "mean score", "cost"] {
                        th { (head) }
                    }
                } }
                tbody {
                    @for run in &trend.runs {
                        tr {
                            td { (begun(run)) }
                            td { (escape_controls(&run.run)) }
                            td { (run.cases) }
                            td { (run.graded) }
                            td { (run.errors) }
                            td { (told(run.pass_rate.map(|it| it.told_percent()))) }
                            td { (told(run.mean_score.map(|it| it.told(3)))) }
                            td { (told(table::cost(run))) }
                        }
                    }
                }
            }
        }
    }
}

/// A tenth of a pixel is enough.
fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
