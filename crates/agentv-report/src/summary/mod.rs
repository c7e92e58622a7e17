//! What a run came to, gathered row by row.
//!
//! Memory: that of the digest, forty bytes a row, and a bounded number of examples and names. Rates and
//! means are the digest's; how all of it looks is in `text`.

mod again;
mod difference;
mod errors;
mod failures;
mod judges;
mod name;
mod not_run;
mod place;
mod repeats;
mod retried;
mod scores;
mod shell;
mod spent;
mod table;
mod text;

use agentv_base::{GraderResult, SkippedCase};

pub use self::again::{Again, AgainHow};
pub(crate) use self::shell::shell_word;
use self::{
    errors::ErrorGroups, failures::Failures, judges::Judges, name::CaseName, not_run::NotRun,
    repeats::Repeats, retried::Retried, spent::Spending,
};
use crate::{
    digest::{Digester, Figures, case_key},
    record::{Row, RunManifest, Status},
    statistics::RepeatStats,
};

/// How many failed cases and kinds of errors are told before the rest is only counted.
const MOST_TOLD: usize = 20;

/// How many of the slowest cases are told.
const MOST_SLOW: usize = 5;

/// Longer texts from outside are cut on the screen; the rows have them whole.
const LONGEST_TEXT: usize = 300;

/// Takes rows, then tells about them.
#[derive(Default)]
pub struct Summary {
    digester: Digester,
    not_run: usize,
    unfinished: usize,
    slowest: Vec<Slow>,
    failures: Failures,
    error_groups: ErrorGroups,
    retried: Retried,
    judges: Judges,
    spent: Spending,
    skipped: NotRun,
    repeats: Repeats,
}

struct Slow {
    /// In milliseconds, as the other.
    invocation: f64,
    /// The slowest judge; they are asked side by side.
    judge: Option<f64>,
    name: CaseName,
}

impl Summary {
    pub fn add(&mut self, row: &Row<'_>) {
        self.spent.add(row);
        self.count(row);
    }

    /// A row that was there before this session began: it counts as any other, and what it took is
    /// told apart.
    pub fn add_earlier(&mut self, row: &Row<'_>) {
        self.spent.add_earlier(row);
        self.count(row);
    }

    fn count(&mut self, row: &Row<'_>) {
        self.judges.add(row);
        self.retried.add(row);
        let key = case_key(row);
        // A graded row without a score cannot be read; a grade without one would be an error.
        let grade = match row.status {
            Status::Error => None,
            Status::Passed => row.score.map(|score| (score, true)),
            Status::Failed => row.score.map(|score| (score, false)),
        };
        self.repeats.add(key, row, grade, &self.digester);
        self.digester.add_as(key, row);
        match grade {
            Some((score, false)) => {
                self.failures.add(key, row, score, self.repeats.is_repeated());
            }
            Some((_, true)) => {}
            None => self.error_groups.add(row),
        }
        if let Some(invocation) = row.duration_ms.filter(|duration| duration.is_finite()) {
            let graders = row.evaluator_results.as_deref().unwrap_or_default();
            let judges = graders.iter().filter(|grader| asks_judge(grader));
            let times = judges.map(|grader| grader.duration_ms).filter(|it| it.is_finite());
            self.add_duration(invocation, times.max_by(f64::total_cmp), row);
        }
    }

    /// Cases that were planned and have no row, and how many of them had been begun.
    pub fn set_not_run(&mut self, not_run: usize, unfinished: usize) {
        self.not_run = not_run;
        self.unfinished = unfinished.min(not_run);
    }

    /// A planned case that is skipped.
    pub fn skip(&mut self, skipped: &SkippedCase) {
        self.skipped.add(skipped);
    }

    /// The cases that were skipped, as `run.json` has them: for a run that is over, and only told.
    pub fn read_skipped(&mut self, manifest: &RunManifest) {
        self.skipped.read(manifest);
    }

    /// So many rows will come in all.
    pub fn expect(&mut self, rows: usize) {
        self.digester.expect(rows);
    }

    /// That repeats end as soon as their case is decided. To be said before the first row.
    pub fn end_when_decided(&mut self) {
        self.repeats.end_when_decided();
    }

    /// What the repeats came to; nothing where nothing was repeated.
    pub fn repeats(&self) -> Option<RepeatStats> {
        self.repeats.stats()
    }

    fn add_duration(&mut self, invocation: f64, judge: Option<f64>, row: &Row<'_>) {
        let whole = invocation + judge.unwrap_or(0.0);
        let place = self.slowest.partition_point(|other| other.whole() >= whole);
        if place < MOST_SLOW {
            self.slowest.truncate(MOST_SLOW - 1);
            self.slowest.insert(place, Slow { invocation, judge, name: CaseName::of(row) });
        }
    }

    /// Whether rows are repeats of cases rather than cases.
    fn is_repeated(&self) -> bool {
        self.repeats.is_repeated() || self.skipped.is_repeated()
    }

    /// Cases of which any repeat failed.
    fn failing(&self, all: &Figures) -> usize {
        self.repeats.failing().unwrap_or_else(|| number(all.failed))
    }
}

impl Slow {
    fn whole(&self) -> f64 {
        self.invocation + self.judge.unwrap_or(0.0)
    }
}

/// A count, for words that count.
fn number(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Whether a grader, or one that it is made of, asked a model.
fn asks_judge(grader: &GraderResult) -> bool {
    grader.judge.is_some() || grader.evaluator_results.iter().any(asks_judge)
}

#[cfg(test)]
mod tests;
