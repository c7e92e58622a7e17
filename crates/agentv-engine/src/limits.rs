//! How much a run may do at once, in all, and for how long.

use std::time::Duration;

/// How many things may happen at once, how often something is tried, and when it is enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Most invocations at once over all targets; none: only the targets' own limits hold.
    pub workers: Option<usize>,
    /// Most cases being graded at once.
    pub grading: usize,
    /// Most answers of batches that wait to be graded besides: they lie in a file, not in memory,
    /// and whoever grades should not have to wait for the next.
    pub ahead: usize,
    /// Further attempts after a failed one, whatever targets say; none leaves it to them.
    pub max_retries: Option<u32>,
    /// What the whole run may cost, in dollars and in tokens, with what earlier sessions spent.
    pub budget_usd: Option<f64>,
    pub budget_tokens: Option<u64>,
    /// How long this session may take.
    pub deadline: Option<Duration>,
    /// Failed cases and errors after which nothing new is begun.
    pub fail_fast: Option<usize>,
}
