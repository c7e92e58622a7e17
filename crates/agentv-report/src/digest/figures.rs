//! The numbers of some rows: all of them, or those of a target, a suite or a tag.

use std::collections::BTreeMap;

use agentv_base::{GraderResult, TokenUsage, reaches};
use serde::Serialize;

use super::estimate::Estimate;
use crate::{record::Row, statistics::Moments};

/// Tenths of the way from 0 to 1.
const BINS: usize = 10;

/// A row as far as numbers depend on it; what is unknown is no number.
pub(super) struct Fact {
    pub(super) case: u64,
    pub(super) score: f64,
    pub(super) passed: bool,
    pub(super) duration: f64,
    /// Places among the names, in few bytes: there is one of these for every row.
    pub(super) target: u32,
    pub(super) suite: u32,
    pub(super) tags: u32,
}

impl Fact {
    pub(super) fn is_graded(&self) -> bool {
        !self.score.is_nan()
    }
}

/// Those of one target, suite or tag.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    pub name: String,
    #[serde(flatten)]
    pub figures: Figures,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    pub rows: u64,
    /// Fewer than rows where cases are repeated.
    pub cases: u64,
    pub graded: u64,
    pub passed: u64,
    pub failed: u64,
    /// No part of any rate or mean.
    pub errors: u64,
    /// Nothing where nothing was graded.
    pub pass_rate: Option<Estimate>,
    pub mean_score: Option<Estimate>,
    pub median_score: Option<f64>,
    /// How many scores fall into each tenth; one on an edge belongs to the higher.
    pub distribution: [u64; BINS],
    pub durations: Option<Durations>,
    #[serde(flatten)]
    pub spent: Spending,
}

/// Of the invocations whose time is known, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Durations {
    pub known: u64,
    pub total_ms: f64,
    pub median_ms: f64,
    pub p95_ms: f64,
    pub longest_ms: f64,
}

/// What targets and judges took, as far as it is known; what is not known is counted, never added
/// as nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Spending {
    /// Nothing where no cost is known.
    pub cost_usd: Option<f64>,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// Answers and judgements whose cost is not known.
    pub cost_unknown: u64,
}

impl Spending {
    pub(super) fn of(row: &Row<'_>) -> Self {
        let mut spent = Self::default();
        if !row.cached {
            let is_known = row.token_usage.is_some() || row.cost_usd.is_some();
            if row.candidate_answer.is_some() || is_known {
                spent.note(row.token_usage, row.cost_usd);
            }
            for attempt in &row.failed_attempts {
                if attempt.token_usage.is_some() || attempt.cost_usd.is_some() {
                    spent.note(attempt.token_usage, attempt.cost_usd);
                }
            }
        }
        spent.note_judges(row.evaluator_results.as_deref().unwrap_or_default());
        spent
    }

    fn note(&mut self, tokens: Option<TokenUsage>, cost: Option<f64>) {
        match cost.filter(|cost| cost.is_finite()) {
            Some(cost) => *self.cost_usd.get_or_insert(0.0) += cost,
            None => self.cost_unknown += 1,
        }
        if let Some(tokens) = tokens {
            let add = |sum: &mut Option<u64>, more: u64| {
                *sum = Some(sum.unwrap_or(0).saturating_add(more));
            };
            add(&mut self.input_tokens, tokens.input);
            add(&mut self.output_tokens, tokens.output);
        }
    }

    fn note_judges(&mut self, results: &[GraderResult]) {
        for result in results {
            if let Some(record) = result.judge.as_ref().filter(|record| record.asks > 0) {
                self.note(record.token_usage, record.cost_usd);
            }
            self.note_judges(&result.evaluator_results);
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        if let Some(cost) = other.cost_usd {
            *self.cost_usd.get_or_insert(0.0) += cost;
        }
        let tokens = |sum: &mut Option<u64>, more: Option<u64>| {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0).saturating_add(more));
            }
        };
        tokens(&mut self.input_tokens, other.input_tokens);
        tokens(&mut self.output_tokens, other.output_tokens);
        self.cost_unknown += other.cost_unknown;
    }
}

impl Figures {
    /// `may_repeat`: whether several rows can be of one case, as none is where none of more rows is.
    pub(super) fn of(facts: &[&Fact], spent: Option<&Spending>, may_repeat: bool) -> Self {
        let graded: Vec<&&Fact> = facts.iter().filter(|fact| fact.is_graded()).collect();
        let passed = graded.iter().filter(|fact| fact.passed).count() as u64;
        let count = graded.len() as u64;
        let by_case = ByCase::of(facts, may_repeat);
        let (pass_rate, mean_score) = if by_case.is_repeated {
            (Estimate::mean(&by_case.passes), Estimate::mean(&by_case.scores))
        } else {
            let scores: Moments = graded.iter().map(|fact| fact.score).collect();
            (Estimate::share(passed, count), Estimate::mean(&scores))
        };
        let mut scores: Vec<f64> = graded.iter().map(|fact| fact.score).collect();
        scores.sort_unstable_by(f64::total_cmp);
        Self {
            rows: facts.len() as u64,
            cases: by_case.cases,
            graded: count,
            passed,
            failed: count - passed,
            errors: facts.len() as u64 - count,
            pass_rate,
            mean_score,
            median_score: middle(&scores),
            distribution: distribution(&scores),
            durations: Durations::of(facts),
            spent: spent.cloned().unwrap_or_default(),
        }
    }

    /// Whether rows are repeats of cases rather than cases.
    pub fn is_repeated(&self) -> bool {
        self.rows > self.cases
    }
}

/// Rows by the case that they are of, where any has several.
struct ByCase {
    cases: u64,
    is_repeated: bool,
    /// The share of graded repeats that passed, of each case.
    passes: Moments,
    /// Their mean score.
    scores: Moments,
}

impl ByCase {
    fn of(facts: &[&Fact], may_repeat: bool) -> Self {
        let cases = if may_repeat {
            let mut keys: Vec<u64> = facts.iter().map(|fact| fact.case).collect();
            keys.sort_unstable();
            keys.dedup();
            keys.len()
        } else {
            facts.len()
        };
        let is_repeated = cases < facts.len();
        let (mut passes, mut scores) = (Moments::default(), Moments::default());
        if is_repeated {
            // In an order that does not depend on the machine, so that sums do not either.
            let mut by_case: BTreeMap<u64, (Moments, Moments)> = BTreeMap::new();
            for fact in facts.iter().filter(|fact| fact.is_graded()) {
                let (passes, scores) = by_case.entry(fact.case).or_default();
                passes.add(f64::from(u8::from(fact.passed)));
                scores.add(fact.score);
            }
            for (of_passes, of_scores) in by_case.values() {
                of_passes.mean().into_iter().for_each(|mean| passes.add(mean));
                of_scores.mean().into_iter().for_each(|mean| scores.add(mean));
            }
        }
        Self { cases: cases as u64, is_repeated, passes, scores }
    }
}

impl Durations {
    fn of(facts: &[&Fact]) -> Option<Self> {
        let known = facts.iter().map(|fact| fact.duration).filter(|it| !it.is_nan());
        let mut known: Vec<f64> = known.collect();
        known.sort_unstable_by(f64::total_cmp);
        // The nearest rank: a time that was really measured.
        let p95 = (known.len() * 95).div_ceil(100).checked_sub(1)?;
        Some(Self {
            known: known.len() as u64,
            total_ms: known.iter().sum(),
            median_ms: middle(&known)?,
            p95_ms: *known.get(p95)?,
            longest_ms: *known.last()?,
        })
    }
}

/// Of numbers in order.
fn middle(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(*sorted.get(sorted.len() / 2 - 1)?, upper))
}

fn distribution(scores: &[f64]) -> [u64; BINS] {
    let mut bins = [0; BINS];
    for score in scores {
        let edges = (1..BINS).rev();
        let bin = edges.into_iter().find(|edge| reaches(*score, *edge as f64 / BINS as f64));
        bins[bin.unwrap_or(0)] += 1;
    }
    bins
}
