//! Judgements for the tests of this folder.

use std::time::SystemTime;

use super::{CalibratedJudge, FileHash, Judged, Judgement, Measured};
use crate::{record::Timestamp, statistics::Confidence};

pub(super) fn measured(repeats: u64) -> Measured {
    let file = |path: &str| FileHash { path: path.to_owned(), sha256: "0".repeat(64) };
    Measured {
        grader: "helpful".to_owned(),
        fingerprint: "0123456789abcdef".repeat(4),
        judge: CalibratedJudge {
            target: "judge".to_owned(),
            provider: "openai".to_owned(),
            model: Some("gpt-x".to_owned()),
        },
        measured_at: Timestamp::of(SystemTime::UNIX_EPOCH),
        agentv_version: "0.1.0".to_owned(),
        suite: file("evals/support.yaml"),
        labels_file: file("evals/labels.jsonl"),
        confidence: Confidence::default(),
        repeats,
    }
}

/// An answer with the scores that it was given, each of which passes from 0.8 on.
pub(super) fn judged(id: &str, people_pass: bool, scores: &[f64]) -> Judged {
    let judgement = |score: &f64| {
        let reasoning = Some(format!("It is worth {score}."));
        Ok(Judgement { passes: *score >= 0.8, score: *score, reasoning })
    };
    Judged {
        eval_id: id.to_owned(),
        line: 1,
        answer: format!("An answer\nto {id}."),
        labeler: None,
        people_pass,
        pass_from: 0.8,
        judgements: scores.iter().map(judgement).collect(),
        asked: Vec::new(),
    }
}
