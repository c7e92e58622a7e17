//! What a case that is asked again and again says about how often it passes.
//!
//! All of them suppose that the number of repeats was fixed before the first: where repeats end
//! because of what came out, each of these numbers leans to one side.

/// The chance that at least one of `k` repeats passes, of a case that passed `passed` of `graded`:
/// `1 − C(graded − passed, k) / C(graded, k)`. That is the share of all choices of `k` of the repeats
/// with a pass among them, and its mean over runs is exactly that chance.
///
/// Nothing where there are fewer than `k` repeats to choose from, or none are chosen.
pub fn pass_at_k(graded: u64, passed: u64, k: u64) -> Option<f64> {
    let failed = graded.checked_sub(passed)?;
    Some(1.0 - all_among(graded, failed, k)?)
}

/// The chance that all of `k` repeats pass: `C(passed, k) / C(graded, k)`, the share of all choices of
/// `k` of the repeats in which each passed. Nothing in the same cases.
pub fn pass_hat_k(graded: u64, passed: u64, k: u64) -> Option<f64> {
    all_among(graded, passed, k)
}

/// The share of choices of `k` of `all` things that take only from `some` of them. A product of
/// shares: factorials would be too large, and this one has no more factors than it needs.
fn all_among(all: u64, some: u64, k: u64) -> Option<f64> {
    let others = all.checked_sub(some)?;
    if k == 0 || k > all {
        return None;
    }
    if k > some {
        return Some(0.0);
    }
    // C(some, k) / C(all, k) is also C(all − k, others) / C(all, others).
    let (from, factors) = if k <= others { (some, k) } else { (all - k, others) };
    let shares = (0..factors).map(|taken| (from - taken) as f64 / (all - taken) as f64);
    Some(shares.product())
}

/// How unlike the repeats of a case are: the share of pairs of two in which one passed and the other
/// did not. Nothing where there are no two.
pub fn flake_rate(graded: u64, passed: u64) -> Option<f64> {
    let failed = graded.checked_sub(passed)?;
    if graded < 2 {
        return None;
    }
    let pairs = graded as f64 * (graded - 1) as f64 / 2.0;
    Some(passed as f64 * failed as f64 / pairs)
}

#[cfg(test)]
mod tests;
