//! What a run came to, above the list of its cases; there without JavaScript too.

use agentv_base::excerpt;
use maud::{Markup, PreEscaped, html};

use super::{
    figures::{
        count, counted, distribution, dollars, ending_bar, interval_bar, moment, time, visible,
    },
    groups::groups,
};
use crate::{
    digest::{Digest, Estimate, Figures},
    record::{RunManifest, RunStatus, RunTarget},
    render::Report,
    summary::shell_word,
};

/// Opens the main part of the page, which goes on with the list.
pub(super) fn markup(report: &Report<'_>, digest: &Digest) -> Markup {
    html! {
        header class="top" {
            p class="name" { b { "AgentV" } " " span { (visible(&report.title)) } }
            button type="button" id="theme" hidden { "Dark" }
        }
        (PreEscaped("<main>"))
        (headline(report, &digest.all))
        @if digest.all.rows > 0 {
            div class="overview" {
                div {
                    section class="scores" {
                        h2 { "Scores" }
                        @if digest.all.graded > 0 {
                            (distribution(&digest.all))
                        } @else {
                            p class="none" { "Nothing was graded: there are no scores." }
                        }
                    }
                    @if !digest.tags.is_empty() { (groups("Suites", "suite", &digest.suites, 0)) }
                }
                div {
                    (groups("Targets", "target", &digest.targets, 0))
                    @if digest.tags.is_empty() {
                        (groups("Suites", "suite", &digest.suites, 0))
                    } @else {
                        (groups("Tags", "tag", &digest.tags, digest.more_tags))
                    }
                }
            }
        }
    }
}

fn headline(report: &Report<'_>, all: &Figures) -> Markup {
    let not_run = report.run.map(|run| run.counts.not_run).filter(|count| *count > 0);
    html! {
        section class="headline" {
            div class="verdict" {
                h1 { (verdict(all)) }
                ul class="counts" {
                    li { i class="passed" {} (count(all.passed)) " passed" }
                    li { i class="failed" {} (count(all.failed)) " failed" }
                    li { i class="error" {} (counted(all.errors, "error")) }
                    @if let Some(not_run) = not_run {
                        li { i class="unrun" {} (count(not_run as u64)) " not run" }
                    }
                }
                (ending_bar(all))
                @if let Some(note) = report.run.and_then(ending_note) { p class="note" { (note) } }
                @if all.is_repeated() {
                    p class="note" {
                        (counted(all.rows, "answer")) " to " (counted(all.cases, "case"))
                        ": rates and means are over cases, each with the mean of its repeats."
                    }
                }
            }
            dl class="tiles" {
                (estimate("Pass rate", all.pass_rate.as_ref(), all, Estimate::told_percent))
                (estimate("Mean score", all.mean_score.as_ref(), all, |it| it.told(3)))
                (cost(all))
                (tokens(all))
                (times(all))
            }
            @if let Some(run) = report.run { (about(&report.title, run)) }
        }
    }
}

/// Of how many so many passed. Errors are no part of it, as of no rate, and are told apart.
pub(super) fn verdict(all: &Figures) -> String {
    if all.rows == 0 {
        "No cases".to_owned()
    } else if all.passed == all.rows {
        "All passed".to_owned()
    } else if all.graded == 0 {
        "Nothing could be evaluated".to_owned()
    } else {
        let (passed, graded) = (count(all.passed), count(all.graded));
        match all.errors {
            0 => format!("{passed} of {graded} passed"),
            errors => format!("{passed} of {graded} graded passed, {}", counted(errors, "error")),
        }
    }
}

fn ending_note(run: &RunManifest) -> Option<&'static str> {
    match run.status {
        RunStatus::Finished => None,
        RunStatus::Running => Some("The run is not finished: these are its cases so far."),
        RunStatus::Interrupted => Some("The run was interrupted before its end."),
        RunStatus::Failed => Some("The run could not go on to its end."),
    }
}

fn estimate(
    name: &str,
    estimate: Option<&Estimate>,
    all: &Figures,
    told: impl Fn(&Estimate) -> String,
) -> Markup {
    html! {
        div {
            dt { (name) }
            @if let Some(estimate) = estimate {
                dd {
                    b { (first_word(&told(estimate))) }
                    " " span { (rest(&told(estimate))) }
                    (interval_bar(estimate))
                    small { (behind(estimate, all)) }
                }
            } @else {
                dd { b { "—" } small { "nothing was graded" } }
            }
        }
    }
}

/// The value without its interval.
fn first_word(told: &str) -> &str {
    told.split_once(" [").map_or(told, |(value, _)| value)
}

fn rest(told: &str) -> String {
    told.split_once(" [").map_or_else(String::new, |(_, interval)| format!("[{interval}"))
}

fn behind(estimate: &Estimate, all: &Figures) -> String {
    let cases = counted(estimate.cases, "graded case");
    let method = estimate.method.map_or_else(
        || "no interval for one case".to_owned(),
        |method| format!("95 % interval ({})", method.name()),
    );
    match all.errors {
        0 => format!("{method}, {cases}"),
        errors => format!("{method}, {cases}, {} left out", counted(errors, "error")),
    }
}

fn cost(all: &Figures) -> Markup {
    html! {
        div {
            dt { "Cost" }
            dd {
                b { @if let Some(cost) = all.spent.cost_usd { (dollars(cost)) } @else { "—" } }
                small {
                    @match all.spent.cost_unknown {
                        0 if all.spent.cost_usd.is_none() => { "nothing is known" },
                        0 => { "targets and judges" },
                        unknown => { "not known of " (counted(unknown, "answer")) },
                    }
                }
            }
        }
    }
}

fn tokens(all: &Figures) -> Markup {
    let read = all.spent.input_tokens;
    let written = all.spent.output_tokens;
    html! {
        div {
            dt { "Tokens" }
            dd {
                b {
                    @if read.is_none() && written.is_none() { "—" }
                    @else { (count(read.unwrap_or(0).saturating_add(written.unwrap_or(0)))) }
                }
                small {
                    @if let (Some(read), Some(written)) = (read, written) {
                        (count(read)) " read, " (count(written)) " written"
                    } @else { "nothing is known" }
                }
            }
        }
    }
}

fn times(all: &Figures) -> Markup {
    html! {
        div {
            dt { "Time per answer" }
            @if let Some(known) = all.durations {
                dd {
                    b { (time(known.median_ms)) }
                    small {
                        "median; 95 % within " (time(known.p95_ms)) ", longest "
                        (time(known.longest_ms)) ", together " (time(known.total_ms))
                    }
                }
            } @else { dd { b { "—" } small { "nothing is known" } } }
        }
    }
}

fn about(title: &str, run: &RunManifest) -> Markup {
    let name = if run.run_id.is_empty() { title } else { &run.run_id };
    let command: Vec<_> = run.command.iter().map(|word| shell_word(word)).collect();
    html! {
        dl class="about" {
            div { dt { "Run" } dd { code { (visible(name)) } } }
            div { dt { "Started" } dd { (moment(run.started_at)) } }
            @if let Some(end) = run.finished_at {
                @let took = end.moment().duration_since(run.started_at.moment()).unwrap_or_default();
                div { dt { "Took" } dd { (time(took.as_secs_f64() * 1000.0)) } }
            }
            div { dt { "AgentV" } dd { (visible(&run.agentv_version)) } }
            div { dt { "Targets" } dd { (targets(&run.targets)) } }
            @if !run.judges.is_empty() { div { dt { "Judges" } dd { (targets(&run.judges)) } } }
            div class="wide" { dt { "Command" } dd { code { (excerpt(&command.join(" "), 2000)) } } }
        }
    }
}

fn targets(targets: &[RunTarget]) -> String {
    let told: Vec<String> = targets
        .iter()
        .map(|target| format!("{} ({})", visible(&target.name), visible(&target.provider)))
        .collect();
    told.join(", ")
}
