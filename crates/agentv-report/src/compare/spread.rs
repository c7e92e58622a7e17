//! The cases that several runs differ in most: each with its score in every run.

use std::collections::HashMap;

use super::{
    matching::{CaseKey, Naming},
    outcome::{ROUNDING, clean},
    side::{Fact, Side},
};
use crate::names::Names;

/// Cases that are kept; the others are counted.
const MOST_KEPT: usize = 1000;

/// A case in all runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpreadCase {
    pub(super) eval_id: String,
    pub(super) dataset: String,
    /// Where rows are of several targets.
    pub(super) target: Option<String>,
    /// The mean of its graded repeats in each run; nothing where there is none.
    pub(super) scores: Vec<Option<f64>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    /// Those with the largest differences first.
    pub(super) cases: Vec<SpreadCase>,
    /// How many cases have another score in any run.
    pub(super) total: usize,
}

impl Spread {
    pub(super) fn of(sides: &[Side], names: &Names) -> Self {
        let all: Vec<&Side> = sides.iter().collect();
        let naming = Naming::of(&all);
        let runs = sides.len();
        let mut places: HashMap<CaseKey, usize> = HashMap::new();
        let mut cases: Vec<&Fact> = Vec::new();
        // Sum and count of each case in each run, one case after the other.
        let mut sums: Vec<(f64, u32)> = Vec::new();
        for (run, side) in sides.iter().enumerate() {
            for fact in &side.facts {
                let next = cases.len();
                let place = *places.entry(naming.case(fact)).or_insert(next);
                if place == next {
                    cases.push(fact);
                    sums.resize((next + 1) * runs, (0.0, 0));
                }
                if let (Some(score), Some(sum)) = (fact.score(), sums.get_mut(place * runs + run)) {
                    sum.0 += score;
                    sum.1 += 1;
                }
            }
        }
        let mean = |(sum, count): &(f64, u32)| (*count > 0).then(|| clean(sum / f64::from(*count)));
        let mut spread: Vec<(usize, f64)> = Vec::new();
        for (place, of_case) in sums.chunks(runs.max(1)).enumerate() {
            let known = of_case.iter().filter_map(mean);
            let (low, high) =
                known.fold((f64::MAX, f64::MIN), |(low, high), it| (low.min(it), high.max(it)));
            if high - low > ROUNDING {
                spread.push((place, clean(high - low)));
            }
        }
        spread.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let total = spread.len();
        let kept = spread.into_iter().take(MOST_KEPT).filter_map(|(place, _)| {
            let fact = cases.get(place)?;
            let scores = sums.get(place * runs..(place + 1) * runs)?;
            Some(SpreadCase {
                eval_id: names.get(fact.id).to_owned(),
                dataset: names.get(fact.dataset).to_owned(),
                target: naming.by_target.then(|| names.get(fact.target).to_owned()),
                scores: scores.iter().map(mean).collect(),
            })
        });
        Self { cases: kept.collect(), total }
    }
}
