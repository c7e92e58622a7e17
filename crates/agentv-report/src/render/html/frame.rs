//! What every page has: its head with the rules for the browser, the empty list that the script
//! fills, what is there without a script, and the script.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{data::Failures, figures::visible, summary::verdict};
use crate::{digest::Digest, render::Report};

const STYLE: &str = concat!(
    include_str!("style/page.css"),
    include_str!("style/list.css"),
    include_str!("style/case.css")
);

/// One script, so that one hash lets it run and nothing else.
const SCRIPT: &str = concat!(
    include_str!("script/texts.js"),
    include_str!("script/load.js"),
    include_str!("script/state.js"),
    include_str!("script/table.js"),
    include_str!("script/diff.js"),
    include_str!("script/graders.js"),
    include_str!("script/again.js"),
    include_str!("script/case.js"),
    include_str!("script/paper.js"),
    include_str!("script/main.js"),
);

/// Of the script, as browsers ask for it. A test in a real browser says when it is another.
const SCRIPT_HASH: &str = include_str!("script/sha256");

/// Up to the beginning of the body.
pub(super) fn opening(report: &Report<'_>, digest: &Digest) -> String {
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'",
        SCRIPT_HASH.trim()
    );
    let title = format!("{} · {} · AgentV", verdict(&digest.all), visible(&report.title));
    let head = html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            meta name="generator" content=(concat!("AgentV ", env!("CARGO_PKG_VERSION")));
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    };
    let (PreEscaped(doctype), PreEscaped(head)) = (DOCTYPE, head);
    format!("{doctype}<html lang=\"en\">{head}<body>\n")
}

/// The list and the panel of a case, empty: the script shows and fills them.
pub(super) fn browser() -> Markup {
    html! {
        section id="browse" hidden {
            div class="bar" role="search" {
                div class="views" role="group" aria-label="View" {
                    button type="button" id="view-cases" aria-pressed="true" { "Cases" }
                    button type="button" id="view-matrix" aria-pressed="false" hidden { "Matrix" }
                }
                label class="find" {
                    span class="unseen" { "Search ids, questions, answers and misses" }
                    input id="find" type="search" autocomplete="off" spellcheck="false"
                        placeholder="Search ids, questions, answers, misses";
                    kbd { "/" }
                }
                label { span { "Status" } select id="status" {
                    option value="" { "all" }
                    option value="passed" { "passed" }
                    option value="failed" { "failed" }
                    option value="error" { "error" }
                    option value="not-passed" { "not passed" }
                } }
                label { span { "Target" } select id="target" { option value="" { "all" } } }
                label { span { "Suite" } select id="suite" { option value="" { "all" } } }
                label { span { "Tag" } select id="tag" { option value="" { "all" } } }
                fieldset {
                    legend { "Score" }
                    input id="from" type="number" min="0" max="1" step="any" placeholder="0"
                        aria-label="Score from";
                    span { "–" }
                    input id="to" type="number" min="0" max="1" step="any" placeholder="1"
                        aria-label="Score to";
                }
                button type="button" id="clear" hidden { "Clear" }
            }
            p id="shown" role="status" {}
            div id="list" {}
            p class="keys" {
                kbd { "/" } " search " kbd { "j" } " " kbd { "k" } " move " kbd { "Enter" } " open "
                kbd { "Esc" } " close"
            }
        }
        aside id="case" role="dialog" aria-labelledby="case-name" tabindex="-1" hidden {}
        section id="print" aria-hidden="true" {}
    }
}

/// For browsers that run no scripts.
pub(super) fn without_script(failures: &Failures) -> Markup {
    html! {
        noscript {
            section class="plain" {
                h2 { "Cases that did not pass" }
                @if failures.count == 0 {
                    p { "None." }
                } @else {
                    table {
                        thead { tr { th { "Case" } th { "Target" } th { "Score" } th { "Why" } } }
                        tbody { @for failure in &failures.told { tr {
                            td { code { (visible(&failure.id)) } }
                            td { (visible(&failure.target)) }
                            td {
                                @if let Some(score) = failure.score { (format!("{score:.3}")) }
                                @else { "error" }
                            }
                            td { (failure.reason) }
                        } } }
                    }
                }
                @if failures.count > failures.told.len() {
                    p { "… and " (failures.count - failures.told.len()) " more." }
                }
                p { "With JavaScript, this page lists, filters and opens every case." }
            }
        }
    }
}

pub(super) fn script() -> String {
    format!("<script>{SCRIPT}</script>\n")
}

pub(super) const CLOSING: &str = "</main>\n</body>\n</html>\n";
