//! What a run has taken so far, as far as anybody says, beside what it may take.

use agentv_base::{Outcome, Provenance, SettledCase, Spent};

/// What the whole run may take, where somebody said so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    pub usd: Option<f64>,
    pub tokens: Option<u64>,
}

#[derive(Default)]
pub(super) struct Spend {
    budget: Budget,
    spent: Spent,
    /// Whether somebody was asked and did not say what it cost, or how many tokens it took.
    has_unknown_cost: bool,
    has_unknown_tokens: bool,
}

impl Spend {
    pub(super) fn new(budget: Budget) -> Self {
        Self { budget, ..Self::default() }
    }

    /// What an earlier session of the run took for a row.
    pub(super) fn add_earlier(&mut self, spent: Spent) {
        self.spent = self.spent.plus(believed(spent));
    }

    pub(super) fn add(&mut self, settled: &SettledCase) {
        for attempt in &settled.failed_attempts {
            let failure = &attempt.failure;
            let tokens = failure.token_usage.map(|usage| usage.total());
            self.add_earlier(Spent { tokens, cost_usd: failure.cost_usd });
        }
        match &settled.outcome {
            Outcome::Assessed { response, assessment } => {
                self.add_answer(&response.provenance, of_response(response));
                self.add_earlier(assessment.spent_on_judges());
                let silent = |told: fn(&Spent) -> bool| !assessment.silent_judges(told).is_empty();
                self.has_unknown_cost |= silent(|spent| spent.cost_usd.is_some());
                self.has_unknown_tokens |= silent(|spent| spent.tokens.is_some());
            }
            Outcome::Answered { response } => {
                self.add_answer(&response.provenance, of_response(response));
            }
            Outcome::Failed { failure } => {
                let tokens = failure.token_usage.map(|usage| usage.total());
                self.add_earlier(Spent { tokens, cost_usd: failure.cost_usd });
            }
        }
    }

    fn add_answer(&mut self, provenance: &Provenance, spent: Spent) {
        // What was kept was paid for when it was given.
        if matches!(provenance, Provenance::Asked) {
            self.has_unknown_cost |= spent.cost_usd.is_none();
            self.has_unknown_tokens |= spent.tokens.is_none();
            self.add_earlier(spent);
        }
    }

    /// `$0.42 of $2.50` and `12.4k tokens`, as far as they are known or limited.
    pub(super) fn words(&self) -> Vec<String> {
        let Self { budget, spent, .. } = self;
        let cost = Amount {
            what: "cost",
            unit: "",
            spent: spent.cost_usd.map(dollars),
            limit: budget.usd.map(dollars),
            nothing: dollars(0.0),
            is_least: self.has_unknown_cost,
        };
        let tokens = Amount {
            what: "tokens",
            unit: " tokens",
            spent: spent.tokens.map(short),
            limit: budget.tokens.map(short),
            nothing: short(0),
            is_least: self.has_unknown_tokens,
        };
        [cost.words(), tokens.words()].into_iter().flatten().collect()
    }
}

/// One of the two things that are spent, in words.
struct Amount {
    what: &'static str,
    unit: &'static str,
    spent: Option<String>,
    limit: Option<String>,
    nothing: String,
    /// Some did not tell: it is at least so much.
    is_least: bool,
}

impl Amount {
    fn words(self) -> Option<String> {
        let Self { what, unit, spent, limit, nothing, is_least } = self;
        let spent = match (spent, &limit) {
            (None, None) => return None,
            (None, Some(limit)) if is_least => {
                return Some(format!("{what} unknown, budget {limit}"));
            }
            // Nobody was asked yet.
            (None, Some(_)) => nothing,
            (Some(spent), _) if is_least => format!("≥{spent}"),
            (Some(spent), _) => spent,
        };
        let of = limit.map_or_else(String::new, |limit| format!(" of {limit}"));
        Some(format!("{spent}{of}{unit}"))
    }
}

fn of_response(response: &agentv_base::Response) -> Spent {
    let tokens = response.token_usage.map(|usage| usage.total());
    Spent { tokens, cost_usd: response.cost_usd }
}

/// Whoever claims to give money back, or to have spent what is no number, is not believed.
fn believed(spent: Spent) -> Spent {
    let cost_usd = spent.cost_usd.filter(|cost| cost.is_finite() && *cost >= 0.0);
    Spent { cost_usd, ..spent }
}

/// `$0.0042`, `$0.42`, `$1250`: as exact as anybody reads it.
fn dollars(amount: f64) -> String {
    match amount {
        _ if amount == 0.0 => "$0".to_owned(),
        _ if amount < 0.1 => format!("${amount:.4}"),
        _ if amount < 1000.0 => format!("${amount:.2}"),
        _ => format!("${amount:.0}"),
    }
}

/// `950`, `12.4k`, `3.1M`.
fn short(count: u64) -> String {
    let amount = count as f64;
    match count {
        0..1000 => count.to_string(),
        1000..100_000 => format!("{:.1}k", amount / 1e3),
        100_000..999_500 => format!("{:.0}k", amount / 1e3),
        _ if amount < 1e9 => format!("{:.1}M", amount / 1e6),
        _ => format!("{:.1}G", amount / 1e9),
    }
}

#[cfg(test)]
mod tests;
