//! What several opinions on one answer add up to.

use std::fmt::Write as _;

use agentv_base::{CheckRecord, JudgeRecord, Score, excerpt, reaches};

use super::{
    reply::{Check, Checks},
    rubric::Rubric,
};
use crate::{mean::weighted_mean, numbers::number, told::cut};

/// How opinions become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregate {
    Mean,
    Majority,
}

impl Aggregate {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Majority => "majority",
        }
    }

    /// The value that stands for all. The middle one of an odd number is at or above a bar exactly
    /// where most of them are.
    fn of(self, values: &[f64]) -> f64 {
        match self {
            Self::Mean => {
                let parts: Vec<(f64, f64)> = values.iter().map(|value| (*value, 1.0)).collect();
                weighted_mean(&parts).unwrap_or_default()
            }
            Self::Majority => {
                let mut sorted = values.to_vec();
                sorted.sort_by(f64::total_cmp);
                sorted.get(sorted.len() / 2).copied().unwrap_or_default()
            }
        }
    }
}

/// Characters of what is said of a rubric that a hit or a miss shows.
const REASONING: usize = 500;

/// Characters of a rubric itself there.
const DESCRIPTION: usize = 200;

/// Characters of the reasoning that a record keeps of each rubric.
const KEPT: usize = 4000;

/// One score of several. A majority votes on whether the answer passes, from `cutoff` on.
pub(super) fn of_scores(
    samples: Vec<Score>,
    aggregate: Aggregate,
    cutoff: f64,
    record: &mut JudgeRecord,
) -> Score {
    let scores: Vec<f64> = samples.iter().map(|sample| sample.score).collect();
    note_samples(&scores, record);
    let score = match aggregate {
        Aggregate::Mean => Aggregate::Mean.of(&scores),
        Aggregate::Majority => {
            let votes: Vec<f64> =
                scores.iter().map(|score| f64::from(u8::from(reaches(*score, cutoff)))).collect();
            Aggregate::Majority.of(&votes)
        }
    };
    let place = nearest_to(score, &scores);
    let mut said = samples.into_iter().nth(place).unwrap_or_default();
    if aggregate == Aggregate::Majority {
        let passed = scores.iter().filter(|score| reaches(**score, cutoff)).count();
        let told = format!("{passed} of {} samples reach {}", scores.len(), number(cutoff));
        let told_in = if score > 0.5 { &mut said.hits } else { &mut said.misses };
        told_in.insert(0, told);
    }
    Score { score, ..said }
}

/// The score of checks of rubrics.
pub(super) fn of_checks(
    rubrics: &[Rubric],
    samples: &[Checks],
    aggregate: Aggregate,
    cutoff: f64,
    record: &mut JudgeRecord,
) -> Score {
    let weighed = |values: &[f64]| {
        let weights = rubrics.iter().map(|rubric| rubric.weight);
        let parts: Vec<(f64, f64)> = values.iter().copied().zip(weights).collect();
        // That some weight is above 0 was seen to when the rubrics were read.
        weighted_mean(&parts).unwrap_or_default()
    };
    let scores: Vec<f64> = samples
        .iter()
        .map(|sample| weighed(&sample.checks.iter().map(|check| check.value).collect::<Vec<_>>()))
        .collect();
    note_samples(&scores, record);
    let mut score = Score::default();
    let mut values = Vec::with_capacity(rubrics.len());
    let mut failed = Vec::new();
    for (place, rubric) in rubrics.iter().enumerate() {
        let checks: Vec<&Check> =
            samples.iter().filter_map(|sample| sample.checks.get(place)).collect();
        let each: Vec<f64> = checks.iter().map(|check| check.value).collect();
        let value = aggregate.of(&each);
        values.push(value);
        let met = rubric.is_met(value, cutoff);
        let said = checks.get(nearest_to(value, &each)).copied();
        if met { &mut score.hits } else { &mut score.misses }
            .push(told(rubric, said, &checks, cutoff));
        if rubric.required && !met {
            failed.push(format!("`{}`", rubric.id));
        }
        record.checks.push(CheckRecord {
            id: rubric.id.clone(),
            score: value,
            reasoning: said.and_then(|check| check.reasoning.clone()).map(|it| cut(it, KEPT)),
        });
    }
    score.score = weighed(&values);
    if !failed.is_empty() {
        score.barred = true;
        let (verb, what) = if failed.len() == 1 { ("is", "") } else { ("are", "s") };
        score.misses.push(format!(
            "the answer fails, whatever its score: the rubric{what} {} {verb} required",
            failed.join(", ")
        ));
    }
    let representative = samples.get(nearest_to(score.score, &scores));
    score.reasoning = representative.and_then(|sample| sample.reasoning.clone());
    score
}

/// A rubric as hits and misses tell of it: `[id] description: reasoning`.
fn told(rubric: &Rubric, said: Option<&Check>, all: &[&Check], cutoff: f64) -> String {
    let mut text = format!("[{}] {}", rubric.id, excerpt(&rubric.description, DESCRIPTION));
    if let (Some(score), Some(ranges)) = (said.and_then(|it| it.score), &rubric.ranges) {
        let (lowest, highest) = (number(ranges.lowest()), number(ranges.highest()));
        let _ = write!(text, ": {} on a scale from {lowest} to {highest}", number(score));
    }
    if let Some(reasoning) = said.and_then(|check| check.reasoning.as_deref()) {
        text.push_str(": ");
        text.push_str(&excerpt(reasoning.trim(), REASONING));
    }
    let met = all.iter().filter(|check| rubric.is_met(check.value, cutoff)).count();
    if met > 0 && met < all.len() {
        let _ = write!(text, " (met in {met} of {} samples)", all.len());
    }
    text
}

/// Where the value stands that is nearest to this one.
fn nearest_to(value: f64, values: &[f64]) -> usize {
    let distance =
        |place: &usize| values.get(*place).map_or(f64::INFINITY, |it| (it - value).abs());
    let places = 0..values.len();
    places.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or_default()
}

/// What several samples scored, and how far they are apart.
fn note_samples(scores: &[f64], record: &mut JudgeRecord) {
    if scores.len() > 1 {
        record.samples = scores.to_vec();
        record.spread = Some(deviation(scores));
    }
}

/// The standard deviation of a sample: over one less than there are.
fn deviation(scores: &[f64]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "nobody takes that many samples")]
    let count = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
    (squares / (count - 1.0)).sqrt()
}
