//! Reports of rows in memory, for tests of formats.

use std::borrow::Cow;

use agentv_base::{FailureKind, TokenUsage};

use super::{Format, Report};
use crate::record::{
    Keeping, Row,
    sample::{failed, scored, settled},
};

/// A report of these rows, without a run.
pub(crate) fn report_of<'r>(rows: &'r [Row<'static>]) -> Report<'r> {
    Report::new("sample", None, || Ok(Box::new(rows.iter().cloned().map(Ok))))
}

/// What a format makes of rows without a run.
pub(super) fn written(format: &dyn Format, rows: &[Row<'static>]) -> String {
    let mut out = Vec::new();
    format.write(&report_of(rows), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn row(slot: usize, id: &str, outcome: agentv_base::Outcome) -> Row<'static> {
    let settled = settled(slot, id, outcome);
    let row = Row::of(&settled, Keeping::default()).unwrap();
    // Read as from disk, where it owns its texts.
    serde_json::from_str(&serde_json::to_string(&row).unwrap()).unwrap()
}

/// One that passed, one that failed, its second repeat, and an error.
pub(super) fn rows() -> Vec<Row<'static>> {
    let passed = Row {
        duration_ms: Some(1234.5),
        token_usage: Some(TokenUsage { input: 100, output: 20, cached: None }),
        cost_usd: Some(0.0125),
        tags: vec![Cow::Borrowed("math"), Cow::Borrowed("easy")],
        question: Some(Cow::Borrowed("What is 2 + 2?")),
        ..row(0, "adds", scored(1.0, &[]))
    };
    let wrong = Row {
        reference_answer: Some(Cow::Borrowed("first\nfour\nlast")),
        candidate_answer: Some(Cow::Borrowed("first\nfive\nlast")),
        tags: vec![Cow::Borrowed("math")],
        ..row(1, "multiplies", scored(0.25, &["the answer has no `four`"]))
    };
    let again = Row { repeat: 2, ..wrong.clone() };
    let error = row(2, "divides", failed(FailureKind::Timeout, "no answer after 120 s"));
    vec![passed, wrong, again, error]
}

/// Texts that mean something to somebody who should not be told by them.
pub(crate) const HOSTILE: [&str; 8] = [
    "]]></failure><script>alert(1)</script>",
    "=HYPERLINK(\"http://evil\",\"x\")|`code`",
    "line one\r\nline two\ttab\n::error::owned",
    "\u{0}\u{7}\u{1b}[31mred\u{1b}[0m\u{ffff}\u{202e}",
    "</summary></details><img src=x onerror=alert(1)> @everyone #1 https://evil.example",
    "```\n# heading\n| a | b |\n````",
    "@SUM(A1) %0A,: \"quoted\", 'single'",
    "\t-1+1 ⚡ 👩\u{200d}🚀",
];

/// Rows that are such texts wherever they can be, as failures and as errors.
pub(super) fn hostile_rows() -> Vec<Row<'static>> {
    let all = HOSTILE.iter().enumerate();
    let rows = all.flat_map(|(place, text)| {
        let own = || Cow::Borrowed(*text);
        let failed_row = Row {
            eval_id: own(),
            target: own(),
            tags: vec![own()],
            question: Some(own()),
            reference_answer: Some(own()),
            candidate_answer: Some(own()),
            misses: vec![own()],
            evaluator_results: None,
            ..row(place, "x", scored(0.5, &[]))
        };
        let error = Row {
            eval_id: own(),
            suite: own(),
            error_kind: Some(own()),
            error: Some(own()),
            ..row(place, "x", failed(FailureKind::Timeout, "x"))
        };
        [failed_row, error]
    });
    rows.collect()
}

/// An answer of a million characters, and a thousand cases that failed.
pub(super) fn many_rows() -> Vec<Row<'static>> {
    let long: Cow<'static, str> = Cow::Owned("word `x` | ".repeat(100_000));
    let first = Row {
        candidate_answer: Some(long.clone()),
        reference_answer: Some(long),
        ..row(0, "long", scored(0.0, &["m"]))
    };
    let others = (1..1000).map(|at| {
        let miss = format!("{at}: {}", "missing ".repeat(40));
        row(at, &format!("case-{at}"), scored(0.0, &[miss.as_str()]))
    });
    std::iter::once(first).chain(others).collect()
}
