//! Models that judge: whom a grader wants to ask, what is asked, and what of it is kept.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    future::BoxFuture,
    grader::{GradeContext, GraderFault},
    node::Span,
    usage::TokenUsage,
};

/// What a model is asked, or whoever stands in for one.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeQuestion {
    /// How to answer, whatever the question.
    pub instructions: String,
    pub prompt: String,
    /// What the answer must look like, for those who can be held to it: a JSON Schema.
    pub schema: Option<Arc<Value>>,
    /// An answer to the same question that was of no use.
    pub repair: Option<Repair>,
    /// Which of several opinions on the same answer it is to be, from 0. The judge is not told.
    pub sample: u32,
}

/// An answer that was of no use, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    pub answer: String,
    pub fault: String,
}

/// What a judge said, which nobody has looked at yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgeAnswer {
    pub text: String,
    pub token_usage: Option<TokenUsage>,
    /// Unknown where nobody knows what it cost; never 0 for that.
    pub cost_usd: Option<f64>,
}

/// Someone who can be asked for an opinion on an answer.
pub trait Judge: Send + Sync {
    /// The name of the target that judges.
    fn target(&self) -> &str;

    /// Asks once. A fault keeps what the question took all the same, where that is known.
    fn ask<'a>(
        &'a self,
        question: &'a JudgeQuestion,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<JudgeAnswer, GraderFault>>;
}

/// Whom a grader wants to ask, and as what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JudgeWish {
    /// The name of a target; without one, the judge of the case, its suite or the target that is
    /// judged.
    pub target: Option<Arc<str>>,
    /// Where it is named, else where the grader is written.
    pub span: Span,
    /// Everything that makes this judge what it is besides its target: the prompt, the form of the
    /// answer, how often it is asked. What differs here was not calibrated together. Criteria are
    /// the case's, not the judge's.
    pub instrument: Arc<str>,
}

/// Who has been found for a wish.
#[derive(Clone)]
pub struct Appointed {
    pub judge: Arc<dyn Judge>,
    /// Which judge it is: of its target's settings and the instrument. Empty where nobody needs to
    /// know.
    pub fingerprint: Arc<str>,
    /// How well it is known to agree with people.
    pub calibration: Option<CalibrationNote>,
}

/// The judges of one case and target, by the wishes of its graders.
#[derive(Clone, Default)]
pub struct Bench {
    appointed: Vec<(JudgeWish, Appointed)>,
    /// Whether every question and answer is kept in the record.
    pub keeps_exchanges: bool,
}

impl Bench {
    pub fn appoint(&mut self, wish: JudgeWish, appointed: Appointed) {
        self.appointed.push((wish, appointed));
    }

    /// Which judges they are.
    pub fn fingerprints(&self) -> impl Iterator<Item = &str> {
        self.appointed.iter().map(|(_, appointed)| &*appointed.fingerprint)
    }

    /// Who judges for a wish; nobody where nobody was named.
    pub fn of(&self, wish: &JudgeWish) -> Option<&Appointed> {
        self.appointed.iter().find(|(known, _)| known == wish).map(|(_, appointed)| appointed)
    }
}

/// What rows keep of a judge at work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgeRecord {
    /// The target that judged.
    pub target: String,
    /// Which judge it was, whatever its target was called: as in its calibration.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// How often it was asked: every sample, and every second try after an answer of no use.
    pub asks: u32,
    /// The score of each sample, where several were taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<f64>,
    /// The standard deviation of the samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// What was said of each rubric.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<CalibrationNote>,
    /// Every question and answer, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Exchange>,
}

/// One rubric of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    pub id: String,
    /// From 0 to 1; what the samples add up to, where several were taken.
    pub score: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
}

/// One question to a judge, word for word, and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    pub instructions: String,
    pub prompt: String,
    /// What was wrong with the answer before, where this was a second try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<String>,
    pub answer: String,
}

/// How well a judge agreed with people when it was measured last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CalibrationNote {
    /// When, as in rows.
    pub measured_at: String,
    /// Answers with a label that it was measured on.
    pub labels: u64,
    pub accuracy: f64,
    /// Cohen's kappa; unknown where chance alone would agree always.
    pub kappa: Option<f64>,
    /// Of the answers that people passed, the share that it passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub true_positive_rate: Option<f64>,
    /// Of the answers that people failed, the share that it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub true_negative_rate: Option<f64>,
    /// Judgements that could not be had then. Their answers are in none of the numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
    /// The scores from which it passed answers then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass_from: Vec<f64>,
    /// The score from which it passes answers here, where that is none of them: its numbers are
    /// then those of another cut-off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes_here_from: Option<f64>,
}
