//! What is to be run: cases × targets × repeats as slots, grouped into units of one invocation.

use std::{collections::HashMap, path::Path, sync::Arc};

use agentv_base::{Batching, EvalCase, Provider};

/// A target that is ready to be asked.
pub struct PlannedTarget {
    pub name: Arc<str>,
    pub provider: Arc<dyn Provider>,
    /// Most invocations of this target at once.
    pub workers: usize,
}

/// One case, asked of one target, once: what a row is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub case: usize,
    pub target: usize,
    /// From 1.
    pub repeat: u32,
}

pub struct Plan {
    pub cases: Vec<Arc<EvalCase>>,
    pub targets: Vec<PlannedTarget>,
    /// In the order in which people expect their rows.
    pub slots: Vec<Slot>,
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
}

impl Unit {
    fn first(target: usize, slots: Vec<usize>) -> Self {
        Self { target, slots, attempt: 0, retries: 0, asked_again: 0 }
    }
}

impl Plan {
    /// Groups the slots. A batch holds cases of one suite file, one target and one repeat, so that
    /// an id is never in it twice.
    pub(crate) fn units(&self) -> Vec<Unit> {
        let mut units: Vec<Unit> = Vec::new();
        let mut open: HashMap<(&Path, usize, u32), usize> = HashMap::new();
        for (index, slot) in self.slots.iter().enumerate() {
            let most = match self.targets[slot.target].provider.batching() {
                Batching::Single => 1,
                Batching::Batch { most } => most.map_or(usize::MAX, std::num::NonZeroUsize::get),
            };
            let key = (&*self.cases[slot.case].input.suite_file, slot.target, slot.repeat);
            match open.get(&key).map(|unit| &mut units[*unit]) {
                Some(unit) if unit.slots.len() < most => unit.slots.push(index),
                _ => {
                    open.insert(key, units.len());
                    units.push(Unit::first(slot.target, vec![index]));
                }
            }
        }
        units
    }
}
