//! Runs of neighbours (n-grams) that two sequences share, for every length up to `N` at once.
//!
//! Those of the reference are kept; the answer is streamed past them, since a run that the
//! reference does not have counts only as one more.

use std::collections::{HashMap, hash_map::Entry};

use super::alignment::UNKNOWN;

/// How often each run of up to `N` items stands in a sequence. A run is written at the end of its
/// key, after zeros: no item has that number.
pub(super) struct Grams<const N: usize> {
    counts: HashMap<[u32; N], u64>,
    /// How many runs there are of each length, from 1 on.
    pub(super) totals: [u64; N],
}

/// Runs of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shared {
    /// Those that both have, each at most as often as the reference has it.
    pub(super) common: u64,
    /// All of the answer's.
    pub(super) answer: u64,
    /// All of the reference's.
    pub(super) reference: u64,
}

impl<const N: usize> Grams<N> {
    /// Of a sequence whose items all have numbers.
    pub(super) fn of(items: impl Iterator<Item = u32>) -> Self {
        let mut grams = Self { counts: HashMap::new(), totals: [0; N] };
        let mut window = Window::<N>::default();
        for item in items {
            window.push(item, &mut grams.totals);
            for run in window.runs() {
                *grams.counts.entry(run).or_default() += 1;
            }
        }
        grams
    }

    /// Each run as often as in the sequence that has most of it; totals stay.
    pub(super) fn raise_to(&mut self, other: Self) {
        for (run, count) in other.counts {
            match self.counts.entry(run) {
                Entry::Occupied(mut own) => *own.get_mut() = count.max(*own.get()),
                Entry::Vacant(place) => {
                    place.insert(count);
                }
            }
        }
    }

    /// What a sequence has of these runs, which are used up: those of a long text take much memory.
    pub(super) fn shared(self, items: impl Iterator<Item = u32>) -> [Shared; N] {
        let mut left = self.counts;
        let mut in_all: u64 = left.values().sum();
        let mut common = [0; N];
        let mut totals = [0; N];
        let mut window = Window::<N>::default();
        for item in items {
            window.push(item, &mut totals);
            if in_all == 0 {
                continue;
            }
            for (run, common) in window.runs().zip(&mut common) {
                // Where a run is not there, no longer one that ends with it is.
                let Some(left) = left.get_mut(&run) else { break };
                if *left > 0 {
                    *left -= 1;
                    in_all -= 1;
                    *common += 1;
                }
            }
        }
        let mut shared = [Shared::default(); N];
        let counts = common.into_iter().zip(totals).zip(self.totals);
        for (shared, ((common, answer), reference)) in shared.iter_mut().zip(counts) {
            *shared = Shared { common, answer, reference };
        }
        shared
    }
}

/// The last items of a sequence.
struct Window<const N: usize>([u32; N], usize);

impl<const N: usize> Default for Window<N> {
    fn default() -> Self {
        Self([UNKNOWN; N], 0)
    }
}

impl<const N: usize> Window<N> {
    fn push(&mut self, item: u32, totals: &mut [u64; N]) {
        self.0.rotate_left(1);
        if let Some(last) = self.0.last_mut() {
            *last = item;
        }
        self.1 = (self.1 + 1).min(N);
        totals.iter_mut().take(self.1).for_each(|total| *total += 1);
    }

    /// The runs that end with the last item, from the shortest on, up to an unknown item.
    fn runs(&self) -> impl Iterator<Item = [u32; N]> {
        let known = self.0.iter().rev().take(self.1).take_while(|item| **item != UNKNOWN).count();
        (1..=known).map(|length| {
            let mut run = self.0;
            run.iter_mut().take(N - length).for_each(|item| *item = UNKNOWN);
            run
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_as_often_as_the_reference_has_it() {
        let grams = Grams::<2>::of([1, 2, 1, 2, 3].into_iter());
        assert_eq!(grams.totals, [5, 4]);
        let shared = grams.shared([1, 1, 1, 2, UNKNOWN, 2, 3].into_iter());
        // 1 twice, 2 twice and 3; (1, 2) and (2, 3).
        assert_eq!(shared[0], Shared { common: 5, answer: 7, reference: 5 });
        assert_eq!(shared[1], Shared { common: 2, answer: 6, reference: 4 });
    }

    #[test]
    fn an_unknown_item_never_makes_a_run_shorter() {
        let grams = Grams::<3>::of([1, 2].into_iter());
        let shared = grams.shared([UNKNOWN, 1, UNKNOWN, 1, 2].into_iter());
        assert_eq!(shared.map(|shared| shared.common), [2, 1, 0]);
        assert_eq!(shared.map(|shared| shared.answer), [5, 4, 3]);
        let shared = Grams::<2>::of([1, 1].into_iter()).shared([UNKNOWN, 1].into_iter());
        assert_eq!(shared.map(|shared| shared.common), [1, 0]);
    }

    #[test]
    fn several_references_lend_each_run_from_the_one_that_has_most() {
        let mut grams = Grams::<1>::of([1, 1, 2].into_iter());
        grams.raise_to(Grams::of([1, 2, 2, 3].into_iter()));
        let shared = grams.shared([1, 1, 1, 2, 2, 2, 3].into_iter());
        assert_eq!(shared[0].common, 5);
    }
}
