//! Numbers as people read them, and the small drawings that go with them.

use std::borrow::Cow;

use agentv_base::escape_controls;
use maud::{Markup, html};

use crate::{
    digest::{Estimate, Figures},
    record::Timestamp,
};

/// A text from outside on one line; what cannot be seen, or turns the text around it, is spelt out.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    escape_controls(text)
}

/// `1,234,567`.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut told = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            told.push(',');
        }
        told.push(digit);
    }
    told
}

/// `1 case`, `2 cases`.
pub(super) fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", count(number), if number == 1 { "" } else { "s" })
}

pub(super) fn time(milliseconds: f64) -> String {
    let seconds = milliseconds / 1000.0;
    if milliseconds < 999.5 {
        format!("{milliseconds:.0} ms")
    } else if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else if seconds < 3599.5 {
        let whole = seconds.round();
        format!("{:.0} min {:02.0} s", (whole / 60.0).floor(), whole % 60.0)
    } else {
        let minutes = (seconds / 60.0).round();
        format!("{:.0} h {:02.0} min", (minutes / 60.0).floor(), minutes % 60.0)
    }
}

/// `2026-11-16 00:55:30 UTC`.
pub(super) fn moment(at: Timestamp) -> String {
    let seconds: String = at.to_string().chars().take("2026-11-16T00:55:30".len()).collect();
    format!("{} UTC", seconds.replace('T', " "))
}

/// Small sums keep two digits that say something.
pub(super) fn dollars(sum: f64) -> String {
    if sum == 0.0 || sum >= 0.995 {
        format!("${sum:.2}")
    } else if sum >= 0.001 {
        format!("${sum:.4}")
    } else {
        format!("${}", (sum * 1e6).round() / 1e6)
    }
}

/// Where on the way from 0 to 1 a value stands, and from where to where it may: the line is the
/// interval, the mark the value.
pub(super) fn interval_bar(estimate: &Estimate) -> Markup {
    let at = |share: f64| format!("{:.2}", share.clamp(0.0, 1.0) * 100.0);
    html! {
        svg class="interval" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true" {
            line class="ground" x1="0" x2="100" y1="6" y2="6" {}
            @if let Some(interval) = estimate.interval {
                line class="range" x1=(at(interval.low)) x2=(at(interval.high)) y1="6" y2="6" {}
            }
            line class="value" x1=(at(estimate.value)) x2=(at(estimate.value)) y1="1" y2="11" {}
        }
    }
}

/// How the rows ended, as one bar.
pub(super) fn ending_bar(figures: &Figures) -> Markup {
    let rows = figures.rows.max(1) as f64;
    let percent = |number: u64| number as f64 / rows * 100.0;
    let parts = [
        ("passed", 0, figures.passed),
        ("failed", figures.passed, figures.failed),
        ("error", figures.graded, figures.errors),
    ];
    html! {
        svg class="endings" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            @for (name, before, number) in parts {
                rect class=(name) x=(format!("{:.3}", percent(before))) y="0"
                    width=(format!("{:.3}", percent(number))) height="10" {}
            }
        }
    }
}

/// How many scores fall into each tenth. The script makes a filter of a bar that is clicked.
pub(super) fn distribution(figures: &Figures) -> Markup {
    let most = figures.distribution.iter().copied().max().unwrap_or(0).max(1) as f64;
    let told: Vec<String> = figures
        .distribution
        .iter()
        .enumerate()
        .filter(|(_, number)| **number > 0)
        .map(|(bin, number)| format!("{} from {}", count(*number), edge(bin)))
        .collect();
    let label = format!("Scores by tenth: {}", told.join(", "));
    html! {
        svg class="distribution" viewBox="0 0 500 150" role="img" aria-label=(label) {
            @for (bin, number) in figures.distribution.iter().enumerate() {
                @let height = *number as f64 / most * 104.0;
                @let height = if *number > 0 { height.max(3.0) } else { 0.0 };
                @let left = bin as f64 * 50.0;
                g class="bin" data-from=(edge(bin)) data-to=(edge(bin + 1)) {
                    title { (edge(bin)) "–" (edge(bin + 1)) ": " (counted(*number, "score")) }
                    rect class="hit" x=(left) y="0" width="50" height="132" {}
                    rect class="column" x=(left + 3.0) y=(format!("{:.1}", 130.0 - height))
                        width="44" height=(format!("{height:.1}")) rx="2" {}
                    @if *number > 0 {
                        text x=(left + 25.0) y=(format!("{:.1}", 124.0 - height)) { (count(*number)) }
                    }
                }
            }
            line class="ground" x1="0" x2="500" y1="130.5" y2="130.5" {}
            @for bin in [0, 2, 4, 6, 8, 10] {
                @let anchor = match bin { 0 => "start", 10 => "end", _ => "middle" };
                text class="edge" x=(bin * 50) y="146" text-anchor=(anchor) { (edge(bin)) }
            }
        }
    }
}

fn edge(bin: usize) -> String {
    match bin {
        0 => "0".to_owned(),
        10 => "1".to_owned(),
        tenth => format!("0.{tenth}"),
    }
}
