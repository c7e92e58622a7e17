//! What a run took: tokens and money, of the targets and of the judges, as far as rows know it.

use agentv_base::{GraderResult, TokenUsage};

use crate::{record::Row, style::counted};

#[derive(Default)]
pub(super) struct Spending {
    all: Sides,
    /// Of all of it, what had been spent before this session began.
    earlier: Sides,
    /// Answers that nobody was asked for again.
    cached: usize,
}

#[derive(Default)]
struct Sides {
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
        // It was paid for when it was given.
        self.cached += usize::from(row.cached);
        self.all.add(row);
    }

    /// A row that was there before.
    pub(super) fn add_earlier(&mut self, row: &Row<'_>) {
        self.earlier.add(row);
        self.add(row);
    }

    /// A line for each side; none where nothing is known of either. What came from the cache is
    /// told in any case.
    pub(super) fn told(&self) -> Vec<String> {
        let cached = counted(self.cached, "answer", "answers");
        let cached = (self.cached > 0).then(|| format!("{cached} from before, not counted"));
        self.sides().into_iter().chain(cached).collect()
    }

    fn sides(&self) -> Vec<String> {
        let Self { all, earlier, .. } = self;
        if !all.targets.is_known() && !all.judges.is_known() {
            return Vec::new();
        }
        let sides = [
            ("targets", &all.targets, &earlier.targets, "answer", "answers"),
            ("judges", &all.judges, &earlier.judges, "judgement", "judgements"),
        ];
        let asked = sides.into_iter().filter(|(_, spent, ..)| spent.answers > 0);
        asked
            .map(|(side, spent, earlier, one, many)| {
                let before = match earlier.known() {
                    Some(known) => format!("; of which before this session: {known}"),
                    None => String::new(),
                };
                format!("{side}: {}{before}", spent.told(one, many))
            })
            .collect()
    }
}

impl Sides {
    fn add(&mut self, row: &Row<'_>) {
        let (tokens, cost) = (row.token_usage, row.cost_usd);
        let is_known = tokens.is_some() || cost.is_some();
        // Whoever gave no answer and says nothing of tokens may not have been asked at all.
        if !row.cached && (row.candidate_answer.is_some() || is_known) {
            self.targets.add(tokens, cost);
        }
        for attempt in row.failed_attempts.iter().filter(|_| !row.cached) {
            if attempt.token_usage.is_some() || attempt.cost_usd.is_some() {
                self.targets.add(attempt.token_usage, attempt.cost_usd);
            }
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

    /// Money and tokens, as far as they are known.
    fn known(&self) -> Option<String> {
        let cost = (self.with_cost > 0).then(|| format!("${:.4}", self.cost_usd));
        let tokens = (self.with_tokens > 0)
            .then(|| format!("{} tokens in, {} out", self.input, self.output));
        let known: Vec<String> = cost.into_iter().chain(tokens).collect();
        (!known.is_empty()).then(|| known.join(", "))
    }

    fn told(&self, one: &str, many: &str) -> String {
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
        self.known().into_iter().chain(unknown.into_iter().flatten()).collect::<Vec<_>>().join("; ")
    }
}
