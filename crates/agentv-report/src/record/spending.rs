//! What a row says that its case took: of the target, of attempts that failed, and of judges.

use agentv_base::{GraderResult, Spent, TokenUsage};

use super::row::Row;

/// All of it together. An answer that was kept was paid for by an earlier run, and so were the attempts
/// before it.
pub(crate) fn spent_on(row: &Row<'_>) -> Spent {
    if row.cached {
        return spent_on_judges(row);
    }
    let failed = row.failed_attempts.iter().map(|it| spent(it.token_usage, it.cost_usd));
    failed.fold(spent_on_target(row).plus(spent_on_judges(row)), Spent::plus)
}

/// What the target took for the attempt that counts.
pub(crate) fn spent_on_target(row: &Row<'_>) -> Spent {
    if row.cached { Spent::default() } else { spent(row.token_usage, row.cost_usd) }
}

pub(crate) fn spent_on_judges(row: &Row<'_>) -> Spent {
    spent_by_judges(row.evaluator_results.as_deref().unwrap_or_default())
}

fn spent(tokens: Option<TokenUsage>, cost_usd: Option<f64>) -> Spent {
    Spent {
        tokens: tokens.map(|tokens| tokens.total()),
        cost_usd: cost_usd.filter(|cost| cost.is_finite()),
    }
}

fn spent_by_judges(results: &[GraderResult]) -> Spent {
    results.iter().fold(Spent::default(), |sum, result| {
        let own = result.judge.as_ref().map(|judge| spent(judge.token_usage, judge.cost_usd));
        sum.plus(own.unwrap_or_default()).plus(spent_by_judges(&result.evaluator_results))
    })
}
