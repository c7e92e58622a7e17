//! A trend as a table: a line for each run, nothing where nothing is known.

use std::io;

use super::{Trend, TrendPoint};
use crate::{
    csv_cells::{self, cause, table, text},
    digest::Estimate,
    render::RenderFault,
};

const HEAD: [&str; 15] = [
    "run",
    "started_at",
    "cases",
    "graded",
    "passed",
    "errors",
    "pass_rate",
    "pass_rate_low",
    "pass_rate_high",
    "mean_score",
    "mean_score_low",
    "mean_score_high",
    "pass_rate_method",
    "mean_score_method",
    "cost_usd",
];

pub(super) fn write(trend: &Trend, out: &mut dyn io::Write) -> Result<(), RenderFault> {
    let mut table = table(out);
    table.write_record(HEAD).map_err(cause)?;
    for run in &trend.runs {
        table.write_record(line(run)).map_err(cause)?;
    }
    table.flush()?;
    Ok(())
}

fn line(run: &TrendPoint) -> [String; 15] {
    let number = |number: Option<f64>| csv_cells::number(number).into_owned();
    let value = |of: Option<Estimate>| number(of.map(|it| it.value));
    let low = |of: Option<Estimate>| number(of.and_then(|it| it.interval).map(|it| it.low));
    let high = |of: Option<Estimate>| number(of.and_then(|it| it.interval).map(|it| it.high));
    let method = |of: Option<Estimate>| {
        of.and_then(|it| it.method).map_or(String::new(), |it| it.name().to_owned())
    };
    [
        text(&run.run).into_owned(),
        run.started_at.map_or(String::new(), |it| it.to_string()),
        run.cases.to_string(),
        run.graded.to_string(),
        run.passed.to_string(),
        run.errors.to_string(),
        value(run.pass_rate),
        low(run.pass_rate),
        high(run.pass_rate),
        value(run.mean_score),
        low(run.mean_score),
        high(run.mean_score),
        method(run.pass_rate),
        method(run.mean_score),
        number(run.cost_usd),
    ]
}
