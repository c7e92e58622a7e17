//! What holds for any differences from -1 to 1, however they are distributed: the interval where
//! all clusters are the same, and the test that a claim of "no worse" has to pass.
//!
//! Both are bets (see `statistics/sequential.rs`): a player who bets on every cluster at fair odds
//! turns one coin into 1 / α with a probability of at most α.

use super::{How, PairedSample, Resampled};
use crate::statistics::{BETS, Confidence, Interval};

/// Where all differences are the same, resampling them says that they are certain. Whoever bets
/// everything on each one and sees nothing else wins `((1 + d) / (1 + μ))^n`; the interval holds
/// every mean `μ` that this does not rule out. For zeros it is the "rule of three".
pub(super) fn interval(sample: &PairedSample, confidence: Confidence) -> Option<Resampled> {
    let mean = sample.mean()?.clamp(-1.0, 1.0);
    let clusters = sample.clusters();
    if clusters < 2 {
        return None;
    }
    let kept = (((1.0 - confidence.level()) / 2.0).ln() / clusters as f64).exp();
    let interval = Interval { low: (1.0 + mean) * kept - 1.0, high: 1.0 - (1.0 - mean) * kept };
    Some(Resampled { interval, how: How::Bounded })
}

/// How likely a sample like this is at most, if the mean of all such pairs is 0 or less, where no
/// pair's difference can be below `lowest`. One-sided. Nothing of nothing.
///
/// Differences that were moved by a margin are not symmetric around 0 when the margin is lost
/// exactly: most cases are as before, and a few fail altogether. Flipping signs takes such a sample
/// for safe as long as none of the few is in it; a bet does not.
pub(super) fn test(sample: &PairedSample, lowest: f64) -> Option<f64> {
    let largest = sample.cells.iter().map(|cell| cell.pairs).max()?;
    let least = -lowest * f64::from(largest);
    if least <= 0.0 || least.is_nan() {
        return None;
    }
    // In logarithms: a bet that is won a million times is too large for a number.
    let wealth = BETS.map(|(risked, share)| {
        let won = sample.cells.iter().map(|cell| {
            let factor = (1.0 + risked * cell.sum / least).max(0.0);
            cell.count as f64 * factor.ln()
        });
        won.sum::<f64>() + f64::ln(share)
    });
    let best = wealth.into_iter().fold(f64::NEG_INFINITY, f64::max);
    if best == f64::NEG_INFINITY {
        return Some(1.0);
    }
    let all = best + wealth.iter().map(|it| (it - best).exp()).sum::<f64>().ln();
    Some((-all).exp().min(1.0))
}
