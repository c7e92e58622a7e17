//! Runs compared with each other: which cases got better or worse, and whether that is more than
//! chance. `docs/design/013-comparison.md` says what is computed and why.
//!
//! A [`Comparison`] is plain data, made of recorded rows in one pass over each run; formats in
//! `render` tell it. Statistics are in `statistics/paired`; nothing here prints or knows the shell.

mod cases;
mod conditions;
mod figures;
mod gate;
mod group;
mod matching;
mod outcome;
mod pair;
mod render;
mod ruling;
mod side;
mod spread;
mod verdict;
mod words;

use self::{
    conditions::Condition,
    figures::RunFigures,
    group::{Group, correct_groups},
    matching::Pairing,
    outcome::{Outcome, delta},
    pair::PairComparison,
    ruling::Ruling,
    side::Side,
    spread::Spread,
};
pub use self::{
    gate::{CaseCounts, has_regressed},
    render::{CompareFormat, write_comparison},
    ruling::{Gate, Ruled},
    verdict::{Corrected, Finding, LEVEL, PairedStatistics, correct},
};
use crate::{
    names::Names,
    record::{RowFault, RunManifest, Status},
    recorded::Recorded,
};

/// What is like each other, and is therefore resampled as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterBy {
    /// The repeats of a case.
    Case,
    /// The cases of a conversation; a case of none is by itself.
    Conversation,
    /// The cases of a dataset.
    Dataset,
}

impl ClusterBy {
    fn name(self) -> &'static str {
        match self {
            Self::Case => "case",
            Self::Conversation => "conversation",
            Self::Dataset => "dataset",
        }
    }
}

#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// The difference from which a pair counts as won or lost.
    pub min_delta: f64,
    /// How much lower the mean may be and still be no worse.
    pub margin: f64,
    pub cluster: ClusterBy,
    pub gate: Gate,
    /// Only rows of these targets; of all where there are none.
    pub targets: Vec<String>,
}

/// Two or more runs, the first of which is the baseline.
pub struct Comparison {
    options: CompareOptions,
    names: Names,
    sides: Vec<Side>,
    /// Every two runs.
    pairs: Vec<PairComparison>,
    /// Of more than two runs.
    spread: Option<Spread>,
}

/// A pair of rows, as it is listed.
struct MatchedRow<'c> {
    eval_id: &'c str,
    dataset: &'c str,
    target1: &'c str,
    target2: &'c str,
    repeat: u32,
    score1: Option<f64>,
    score2: Option<f64>,
    status1: Status,
    status2: Status,
    delta: Option<f64>,
    outcome: Outcome,
}

impl Comparison {
    /// Reads all rows once. `told` hears how many were read since the last time.
    pub fn of(
        runs: &[Recorded],
        options: CompareOptions,
        told: &mut dyn FnMut(usize),
    ) -> Result<Self, RowFault> {
        let mut names = Names::with_empty();
        let mut sides = Vec::new();
        for run in runs {
            sides.push(Side::read(run, &options.targets, &mut names, told)?);
        }
        let manifests = runs.iter().map(|run| run.manifest.as_ref()).collect::<Vec<_>>();
        let mut pairs = Vec::new();
        for (second, other) in sides.iter().enumerate() {
            for (first, one) in sides.iter().enumerate().take(second) {
                let places = (first, second);
                let mut pair = PairComparison::of(places, (one, other), &names, &options);
                pair.conditions.splice(0..0, conditions(&manifests, first, second));
                pairs.push(pair);
            }
        }
        pairs.sort_by_key(|pair| (pair.first, pair.second));
        let mut groups: Vec<&mut Group> =
            pairs.iter_mut().flat_map(PairComparison::groups_mut).collect();
        correct_groups(&mut groups);
        for pair in pairs.iter_mut().filter(|pair| pair.first == 0) {
            pair.ruling = Some(Ruling::of(pair, &options));
        }
        let spread = (sides.len() > 2).then(|| Spread::of(&sides, &names));
        Ok(Self { options, names, sides, pairs, spread })
    }

    /// What the gate says of all runs against the first: the worst of it.
    pub fn ruled(&self) -> Ruled {
        let rulings = self.pairs.iter().filter_map(|pair| pair.ruling.as_ref());
        rulings.map(|ruling| ruling.ruled).max().unwrap_or(Ruled::Passed)
    }

    /// How many rows of the baseline have no partner, in the run that lacks the most.
    pub fn missing(&self) -> u64 {
        let against = self.pairs.iter().filter(|pair| pair.first == 0);
        against.map(|pair| pair.only_first.rows).max().unwrap_or(0)
    }

    /// What there is to say where nothing could be compared: what each run has.
    pub fn names_on_each_side(&self) -> Vec<String> {
        self.sides.iter().map(|side| side.described(&self.names)).collect()
    }

    fn run(&self, place: usize) -> Option<&RunFigures> {
        self.sides.get(place).map(|side| &side.figures)
    }

    fn run_name(&self, place: usize) -> &str {
        self.run(place).map_or("", |run| &run.name)
    }

    /// Every pair of rows of two runs, in the order of the first. The pairs are found again each time:
    /// to keep them for every two of many runs would take more room than it is worth.
    fn each_matched<E>(
        &self,
        pair: &PairComparison,
        mut row: impl FnMut(&MatchedRow<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (Some(one), Some(other)) = (self.sides.get(pair.first), self.sides.get(pair.second))
        else {
            return Ok(());
        };
        let pairing = Pairing::of(one, other);
        for (before, now) in pairing.pairs(one, other) {
            let dataset = if before.dataset == 0 { now.dataset } else { before.dataset };
            row(&MatchedRow {
                eval_id: self.names.get(before.id),
                dataset: self.names.get(dataset),
                target1: self.names.get(before.target),
                target2: self.names.get(now.target),
                repeat: before.repeat,
                score1: before.score(),
                score2: now.score(),
                status1: before.status,
                status2: now.status,
                delta: delta(before.score(), now.score()),
                outcome: Outcome::of(before.score(), now.score(), self.options.min_delta),
            })?;
        }
        Ok(())
    }
}

fn conditions(manifests: &[Option<&RunManifest>], first: usize, second: usize) -> Vec<Condition> {
    let manifest = |place: usize| manifests.get(place).copied().flatten();
    match (manifest(first), manifest(second)) {
        (Some(first), Some(second)) => Condition::of(first, second),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
