//! Whether chance explains the mean difference: were there none, each cluster's sum could as well
//! have had the other sign. How often is the total then at least as far from 0 as it is?
//!
//! Which way that is counted depends on the sizes of the sums alone, never on the outcome:
//! 1. all of one size: the binomial distribution (McNemar's test is this one);
//! 2. on a lattice, such as hundredths: all totals, by convolution (`lattice.rs`);
//! 3. few clusters: all combinations of signs (`flips.rs`);
//! 4. very many, none of which matters alone: the normal distribution;
//! 5. otherwise signs are drawn.

use statrs::function::erf::erfc;

use super::{
    How, PairedSample, Tested, flips,
    histogram::{QUANTUM, quanta},
    lattice::Lattice,
    mcnemar::mcnemar_exact,
};

/// From so many clusters that differ, the normal distribution.
const MANY: u64 = 10_000;

/// … provided that the fourth powers of their sums come to no more than this part of the square of
/// their second: then the distribution's shape moves a p-value of 0.05 by less than 0.00001.
const UNEVEN: f64 = 1e-3;

/// Clusters whose sums are of one size, in quanta.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) quanta: i64,
    pub(super) above: u64,
    pub(super) below: u64,
}

impl Size {
    pub(super) fn count(&self) -> u64 {
        self.above + self.below
    }

    pub(super) fn of(&self) -> f64 {
        self.quanta as f64 * QUANTUM
    }
}

pub(super) fn test(sample: &PairedSample) -> Option<Tested> {
    if sample.cells.is_empty() {
        return None;
    }
    let sizes = sizes(sample);
    let differing: u64 = sizes.iter().map(Size::count).sum();
    let exact = |p: f64| Some(Tested { p: p.clamp(0.0, 1.0), how: How::Exact });
    match sizes.as_slice() {
        [] => return exact(1.0),
        [only] => return exact(mcnemar_exact(only.above, only.below)),
        _ => {}
    }
    if let Some(lattice) = Lattice::of(&sizes) {
        return exact(lattice.p());
    }
    if differing <= flips::MOST_ENUMERATED {
        return exact(flips::enumerated(&sizes));
    }
    let power = |exponent: i32| {
        sizes.iter().map(|size| size.of().powi(exponent) * size.count() as f64).sum::<f64>()
    };
    let squares = power(2);
    if differing >= MANY && power(4) <= UNEVEN * squares * squares {
        let total: f64 =
            sizes.iter().map(|size| size.of() * (size.above as f64 - size.below as f64)).sum();
        let p = erfc(total.abs() / (2.0 * squares).sqrt());
        return Some(Tested { p, how: How::Analytic });
    }
    Some(flips::drawn(&sizes))
}

/// Those that differ from 0, the largest first. Sums that are a rounding apart are of one size.
pub(super) fn sizes(sample: &PairedSample) -> Vec<Size> {
    let mut all: Vec<Size> = sample
        .cells
        .iter()
        .map(|cell| {
            let is_above = cell.sum > 0.0;
            Size {
                quanta: quanta(cell.sum).abs(),
                above: if is_above { cell.count } else { 0 },
                below: if is_above { 0 } else { cell.count },
            }
        })
        .filter(|size| size.quanta > 1)
        .collect();
    all.sort_unstable_by_key(|size| std::cmp::Reverse(size.quanta));
    all.dedup_by(|next, kept| {
        let is_same = kept.quanta - next.quanta <= 1;
        if is_same {
            kept.above += next.above;
            kept.below += next.below;
        }
        is_same
    });
    all
}
