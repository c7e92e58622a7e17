//! The interval of the mean difference by resampling clusters.
//!
//! A resample draws as many clusters as there are, with replacement, and divides the sum of their
//! differences by the number of their pairs. On the histogram that is a draw of how often each
//! distinct cluster occurs, whatever their number.

use rand::{Rng, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Binomial, Distribution as _};
use statrs::function::erf::erfc;

use super::{How, PairedSample, Resampled, SEED, analytic, bounded};
use crate::statistics::{Confidence, Interval, student_reach};

/// What a resample may cost, in clusters that are drawn. Beyond it there are more than ten thousand
/// clusters and more than five hundred distinct ones, of which a mean is normal for all purposes:
/// the interval is Student's.
const MOST_DRAWN: u64 = 10_000;

/// Of fewer clusters the interval is Student's too: no resample lies beyond the least and the greatest
/// difference, so that no choice of percentiles holds the mean of all as often as it says.
const FEWEST: u64 = 10;

/// A draw of how often one cell occurs takes as long as drawing so many clusters one by one.
const CELL_COST: u64 = 20;

pub(super) fn interval(
    sample: &PairedSample,
    confidence: Confidence,
    draws: u32,
) -> Option<Resampled> {
    let clusters = sample.clusters();
    if clusters < 2 {
        return None;
    }
    if sample.is_constant() {
        return bounded::interval(sample, confidence);
    }
    let by_cell = sample.cells.len() as u64 * CELL_COST;
    if clusters < FEWEST || clusters.min(by_cell) > MOST_DRAWN {
        return analytic::interval(sample, confidence);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut means: Vec<f64> = if clusters <= by_cell {
        let all = one_by_one(sample);
        (0..draws).map(|_| draw_clusters(&all, &mut rng)).collect()
    } else {
        (0..draws).map(|_| draw_counts(sample, clusters, &mut rng)).collect()
    };
    means.sort_unstable_by(f64::total_cmp);
    let outside = outside(clusters, confidence)?;
    let (low, high) = (quantile(&means, outside)?, quantile(&means, 1.0 - outside)?);
    let interval = Interval { low: low.max(-1.0), high: high.min(1.0) };
    Some(Resampled { interval, how: How::Resampled { draws, seed: SEED } })
}

/// Which part of the resamples lies beyond each end.
///
/// The plain percentiles (2.5 %) are too narrow for few clusters: resamples vary by a factor of
/// `n / (n − 1)` too little, and as if the deviation were known. Both are made good for (the
/// "expanded percentile"): normal quantiles become those of Student, by the missing factor.
fn outside(clusters: u64, confidence: Confidence) -> Option<f64> {
    let n = clusters as f64;
    let reach = student_reach(clusters - 1, confidence)? * (n / (n - 1.0)).sqrt();
    Some(0.5 * erfc(reach / std::f64::consts::SQRT_2))
}

fn one_by_one(sample: &PairedSample) -> Vec<(f64, f64)> {
    let cells = sample.cells.iter();
    let repeated = cells.flat_map(|cell| {
        let count = usize::try_from(cell.count).unwrap_or(usize::MAX);
        std::iter::repeat_n((cell.sum, f64::from(cell.pairs)), count)
    });
    repeated.collect()
}

fn draw_clusters(all: &[(f64, f64)], rng: &mut ChaCha8Rng) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for _ in 0..all.len() {
        // The product's upper half is uniform below the length, to one in four thousand million.
        let place = (u64::from(rng.next_u32()) * all.len() as u64) >> 32;
        let place = usize::try_from(place).unwrap_or(0);
        if let Some((of_cluster, its_pairs)) = all.get(place) {
            sum += of_cluster;
            pairs += its_pairs;
        }
    }
    sum / pairs
}

/// A multinomial draw: how often the first cell occurs is binomial, how often the next does among
/// the rest is too, and so on.
fn draw_counts(sample: &PairedSample, clusters: u64, rng: &mut ChaCha8Rng) -> f64 {
    let (mut left, mut weight) = (clusters, clusters);
    let (mut sum, mut pairs) = (0.0, 0.0);
    for cell in &sample.cells {
        if left == 0 {
            break;
        }
        let count = if cell.count >= weight {
            left
        } else {
            let share = cell.count as f64 / weight as f64;
            Binomial::new(left, share).map_or(0, |binomial| binomial.sample(rng))
        };
        sum += cell.sum * count as f64;
        pairs += f64::from(cell.pairs) * count as f64;
        left -= count;
        weight -= cell.count.min(weight);
    }
    sum / pairs
}

/// Between two neighbours in proportion.
fn quantile(sorted: &[f64], at: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = at.clamp(0.0, 1.0) * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within the length"
    )]
    let below = place.floor() as usize;
    let (low, high) = (sorted.get(below)?, sorted.get((below + 1).min(last))?);
    Some(low + (high - low) * (place - below as f64))
}
