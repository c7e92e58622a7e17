//! Which call is which expected one, where their order does not matter: the largest matching
//! between the two (Hopcroft and Karp). Taking the first that fits would not do: of `[a with any
//! arguments, a with x]` and the calls `[a with x, a with y]`, the first would take away the only
//! call that the second can have.

use std::collections::{HashMap, HashSet, VecDeque};

use agentv_base::{Call, GraderFault};

use super::step::Step;

/// More comparisons than this would hold up a run. Expected calls without arguments need none, so
/// it takes thousands of both, of the same tool, to get there.
const MOST_COMPARISONS: usize = 5_000_000;

/// For each expected call the call that is it, so that as many as possible have one.
pub(super) fn match_calls(
    steps: &[Step],
    calls: &[Call<'_>],
) -> Result<Vec<Option<usize>>, GraderFault> {
    let mut matched = vec![None; steps.len()];
    // Only calls of the same tool can meet, so each tool is looked at alone.
    let mut calls_of: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, call) in calls.iter().enumerate() {
        calls_of.entry(call.tool).or_default().push(index);
    }
    let mut steps_of: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        steps_of.entry(step.tool.written()).or_default().push(index);
    }
    let pairs = || steps_of.iter().filter_map(|(tool, steps)| Some((steps, calls_of.get(tool)?)));
    let is_free = |index: &usize| steps.get(*index).is_some_and(Step::takes_any_call);
    let comparisons: usize = pairs()
        .map(|(own, calls)| {
            own.iter().filter(|index| !is_free(index)).count().saturating_mul(calls.len())
        })
        .fold(0, usize::saturating_add);
    if comparisons > MOST_COMPARISONS {
        return Err(GraderFault::new(format!(
            "{} expected calls and {} calls are too many to compare in any order: it would take \
             {comparisons} comparisons of arguments, and the limit is {MOST_COMPARISONS}",
            steps.len(),
            calls.len()
        )));
    }
    let (mut sure, mut possible, mut unknown) = (0, 0, None);
    for (own, own_calls) in pairs() {
        let (free, picky): (Vec<usize>, Vec<usize>) = own.iter().partition(|index| is_free(index));
        let mut edges = Edges::default();
        for step in picky.iter().filter_map(|index| steps.get(*index)) {
            edges.add(step, own_calls, calls);
        }
        let given = give(&free, &picky, &edges.sure, own_calls);
        sure += given.len();
        possible += match edges.unknown {
            Some(_) => give(&free, &picky, &edges.possible, own_calls).len(),
            None => given.len(),
        };
        unknown = unknown.or(edges.unknown);
        for (step, call) in given {
            if let Some(matched) = matched.get_mut(step) {
                *matched = Some(call);
            }
        }
    }
    match unknown {
        // What is not known matters only where it could have changed the outcome.
        Some(fault) if possible > sure => Err(fault),
        Some(_) | None => Ok(matched),
    }
}

/// Which calls each expected call could have, by their places among the calls of its tool.
#[derive(Default)]
struct Edges {
    sure: Vec<Vec<usize>>,
    /// With those of which the trail does not say enough to tell.
    possible: Vec<Vec<usize>>,
    /// What it does not say of the first of them.
    unknown: Option<GraderFault>,
}

impl Edges {
    fn add(&mut self, step: &Step, own_calls: &[usize], calls: &[Call<'_>]) {
        let (mut sure, mut possible) = (Vec::new(), Vec::new());
        for (place, index) in own_calls.iter().enumerate() {
            match calls.get(*index).map(|call| step.is(*index, call)) {
                Some(Ok(true)) => {
                    sure.push(place);
                    possible.push(place);
                }
                Some(Err(fault)) => {
                    possible.push(place);
                    self.unknown.get_or_insert(fault);
                }
                Some(Ok(false)) | None => {}
            }
        }
        self.sure.push(sure);
        self.possible.push(possible);
    }
}

/// Gives out the calls of one tool: each expected call with the call that it gets.
fn give(
    free: &[usize],
    picky: &[usize],
    edges: &[Vec<usize>],
    own_calls: &[usize],
) -> Vec<(usize, usize)> {
    let matching = largest_matching(edges, own_calls.len());
    let taken: HashSet<usize> = matching.iter().flatten().copied().collect();
    // Those that take any call take what is left, which cannot be better used.
    let left = (0..own_calls.len()).filter(|place| !taken.contains(place));
    let picky = picky.iter().zip(&matching).filter_map(|(step, place)| Some((*step, (*place)?)));
    picky
        .chain(free.iter().copied().zip(left))
        .filter_map(|(step, place)| Some((step, *own_calls.get(place)?)))
        .collect()
}

/// For each left one the right one that it gets, where `edges` are the rights that each could have.
fn largest_matching(edges: &[Vec<usize>], rights: usize) -> Vec<Option<usize>> {
    let mut pairs = Pairs { edges, of_left: vec![None; edges.len()], of_right: vec![None; rights] };
    while let Some(mut levels) = pairs.levels() {
        let mut next = vec![0; edges.len()];
        for left in 0..edges.len() {
            if pairs.of_left.get(left) == Some(&None) {
                pairs.augment(left, &mut levels, &mut next);
            }
        }
    }
    pairs.of_left
}

struct Pairs<'a> {
    edges: &'a [Vec<usize>],
    of_left: Vec<Option<usize>>,
    of_right: Vec<Option<usize>>,
}

impl Pairs<'_> {
    fn edges_of(&self, left: usize) -> &[usize] {
        self.edges.get(left).map_or(&[], Vec::as_slice)
    }

    fn owner_of(&self, right: usize) -> Option<usize> {
        self.of_right.get(right).copied().flatten()
    }

    /// How many exchanges each left one is away from one without a right; nothing where no
    /// exchange would free a right for another.
    fn levels(&self) -> Option<Vec<Option<usize>>> {
        let mut levels: Vec<Option<usize>> =
            self.of_left.iter().map(|right| right.is_none().then_some(0)).collect();
        let mut waiting: VecDeque<usize> =
            (0..levels.len()).filter(|left| levels.get(*left) == Some(&Some(0))).collect();
        let mut found = false;
        while let Some(left) = waiting.pop_front() {
            let level = levels.get(left).copied().flatten().unwrap_or_default();
            for right in self.edges_of(left) {
                let Some(owner) = self.owner_of(*right) else {
                    found = true;
                    continue;
                };
                if let Some(unseen) = levels.get_mut(owner).filter(|level| level.is_none()) {
                    *unseen = Some(level + 1);
                    waiting.push_back(owner);
                }
            }
        }
        found.then_some(levels)
    }

    /// Gives `start` a right one, by exchanges where needed. The path is a list rather than a
    /// recursion: it can be as long as there are lefts.
    fn augment(&mut self, start: usize, levels: &mut [Option<usize>], next: &mut [usize]) {
        let mut path = vec![start];
        while let Some(left) = path.last().copied() {
            let at = next.get(left).copied().unwrap_or_default();
            let Some(right) = self.edges_of(left).get(at).copied() else {
                // A dead end: nobody needs to come here again.
                path.pop();
                if let Some(level) = levels.get_mut(left) {
                    *level = None;
                }
                if let Some(at) = path.last().and_then(|before| next.get_mut(*before)) {
                    *at += 1;
                }
                continue;
            };
            match self.owner_of(right) {
                None => return self.exchange(&path, next),
                Some(owner) if is_next(levels, left, owner) => path.push(owner),
                Some(_) => {
                    if let Some(at) = next.get_mut(left) {
                        *at += 1;
                    }
                }
            }
        }
    }

    /// Each left one of the path takes the right one it stands at.
    fn exchange(&mut self, path: &[usize], next: &[usize]) {
        for left in path {
            let at = next.get(*left).copied().unwrap_or_default();
            let Some(right) = self.edges_of(*left).get(at).copied() else { continue };
            if let Some(of_left) = self.of_left.get_mut(*left) {
                *of_left = Some(right);
            }
            if let Some(of_right) = self.of_right.get_mut(right) {
                *of_right = Some(*left);
            }
        }
    }
}

fn is_next(levels: &[Option<usize>], left: usize, owner: usize) -> bool {
    let level = |left: usize| levels.get(left).copied().flatten();
    level(left).is_some_and(|here| level(owner) == Some(here + 1))
}

#[cfg(test)]
#[path = "matching_tests.rs"]
mod tests;
