//! What slots wait for: the same repeat of the cases that theirs depends on, asked of the same
//! target.

use std::collections::{HashMap, HashSet};

use agentv_base::{Diagnostic, Problems, excerpt};
use agentv_engine::After;

use super::{Graded, repeats};
use crate::{
    resolve::{Pairing, Pairings},
    settings::Scope,
};

/// Enough of an id or a name to recognise it.
const SHOWN: usize = 80;

/// The places of pairings, by suite, target and id of the case. Empty where nothing depends on
/// anything.
fn places(pairings: &Pairings) -> HashMap<(usize, usize, &str), usize> {
    if !pairings.depend() {
        return HashMap::new();
    }
    let place = |(place, pair)| (key(pair, pair.case.id()), place);
    pairings.pairs.iter().enumerate().map(place).collect()
}

/// By what a case of the same suite, asked of the same target, is found.
fn key<'p>(pair: &Pairing, id: &'p str) -> (usize, usize, &'p str) {
    (pair.suite, pair.target, id)
}

/// What slots wait for, by slot. Where the other case is repeated less often, later repeats wait
/// for its last. A case that is not asked at all keeps nobody waiting.
pub(super) fn gates(
    pairings: &Pairings,
    scope: Scope,
    graded: Graded,
) -> HashMap<usize, Vec<After>> {
    let (pairs, places) = (&pairings.pairs, places(pairings));
    let mut gates = HashMap::new();
    if places.is_empty() {
        return gates;
    }
    // The first slot of each pairing.
    let mut firsts: Vec<usize> = Vec::with_capacity(pairs.len());
    let mut next: usize = 0;
    for pair in pairs {
        firsts.push(next);
        next += repeats(pair, scope) as usize;
    }
    for (pair, first) in pairs.iter().zip(&firsts) {
        let others: Vec<(usize, u32, bool)> = pair
            .case
            .depends_on
            .iter()
            .filter_map(|dependency| {
                let other = *places.get(&key(pair, &dependency.id))?;
                let must_pass = dependency.must_pass && graded == Graded::Yes;
                Some((*firsts.get(other)?, repeats(pairs.get(other)?, scope), must_pass))
            })
            .collect();
        if others.is_empty() {
            continue;
        }
        for repeat in 1..=repeats(pair, scope) {
            let after = others.iter().map(|(first, repeats, must_pass)| After {
                slot: first + (repeat.min(*repeats) - 1) as usize,
                must_pass: *must_pass,
            });
            gates.insert(first + (repeat - 1) as usize, after.collect());
        }
    }
    gates
}

/// Reports cases that depend on one that is asked of other targets only: they would wait for
/// nothing, and nobody would notice.
pub fn check_dependencies(pairings: &Pairings, problems: &mut Problems) {
    let places = places(pairings);
    if places.is_empty() {
        return;
    }
    let asked: HashSet<(usize, &str)> = places.keys().map(|(suite, _, id)| (*suite, *id)).collect();
    for pair in &pairings.pairs {
        for dependency in pair.case.depends_on.iter() {
            let here = places.contains_key(&key(pair, &dependency.id));
            // One that no target is known for has been told, or is left out on purpose.
            if here || !asked.contains(&(pair.suite, &*dependency.id)) {
                continue;
            }
            let target = pairings.targets.get(pair.target).map(|target| &*target.spec.name);
            let [id, other, target] = [pair.case.id(), &*dependency.id, target.unwrap_or_default()]
                .map(|name| excerpt(name, SHOWN));
            problems.push(
                Diagnostic::error(format!(
                    "`{id}` is asked of the target `{target}`, but `{other}`, which it depends \
                     on, is not"
                ))
                .code("bad-dependency")
                .at(dependency.span)
                .hint("ask both of the same targets"),
            );
        }
    }
}
