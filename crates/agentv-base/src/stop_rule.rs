//! When a case that is asked again and again has been asked enough.

/// Looks at the scores of a case so far. What rule that is, and what it guarantees, is none of the
/// engine's business.
pub trait StopRule: Send + Sync {
    /// Whether the verdict is settled: `scores` are those of the repeats that were graded, in the
    /// order of the repeats, and the case passes from `threshold` on.
    fn is_decided(&self, threshold: f64, scores: &[f64]) -> bool;
}
