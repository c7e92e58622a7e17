//! What a run took: tokens and money, of the targets and of the judges, as far as rows know it.

use agentv_base::{GraderResult, TokenUsage};

use crate::{record::Row, style::counted};

#[derive(Default)]
pub(super) struct Spending {
    targets: Spent,
    judges: Spent,
}

/// What one side took. What is not known is counted, never added as nothing.
#[derive(Default)]
struct Spent {
    input: u64,
    output: u64,
    cost_usd: f64,
    /// Answers of which tokens, and the cost, are known.
    with_tokens: usize,
    with_cost: usize,
    answers: usize,
}

impl Spending {
    pub(super) fn add(&mut self, row: &Row<'_>) {
        let (tokens, cost) = (row.token_usage, row.cost_usd);
        // Whoever gave no answer and says nothing of tokens may not have been asked at all.
        if row.candidate_answer.is_some() || tokens.is_some() || cost.is_some() {
            self.targets.add(tokens, cost);
        }
        self.add_judges(row.evaluator_results.as_deref().unwrap_or_default());
    }

    fn add_judges(&mut self, results: &[GraderResult]) {
        for result in results {
            if let Some(record) = result.judge.as_ref().filter(|record| record.asks > 0) {
                self.judges.add(record.token_usage, record.cost_usd);
            }
            self.add_judges(&result.evaluator_results);
        }
    }

    /// A line for each side; none where nothing is known of either.
    pub(super) fn told(&self) -> Vec<String> {
        if !self.targets.is_known() && !self.judges.is_known() {
            return Vec::new();
        }
        let sides = [
            ("targets", &self.targets, "answer", "answers"),
            ("judges", &self.judges, "judgement", "judgements"),
        ];
        let asked = sides.into_iter().filter(|(_, spent, ..)| spent.answers > 0);
        asked.map(|(side, spent, one, many)| format!("{side}: {}", spent.told(one, many))).collect()
    }
}

impl Spent {
    fn add(&mut self, tokens: Option<TokenUsage>, cost: Option<f64>) {
        self.answers += 1;
        if let Some(tokens) = tokens {
            self.with_tokens += 1;
            self.input = self.input.saturating_add(tokens.input);
            self.output = self.output.saturating_add(tokens.output);
        }
        if let Some(cost) = cost.filter(|cost| cost.is_finite()) {
            self.with_cost += 1;
            self.cost_usd += cost;
        }
    }

    fn is_known(&self) -> bool {
        self.with_tokens > 0 || self.with_cost > 0
    }

    fn told(&self, one: &str, many: &str) -> String {
        let mut known = Vec::new();
        if self.with_cost > 0 {
            known.push(format!("${:.4}", self.cost_usd));
        }
        if self.with_tokens > 0 {
            known.push(format!("{} tokens in, {} out", self.input, self.output));
        }
        let unknown = |what: &str, count: usize| {
            let whose = counted(count, one, many);
            (count > 0).then(|| format!("{what} of {whose} unknown"))
        };
        let (tokens, cost) = (self.answers - self.with_tokens, self.answers - self.with_cost);
        let unknown = if tokens == cost {
            [unknown("cost and tokens", cost), None]
        } else {
            [unknown("cost", cost), unknown("tokens", tokens)]
        };
        let known = (!known.is_empty()).then(|| known.join(", "));
        known.into_iter().chain(unknown.into_iter().flatten()).collect::<Vec<_>>().join("; ")
    }
}
