//! Sign flips of sums that are whole numbers of some step, such as passes, thirds of repeats or
//! hundredths of scores: every total that can come about, and how likely it is.

use super::permutation::Size;

/// The largest number that sums are tried to be fractions of: scores of four digits.
const MOST_PARTS: u32 = 10_000;

/// Additions that may be made: tens of milliseconds.
const MOST_STEPS: u64 = 30_000_000;

pub(super) struct Lattice {
    /// How many steps each size is, and how many clusters there are of it.
    steps: Vec<(usize, u64)>,
    /// How many steps the total lies from 0.
    total: u64,
    /// How many it lies from 0 where all signs are the same.
    farthest: usize,
}

impl Lattice {
    /// Nothing where there is no such step, or too many totals.
    pub(super) fn of(sizes: &[Size]) -> Option<Self> {
        let differing: u64 = sizes.iter().map(Size::count).sum();
        if differing > MOST_STEPS {
            return None;
        }
        let parts = (1..=MOST_PARTS).find(|parts| {
            let parts = f64::from(*parts);
            sizes.iter().all(|size| {
                let steps = size.of() * parts;
                // Sums are rounded to a quantum, and merged when a quantum apart.
                (steps - steps.round()).abs() <= 2e-9 * parts && steps.round() >= 1.0
            })
        })?;
        let whole = |size: &Size| (size.of() * f64::from(parts)).round();
        let farthest: f64 = sizes.iter().map(|size| whole(size) * size.count() as f64).sum();
        if farthest * differing as f64 > MOST_STEPS as f64 {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "limited above")]
        #[expect(clippy::cast_sign_loss, reason = "sizes are above 0")]
        let steps: Vec<(usize, u64)> =
            sizes.iter().map(|size| (whole(size) as usize, size.count())).collect();
        let total = steps.iter().zip(sizes).map(|((step, _), size)| {
            i64::try_from(*step).unwrap_or(0)
                * (size.above.cast_signed() - size.below.cast_signed())
        });
        let total = total.sum::<i64>().unsigned_abs();
        let farthest =
            steps.iter().map(|(step, count)| step * usize::try_from(*count).unwrap_or(0));
        let farthest = farthest.sum();
        Some(Self { steps, total, farthest })
    }

    /// P(|total| ≥ the observed).
    pub(super) fn p(&self) -> f64 {
        if self.total == 0 {
            return 1.0;
        }
        // How likely each sum of those above 0 is; the total is twice that, less the farthest.
        let mut likely = vec![0.0_f64; self.farthest + 1];
        likely[0] = 1.0;
        let mut reached = 0;
        for (step, count) in &self.steps {
            for _ in 0..*count {
                reached += step;
                for place in (*step..=reached).rev() {
                    likely[place] = 0.5 * (likely[place] + likely[place - step]);
                }
                likely.iter_mut().take(*step).for_each(|likely| *likely *= 0.5);
            }
        }
        let total = usize::try_from(self.total).unwrap_or(usize::MAX);
        let from = (self.farthest + total).div_ceil(2);
        2.0 * likely.iter().skip(from).sum::<f64>()
    }
}
