//! A comparison as Markdown, for the comment of a pull request or the summary of a CI job.
//!
//! Nothing that came from outside is markup, mentions anybody or refers to anything; and it stays
//! shorter than what a comment may have, whatever is compared.

use std::fmt::Write as _;

use agentv_base::excerpt;

use super::{
    super::{
        Comparison, cases::CaseChange, group::Group, pair::PairComparison, ruling::Ruled, words,
    },
    Kind, case_lists, sentence, told_estimate, told_repeats, told_statistics,
};
use crate::digest::Estimate;

/// A comment may have 65,536 characters, of which this leaves some for whoever writes more.
const LONGEST: usize = 60_000;

/// What is kept for the lines after a list.
const RESERVE: usize = 8_000;

/// Characters of an id that are shown.
const LONGEST_NAME: usize = 120;

/// Rows of one list.
const MOST_ROWS: usize = 100;

pub(super) fn text(comparison: &Comparison) -> String {
    let mut out = String::new();
    let ruled = comparison.ruled();
    let sign = match ruled {
        Ruled::Passed => "✅",
        Ruled::Regressed => "❌",
        Ruled::Unevaluated | Ruled::Incomparable => "⚠️",
    };
    let _ = writeln!(
        out,
        "## {sign} AgentV comparison: gate `{}` {}\n",
        comparison.options.gate.name(),
        ruled.name()
    );
    runs(comparison, &mut out);
    if comparison.sides.len() > 2 {
        matrix(comparison, &mut out);
    }
    let against_baseline: Vec<&PairComparison> =
        comparison.pairs.iter().filter(|pair| pair.first == 0).collect();
    for pair in against_baseline {
        if out.chars().count() + RESERVE > LONGEST {
            let _ =
                writeln!(out, "\n… more comparisons are left out; `--format json` has them all.");
            break;
        }
        tell(comparison, pair, &mut out);
    }
    out
}

fn runs(comparison: &Comparison, out: &mut String) {
    let _ = writeln!(
        out,
        "| | run | target | graded | errors | mean score (95 %) | pass rate (95 %) |"
    );
    let _ = writeln!(out, "|---|---|---|--:|--:|---|---|");
    for (place, side) in comparison.sides.iter().enumerate() {
        let run = &side.figures;
        let targets: Vec<String> = run.targets.iter().take(5).map(|it| named(it)).collect();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            match (place, comparison.sides.len()) {
                (0, _) => "baseline".to_owned(),
                (_, 2) => "now".to_owned(),
                _ => Comparison::letter(place),
            },
            named(&run.name),
            targets.join(", "),
            run.graded,
            run.errors,
            told_estimate(run.mean_score.as_ref(), |it| it.told(3)),
            told_estimate(run.pass_rate.as_ref(), Estimate::told_percent),
        );
    }
}

fn matrix(comparison: &Comparison, out: &mut String) {
    let runs = 0..comparison.sides.len().min(26);
    let letters: Vec<String> = runs.clone().map(Comparison::letter).collect();
    let _ = writeln!(
        out,
        "\nMean delta of the run of the column against that of the row (A is the baseline):\n"
    );
    let _ = writeln!(out, "| | {} |", letters.join(" | "));
    let _ = writeln!(out, "|---|{}", "---|".repeat(letters.len()));
    for row in runs.clone() {
        let cells: Vec<String> = runs
            .clone()
            .map(|column| {
                let pairs = &comparison.pairs;
                let pair = pairs.iter().find(|it| it.first == row && it.second == column);
                pair.map_or(String::new(), |pair| cell(&pair.all))
            })
            .collect();
        let _ = writeln!(out, "| **{}** | {} |", Comparison::letter(row), cells.join(" | "));
    }
}

fn cell(group: &Group) -> String {
    let delta = words::signed_or_unknown(group.statistics.mean_delta);
    format!("{delta} {}", group.finding.name())
}

fn tell(comparison: &Comparison, pair: &PairComparison, out: &mut String) {
    let (first, second) = (comparison.run_name(pair.first), comparison.run_name(pair.second));
    if comparison.sides.len() > 2 {
        let _ = writeln!(out, "\n### {} against {}", named(second), named(first));
    }
    let by = comparison.options.cluster;
    let counts = &pair.all.counts;
    let _ = writeln!(out, "\n**{}**\n", escaped(&sentence(&words::verdict(&pair.all, by))));
    let _ = writeln!(
        out,
        "{} matched: {} won, {} lost, {} tied (from {} on), {} with errors. Only in {}: {}. Only in {}: {}.\n",
        counts.matched,
        counts.wins,
        counts.losses,
        counts.ties,
        comparison.options.min_delta,
        counts.errors,
        named(first),
        only(&pair.only_first),
        named(second),
        only(&pair.only_second),
    );
    for condition in pair.conditions.iter().filter(|it| it.affects_grading) {
        let _ = writeln!(out, "> ⚠️ Not graded alike: {}\n", escaped(&condition.text));
    }
    for note in &pair.notes {
        let _ = writeln!(out, "> {}\n", escaped(note));
    }
    if let Some(ruling) = &pair.ruling {
        let reasons = escaped(&ruling.reasons.join("; "));
        let _ = writeln!(
            out,
            "Gate `{}`: **{}**: {reasons}.\n",
            ruling.gate.name(),
            ruling.ruled.name()
        );
    }
    for group in &pair.targets {
        let target = group.target.as_deref().unwrap_or_default();
        let _ = writeln!(out, "- {}: {}", named(target), escaped(&words::verdict(group, by)));
    }
    for list in case_lists(pair) {
        if list.changes.total > 0 {
            let heading = format!("{} ({})", list.heading, list.changes.total);
            table(&heading, list.sign, list.kind == Kind::Good, list.changes, out);
        }
    }
    let statistics = told_statistics(comparison, &pair.all);
    if !statistics.is_empty() {
        let _ = writeln!(out, "\n<details><summary>Statistics</summary>\n");
        for (name, value) in statistics {
            let _ = writeln!(out, "- {name}: {}", escaped(&value));
        }
        let _ = writeln!(out, "\n</details>");
    }
}

fn only(unmatched: &super::super::pair::Unmatched) -> String {
    const SHOWN: usize = 5;
    if unmatched.rows == 0 {
        return "none".to_owned();
    }
    let ids: Vec<String> = unmatched.ids.iter().take(SHOWN).map(|id| named(id)).collect();
    let more = if unmatched.ids.len() > SHOWN { ", …" } else { "" };
    format!("{} ({}{more})", unmatched.rows, ids.join(", "))
}

fn table(
    heading: &str,
    sign: &str,
    is_folded: bool,
    changes: &super::super::cases::Changes,
    out: &mut String,
) {
    if is_folded {
        let _ = writeln!(out, "\n<details><summary>{heading}</summary>\n");
    } else {
        let _ = writeln!(out, "\n**{heading}**\n");
    }
    let _ = writeln!(out, "| | case | before | now | delta | where |\n|---|---|--:|--:|--:|---|");
    let mut told = 0;
    let mut length = out.chars().count();
    for case in changes.cases.iter().take(MOST_ROWS) {
        let line = row(sign, case);
        length += line.chars().count();
        if length + RESERVE > LONGEST {
            break;
        }
        out.push_str(&line);
        told += 1;
    }
    let more = changes.total - told;
    if more > 0 {
        let _ = writeln!(out, "\n… and {more} more");
    }
    if is_folded {
        let _ = writeln!(out, "\n</details>");
    }
}

fn row(sign: &str, case: &CaseChange) -> String {
    let mut name = named(&case.eval_id);
    if let Some(target) = &case.target {
        let _ = write!(name, " ({})", named(target));
    }
    let repeats = told_repeats(case).map_or(String::new(), |it| format!("<br>{}", escaped(&it)));
    let place = case.place.as_deref().map_or(String::new(), named);
    format!(
        "| {sign} | {name}{repeats} | {} | {} | {} | {place} |\n",
        words::score(case.score1),
        words::score(case.score2),
        words::signed_or_unknown(case.delta),
    )
}

/// A name from outside.
fn named(name: &str) -> String {
    escaped(&excerpt(name, LONGEST_NAME))
}

/// A text in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // Would mention people, or refer to issues.
            '@' => escaped.push_str("&#64;"),
            '#' => escaped.push_str("&#35;"),
            // A bare address becomes a link.
            ':' => escaped.push_str("&#58;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '!' | '|' | '~' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_is_markup() {
        assert_eq!(named("a|b`c`<script>@me #1"), "a\\|b\\`c\\`&lt;script&gt;&#64;me &#35;1");
        assert_eq!(named("two\nlines"), "two\\\\nlines");
        assert_eq!(named("https://x.y"), "https&#58;//x.y");
    }
}
