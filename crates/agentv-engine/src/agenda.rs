//! What the dispatcher must know of a plan: who is asked for what, and what waits for what. No
//! case and no provider is in it, only numbers and the names that warnings need.

use std::{collections::HashMap, path::Path, sync::Arc};

use agentv_base::{Batching, RetryPolicy, StopRule};

use crate::plan::{After, Past, Plan};

#[derive(Default)]
pub(crate) struct Agenda {
    pub targets: Vec<Asked>,
    pub slots: Vec<Place>,
    pub after: HashMap<usize, Vec<After>>,
    pub settled: HashMap<usize, Past>,
    pub stop_rule: Option<Arc<dyn StopRule>>,
}

/// A target, as far as it matters for what is begun when.
pub(crate) struct Asked {
    pub name: Arc<str>,
    pub workers: usize,
    /// Most slots of one invocation; 1 where it takes no batches.
    pub most: usize,
    pub policy: RetryPolicy,
}

/// Where a slot belongs, in few bytes: there may be millions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    case: u32,
    target: u32,
    /// From 1.
    pub repeat: u32,
    /// A number of its suite file.
    pub suite: u32,
}

impl Place {
    pub fn new(case: usize, target: usize, repeat: u32, suite: usize) -> Self {
        // Of none of them has any memory as many.
        let narrow = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        Self { case: narrow(case), target: narrow(target), repeat, suite: narrow(suite) }
    }

    pub fn case(self) -> usize {
        self.case as usize
    }

    pub fn target(self) -> usize {
        self.target as usize
    }
}

/// The slots of one invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub target: usize,
    pub slots: Vec<usize>,
    /// How often these slots were asked for before.
    pub attempt: u32,
    /// How many of those were retries after a failure.
    pub retries: u32,
    /// How many of those asked again for what a batch left out.
    pub asked_again: u32,
    /// Its slots are asked one by one, because a batch left them out.
    pub alone: bool,
}

/// What units of a target that takes batches have in common when their slots may be asked together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kind {
    target: usize,
    suite: u32,
    repeat: u32,
    attempt: u32,
    retries: u32,
    asked_again: u32,
}

impl Unit {
    fn first(target: usize, slots: Vec<usize>) -> Self {
        Self { target, slots, attempt: 0, retries: 0, asked_again: 0, alone: false }
    }

    /// Keeps the first `count` slots and gives the rest.
    pub fn split_off(&mut self, count: usize) -> Self {
        let slots = self.slots.split_off(count.min(self.slots.len()));
        Self { slots, ..*self }
    }
}

impl Agenda {
    pub fn of(plan: &Plan) -> Self {
        let mut suites: HashMap<&Path, usize> = HashMap::new();
        let mut last: Option<(&Arc<str>, usize)> = None;
        let slots = plan.slots.iter().map(|slot| {
            let (case, next) = (&plan.cases[slot.case], suites.len());
            // Most slots are of the suite of the slot before them.
            let suite = match last {
                Some((known, suite)) if Arc::ptr_eq(known, &case.suite) => suite,
                _ => *suites.entry(&case.input.suite_file).or_insert(next),
            };
            last = Some((&case.suite, suite));
            Place::new(slot.case, slot.target, slot.repeat, suite)
        });
        let slots = slots.collect();
        let targets = plan.targets.iter().map(|target| Asked {
            name: Arc::clone(&target.name),
            workers: target.workers,
            most: match target.provider.batching() {
                Batching::Single => 1,
                Batching::Batch { most } => most.map_or(usize::MAX, std::num::NonZeroUsize::get),
            },
            policy: target.provider.retry_policy(),
        });
        Self {
            targets: targets.collect(),
            slots,
            after: plan.after.clone(),
            settled: plan.settled.clone(),
            stop_rule: plan.stop_rule.clone(),
        }
    }

    /// What the slots of a unit have in common with those that they may be asked with; none where
    /// they are asked on their own.
    pub fn kind(&self, unit: &Unit) -> Option<Kind> {
        let Place { suite, repeat, .. } = *self.slots.get(*unit.slots.first()?)?;
        let Unit { target, attempt, retries, asked_again, alone, .. } = *unit;
        let together = self.targets[target].most > 1 && !alone;
        together.then_some(Kind { target, suite, repeat, attempt, retries, asked_again })
    }

    /// Cuts a unit into such as its target takes, in the order of the plan.
    pub fn cut(&self, mut unit: Unit) -> Vec<Unit> {
        let most = self.targets[unit.target].most.max(1);
        unit.slots.sort_unstable();
        let mut units = Vec::new();
        while unit.slots.len() > most {
            let rest = unit.split_off(most);
            units.push(std::mem::replace(&mut unit, rest));
        }
        units.push(unit);
        units
    }

    /// Groups slots of one target. A batch holds cases of one suite file and one repeat, so that
    /// an id is never in it twice.
    pub fn units(&self, target: usize, slots: Vec<usize>) -> Vec<Unit> {
        let most = self.targets[target].most;
        if most <= 1 {
            return slots.into_iter().map(|slot| Unit::first(target, vec![slot])).collect();
        }
        let mut units: Vec<Unit> = Vec::new();
        let mut open: HashMap<(u32, u32), usize> = HashMap::new();
        // Slots of one kind follow each other.
        let mut last: Option<((u32, u32), usize)> = None;
        for slot in slots {
            let Place { suite, repeat, .. } = self.slots[slot];
            let kind = (suite, repeat);
            let known = match last {
                Some((before, unit)) if before == kind => Some(unit),
                _ => open.get(&kind).copied(),
            };
            let unit = match known.filter(|unit| units[*unit].slots.len() < most) {
                Some(unit) => {
                    units[unit].slots.push(slot);
                    unit
                }
                None => {
                    open.insert(kind, units.len());
                    units.push(Unit::first(target, vec![slot]));
                    units.len() - 1
                }
            };
            last = Some((kind, unit));
        }
        units
    }
}
