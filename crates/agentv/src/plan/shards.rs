//! Which cases belong to one part of a run. It follows from their names alone, so machines that
//! know nothing of each other agree, and a new case moves none of the others.

use std::collections::{HashMap, HashSet};

use sha2::{Digest as _, Sha256};

use crate::{
    args::Shard,
    resolve::{Pairing, Pairings},
};

/// Leaves only the cases of one shard. All targets and repeats of a case stay together, and so do
/// cases that depend on each other: they go where the first by name goes of those that wait for
/// nobody.
pub fn keep_shard(pairings: &mut Pairings, shard: Option<Shard>) {
    let Some(shard) = shard else { return };
    let leaders = leaders(&pairings.pairs);
    let mut kept = Vec::with_capacity(pairings.pairs.len());
    // Targets of a case stand one after the other.
    let mut last: Option<(&Pairing, bool)> = None;
    for pair in &pairings.pairs {
        let is_kept = match last {
            Some((known, is_kept)) if std::sync::Arc::ptr_eq(&known.case, &pair.case) => is_kept,
            _ => {
                let id = pair.case.id();
                let leader = leaders.get(&(pair.suite, id)).copied().unwrap_or(id);
                shard_of(&pair.case.suite, leader, shard.count) == shard.index
            }
        };
        last = Some((pair, is_kept));
        kept.push(is_kept);
    }
    let mut kept = kept.into_iter();
    pairings.pairs.retain(|_| kept.next().unwrap_or_default());
}

/// The shard of a case, from 1.
fn shard_of(suite: &str, id: &str, count: u32) -> u32 {
    let mut hash = Sha256::new();
    hash.update(suite.as_bytes());
    hash.update([0]);
    hash.update(id.as_bytes());
    let digest = hash.finalize();
    let number = digest.iter().take(8).fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
    let place = number % u64::from(count.max(1));
    u32::try_from(place).unwrap_or_default() + 1
}

/// The first by name of those that a case is tied to by dependencies and that wait for nobody,
/// itself among them; nothing for cases without any. A new case that waits for others never is the
/// first, so it does not take them elsewhere.
fn leaders(pairs: &[Pairing]) -> HashMap<(usize, &str), &str> {
    let mut ties = Ties::default();
    for pair in pairs {
        if !pair.case.depends_on.is_empty() {
            ties.waiting.insert((pair.suite, pair.case.id()));
        }
        for dependency in pair.case.depends_on.iter() {
            ties.tie((pair.suite, pair.case.id()), (pair.suite, &dependency.id));
        }
    }
    ties.leaders()
}

/// A case by its suite and id.
type Name<'c> = (usize, &'c str);

/// Groups of cases that grow together.
#[derive(Default)]
struct Ties<'c> {
    places: HashMap<Name<'c>, usize>,
    names: Vec<Name<'c>>,
    /// Towards one of the group, which points to itself.
    towards: Vec<usize>,
    /// Those that depend on others.
    waiting: HashSet<Name<'c>>,
}

impl<'c> Ties<'c> {
    fn tie(&mut self, one: Name<'c>, other: Name<'c>) {
        let (one, other) = (self.place(one), self.place(other));
        let (one, other) = (self.group(one), self.group(other));
        self.point(one, other);
    }

    fn place(&mut self, name: Name<'c>) -> usize {
        *self.places.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.towards.push(self.towards.len());
            self.towards.len() - 1
        })
    }

    /// The one that stands for the group; the way to it becomes shorter each time.
    fn group(&mut self, mut place: usize) -> usize {
        loop {
            let next = self.next(place);
            if next == place {
                return place;
            }
            let after = self.next(next);
            self.point(place, after);
            place = after;
        }
    }

    fn next(&self, place: usize) -> usize {
        self.towards.get(place).copied().unwrap_or(place)
    }

    fn point(&mut self, from: usize, to: usize) {
        if let Some(towards) = self.towards.get_mut(from) {
            *towards = to;
        }
    }

    fn leaders(mut self) -> HashMap<Name<'c>, &'c str> {
        let names = self.names.clone();
        let groups: Vec<usize> = (0..names.len()).map(|place| self.group(place)).collect();
        let mut first: HashMap<usize, (bool, &'c str)> = HashMap::new();
        for (name, group) in names.iter().zip(&groups) {
            // One that waits comes last; it leads only where cases wait for each other in a circle,
            // which is refused elsewhere.
            let rank = (self.waiting.contains(name), name.1);
            first.entry(*group).and_modify(|it| *it = rank.min(*it)).or_insert(rank);
        }
        let leader = |group: &usize| first.get(group).map(|(_, id)| *id);
        names.into_iter().zip(&groups).filter_map(|(name, it)| Some((name, leader(it)?))).collect()
    }
}
