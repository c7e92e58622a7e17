//! Which slots a run has: cases × targets × repeats, those of one shard, and what waits for what.

mod gates;
mod shards;

use std::{collections::BTreeMap, sync::Arc};

use agentv_base::{Diagnostic, Problems};
use agentv_engine::{Plan, PlannedTarget, Slot};
use agentv_report::{PlannedRepeats, RunRepeats};
use sha2::{Digest as _, Sha256};

pub use self::{gates::check_dependencies, shards::keep_shard};
use crate::{
    contents::hex,
    resolve::{Pairing, Pairings},
    settings::Scope,
};

/// Most slots of a run. Whoever asks for more has mistaken a number; a plan of them would take
/// the memory that answers need.
const MOST_SLOTS: usize = 10_000_000;

/// All that a run would ask without shards: by this, parts of it know that they belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholePlan {
    /// Cases × targets × repeats.
    pub slots: usize,
    /// SHA-256 of their names and of the rule that ends repeats, in hex.
    pub sha256: String,
    /// How often its cases are asked, where that can be said in few words.
    pub repeats: Option<RunRepeats>,
}

/// Cases that are asked more or less often than most and are named in `run.json`.
const MOST_OTHERS: usize = 1000;

/// A case of a target in a plan: the suite, its id, the target, and how often it is asked.
pub type PlannedName<'n> = (&'n str, &'n str, &'n str, u32);

impl WholePlan {
    pub fn of(pairings: &Pairings, scope: Scope) -> Self {
        let names = pairings.pairs.iter().map(|pair| {
            let target = pairings.targets.get(pair.target).map(|target| &*target.spec.name);
            let repeats = repeats(pair, scope);
            (&*pair.case.suite, pair.case.id(), target.unwrap_or_default(), repeats)
        });
        // As most suites stand, nothing has to be put in order: then all is seen once, and nothing
        // is copied.
        let (mut sum, mut before) = (PlanSum::new(scope.until_decided), None);
        let in_order = names.clone().all(|name| {
            sum.add(name);
            before.replace(name).is_none_or(|before| before <= name)
        });
        if in_order { sum.finish() } else { Self::of_names(names.collect(), scope.until_decided) }
    }

    /// The plan that has these names, in whatever order.
    pub fn of_names(mut names: Vec<PlannedName<'_>>, until_decided: bool) -> Self {
        names.sort_unstable();
        let mut sum = PlanSum::new(until_decided);
        for name in names {
            sum.add(name);
        }
        sum.finish()
    }

    /// Reports a run that nobody can mean.
    pub fn check(&self, problems: &mut Problems) {
        if self.slots > MOST_SLOTS {
            let message =
                format!("the run would ask {} times, which is more than {MOST_SLOTS}", self.slots);
            problems.push(
                Diagnostic::error(message)
                    .hint("lower `repeat`, or choose cases with `--eval-id` or `--tag`"),
            );
        }
    }
}

/// What sorted names come to, one by one.
struct PlanSum<'n> {
    hash: Sha256,
    slots: usize,
    usual: UsualRepeats<'n>,
    /// Where a name is written before it is hashed.
    written: Vec<u8>,
}

impl<'n> PlanSum<'n> {
    fn new(until_decided: bool) -> Self {
        let hash = Sha256::new_with_prefix([u8::from(until_decided)]);
        Self { hash, slots: 0, usual: UsualRepeats::default(), written: Vec::new() }
    }

    fn add(&mut self, name: PlannedName<'n>) {
        let (suite, id, target, count) = name;
        self.written.clear();
        for word in [suite, id, target] {
            self.written.extend_from_slice(word.as_bytes());
            // No name contains it, so that no two lists of names are the same bytes.
            self.written.push(0);
        }
        self.written.extend_from_slice(&count.to_be_bytes());
        self.hash.update(&self.written);
        self.slots = self.slots.saturating_add(count as usize);
        self.usual.add(name);
    }

    fn finish(self) -> WholePlan {
        let sha256 = hex(&self.hash.finalize());
        WholePlan { slots: self.slots, sha256, repeats: self.usual.finish() }
    }
}

/// What most of the sorted names have, and the cases that have something else.
#[derive(Default)]
struct UsualRepeats<'n>(BTreeMap<u32, Alike<'n>>);

/// Names that have the same number of repeats.
#[derive(Default)]
struct Alike<'n> {
    names: usize,
    /// The suite and the id of the first cases, one more than are told.
    cases: Vec<(&'n str, &'n str)>,
}

impl<'n> UsualRepeats<'n> {
    fn add(&mut self, (suite, id, _, count): PlannedName<'n>) {
        let alike = self.0.entry(count).or_default();
        alike.names += 1;
        // Targets of a case stand one after the other.
        if alike.cases.len() <= MOST_OTHERS && alike.cases.last() != Some(&(suite, id)) {
            alike.cases.push((suite, id));
        }
    }

    fn finish(self) -> Option<RunRepeats> {
        let most = self.0.iter().max_by_key(|(_, alike)| alike.names);
        let usual = most.map_or(1, |(count, _)| *count);
        let others = self.0.into_iter().filter(|(count, _)| *count != usual);
        let mut others: Vec<PlannedRepeats> = others
            .flat_map(|(repeats, alike)| {
                alike.cases.into_iter().map(move |(suite, eval_id)| PlannedRepeats {
                    suite: suite.to_owned(),
                    eval_id: eval_id.to_owned(),
                    repeats,
                })
            })
            .collect();
        if others.len() > MOST_OTHERS {
            return None;
        }
        others.sort_by(|a, b| (&a.suite, &a.eval_id).cmp(&(&b.suite, &b.eval_id)));
        Some(RunRepeats { usual, others })
    }
}

/// How often a case is asked: by the word of the command line, else its own, else once.
fn repeats(pair: &Pairing, scope: Scope) -> u32 {
    scope.repeat.or(pair.case.repeat).unwrap_or(1)
}

/// Whether answers are graded: else nothing passes, and nobody waits for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Graded {
    Yes,
    No,
}

/// The slots of the pairings, repeats of a case one after the other.
pub fn plan(
    pairings: &Pairings,
    targets: Vec<PlannedTarget>,
    scope: Scope,
    graded: Graded,
) -> Plan {
    let mut slots = Vec::with_capacity(pairings.pairs.len());
    // Each case is looked at once: there may be more of them than any cache holds.
    let cases = pairings.pairs.iter().enumerate().map(|(case, pair)| {
        let repeats = 1..=repeats(pair, scope);
        slots.extend(repeats.map(|repeat| Slot { case, target: pair.target, repeat }));
        Arc::clone(&pair.case)
    });
    let cases = cases.collect();
    let after = gates::gates(pairings, scope, graded);
    let slots = slots.into();
    Plan { cases, targets, slots, after, ..Plan::default() }
}

#[cfg(test)]
mod tests;
