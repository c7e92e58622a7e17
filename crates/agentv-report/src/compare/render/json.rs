//! A comparison as JSON: of two runs one object, of more an object for each two of them.
//!
//! Pairs are written one by one, a line each; what is unknown is null.

use std::io;

use serde::Serialize;
use serde_json::{Value, json};

use super::super::{
    Comparison, MatchedRow,
    cases::Changes,
    group::Group,
    outcome::{Outcome, clean, rounded},
    pair::PairComparison,
    ruling::{Ruled, Ruling},
    words,
};
use crate::record::Status;

#[derive(Serialize)]
struct Matched<'c> {
    eval_id: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    dataset: &'c str,
    target: Targets<'c>,
    repeat: u32,
    score1: Option<f64>,
    score2: Option<f64>,
    delta: Option<f64>,
    outcome: Outcome,
    status1: Status,
    status2: Status,
}

/// One name where both sides have it, else both.
#[derive(Serialize)]
#[serde(untagged)]
enum Targets<'c> {
    Same(&'c str),
    Both([&'c str; 2]),
}

impl<'c> Matched<'c> {
    fn of(row: &MatchedRow<'c>) -> Self {
        Self {
            eval_id: row.eval_id,
            dataset: row.dataset,
            target: if row.target1 == row.target2 {
                Targets::Same(row.target1)
            } else {
                Targets::Both([row.target1, row.target2])
            },
            repeat: row.repeat,
            score1: row.score1,
            score2: row.score2,
            delta: row.delta,
            outcome: row.outcome,
            status1: row.status1,
            status2: row.status2,
        }
    }
}

pub(super) fn write(comparison: &Comparison, out: &mut dyn io::Write) -> io::Result<()> {
    match comparison.pairs.as_slice() {
        [only] => {
            write_pair(comparison, only, "", out)?;
            out.write_all(b"\n")
        }
        _ => write_many(comparison, out),
    }
}

fn write_many(comparison: &Comparison, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "{{\n  \"runs\": {},", runs(comparison))?;
    writeln!(out, "  \"pairs\": [")?;
    for (place, pair) in comparison.pairs.iter().enumerate() {
        if place > 0 {
            out.write_all(b",\n")?;
        }
        out.write_all(b"    ")?;
        write_pair(comparison, pair, "    ", out)?;
    }
    writeln!(out, "\n  ],")?;
    writeln!(out, "  \"matrix\": {},", matrix(comparison))?;
    writeln!(out, "  \"cases\": {},", spread(comparison))?;
    let gate = json!({
        "kind": comparison.options.gate.name(),
        "passed": comparison.ruled() == Ruled::Passed,
        "result": comparison.ruled().name(),
    });
    writeln!(out, "  \"gate\": {gate}\n}}")
}

/// Two runs; the first line is not indented, because something may stand before it.
fn write_pair(
    comparison: &Comparison,
    pair: &PairComparison,
    indent: &str,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    write!(out, "{{\n{indent}  \"matched\": [")?;
    let mut is_first = true;
    comparison.each_matched(pair, |row| -> io::Result<()> {
        let before = if is_first { "\n" } else { ",\n" };
        is_first = false;
        write!(out, "{before}{indent}    ")?;
        Ok(serde_json::to_writer(&mut *out, &Matched::of(row))?)
    })?;
    if is_first {
        out.write_all(b"]")?;
    } else {
        write!(out, "\n{indent}  ]")?;
    }
    for (key, value) in rest(comparison, pair) {
        write!(out, ",\n{indent}  \"{key}\": {value}")?;
    }
    write!(out, "\n{indent}}}")
}

fn rest(comparison: &Comparison, pair: &PairComparison) -> Vec<(&'static str, Value)> {
    let by = comparison.options.cluster;
    let mut summary = summary(&pair.all);
    let rows = [pair.first, pair.second].map(|place| comparison.run(place).map_or(0, |it| it.rows));
    if let Value::Object(summary) = &mut summary {
        // First, as in the original tool.
        summary.shift_insert(0, "total".to_owned(), json!(rows.iter().sum::<u64>()));
        summary.insert("minDelta".to_owned(), json!(comparison.options.min_delta));
        summary.insert("cluster".to_owned(), json!(by.name()));
        summary.insert("comparisons".to_owned(), json!(comparison.comparisons()));
    }
    let targets: Vec<Value> = pair
        .targets
        .iter()
        .map(|group| {
            json!({
                "target": group.target,
                "summary": self::summary(group),
                "verdict": group.finding,
                "verdictText": words::verdict(group, by),
            })
        })
        .collect();
    let runs = if comparison.sides.len() == 2 {
        runs(comparison)
    } else {
        json!([comparison.run_name(pair.first), comparison.run_name(pair.second)])
    };
    let mut keys = vec![
        ("unmatched", json!({"file1": pair.only_first.rows, "file2": pair.only_second.rows})),
        ("unmatchedIds", json!({"file1": pair.only_first.ids, "file2": pair.only_second.ids})),
        ("summary", summary),
        ("verdict", json!(pair.all.finding)),
        ("verdictText", json!(words::verdict(&pair.all, by))),
        ("gate", gate(pair)),
        ("improvements", changes(&pair.cases.improved)),
        ("newlyFlaky", changes(&pair.cases.newly_flaky)),
        ("differingConditions", json!(pair.conditions)),
        ("notes", json!(pair.notes)),
        ("runs", runs),
    ];
    if !targets.is_empty() {
        keys.push(("targets", json!(targets)));
    }
    keys
}

fn summary(group: &Group) -> Value {
    let (counts, statistics) = (&group.counts, &group.statistics);
    let test = |p: Option<f64>, corrected: Option<f64>, how: Option<Value>| match p {
        Some(p) => json!({"p": p, "pCorrected": corrected, "how": how}),
        None => Value::Null,
    };
    let how = |how: crate::statistics::How| json!(how);
    json!({
        "matched": counts.matched,
        "wins": counts.wins,
        "losses": counts.losses,
        "ties": counts.ties,
        "meanDelta": statistics.mean_delta.map(rounded),
        "meanDeltaExact": statistics.mean_delta.map(clean),
        "errors": counts.errors,
        "graded": counts.graded,
        "gradesLost": counts.grades_lost,
        "newlyPassing": counts.newly_passing,
        "newlyFailing": counts.newly_failing,
        "clusters": statistics.clusters,
        "interval": statistics.interval,
        "intervalLevel": 0.95,
        "intervalHow": statistics.interval_how,
        "permutation": test(
            statistics.permutation.map(|it| it.p),
            group.p_corrected,
            statistics.permutation.map(|it| how(it.how)),
        ),
        "margin": statistics.margin,
        "againstMargin": test(
            statistics.shifted.map(|it| it.p),
            group.p_shifted_corrected,
            statistics.shifted.map(|it| how(it.how)),
        ),
        "passTest": group.passes,
        "effectSize": statistics.effect_size.filter(|it| it.is_finite()),
        "smallestEffect": statistics.smallest_effect.filter(|it| it.is_finite()),
    })
}

/// Null for two runs neither of which is the baseline.
fn gate(pair: &PairComparison) -> Value {
    let Some(Ruling { gate, ruled, reasons }) = &pair.ruling else { return Value::Null };
    json!({
        "kind": gate.name(),
        "passed": *ruled == Ruled::Passed,
        "result": ruled.name(),
        "reasons": reasons,
        "regressions": changes(&pair.cases.regressed),
        "regressionsTotal": pair.cases.regressed.total,
        "unevaluated": changes(&pair.cases.unevaluated),
        "unevaluatedTotal": pair.cases.unevaluated.total,
    })
}

fn changes(changes: &Changes) -> Value {
    json!(changes.cases)
}

fn runs(comparison: &Comparison) -> Value {
    json!(comparison.sides.iter().map(|side| &side.figures).collect::<Vec<_>>())
}

/// Row by column: how the run of the column does against that of the row.
fn matrix(comparison: &Comparison) -> Value {
    let runs = comparison.sides.len();
    let cell = |row: usize, column: usize| {
        let pair = comparison.pairs.iter().find(|it| it.first == row && it.second == column);
        pair.map(|pair| {
            json!({
                "meanDelta": pair.all.statistics.mean_delta.map(clean),
                "verdict": pair.all.finding,
                "wins": pair.all.counts.wins,
                "losses": pair.all.counts.losses,
            })
        })
    };
    let row = |row: usize| (0..runs).map(|column| cell(row, column)).collect::<Vec<_>>();
    json!((0..runs).map(row).collect::<Vec<_>>())
}

/// Cases that differ, with their score in each run.
fn spread(comparison: &Comparison) -> Value {
    let Some(spread) = &comparison.spread else { return Value::Null };
    let cases = spread.cases.iter().map(|case| {
        let mut value = json!({"eval_id": case.eval_id, "dataset": case.dataset});
        if let Some(target) = &case.target {
            value["target"] = json!(target);
        }
        value["scores"] = json!(case.scores);
        value
    });
    json!({"differing": spread.total, "scores": cases.collect::<Vec<_>>()})
}
