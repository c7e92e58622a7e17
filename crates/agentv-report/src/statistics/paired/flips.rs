//! Signs that are flipped: all combinations of few, or draws of many.

use rand::{Rng, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Binomial, Distribution as _};

use super::{DRAWS, How, SEED, Tested, permutation::Size};

/// Clusters of which all combinations of signs are counted: each half of them has 65,536.
pub(super) const MOST_ENUMERATED: u64 = 32;

/// Cells that may be drawn in all; with more distinct sizes, fewer draws.
const MOST_CELLS: u64 = 30_000_000;

/// … but never fewer.
const FEWEST_DRAWS: u64 = 1_000;

/// Signs of fewer clusters are counted bit by bit, of more they are a binomial draw.
const MANY_OF_ONE_SIZE: u64 = 1_024;

/// P(|total| ≥ the observed), of all combinations: those of one half of the clusters, sorted, are
/// met with those of the other.
pub(super) fn enumerated(sizes: &[Size]) -> f64 {
    let mut all: Vec<i64> = Vec::new();
    for size in sizes {
        let count = usize::try_from(size.count()).unwrap_or(0);
        all.extend(std::iter::repeat_n(size.quanta, count));
    }
    let least = least(sizes);
    let (one, other) = all.split_at(all.len() / 2);
    let (one, other) = (totals(one), totals(other));
    // For ever larger totals of the one half, ever smaller ones of the other are enough.
    let mut count: u64 = 0;
    let mut first = other.len();
    for total in &one {
        while first > 0 && other.get(first - 1).is_some_and(|it| total + it >= least) {
            first -= 1;
        }
        count += (other.len() - first) as u64;
    }
    let combinations = (one.len() * other.len()) as f64;
    // Totals below are as many as above, and none is both, unless it is 0 that is reached.
    if least <= 0 { 1.0 } else { 2.0 * count as f64 / combinations }
}

/// All totals of these with either sign, the lowest first.
fn totals(sizes: &[i64]) -> Vec<i64> {
    let mut all = vec![0_i64];
    for size in sizes {
        // Both halves are in order already, and merging them keeps this linear.
        let below = all.iter().map(|it| it - size);
        let mut below = below.collect::<Vec<i64>>().into_iter().peekable();
        let mut above = all.iter().map(|it| it + size).peekable();
        let mut merged = Vec::with_capacity(all.len() * 2);
        while let Some(next) = below.peek().copied() {
            match above.peek().copied() {
                Some(other) if other < next => merged.extend(above.next()),
                _ => merged.extend(below.next()),
            }
        }
        merged.extend(above);
        all = merged;
    }
    all
}

/// The least total that is as far from 0 as the observed one: each sum in either may be off by half
/// a quantum.
fn least(sizes: &[Size]) -> i64 {
    let total = sizes
        .iter()
        .map(|size| size.quanta * (size.above.cast_signed() - size.below.cast_signed()));
    let clusters: u64 = sizes.iter().map(Size::count).sum();
    total.sum::<i64>().abs() - clusters.cast_signed()
}

/// The share of draws that are as far from 0, the observed one counted among them: never 0, and
/// never below the level more often than it may.
pub(super) fn drawn(sizes: &[Size]) -> Tested {
    let cells = sizes.len().max(1) as u64;
    let draws = (MOST_CELLS / cells).clamp(FEWEST_DRAWS, u64::from(DRAWS));
    let draws = u32::try_from(draws).unwrap_or(DRAWS);
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let least = least(sizes);
    let mut as_far: u32 = 0;
    for _ in 0..draws {
        let total: i64 =
            sizes.iter().map(|size| size.quanta * surplus(size.count(), &mut rng)).sum();
        as_far += u32::from(total.abs() >= least);
    }
    let p = f64::from(as_far + 1) / f64::from(draws + 1);
    Tested { p, how: How::Resampled { draws, seed: SEED } }
}

/// How many more of so many fair coins show heads than tails.
fn surplus(count: u64, rng: &mut ChaCha8Rng) -> i64 {
    let mut heads = 0;
    if count > MANY_OF_ONE_SIZE {
        heads = Binomial::new(count, 0.5).map_or(0, |binomial| binomial.sample(rng));
    } else {
        let mut left = count;
        while left > 0 {
            let coins = left.min(64);
            heads += u64::from((rng.next_u64() >> (64 - coins)).count_ones());
            left -= coins;
        }
    }
    2 * heads.cast_signed() - count.cast_signed()
}
