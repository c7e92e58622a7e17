//! Two runs, compared.

use std::collections::HashSet;

use serde::Serialize;

use super::{
    CompareOptions,
    cases::Cases,
    conditions::Condition,
    group::{Gathering, Group},
    matching::Pairing,
    ruling::Ruling,
    side::{Fact, Side},
};
use crate::names::{Name, Names};

/// Rows without a partner that are named; the others are counted.
const MOST_NAMED: usize = 1000;

/// Rows that only one run has.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Unmatched {
    pub(super) rows: u64,
    /// The first of them, each id once.
    pub(super) ids: Vec<String>,
}

impl Unmatched {
    fn of<'f>(facts: impl Iterator<Item = &'f Fact>, names: &Names) -> Self {
        let mut unmatched = Self::default();
        let mut seen = HashSet::new();
        for fact in facts {
            unmatched.rows += 1;
            if unmatched.ids.len() < MOST_NAMED && seen.insert(fact.id) {
                unmatched.ids.push(names.get(fact.id).to_owned());
            }
        }
        unmatched
    }
}

pub(super) struct PairComparison {
    /// Which of the runs are compared.
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) only_first: Unmatched,
    pub(super) only_second: Unmatched,
    /// Over all targets.
    pub(super) all: Group,
    /// One for each target, where there are several.
    pub(super) targets: Vec<Group>,
    pub(super) cases: Cases,
    /// What the runs do not have in common besides their targets.
    pub(super) conditions: Vec<Condition>,
    /// What was passed over; for people.
    pub(super) notes: Vec<String>,
    /// None for two runs neither of which is the baseline.
    pub(super) ruling: Option<Ruling>,
}

impl PairComparison {
    pub(super) fn of(
        (first, second): (usize, usize),
        sides: (&Side, &Side),
        names: &Names,
        options: &CompareOptions,
    ) -> Self {
        let (one, other) = sides;
        let pairing = Pairing::of(one, other);
        let mut all = Gathering::default();
        let common: Vec<Name> =
            one.targets.iter().copied().filter(|name| other.targets.contains(name)).collect();
        let is_split = pairing.naming.by_target && common.len() > 1;
        let mut by_target: Vec<Gathering> = Vec::new();
        by_target.resize_with(if is_split { common.len() } else { 0 }, Gathering::default);
        let mut other_threshold = 0_usize;
        for (before, now) in pairing.pairs(one, other) {
            all.add(&pairing.naming, before, now, options);
            if is_split {
                let place = common.iter().position(|name| *name == before.target);
                if let Some(gathering) = place.and_then(|place| by_target.get_mut(place)) {
                    gathering.add(&pairing.naming, before, now, options);
                }
            }
            if let (Some(before), Some(now)) = (before.threshold(), now.threshold()) {
                other_threshold += usize::from((before - now).abs() > f32::EPSILON);
            }
        }
        let targets = common.iter().zip(by_target);
        let targets = targets
            .map(|(name, it)| it.finish(Some(names.get(*name).to_owned()), options.margin))
            .collect();
        let only_second = pairing.only_second.iter();
        let only_second = only_second.filter_map(|place| other.facts.get(*place as usize));
        Self {
            first,
            second,
            only_first: Unmatched::of(pairing.only_first(one), names),
            only_second: Unmatched::of(only_second, names),
            all: all.finish(None, options.margin),
            targets,
            cases: Cases::of(&pairing, sides, names, options),
            conditions: Condition::of_thresholds(other_threshold).into_iter().collect(),
            notes: notes(&pairing, one, other),
            ruling: None,
        }
    }

    /// All of its comparisons.
    pub(super) fn groups(&self) -> impl Iterator<Item = &Group> {
        std::iter::once(&self.all).chain(&self.targets)
    }

    pub(super) fn groups_mut(&mut self) -> impl Iterator<Item = &mut Group> {
        std::iter::once(&mut self.all).chain(&mut self.targets)
    }
}

fn notes(pairing: &Pairing, first: &Side, second: &Side) -> Vec<String> {
    let mut notes = Vec::new();
    let both = first.has_datasets || second.has_datasets;
    if !pairing.naming.by_dataset && both {
        let without = if first.has_datasets { second } else { first };
        let name = agentv_base::excerpt(&without.figures.name, 200);
        notes.push(format!("rows of {name} name no dataset: cases match by id alone"));
    }
    if pairing.shadowed > 0 {
        let rows = crate::style::counted(pairing.shadowed, "row has", "rows have");
        notes.push(format!(
            "{rows} the same name as another one of the same run; the last of each counts"
        ));
    }
    notes
}
