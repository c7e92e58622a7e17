//! McNemar's exact test: whether so many more changed one way than the other by chance.

use statrs::function::beta::checked_beta_reg;

/// Twice the probability of so few of one kind among all that differ, were both as likely.
pub fn mcnemar_exact(better: u64, worse: u64) -> f64 {
    let (fewer, differing) = (better.min(worse), better + worse);
    if better == worse {
        return 1.0;
    }
    // The binomial distribution up to `fewer`, at one half.
    let up_to = checked_beta_reg((differing - fewer) as f64, fewer as f64 + 1.0, 0.5);
    up_to.map_or(1.0, |up_to| (2.0 * up_to).clamp(0.0, 1.0))
}
