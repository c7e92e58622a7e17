//! Which row of one run is the same question as which row of another.
//!
//! Rows match by dataset, id and repeat within a target. Where both runs are of one target each, what
//! the targets are called does not matter; where a run has no datasets, ids alone do. Two suites of one
//! name are told apart by their files, where both runs have such rows twice.

use std::collections::{HashMap, HashSet};

use super::{
    names::Name,
    side::{Fact, Side},
};

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
        let mut places: HashMap<(CaseKey, u32), u32> = HashMap::with_capacity(first.facts.len());
        let mut shadowed = 0;
        for (place, fact) in numbered(&first.facts) {
            // Of two rows of one name the last counts.
            let before = places.insert((naming.case(fact), fact.repeat), place);
            shadowed += usize::from(before.is_some());
        }
        let mut partners = vec![NONE; first.facts.len()];
        let mut only_second = Vec::new();
        for (place, fact) in numbered(&second.facts) {
            let partner = places.get(&(naming.case(fact), fact.repeat));
            match partner.and_then(|partner| partners.get_mut(*partner as usize)) {
                Some(partner) => {
                    if *partner != NONE {
                        shadowed += 1;
                        only_second.push(*partner);
                    }
                    *partner = place;
                }
                None => only_second.push(place),
            }
        }
        only_second.sort_unstable();
        Self { naming, partners, only_second, shadowed }
    }

    /// Every row of the first run and its partner, in the order of the first.
    pub(super) fn pairs<'s>(
        &'s self,
        first: &'s Side,
        second: &'s Side,
    ) -> impl Iterator<Item = (&'s Fact, &'s Fact)> {
        first.facts.iter().zip(&self.partners).filter_map(|(fact, partner)| {
            second.facts.get(*partner as usize).map(|partner| (fact, partner))
        })
    }

    /// Rows of the first run without a partner.
    pub(super) fn only_first<'s>(&'s self, first: &'s Side) -> impl Iterator<Item = &'s Fact> {
        let both = first.facts.iter().zip(&self.partners);
        both.filter(|(_, partner)| **partner == NONE).map(|(fact, _)| fact)
    }
}

fn numbered(facts: &[Fact]) -> impl Iterator<Item = (u32, &Fact)> {
    (0..NONE).zip(facts)
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
