//! The repeats of a run, gathered row by row.
//!
//! While nothing is repeated a row costs nothing, and a bounded number of cases their names; from the
//! first repeat on, a case costs about a hundred bytes, and one that may be told by name its name
//! besides.

mod told;

use std::collections::{BTreeMap, HashSet};

use super::place::Place;
use crate::{
    digest::{CaseKey, Digester},
    record::Row,
    statistics::{CaseRepeats, RepeatStats, RepeatedCase, Wager},
};

/// How many cases are told one by one in `run.json`.
const MOST_LISTED: usize = 1000;

#[derive(Default)]
pub(super) struct Repeats {
    until_decided: bool,
    /// Whether any row is a second one.
    is_repeated: bool,
    /// None before the first repeat; in an order that is the same in every run, so that sums are too.
    cases: BTreeMap<CaseKey, Kept>,
    /// The first cases in the order of the suites, in whatever order rows come.
    first: BTreeMap<Place, CaseKey>,
}

#[derive(Default)]
struct Kept {
    case: RepeatedCase,
    /// Where not every repeat came to the same, or the case may be told as not settled.
    place: Option<Box<Place>>,
}

impl Repeats {
    /// That the number of repeats depends on what comes out. To be said before the first row.
    pub(super) fn end_when_decided(&mut self) {
        self.until_decided = true;
    }

    /// Whether it depends, so that rates and means lean to one side.
    pub(super) fn are_ended_early(&self) -> bool {
        self.until_decided
    }

    /// `earlier` has the rows before this one, which are cases too from the first repeat on.
    pub(super) fn add(
        &mut self,
        key: CaseKey,
        row: &Row<'_>,
        grade: Option<(f64, bool)>,
        earlier: &Digester,
    ) {
        self.is_repeated |= row.repeat > 1;
        self.list(key, row);
        if !self.is_repeated && !self.until_decided {
            return;
        }
        if self.cases.is_empty() {
            for (key, grade) in earlier.grades() {
                self.cases.entry(key).or_default().add(grade);
            }
        }
        let kept = self.cases.entry(key).or_default();
        if let Some(threshold) = row.threshold.filter(|_| self.until_decided) {
            kept.case.wager.get_or_insert_with(|| Box::new(Wager::on(threshold)));
        }
        kept.add(grade);
        let is_flaky = kept.case.flake_rate().is_some_and(|rate| rate > 0.0);
        if kept.place.is_none() && (self.until_decided || is_flaky) {
            kept.place = Some(Box::new(Place::of(row)));
        }
    }

    /// Keeps the case among the first ones, where it is one of them.
    fn list(&mut self, key: CaseKey, row: &Row<'_>) {
        let is_full = self.first.len() >= MOST_LISTED;
        if is_full && self.first.last_key_value().is_some_and(|(last, _)| last.is_before(row)) {
            return;
        }
        self.first.insert(Place::of(row), key);
        if self.first.len() > MOST_LISTED {
            self.first.pop_last();
        }
    }

    /// Whether rows are repeats of cases rather than cases.
    pub(super) fn is_repeated(&self) -> bool {
        self.is_repeated
    }

    /// Cases of which any repeat failed; unknown where nothing was repeated.
    pub(super) fn failing(&self) -> Option<usize> {
        let is_failing = |kept: &&Kept| kept.case.graded() > u64::from(kept.case.passed);
        self.is_repeated.then(|| self.cases.values().filter(is_failing).count())
    }

    /// How many of the graded repeats of a case failed, and how many there are.
    pub(super) fn failed_of(&self, key: CaseKey) -> Option<(u64, u64)> {
        let case = &self.cases.get(&key)?.case;
        Some((case.graded().saturating_sub(u64::from(case.passed)), case.graded()))
    }

    /// Nothing where nothing was repeated, nor would have been.
    pub(super) fn stats(&self) -> Option<RepeatStats> {
        let cases = self.cases.values().map(|kept| &kept.case);
        Some(RepeatStats::of(cases, self.until_decided)?.with_cases(self.by_case()))
    }

    fn by_case(&self) -> Vec<CaseRepeats> {
        // A case that has moved within its suite between two sessions stands at two places.
        let mut seen = HashSet::new();
        let once = self.first.iter().filter(|(_, key)| seen.insert(**key));
        let told = once.filter_map(|(place, key)| {
            let case = &self.cases.get(key)?.case;
            Some(CaseRepeats::of(place.names(), case, self.until_decided))
        });
        told.collect()
    }
}

impl Kept {
    fn add(&mut self, grade: Option<(f64, bool)>) {
        match grade {
            Some((score, passed)) => self.case.grade(score, passed),
            None => self.case.errors += 1,
        }
    }
}

#[cfg(test)]
mod tests;
