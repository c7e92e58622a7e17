//! The same numbers of each target, suite or tag, one below the other.

use maud::{Markup, html};

use super::figures::{count, dollars, interval_bar, time, visible};
use crate::digest::{Estimate, Group};

/// Groups that stand on the page at once; a longer table has a window of its own.
const MOST_AT_ONCE: usize = 10;

/// `title` is the plural; `kind` the key of the filter that a name becomes.
pub(super) fn groups(title: &str, kind: &str, groups: &[Group], more: usize) -> Markup {
    let is_long = groups.len() > MOST_AT_ONCE;
    // Targets are chosen by what they cost and how long they take; suites and tags are not.
    let is_target = kind == "target";
    let has_cost = is_target && groups.iter().any(|group| group.figures.spent.cost_usd.is_some());
    let has_time = is_target && groups.iter().any(|group| group.figures.durations.is_some());
    html! {
        section class="groups" {
            h2 { (title) }
            div class=(if is_long { "window" } else { "all" }) tabindex=[is_long.then_some("0")] {
                table {
                    thead { tr {
                        th scope="col" { (title.trim_end_matches('s')) }
                        th scope="col" class="number" { "Passed" }
                        th scope="col" { "Pass rate, 95 %" }
                        th scope="col" { "Mean score, 95 %" }
                        @if has_time { th scope="col" class="number" { "Median" } }
                        @if has_cost { th scope="col" class="number" { "Cost" } }
                        th scope="col" class="number" { "Errors" }
                    } }
                    tbody { @for group in groups { (row(kind, group, has_time, has_cost)) } }
                }
            }
            @if more > 0 { p class="note" { "… and " (more) " more with fewer cases" } }
        }
    }
}

fn row(kind: &str, group: &Group, has_time: bool, has_cost: bool) -> Markup {
    let figures = &group.figures;
    let shown = if group.name.is_empty() { "—".into() } else { visible(&group.name) };
    // A narrow page leaves out what is nothing.
    let errors = if figures.errors == 0 { "number zero" } else { "number" };
    let known = |text: Option<String>| text.unwrap_or_else(|| "—".to_owned());
    html! {
        tr {
            th scope="row" { span class="pick" data-kind=(kind) data-name=(group.name) { (shown) } }
            td class="number" data-name="Passed" {
                (count(figures.passed)) " of " (count(figures.graded))
            }
            (estimated("Pass rate", figures.pass_rate.as_ref(), Estimate::told_percent))
            (estimated("Mean score", figures.mean_score.as_ref(), |it| it.told(3)))
            @if has_time {
                td class="number" data-name="Median" {
                    (known(figures.durations.map(|it| time(it.median_ms))))
                }
            }
            @if has_cost {
                td class="number" data-name="Cost" { (known(figures.spent.cost_usd.map(dollars))) }
            }
            td class=(errors) data-name="Errors" { (count(figures.errors)) }
        }
    }
}

fn estimated(
    name: &str,
    estimate: Option<&Estimate>,
    told: impl Fn(&Estimate) -> String,
) -> Markup {
    html! {
        td data-name=(name) {
            @if let Some(estimate) = estimate {
                span class="told" { (told(estimate)) } (interval_bar(estimate))
            } @else { "—" }
        }
    }
}
