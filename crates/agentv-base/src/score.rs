//! Scores, and what they add up to.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{judge::JudgeRecord, outcome::Spent};

/// What one grader found.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Score {
    /// From 0 to 1.
    pub score: f64,
    pub hits: Vec<String>,
    pub misses: Vec<String>,
    /// What was measured: a hit where the grader passes, a miss where it does not. The grader
    /// itself does not know how much is enough.
    pub measured: Option<String>,
    pub reasoning: Option<String>,
    /// The end of what a program that judged wrote beside its score, where it wrote anything.
    pub stderr: Option<String>,
    /// What the graders that it is made of said.
    pub parts: Vec<GraderResult>,
    /// A part of it that is required was not met: the case fails, whatever the scores.
    pub barred: bool,
    /// What was asked of a model.
    pub judge: Option<Box<JudgeRecord>>,
}

impl Score {
    /// A quantity, and what there is to say of it.
    pub fn measured(score: f64, said: impl Into<String>) -> Self {
        Self { score, measured: Some(said.into()), ..Self::default() }
    }

    /// All or nothing: 1 with a hit, or 0 with a miss.
    pub fn binary(met: bool, said: impl Into<String>) -> Self {
        let said = vec![said.into()];
        if met {
            Self { score: 1.0, hits: said, ..Self::default() }
        } else {
            Self { score: 0.0, misses: said, ..Self::default() }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Pass,
    Borderline,
    Fail,
}

/// From here up to the threshold a score is borderline.
const BORDERLINE: f64 = 0.6;

/// Scores are sums of products of decimals: 0.8 reached by adding eight tenths is 0.8.
const ROUNDING: f64 = 1e-9;

/// Whether a score is at or above a cut-off.
pub fn reaches(score: f64, cutoff: f64) -> bool {
    score + ROUNDING >= cutoff
}

impl Verdict {
    pub fn of(score: f64, threshold: f64) -> Self {
        if reaches(score, threshold) {
            Self::Pass
        } else if reaches(score, BORDERLINE) {
            Self::Borderline
        } else {
            Self::Fail
        }
    }
}

/// One grader's part of a case's result, as rows keep it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraderResult {
    /// Nearly always that of the type, of which nobody needs a copy.
    pub name: Cow<'static, str>,
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// Null where the grader failed.
    pub score: Option<f64>,
    pub weight: f64,
    /// The score below which this grader alone fails the case, where it is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_score: Option<f64>,
    pub verdict: Option<Verdict>,
    /// A part of it that is required was not met: the case fails, whatever the scores.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub barred: bool,
    pub hits: Vec<String>,
    pub misses: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    pub duration_ms: f64,
    /// What a program that judged wrote beside its score; that of one that failed stands in `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// What was asked of a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Box<JudgeRecord>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evaluator_results: Vec<GraderResult>,
}

/// The grade of a case whose graders all spoke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grade {
    pub score: f64,
    pub verdict: Verdict,
}

/// Everything the graders of a case said.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    pub results: Vec<GraderResult>,
    /// The grade, or why there is none: a grader failed.
    pub grade: Result<Grade, String>,
    pub threshold: f64,
}

impl Assessment {
    /// What the models that judged took, those of graders inside graders too.
    pub fn spent_on_judges(&self) -> Spent {
        let mut spent = Spent::default();
        for_each_judged(&self.results, &mut |_, judge| spent = spent.plus(spent_on(judge)));
        spent
    }

    /// The targets that gave a score and did not say what it took: in dollars or in tokens, as
    /// `told` looks for it.
    pub fn silent_judges(&self, told: impl Fn(&Spent) -> bool) -> Vec<&str> {
        let mut silent = Vec::new();
        for_each_judged(&self.results, &mut |result, judge| {
            if result.score.is_some() && !told(&spent_on(judge)) {
                silent.push(judge.target.as_str());
            }
        });
        silent
    }
}

fn for_each_judged<'a>(
    results: &'a [GraderResult],
    look: &mut impl FnMut(&'a GraderResult, &'a JudgeRecord),
) {
    for result in results {
        if let Some(judge) = &result.judge {
            look(result, judge);
        }
        for_each_judged(&result.evaluator_results, look);
    }
}

fn spent_on(judge: &JudgeRecord) -> Spent {
    Spent { tokens: judge.token_usage.map(|usage| usage.total()), cost_usd: judge.cost_usd }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::TokenUsage;

    fn judged(target: &str, tokens: Option<u64>, cost_usd: Option<f64>) -> GraderResult {
        let usage = |input| TokenUsage { input, output: 1, cached: None };
        GraderResult {
            judge: Some(Box::new(JudgeRecord {
                target: target.to_owned(),
                token_usage: tokens.map(usage),
                cost_usd,
                ..JudgeRecord::default()
            })),
            ..plain(Vec::new())
        }
    }

    fn plain(parts: Vec<GraderResult>) -> GraderResult {
        GraderResult {
            name: Cow::default(),
            kind: Cow::default(),
            score: Some(1.0),
            weight: 1.0,
            required_score: None,
            verdict: None,
            barred: false,
            hits: Vec::new(),
            misses: Vec::new(),
            reasoning: None,
            duration_ms: 0.0,
            stderr: None,
            judge: None,
            error: None,
            evaluator_results: parts,
        }
    }

    fn assessment(results: Vec<GraderResult>) -> Assessment {
        Assessment { results, grade: Err(String::new()), threshold: 0.8 }
    }

    #[test]
    fn what_judges_took_is_added_up_also_inside_other_graders() {
        let inner = plain(vec![judged("b", Some(20), Some(0.5)), judged("c", None, None)]);
        let all = assessment(vec![judged("a", Some(10), Some(0.25)), plain(vec![inner])]);
        let spent = Spent { tokens: Some(32), cost_usd: Some(0.75) };
        assert_eq!(all.spent_on_judges(), spent);
        assert_eq!(all.silent_judges(|spent| spent.cost_usd.is_some()), ["c"]);
    }

    #[test]
    fn what_nobody_tells_is_unknown_and_not_nothing() {
        let nobody = assessment(vec![plain(Vec::new())]);
        assert_eq!(nobody.spent_on_judges(), Spent::default());
        assert!(nobody.silent_judges(|_| false).is_empty());
        let failed = GraderResult { score: None, ..judged("a", None, None) };
        assert!(assessment(vec![failed]).silent_judges(|_| false).is_empty());
        let tokens = assessment(vec![judged("a", Some(1), None)]).spent_on_judges();
        assert_eq!(tokens, Spent { tokens: Some(2), cost_usd: None });
    }

    #[test]
    fn verdicts_have_their_edges_where_the_contract_puts_them() {
        for (score, threshold, verdict) in [
            (0.8, 0.8, Verdict::Pass),
            ((0..8).fold(0.0, |sum, _| sum + 0.1), 0.8, Verdict::Pass),
            (0.79, 0.8, Verdict::Borderline),
            (0.6, 0.8, Verdict::Borderline),
            (0.59, 0.8, Verdict::Fail),
            (0.55, 0.5, Verdict::Pass),
            (0.45, 0.5, Verdict::Fail),
        ] {
            assert_eq!(Verdict::of(score, threshold), verdict, "{score} at {threshold}");
        }
    }
}
