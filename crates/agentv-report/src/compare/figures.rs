//! What a run comes to by itself, as its digest has it; taken from facts, because rows are not kept.

use std::collections::HashMap;

use serde::Serialize;

use super::{
    names::{Name, Names},
    side::Fact,
};
use crate::{
    digest::{Estimate, Method},
    statistics::{Confidence, Moments, wilson},
};

/// A run by itself.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunFigures {
    pub(super) name: String,
    pub(super) rows: u64,
    pub(super) cases: u64,
    pub(super) graded: u64,
    pub(super) passed: u64,
    pub(super) errors: u64,
    pub(super) pass_rate: Option<Estimate>,
    pub(super) mean_score: Option<Estimate>,
    /// In the order in which they came.
    pub(super) targets: Vec<String>,
}

impl RunFigures {
    pub(super) fn of(name: &str, facts: &[Fact], targets: &[Name], names: &Names) -> Self {
        let mut cases: HashMap<[Name; 4], (Moments, Moments)> = HashMap::new();
        let (mut graded, mut passed) = (0, 0);
        for fact in facts {
            let key = [fact.dataset, fact.suite, fact.id, fact.target];
            let (scores, shares) = cases.entry(key).or_default();
            if let Some(score) = fact.score() {
                scores.add(score);
                shares.add(f64::from(u8::from(fact.passed())));
                graded += 1;
                passed += u64::from(fact.passed());
            }
        }
        let rows = facts.len() as u64;
        let is_repeated = (cases.len() as u64) < rows;
        // In an order that does not depend on the machine, so that sums do not either.
        let mut means: Vec<([Name; 4], f64, f64)> = cases
            .iter()
            .filter_map(|(key, (scores, shares))| Some((*key, scores.mean()?, shares.mean()?)))
            .collect();
        means.sort_unstable_by_key(|(key, _, _)| *key);
        let scores: Moments = means.iter().map(|(_, score, _)| *score).collect();
        let shares: Moments = means.iter().map(|(_, _, share)| *share).collect();
        let pass_rate = if is_repeated {
            mean(&shares)
        } else {
            wilson(passed, graded, Confidence::default()).map(|interval| Estimate {
                value: passed as f64 / graded as f64,
                interval: Some(interval),
                method: Some(Method::Wilson),
                cases: graded,
            })
        };
        Self {
            name: name.to_owned(),
            rows,
            cases: cases.len() as u64,
            graded,
            passed,
            errors: rows - graded,
            pass_rate,
            mean_score: mean(&scores),
            targets: targets.iter().map(|target| names.get(*target).to_owned()).collect(),
        }
    }
}

/// As the digest of a run has it.
fn mean(values: &Moments) -> Option<Estimate> {
    let interval = values.interval(Confidence::default());
    let method = interval.map(|_| if values.is_constant() { Method::Hoeffding } else { Method::T });
    Some(Estimate { value: values.mean()?, interval, method, cases: values.count() })
}
