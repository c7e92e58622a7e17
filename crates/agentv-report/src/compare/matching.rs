//! Which row of one run is the same question as which row of another.
//!
//! Rows match by dataset, id and repeat within a target. Where both runs are of one target each, what
//! the targets are called does not matter; where a run has no datasets, ids alone do. Two suites of one
//! name are told apart by their files, where both runs have such rows twice.

use std::collections::{HashMap, HashSet};

use super::side::{Fact, Side};
use crate::names::Name;

/// No row.
const NONE: u32 = u32::MAX;

/// What names a case within a comparison: dataset, id, target and suite, each 0 where it does not matter.
pub(super) type CaseKey = [Name; 4];

/// How rows are named.
#[derive(Clone, Debug, Default)]
pub(super) struct Naming {
    pub(super) by_dataset: bool,
    pub(super) by_target: bool,
    /// Cases that stand in several suites of one dataset.
    doubled: HashSet<CaseKey>,
}

impl Naming {
    pub(super) fn of(sides: &[&Side]) -> Self {
        Self {
            by_dataset: sides.iter().all(|side| side.has_datasets || side.facts.is_empty()),
            by_target: sides.iter().any(|side| side.targets.len() > 1),
            doubled: HashSet::new(),
        }
    }

    fn plain(&self, fact: &Fact) -> CaseKey {
        let dataset = if self.by_dataset { fact.dataset } else { 0 };
        let target = if self.by_target { fact.target } else { 0 };
        [dataset, fact.id, target, 0]
    }

    pub(super) fn case(&self, fact: &Fact) -> CaseKey {
        let mut key = self.plain(fact);
        if !self.doubled.is_empty() && self.doubled.contains(&key) {
            key[3] = fact.suite;
        }
        key
    }
}

/// The rows of two runs, side by side.
pub(super) struct Pairing {
    pub(super) naming: Naming,
    /// Of each row of the first run, its partner in the second.
    partners: Vec<u32>,
    /// Of each row of either run, the first row of its case in the first.
    cases: [Vec<u32>; 2],
    /// Rows of the second run without a partner.
    pub(super) only_second: Vec<u32>,
    /// Rows that another one of the same name took the place of.
    pub(super) shadowed: usize,
}

impl Pairing {
    pub(super) fn of(first: &Side, second: &Side) -> Self {
        let mut pairing = Self::named(first, second, Naming::of(&[first, second]));
        // Names that stand twice are told apart by their suites, where datasets are compared at all.
        if pairing.shadowed > 0 && pairing.naming.by_dataset {
            let mut naming = pairing.naming;
            naming.doubled = doubled(first, &naming);
            naming.doubled.extend(doubled(second, &naming));
            pairing = Self::named(first, second, naming);
        }
        pairing
    }

    fn named(first: &Side, second: &Side, naming: Naming) -> Self {
        let (one, other) = (sorted(first, &naming), sorted(second, &naming));
        let mut pairing = Self {
            naming,
            partners: vec![NONE; first.facts.len()],
            cases: [vec![NONE; first.facts.len()], vec![NONE; second.facts.len()]],
            only_second: Vec::new(),
            shadowed: 0,
        };
        join(&one, &other, |row| row.case, |rows, others| pairing.add_case(rows, others));
        pairing.only_second.sort_unstable();
        pairing
    }

    /// Takes the rows of a case: of the first run, where it has any, and of the second.
    fn add_case(&mut self, rows: &[NamedRow], others: &[NamedRow]) {
        let Some(first) = rows.iter().map(|row| row.place).min() else {
            return self.only_second.extend(others.iter().map(|row| row.place));
        };
        for (cases, rows) in self.cases.iter_mut().zip([rows, others]) {
            for row in rows {
                if let Some(case) = cases.get_mut(row.place as usize) {
                    *case = first;
                }
            }
        }
        join(rows, others, |row| row.repeat, |rows, others| self.add_repeat(rows, others));
    }

    /// Of two rows of one name the last counts.
    fn add_repeat(&mut self, rows: &[NamedRow], others: &[NamedRow]) {
        let Some((row, shadowed)) = rows.split_last() else {
            return self.only_second.extend(others.iter().map(|row| row.place));
        };
        self.shadowed += shadowed.len();
        if let Some((other, shadowed)) = others.split_last() {
            self.shadowed += shadowed.len();
            self.only_second.extend(shadowed.iter().map(|row| row.place));
            if let Some(partner) = self.partners.get_mut(row.place as usize) {
                *partner = other.place;
            }
        }
    }

    /// Of each row of the first run, or of the second, the first row of its case in the first run.
    pub(super) fn cases(&self) -> [impl Iterator<Item = Option<usize>>; 2] {
        let found = |case: &u32| (*case != NONE).then_some(*case as usize);
        self.cases.each_ref().map(|cases| cases.iter().map(found))
    }

    /// Every row of the first run and its partner, in the order of the first.
    pub(super) fn pairs<'s>(
        &'s self,
        first: &'s Side,
        second: &'s Side,
    ) -> impl Iterator<Item = (&'s Fact, &'s Fact)> {
        let both = first.facts.iter().zip(self.partners(second));
        both.filter_map(|(fact, partner)| Some((fact, partner?)))
    }

    /// Of each row of the first run, its partner in the second.
    pub(super) fn partners<'s>(
        &'s self,
        second: &'s Side,
    ) -> impl Iterator<Item = Option<&'s Fact>> {
        self.partners.iter().map(|partner| second.facts.get(*partner as usize))
    }

    /// Rows of the first run without a partner.
    pub(super) fn only_first<'s>(&'s self, first: &'s Side) -> impl Iterator<Item = &'s Fact> {
        let both = first.facts.iter().zip(&self.partners);
        both.filter(|(_, partner)| **partner == NONE).map(|(fact, _)| fact)
    }
}

/// A row by what names it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct NamedRow {
    case: CaseKey,
    repeat: u32,
    place: u32,
}

/// Names are numbered in the order of the rows, so that these lie in order mostly: sorting is then
/// faster than any map, and takes less room.
fn sorted(side: &Side, naming: &Naming) -> Vec<NamedRow> {
    let named = |(place, fact): (u32, &Fact)| NamedRow {
        case: naming.case(fact),
        repeat: fact.repeat,
        place,
    };
    let mut rows: Vec<NamedRow> = (0..NONE).zip(&side.facts).map(named).collect();
    rows.sort_unstable();
    rows
}

/// Hands over rows of both that have the same key, and those that only one has; both are sorted.
fn join<K: Ord>(
    rows: &[NamedRow],
    mut others: &[NamedRow],
    key: impl Fn(&NamedRow) -> K,
    mut both: impl FnMut(&[NamedRow], &[NamedRow]),
) {
    for same in rows.chunk_by(|one, other| key(one) == key(other)) {
        let Some(wanted) = same.first().map(&key) else { continue };
        let (before, rest) = others.split_at(count(others, |row| key(row) < wanted));
        let (matched, rest) = rest.split_at(count(rest, |row| key(row) == wanted));
        others = rest;
        if !before.is_empty() {
            both(&[], before);
        }
        both(same, matched);
    }
    if !others.is_empty() {
        both(&[], others);
    }
}

/// How many rows at the beginning are such.
fn count(rows: &[NamedRow], is_such: impl Fn(&NamedRow) -> bool) -> usize {
    rows.iter().take_while(|row| is_such(row)).count()
}

/// Names that rows of several suites have.
fn doubled(side: &Side, naming: &Naming) -> HashSet<CaseKey> {
    let mut suites: HashMap<(CaseKey, u32), Name> = HashMap::new();
    let mut doubled = HashSet::new();
    for fact in &side.facts {
        let key = naming.plain(fact);
        let suite = suites.entry((key, fact.repeat)).or_insert(fact.suite);
        if *suite != fact.suite {
            doubled.insert(key);
        }
    }
    doubled
}
