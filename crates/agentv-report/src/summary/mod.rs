//! What a run came to, gathered row by row.
//!
//! Memory: eight bytes a graded case for the median, and a bounded number of examples. How it
//! looks is in `text`.

mod errors;
mod judges;
mod spent;
mod text;

use agentv_base::{GraderResult, Verdict, excerpt};

use self::{errors::ErrorGroups, judges::Judges, spent::Spending};
use crate::{
    record::{Row, Status},
    style::counted,
};

/// How many failed cases and kinds of errors are told before the rest is only counted.
const MOST_TOLD: usize = 20;

/// How many of the slowest cases are told.
const MOST_SLOW: usize = 5;

/// How many of a case's misses are told.
const MOST_MISSES: usize = 4;

/// How many lines of a miss are told.
const MOST_LINES: usize = 10;

/// Longer texts from outside are cut on the screen; the rows have them whole.
const LONGEST_TEXT: usize = 300;

/// A fifth of the way from 0 to 1.
const BINS: usize = 5;

/// Takes rows, then tells about them.
#[derive(Default)]
pub struct Summary {
    passed: usize,
    failed: usize,
    errors: usize,
    not_run: usize,
    unfinished: usize,
    scores: Vec<f64>,
    slowest: Vec<Slow>,
    failures: Vec<FailedCase>,
    error_groups: ErrorGroups,
    judges: Judges,
    spent: Spending,
}

/// A case by the words that people know it by, made harmless for a screen.
#[derive(Clone, Debug)]
struct CaseName {
    /// `evals/suite.yaml:12`.
    place: String,
    /// `id`, or `id #2` for a repeat.
    id: String,
    target: String,
}

struct Slow {
    /// In milliseconds, as the other.
    invocation: f64,
    /// The slowest judge; they are asked side by side.
    judge: Option<f64>,
    name: CaseName,
}

struct FailedCase {
    name: CaseName,
    score: f64,
    /// Each in lines.
    misses: Vec<Vec<String>>,
    more_misses: usize,
}

impl Summary {
    pub fn add(&mut self, row: &Row<'_>) {
        self.judges.add(row);
        self.spent.add(row);
        match (row.status, row.score) {
            (Status::Passed, Some(score)) => {
                self.passed += 1;
                self.scores.push(score);
            }
            (Status::Failed, Some(score)) => {
                self.failed += 1;
                self.scores.push(score);
                if self.failures.len() < MOST_TOLD {
                    self.failures.push(FailedCase::of(row, score));
                }
            }
            // A graded row without a score cannot be read; a grade without one would be an error.
            (Status::Error, _) | (_, None) => {
                self.errors += 1;
                self.error_groups.add(row);
            }
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

    fn add_duration(&mut self, invocation: f64, judge: Option<f64>, row: &Row<'_>) {
        let slow = Slow { invocation, judge, name: CaseName::of(row) };
        let place = self.slowest.partition_point(|other| other.whole() >= slow.whole());
        if place < MOST_SLOW {
            self.slowest.truncate(MOST_SLOW - 1);
            self.slowest.insert(place, slow);
        }
    }

    fn rows(&self) -> usize {
        self.passed + self.failed + self.errors
    }

    /// Over graded cases; nothing where there are none.
    fn mean(&self) -> Option<f64> {
        (!self.scores.is_empty())
            .then(|| self.scores.iter().sum::<f64>() / self.scores.len() as f64)
    }

    /// Over graded cases; nothing where there are none.
    fn median(&self) -> Option<f64> {
        let mut scores = self.scores.clone();
        scores.sort_unstable_by(f64::total_cmp);
        let upper = *scores.get(scores.len() / 2)?;
        if scores.len() % 2 == 1 {
            return Some(upper);
        }
        let lower = *scores.get(scores.len() / 2 - 1)?;
        Some(f64::midpoint(lower, upper))
    }

    /// How many scores fall into each fifth. A score on an edge belongs to the higher one, also
    /// where adding tenths has left it a hair below.
    fn distribution(&self) -> [usize; BINS] {
        let mut bins = [0; BINS];
        for score in &self.scores {
            let bin = (1..BINS)
                .rev()
                .find(|edge| agentv_base::reaches(*score, *edge as f64 / BINS as f64))
                .unwrap_or(0);
            bins[bin] += 1;
        }
        bins
    }
}

impl Slow {
    fn whole(&self) -> f64 {
        self.invocation + self.judge.unwrap_or(0.0)
    }
}

/// Whether a grader, or one that it is made of, asked a model.
fn asks_judge(grader: &GraderResult) -> bool {
    grader.judge.is_some() || grader.evaluator_results.iter().any(asks_judge)
}

impl CaseName {
    fn of(row: &Row<'_>) -> Self {
        let suite = excerpt(row.file.as_ref().unwrap_or(&row.suite), LONGEST_TEXT);
        let id = excerpt(&row.eval_id, LONGEST_TEXT);
        Self {
            place: match row.line {
                Some(line) => format!("{suite}:{line}"),
                None => suite,
            },
            id: match row.repeat {
                0 | 1 => id,
                repeat => format!("{id} #{repeat}"),
            },
            target: excerpt(&row.target, LONGEST_TEXT),
        }
    }
}

impl FailedCase {
    /// Graders that say nothing of their own speak by their score, and by their reasons where they
    /// gave some; a required one always does, because it can fail a case in spite of its mean.
    fn of(row: &Row<'_>, score: f64) -> Self {
        let graders = row.evaluator_results.as_deref().unwrap_or_default();
        let below = graders.iter().filter_map(|grader| {
            let scored = grader.score.filter(|_| grader.verdict != Some(Verdict::Pass))?;
            let name = excerpt(&grader.name, LONGEST_TEXT);
            let silent = grader.misses.is_empty();
            let reason =
                grader.reasoning.as_deref().filter(|_| silent).map_or_else(String::new, reason);
            match grader.required_score {
                Some(needed) => Some(format!(
                    "`{name}` scored {scored:.2} and is required to reach {needed:.2}{reason}"
                )),
                None => silent.then(|| format!("`{name}` scored {scored:.2}{reason}")),
            }
        });
        let misses: Vec<Vec<String>> = match graders {
            [] | [_] => row.misses.iter().map(|miss| lines_of(miss)).collect(),
            several => misses_by_name(several),
        };
        let mut reasons = below.map(|below| vec![below]).chain(misses);
        Self {
            name: CaseName::of(row),
            score,
            misses: reasons.by_ref().take(MOST_MISSES).collect(),
            more_misses: reasons.count(),
        }
    }
}

/// Why, on the same line as the score.
fn reason(reasoning: &str) -> String {
    let words: Vec<&str> = reasoning.split_whitespace().collect();
    if words.is_empty() {
        String::new()
    } else {
        format!(": {}", excerpt(&words.join(" "), LONGEST_TEXT))
    }
}

/// What several graders missed, each with its name; first those that did not pass.
fn misses_by_name(graders: &[GraderResult]) -> Vec<Vec<String>> {
    let (passed, others): (Vec<_>, Vec<_>) =
        graders.iter().partition(|grader| grader.verdict == Some(Verdict::Pass));
    let named = |grader: &GraderResult, miss: &String| {
        let weightless = if grader.weight > 0.0 { "" } else { " (weight 0)" };
        lines_of(&format!("{}{weightless}: {miss}", grader.name))
    };
    let graders = others.into_iter().chain(passed);
    graders.flat_map(|grader| grader.misses.iter().map(|miss| named(grader, miss))).collect()
}

/// The lines of a miss, which may show calls side by side; each of them cut as a text of one line.
fn lines_of(miss: &str) -> Vec<String> {
    let mut all = miss.lines();
    let mut lines: Vec<String> =
        all.by_ref().take(MOST_LINES).map(|line| excerpt(line, LONGEST_TEXT)).collect();
    if lines.is_empty() {
        lines.push(String::new());
    }
    let more = all.count();
    if more > 0 {
        lines.push(format!("  … ({})", counted(more, "more line", "more lines")));
    }
    lines
}

#[cfg(test)]
mod tests;
