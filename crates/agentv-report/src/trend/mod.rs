//! How a suite has fared from run to run: the numbers of each run, how they change, and whether
//! that is more than chance.
//!
//! Which runs and which of their rows is decided by whoever adds them. One file for each way of
//! telling it.

mod change;
mod csv;
mod html;
mod json;
mod plot;
mod scale;
mod table;

use std::io;

use serde::Serialize;

use self::change::CaseScores;
pub use self::{change::Change, plot::PlotSigns, table::TrendScreen};
use crate::{
    digest::{Digester, Estimate},
    record::{Row, Timestamp},
    render::RenderFault,
    statistics::{Confidence, Slope, slope},
};

/// The numbers of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrendPoint {
    /// The id of the run, or the file.
    pub run: String,
    /// When it was begun, or its first row was written; unknown where no row says it.
    pub started_at: Option<Timestamp>,
    pub cases: u64,
    /// Rows with a grade.
    pub graded: u64,
    pub passed: u64,
    /// No part of any rate or mean.
    pub errors: u64,
    /// Nothing where nothing was graded.
    pub pass_rate: Option<Estimate>,
    pub mean_score: Option<Estimate>,
    /// As far as it is known.
    pub cost_usd: Option<f64>,
    /// Answers and judgements whose cost is not known.
    pub cost_unknown: u64,
}

/// Runs in order, the oldest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trend {
    pub runs: Vec<TrendPoint>,
    /// Runs that have no row that was asked for.
    pub without_rows: usize,
    /// Runs that were not looked at, because only the last ones were asked for.
    pub earlier: usize,
    /// How much the mean score changes from one run to the next.
    pub mean_slope: Option<Slope>,
    /// The first run and the last, case by case.
    pub change: Option<Change>,
}

/// Takes runs, the oldest first.
#[derive(Default)]
pub struct TrendBuilder {
    runs: Vec<TrendPoint>,
    without_rows: usize,
    first: Option<CaseScores>,
    last: Option<CaseScores>,
}

impl TrendBuilder {
    /// Adds a run with those of its rows that count. One without any is only counted.
    pub fn add<'r, F>(
        &mut self,
        run: &str,
        started_at: Option<Timestamp>,
        rows: impl IntoIterator<Item = Result<Row<'r>, F>>,
    ) -> Result<(), F> {
        let mut digester = Digester::default();
        let mut scores = CaseScores::of(run);
        let mut earliest: Option<Timestamp> = None;
        let mut count = 0_usize;
        for row in rows {
            let row = row?;
            digester.add(&row);
            scores.add(&row);
            // A row that does not say when it was written is read as of the beginning of time.
            if row.timestamp.moment() > std::time::SystemTime::UNIX_EPOCH {
                earliest = Some(earliest.map_or(row.timestamp, |it| it.min(row.timestamp)));
            }
            count += 1;
        }
        if count == 0 {
            self.without_rows += 1;
            return Ok(());
        }
        let all = digester.finish().all;
        self.runs.push(TrendPoint {
            run: run.to_owned(),
            started_at: started_at.or(earliest),
            cases: all.cases,
            graded: all.graded,
            passed: all.passed,
            errors: all.errors,
            pass_rate: all.pass_rate,
            mean_score: all.mean_score,
            cost_usd: all.spent.cost_usd,
            cost_unknown: all.spent.cost_unknown,
        });
        if self.first.is_none() {
            self.first = Some(scores);
        } else {
            self.last = Some(scores);
        }
        Ok(())
    }

    /// How many runs were added that have rows.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn finish(self, earlier: usize) -> Trend {
        let graded = self
            .runs
            .iter()
            .enumerate()
            .filter_map(|(step, run)| run.mean_score.map(|mean| (step as f64, mean.value)));
        let graded: Vec<(f64, f64)> = graded.collect();
        let change = match (&self.first, &self.last) {
            (Some(first), Some(last)) => Change::between(first, last),
            _ => None,
        };
        Trend {
            mean_slope: slope(&graded, Confidence::default()),
            runs: self.runs,
            without_rows: self.without_rows,
            earlier,
            change,
        }
    }
}

impl Trend {
    pub fn write_json(&self, out: &mut dyn io::Write) -> Result<(), RenderFault> {
        json::write(self, out)
    }

    pub fn write_csv(&self, out: &mut dyn io::Write) -> Result<(), RenderFault> {
        csv::write(self, out)
    }

    pub fn write_html(&self, out: &mut dyn io::Write) -> Result<(), RenderFault> {
        html::write(self, out)
    }

    /// For people, with a plot.
    pub fn text(&self, screen: TrendScreen) -> String {
        table::text(self, screen)
    }
}

#[cfg(test)]
mod tests;
