//! What a run comes to by itself, as its digest has it; taken from facts, because rows are not kept.

use serde::Serialize;

use super::side::Fact;
use crate::{
    digest::{Estimate, Method},
    names::{Name, Names},
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
        let rows = facts.len() as u64;
        let graded = facts.iter().filter(|fact| fact.score().is_some()).count() as u64;
        let passed = facts.iter().filter(|fact| fact.score().is_some() && fact.passed());
        let passed = passed.count() as u64;
        // The repeats of a case together, in an order that does not depend on the machine, so that
        // sums do not either. Rows lie mostly in that order already.
        let mut ordered: Vec<([Name; 4], u32)> = facts.iter().map(case_of).zip(0..).collect();
        ordered.sort_unstable();
        let (mut scores, mut shares) = (Moments::default(), Moments::default());
        let mut cases = 0;
        for repeats in ordered.chunk_by(|(one, _), (other, _)| one == other) {
            cases += 1;
            let (mut of_scores, mut of_shares) = (Moments::default(), Moments::default());
            for fact in repeats.iter().filter_map(|(_, place)| facts.get(*place as usize)) {
                if let Some(score) = fact.score() {
                    of_scores.add(score);
                    of_shares.add(f64::from(u8::from(fact.passed())));
                }
            }
            of_scores.mean().into_iter().for_each(|mean| scores.add(mean));
            of_shares.mean().into_iter().for_each(|mean| shares.add(mean));
        }
        let is_repeated = cases < rows;
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
            cases,
            graded,
            passed,
            errors: rows - graded,
            pass_rate,
            mean_score: mean(&scores),
            targets: targets.iter().map(|target| names.get(*target).to_owned()).collect(),
        }
    }
}

fn case_of(fact: &Fact) -> [Name; 4] {
    [fact.dataset, fact.suite, fact.id, fact.target]
}

/// As the digest of a run has it.
fn mean(values: &Moments) -> Option<Estimate> {
    let interval = values.interval(Confidence::default());
    let method = interval.map(|_| if values.is_constant() { Method::Hoeffding } else { Method::T });
    Some(Estimate { value: values.mean()?, interval, method, cases: values.count() })
}
