//! What is kept of one calibration. The order of the fields is the order of the keys on disk.

use agentv_base::{CalibrationNote, TokenUsage};
use serde::{Deserialize, Serialize};

use crate::{
    record::Timestamp,
    statistics::{Agreement, Confidence, SelfConsistency},
};

/// The form of the file; a reader knows its own and none that is newer.
pub const VERSION: u32 = 1;

/// Cut-offs that are nearer to each other than anybody writes them are one.
const SAME_CUTOFF: f64 = 1e-9;

/// How well one judge agreed with people, and with itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    pub version: u32,
    /// The name of the grader that asks the judge.
    pub grader: String,
    /// SHA-256 of everything that makes it this judge, in hex.
    pub fingerprint: String,
    pub judge: CalibratedJudge,
    pub measured_at: Timestamp,
    pub agentv_version: String,
    pub suite: FileHash,
    pub labels_file: FileHash,
    /// The scores from which the judge passed an answer, each once, in their order.
    pub pass_from: Vec<f64>,
    pub confidence: Confidence,
    /// How often it was asked about each answer. Agreement is that of the first time.
    pub repeats: u64,
    pub agreement: Agreement,
    /// Null where nothing was repeated.
    pub self_consistency: Option<SelfConsistency>,
    /// The answers of which it said something else than people, the first time.
    pub wrong: Vec<Disagreement>,
    /// Where it could not be asked, or gave no score. Such an answer is in none of the numbers.
    pub errors: Vec<JudgeError>,
    pub spent: Spent,
}

/// The judge, as far as people know it by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalibratedJudge {
    pub target: String,
    pub provider: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A file that was read, as it was then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHash {
    /// From the repository root, with `/`.
    pub path: String,
    /// Of its content, in hex.
    pub sha256: String,
}

/// An answer of which a judge and a person say different things.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Disagreement {
    pub eval_id: String,
    /// Of the file of labels, from 1.
    pub line: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labeler: Option<String>,
    /// What was judged, cut where it is long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    pub people_pass: bool,
    pub judge_passes: bool,
    /// What the judge gave.
    pub score: f64,
    /// Whether it said the same each time.
    pub unanimous: bool,
    /// The judge's, cut where it is long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
}

/// A judgement that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeError {
    pub eval_id: String,
    /// Of the file of labels, from 1.
    pub line: usize,
    /// From 1.
    pub repeat: u64,
    pub error: String,
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// How often the judge was asked, with every second try after an answer of no use.
    pub asks: u64,
    /// Unknown where one answer does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    /// Unknown where one answer has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl Calibration {
    /// What stands beside every score of the judge; nothing where nothing could be measured.
    pub fn note(&self) -> Option<CalibrationNote> {
        Some(CalibrationNote {
            measured_at: self.measured_at.to_string(),
            labels: self.agreement.accuracy.of,
            accuracy: self.agreement.accuracy.share?,
            kappa: self.agreement.kappa.map(|kappa| kappa.value),
            true_positive_rate: self.agreement.true_positive_rate.share,
            true_negative_rate: self.agreement.true_negative_rate.share,
            errors: Some(self.errors.len() as u64).filter(|errors| *errors > 0),
            pass_from: self.pass_from.clone(),
            passes_here_from: None,
        })
    }

    /// The same for a judge that passes answers from `cutoff` on: what was measured with another
    /// cut-off is marked as such.
    pub fn note_at(&self, cutoff: f64) -> Option<CalibrationNote> {
        let known = self.pass_from.iter().any(|from| (from - cutoff).abs() < SAME_CUTOFF);
        let passes_here_from = (!known).then_some(cutoff);
        Some(CalibrationNote { passes_here_from, ..self.note()? })
    }
}
