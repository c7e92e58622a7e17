//! A comparison, told: one file for each format. None of them computes anything.

mod csv;
mod html;
mod json;
mod lines;
mod md;
mod table;

use std::{fmt::Write as _, io};

use super::{Comparison, cases::CaseChange, group::Group, pair::PairComparison, words};
use crate::{digest::Estimate, style::Style};

/// How a comparison is told.
#[derive(Clone, Copy, Debug)]
pub enum CompareFormat {
    /// For people at a terminal; `verbose` lists every case.
    Table {
        style: Style,
        verbose: bool,
    },
    Json,
    /// For the comment of a pull request.
    Md,
    Html,
    /// A row for each pair.
    Csv,
}

/// Writes a comparison down.
pub fn write_comparison(
    comparison: &Comparison,
    format: CompareFormat,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match format {
        CompareFormat::Table { style, verbose } => {
            out.write_all(table::text(comparison, style, verbose).as_bytes())
        }
        CompareFormat::Json => json::write(comparison, out),
        CompareFormat::Md => out.write_all(md::text(comparison).as_bytes()),
        CompareFormat::Html => out.write_all(html::page(comparison).as_bytes()),
        CompareFormat::Csv => csv::write(comparison, out),
    }
}

/// Lists of cases, in the order in which they matter, with the sign and the heading of each.
fn case_lists(pair: &PairComparison) -> [CaseList<'_>; 7] {
    let cases = &pair.cases;
    let list = |heading, sign, changes, kind| CaseList { heading, sign, changes, kind };
    [
        list("Regressions: passed before, fail now", "✗", &cases.regressed, Kind::Bad),
        list("Not evaluated now", "!", &cases.unevaluated, Kind::Odd),
        list("Lower scores", "▼", &cases.lost, Kind::Bad),
        list("Newly flaky", "~", &cases.newly_flaky, Kind::Odd),
        list("Improvements: failed before, pass now", "✓", &cases.improved, Kind::Good),
        list("Higher scores", "▲", &cases.won, Kind::Good),
        list("No grade in the baseline", "!", &cases.ungraded, Kind::Odd),
    ]
}

/// What a list is about, which is what its colour follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Good,
    Bad,
    Odd,
}

struct CaseList<'c> {
    heading: &'static str,
    sign: &'static str,
    changes: &'c super::cases::Changes,
    kind: Kind,
}

/// `mean score 0.812 [0.74–0.87]`, or that there is none.
fn told_estimate(estimate: Option<&Estimate>, told: impl Fn(&Estimate) -> String) -> String {
    estimate.map_or_else(|| "—".to_owned(), told)
}

/// `0 of 5 → 3 of 5 failed`, of a case that was asked more than once.
fn told_repeats(case: &CaseChange) -> Option<String> {
    case.is_repeated().then(|| {
        let errors = match case.errors2 {
            0 => String::new(),
            errors => format!(", {}", crate::style::counted(errors as usize, "error", "errors")),
        };
        format!(
            "failed {} of {} → {} of {}{errors}",
            case.failed1, case.graded1, case.failed2, case.graded2
        )
    })
}

/// The numbers of a comparison: what each is called, and what it is.
fn told_statistics(comparison: &Comparison, group: &Group) -> Vec<(&'static str, String)> {
    let by = comparison.options.cluster;
    let statistics = &group.statistics;
    let mut lines = Vec::new();
    let Some(mean) = statistics.mean_delta else { return lines };
    let interval = statistics.interval.map_or(String::new(), |it| format!(" {}", words::range(it)));
    let method = words::interval_method(group, by);
    lines.push(("Mean delta", format!("{}{interval} ({method})", words::signed(mean))));
    let many = comparison.comparisons() > 1;
    if let (Some(test), Some(corrected)) = (statistics.permutation, group.p_corrected) {
        let method = words::test_method(test.how);
        let mut text = format!("{} (permutation test, {method})", words::p_value(test.p));
        if many {
            let _ = write!(text, "; {} corrected", words::p_value(corrected));
        }
        lines.push(("Scores", text));
    }
    if let Some(test) = &group.passes {
        let counts = &group.counts;
        let mut text = format!(
            "{} newly passing, {} newly failing; {} ({})",
            counts.newly_passing,
            counts.newly_failing,
            words::p_value(test.p),
            words::pass_method(test)
        );
        if many {
            let _ = write!(text, "; {} corrected", words::p_value(test.p_corrected));
        }
        lines.push(("Pass or fail", text));
    }
    let effect = statistics.effect_size.filter(|effect| effect.is_finite());
    let smallest = statistics.smallest_effect.filter(|effect| effect.is_finite());
    if effect.is_some() || smallest.is_some() {
        let effect = effect.map(|effect| format!("d = {effect:+.2}"));
        let smallest = smallest
            .map(|it| format!("a difference of {it:.3} or more would show four times in five"));
        let text = effect.into_iter().chain(smallest).collect::<Vec<_>>().join("; ");
        lines.push(("Effect size", text));
    }
    lines
}

/// A capital at the beginning and a full stop at the end.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    let first: String = first.into_iter().flatten().collect();
    format!("{first}{}.", letters.as_str())
}

impl Comparison {
    /// How many comparisons are made at once.
    fn comparisons(&self) -> usize {
        self.pairs.iter().map(|pair| pair.groups().count()).sum()
    }

    /// A letter for each run, as tables have little room; of many a number.
    fn letter(place: usize) -> String {
        u8::try_from(place)
            .ok()
            .filter(|place| *place < 26)
            .map_or_else(|| format!("#{}", place + 1), |place| char::from(b'A' + place).to_string())
    }
}
