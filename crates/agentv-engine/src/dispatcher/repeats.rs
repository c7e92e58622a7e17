//! Repeats that may end before the last, because the verdict on their case is settled.

use std::{collections::HashMap, sync::Arc};

use agentv_base::StopRule;

use super::gates::{End, Gates};
use crate::agenda::Agenda;

/// What graders made of a repeat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Graded {
    pub score: f64,
    pub threshold: f64,
    pub passed: bool,
}

/// The repeats of one case of one target.
#[derive(Default)]
struct Group {
    /// In the order of the repeats.
    slots: Vec<usize>,
    /// The repeats that were graded, and their scores beside them.
    repeats: Vec<u32>,
    scores: Vec<f64>,
    passed: bool,
    decided: bool,
}

/// Without a rule there is nothing in it.
#[derive(Default)]
pub(super) struct Repeats {
    rule: Option<Arc<dyn StopRule>>,
    groups: Vec<Group>,
    group_of: HashMap<usize, usize>,
}

impl Repeats {
    /// Lets every repeat that has no row wait for the one before it.
    pub fn new(agenda: &Agenda, gates: &mut Gates) -> Self {
        let Some(rule) = &agenda.stop_rule else {
            return Self::default();
        };
        let mut places: HashMap<(usize, usize), usize> = HashMap::new();
        let mut groups: Vec<Group> = Vec::new();
        let mut group_of = HashMap::new();
        for (slot, place) in agenda.slots.iter().enumerate() {
            let group = *places.entry((place.case(), place.target())).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Group::default());
            }
            groups[group].slots.push(slot);
            group_of.insert(slot, group);
        }
        for group in &mut groups {
            group.slots.sort_by_key(|slot| agenda.slots[*slot].repeat);
            let open = group.slots.iter().filter(|slot| !agenda.settled.contains_key(slot));
            let open: Vec<usize> = open.copied().collect();
            for pair in open.windows(2) {
                gates.wait_for_end(pair[1], pair[0]);
            }
        }
        Self { rule: Some(Arc::clone(rule)), groups, group_of }
    }

    /// A repeat was graded. Where that settles the verdict on its case, gives its repeats: those
    /// that are not asked yet need not be.
    pub fn graded(&mut self, slot: usize, repeat: u32, graded: Graded) -> &[usize] {
        let (Some(rule), Some(group)) = (&self.rule, self.group_of.get(&slot)) else {
            return &[];
        };
        let group = &mut self.groups[*group];
        let place = group.repeats.partition_point(|known| *known < repeat);
        group.repeats.insert(place, repeat);
        group.scores.insert(place, graded.score);
        if place + 1 == group.repeats.len() {
            group.passed = graded.passed;
        }
        if group.decided || !rule.is_decided(graded.threshold, &group.scores) {
            return &[];
        }
        group.decided = true;
        &group.slots
    }

    /// What a repeat that is not needed says to those that wait for it: the same as the last that
    /// was graded.
    pub fn end_without(&self, slot: usize) -> End {
        let passed = self.group_of.get(&slot).is_some_and(|group| self.groups[*group].passed);
        if passed { End::Passed } else { End::NotPassed }
    }
}
