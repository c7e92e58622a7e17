//! The first run and the last, case by case: has anything changed that is more than chance?

use std::{
    collections::{BTreeMap, HashSet},
    hash::{DefaultHasher, Hasher as _},
};

use serde::Serialize;

use crate::{
    compare::{Finding, PairedStatistics},
    record::{Row, Status},
    statistics::{ClusterDelta, PairedSample},
};

/// From the first run to the last, over the cases that both have a grade of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    pub first: String,
    pub last: String,
    pub finding: Finding,
    /// Each case counts once, with the mean of its repeats.
    pub statistics: PairedStatistics,
}

/// What each case of a run scored, on average.
pub(super) struct CaseScores {
    run: String,
    targets: HashSet<u64>,
    /// By case and target; the sum of its scores, and how many they are.
    scores: BTreeMap<(u64, u64), (f64, u32)>,
}

impl CaseScores {
    pub(super) fn of(run: &str) -> Self {
        Self { run: run.to_owned(), targets: HashSet::new(), scores: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, row: &Row<'_>) {
        let Some(score) = row.score.filter(|it| row.status != Status::Error && it.is_finite())
        else {
            return;
        };
        let target = hash(&row.target);
        self.targets.insert(target);
        let case = hash(&(&row.dataset, &row.eval_id));
        let (sum, count) = self.scores.entry((case, target)).or_default();
        *sum += score;
        *count += 1;
    }

    /// The mean of a case. Where a run has one target only, what it is called does not matter.
    fn means(&self, with_target: bool) -> BTreeMap<(u64, u64), f64> {
        let mean = |(key, (sum, count)): (&(u64, u64), &(f64, u32))| {
            ((key.0, if with_target { key.1 } else { 0 }), sum / f64::from(*count))
        };
        self.scores.iter().map(mean).collect()
    }
}

impl Change {
    /// Nothing where no case has a grade in both.
    pub(super) fn between(first: &CaseScores, last: &CaseScores) -> Option<Self> {
        let with_target = first.targets.len() > 1 || last.targets.len() > 1;
        let (before, after) = (first.means(with_target), last.means(with_target));
        let deltas = before.iter().filter_map(|(case, score)| {
            after.get(case).map(|now| ClusterDelta { sum: now - score, pairs: 1 })
        });
        let sample = PairedSample::new(deltas);
        let statistics = PairedStatistics::of(&sample, 0.0);
        let tested = statistics.permutation?;
        let finding = statistics.finding(tested.p, None);
        Some(Self { first: first.run.clone(), last: last.run.clone(), finding, statistics })
    }
}

fn hash(of: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
