//! Scores, and what they add up to.

use serde::{Deserialize, Serialize};

use crate::judge::JudgeRecord;

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
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
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

#[cfg(test)]
mod tests {
    use super::*;

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
