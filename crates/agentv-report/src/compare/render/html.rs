//! A comparison as one HTML page: no script, no address, dark and light. Everything from outside is
//! text, and no rule of the page lets it be more.

use agentv_base::excerpt;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    super::{
        Comparison,
        cases::{CaseChange, Changes},
        group::Group,
        pair::{PairComparison, Unmatched},
        ruling::Ruled,
        verdict::Finding,
        words,
    },
    CaseList, Kind, case_lists, sentence, told_estimate, told_repeats, told_statistics,
};
use crate::digest::Estimate;

/// Rows of one list: a browser is at ease with them.
const MOST_ROWS: usize = 2000;

const LONGEST_NAME: usize = 300;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2024;--faint:#60666d;--page:#fff;--line:#dfe3e6;--good:#18794e;\
--bad:#b4232a;--odd:#946800}\
@media(prefers-color-scheme:dark){:root{--ink:#e6e8ea;--faint:#9ba1a6;--page:#15181b;--line:#30363b;\
--good:#4cc38a;--bad:#ff8589;--odd:#f1c75b}}\
*{box-sizing:border-box}body{margin:0 auto;max-width:72rem;padding:1rem;background:var(--page);color:var(--ink);\
font:15px/1.5 system-ui,sans-serif}h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2rem}\
h3{font-size:1rem;margin:1.5rem 0 .3rem}.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}\
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\
td.id{overflow-wrap:anywhere}.good{color:var(--good)}.bad{color:var(--bad)}.odd{color:var(--odd)}\
.faint{color:var(--faint)}.verdict{font-size:1.1rem;font-weight:600}\
.warn{border-left:4px solid var(--odd);padding-left:.6rem}summary{cursor:pointer;font-weight:600;margin-top:1.5rem}\
@media print{body{max-width:none}}";

pub(super) fn page(comparison: &Comparison) -> String {
    let ruled = comparison.ruled();
    let tone = match ruled {
        Ruled::Passed => "good",
        Ruled::Regressed => "bad",
        Ruled::Unevaluated | Ruled::Incomparable => "odd",
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "AgentV comparison: " (ruled.name()) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 {
                    "Comparison: gate " code { (comparison.options.gate.name()) } " "
                    span class=(tone) { (ruled.name()) }
                }
                (runs(comparison))
                @if comparison.sides.len() > 2 { (matrix(comparison)) (spread(comparison)) }
                // The others stand in the matrix: lists of every two would be more than anybody reads.
                @for pair in comparison.pairs.iter().filter(|pair| pair.first == 0) { (told(comparison, pair)) }
            }
        }
    };
    let mut text = page.into_string();
    text.push('\n');
    text
}

fn runs(comparison: &Comparison) -> Markup {
    html! {
        div class="scroll" { table {
            thead { tr {
                th {} th { "run" } th { "target" } th class="n" { "graded" } th class="n" { "errors" }
                th class="n" { "mean score (95 %)" } th class="n" { "pass rate (95 %)" }
            } }
            tbody { @for (place, side) in comparison.sides.iter().enumerate() {
                @let run = &side.figures;
                tr {
                    td { (Comparison::letter(place)) @if place == 0 { span class="faint" { " baseline" } } }
                    td class="id" { (named(&run.name)) }
                    td class="id" {
                        @for (place, target) in run.targets.iter().take(20).enumerate() {
                            @if place > 0 { ", " }
                            (named(target))
                        }
                    }
                    td class="n" { (run.graded) }
                    td class="n" { (run.errors) }
                    td class="n" { (told_estimate(run.mean_score.as_ref(), |it| it.told(3))) }
                    td class="n" { (told_estimate(run.pass_rate.as_ref(), Estimate::told_percent)) }
                }
            } }
        } }
    }
}

fn matrix(comparison: &Comparison) -> Markup {
    let runs = 0..comparison.sides.len();
    html! {
        h2 { "Every two runs" }
        p class="faint" { "Mean delta of the run of the column against that of the row." }
        div class="scroll" { table {
            thead { tr { th {} @for column in runs.clone() { th { (Comparison::letter(column)) } } } }
            tbody { @for row in runs.clone() { tr {
                th { (Comparison::letter(row)) }
                @for column in runs.clone() {
                    td {
                        @if let Some(pair) = comparison.pairs.iter().find(|it| it.first == row && it.second == column) {
                            span class=(finding_tone(pair.all.finding)) {
                                (pair.all.finding.sign()) " "
                                (words::signed_or_unknown(pair.all.statistics.mean_delta))
                            }
                            br; span class="faint" { (pair.all.finding.name()) }
                        }
                    }
                }
            } } }
        } }
    }
}

fn spread(comparison: &Comparison) -> Markup {
    let Some(spread) = &comparison.spread else { return html! {} };
    html! {
        details open[spread.total <= 50] {
            summary { "Cases that differ (" (spread.total) ")" }
            div class="scroll" { table {
                thead { tr {
                    th { "case" }
                    @for place in 0..comparison.sides.len() { th class="n" { (Comparison::letter(place)) } }
                } }
                tbody { @for case in &spread.cases { tr {
                    td class="id" {
                        (named(&case.eval_id))
                        @if let Some(target) = &case.target { " " span class="faint" { (named(target)) } }
                    }
                    @for score in &case.scores { td class="n" { (words::score(*score)) } }
                } } }
            } }
            (more(spread.total, spread.cases.len()))
        }
    }
}

fn told(comparison: &Comparison, pair: &PairComparison) -> Markup {
    let by = comparison.options.cluster;
    let counts = &pair.all.counts;
    let (first, second) = (comparison.run_name(pair.first), comparison.run_name(pair.second));
    html! {
        h2 { (named(second)) " against " (named(first)) }
        p class={"verdict " (finding_tone(pair.all.finding))} {
            (pair.all.finding.sign()) " " (sentence(&words::verdict(&pair.all, by)))
        }
        @if let Some(ruling) = &pair.ruling {
            p { "Gate " code { (ruling.gate.name()) } ": " strong { (ruling.ruled.name()) } ": "
                (ruling.reasons.join("; ")) "." }
        }
        @for condition in &pair.conditions {
            @if condition.affects_grading {
                p class="warn" { strong { "Not graded alike: " } (condition.text) }
            } @else {
                p class="faint" { (condition.text) }
            }
        }
        @for note in &pair.notes { p class="warn" { (note) } }
        p {
            (counts.matched) " matched: " (counts.wins) " won, " (counts.losses) " lost, "
            (counts.ties) " tied (from " (comparison.options.min_delta) " on), "
            (counts.errors) " with errors."
        }
        (only(first, &pair.only_first)) (only(second, &pair.only_second))
        (statistics(comparison, &pair.all))
        @for group in &pair.targets {
            h3 { "Target " (named(group.target.as_deref().unwrap_or_default())) }
            p class=(finding_tone(group.finding)) { (sentence(&words::verdict(group, by))) }
            (statistics(comparison, group))
        }
        @for list in case_lists(pair) { @if list.changes.total > 0 { (cases(&list)) } }
        @if pair.cases.tied.total > 0 { (ties(&pair.cases.tied)) }
    }
}

fn statistics(comparison: &Comparison, group: &Group) -> Markup {
    html! {
        div class="scroll" { table { tbody {
            @for (name, value) in told_statistics(comparison, group) { tr { th { (name) } td { (value) } } }
        } } }
    }
}

fn only(run: &str, unmatched: &Unmatched) -> Markup {
    html! {
        @if unmatched.rows > 0 {
            details {
                summary { "Only in " (named(run)) " (" (unmatched.rows) ")" }
                p class="id" { @for id in &unmatched.ids { code { (named(id)) } " " } }
            }
        }
    }
}

fn cases(list: &CaseList<'_>) -> Markup {
    let tone = match list.kind {
        Kind::Good => "good",
        Kind::Bad => "bad",
        Kind::Odd => "odd",
    };
    html! {
        details open[list.kind != Kind::Good || list.changes.total <= 20] {
            summary { (list.heading) " (" (list.changes.total) ")" }
            (table(list.changes, list.sign, tone))
        }
    }
}

fn ties(changes: &Changes) -> Markup {
    html! {
        details { summary { "Ties (" (changes.total) ")" } (table(changes, "=", "faint")) }
    }
}

fn table(changes: &Changes, sign: &str, tone: &str) -> Markup {
    html! {
        div class="scroll" { table {
            thead { tr {
                th {} th { "case" } th class="n" { "before" } th class="n" { "now" }
                th class="n" { "delta" } th { "where" }
            } }
            tbody { @for case in changes.cases.iter().take(MOST_ROWS) { (row(case, sign, tone)) } }
        } }
        (more(changes.total, changes.cases.len().min(MOST_ROWS)))
    }
}

fn row(case: &CaseChange, sign: &str, tone: &str) -> Markup {
    html! {
        tr {
            td class=(tone) { (sign) }
            td class="id" {
                (named(&case.eval_id))
                @if let Some(target) = &case.target { " " span class="faint" { (named(target)) } }
                @if let Some(repeats) = told_repeats(case) { br; span class="faint" { (repeats) } }
            }
            td class="n" { (words::score(case.score1)) }
            td class="n" { (words::score(case.score2)) }
            td class={"n " (tone)} { (words::signed_or_unknown(case.delta)) }
            td class="id faint" { @if let Some(place) = &case.place { (named(place)) } }
        }
    }
}

fn more(total: usize, shown: usize) -> Markup {
    html! { @if total > shown { p class="faint" { "… and " (total - shown) " more" } } }
}

fn finding_tone(finding: Finding) -> &'static str {
    match finding {
        Finding::Better | Finding::NoWorse => "good",
        Finding::Worse => "bad",
        Finding::Inconclusive => "faint",
    }
}

/// What came from outside, without what would reorder the line that it stands in.
fn named(name: &str) -> String {
    excerpt(name, LONGEST_NAME)
}
