//! Rows of the original tool and of its later versions, as rows of ours.
//!
//! What such a row does not say stays unknown. A row with an `error` is an error, whatever score
//! stands beside it: the original wrote a zero there.

use std::{borrow::Cow, time::SystemTime};

use agentv_base::{GraderResult, TokenUsage, Verdict, excerpt, reaches};
use serde_json::{Map, Value};

use crate::record::{Row, RowProblem, Status, Timestamp, strict_row};

/// From here on a case passes that says nothing of it.
const USUAL_THRESHOLD: f64 = 0.8;

/// The row on a line, of ours or of the original tool.
pub(crate) fn row_of_any(line: &[u8]) -> Result<Row<'static>, RowProblem> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let fault = match strict_row(line) {
        Ok(row) => return Ok(row),
        Err(fault) => fault,
    };
    match serde_json::from_slice::<Map<String, Value>>(line) {
        // Every row of ours says how it ended, and which suite it is of.
        Ok(row) if !(row.contains_key("status") && row.contains_key("suite")) => {
            let mut row = lowered(row).map_err(RowProblem::NotARow)?;
            row.forget_absurdities();
            Ok(row)
        }
        Ok(_) => Err(fault),
        Err(_) => match without_lone_surrogates(line) {
            Some(mended) => row_of_any(&mended),
            None => Err(fault),
        },
    }
}

/// The line with U+FFFD in the place of halves of characters, which other languages write where they
/// cut a text; nothing where there are none.
fn without_lone_surrogates(line: &[u8]) -> Option<Vec<u8>> {
    let half = |at: usize| -> Option<u16> {
        let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut mended = Vec::with_capacity(line.len());
    let (mut at, mut is_mended) = (0, false);
    while let Some(byte) = line.get(at) {
        match (byte, half(at)) {
            (b'\\', Some(0xd800..=0xdbff)) if matches!(half(at + 6), Some(0xdc00..=0xdfff)) => {
                mended.extend_from_slice(line.get(at..at + 12)?);
                at += 12;
            }
            (b'\\', Some(0xd800..=0xdfff)) => {
                mended.extend_from_slice(b"\\ufffd");
                is_mended = true;
                at += 6;
            }
            // The character behind it is not the beginning of another.
            (b'\\', _) => {
                mended.extend_from_slice(line.get(at..(at + 2).min(line.len()))?);
                at += 2;
            }
            _ => {
                mended.push(*byte);
                at += 1;
            }
        }
    }
    is_mended.then_some(mended)
}

fn lowered(row: Map<String, Value>) -> Result<Row<'static>, String> {
    let fields = Fields(row);
    let eval_id = fields
        .text(&["eval_id", "test_id", "evalId", "testId"])
        .ok_or_else(|| "it has no `eval_id`".to_owned())?;
    let error = fields.error();
    let score = fields.number(&["score"]);
    let threshold = fields.number(&["threshold"]).filter(|it| (0.0..=1.0).contains(it));
    let cutoff = threshold.unwrap_or(USUAL_THRESHOLD);
    let (status, score) = match (&error, score) {
        (Some(_), _) => (Status::Error, None),
        (None, Some(score)) if (0.0..=1.0).contains(&score) => {
            (if reaches(score, cutoff) { Status::Passed } else { Status::Failed }, Some(score))
        }
        (None, Some(score)) => return Err(format!("`score` is {score}, not a number from 0 to 1")),
        (None, None) if fields.first(&["score"]).is_some() => {
            return Err("`score` is not a number from 0 to 1".to_owned());
        }
        (None, None) => return Err("it has neither a `score` nor an `error`".to_owned()),
    };
    let (hits, misses) = fields.hits_and_misses();
    let results = fields.list(&["evaluator_results", "scores"]);
    let results: Vec<GraderResult> = results.iter().map(|it| grader_result(it, cutoff)).collect();
    let kind = error.as_ref().map(|_| {
        fields.text(&["error_kind", "failure_stage"]).unwrap_or_else(|| "unknown".to_owned())
    });
    Ok(Row {
        timestamp: fields.timestamp(),
        eval_id: Cow::Owned(eval_id),
        dataset: Cow::Owned(fields.text(&["dataset", "eval_set"]).unwrap_or_default()),
        suite: Cow::Owned(fields.text(&["suite"]).unwrap_or_default()),
        target: Cow::Owned(fields.text(&["target"]).unwrap_or_default()),
        repeat: fields.count(&["repeat"]).unwrap_or(1).max(1),
        status,
        score,
        verdict: score.map(|score| Verdict::of(score, cutoff)),
        threshold,
        hits: hits.into_iter().map(Cow::Owned).collect(),
        misses: misses.into_iter().map(Cow::Owned).collect(),
        candidate_answer: fields.answer().map(Cow::Owned),
        reasoning: fields.text(&["reasoning"]).map(Cow::Owned),
        evaluator_results: (!results.is_empty()).then_some(Cow::Owned(results)),
        trace_summary: fields.read("trace_summary"),
        output_messages: fields.read::<Vec<_>>("output_messages").map(Cow::Owned),
        trace: fields.read::<Vec<_>>("trace").map(Cow::Owned),
        conversation_id: fields.text(&["conversation_id"]).map(Cow::Owned),
        tags: fields.texts("tags").into_iter().map(Cow::Owned).collect(),
        question: fields.question().map(Cow::Owned),
        question_omitted: 0,
        reference_answer: fields.text(&["reference_answer"]).map(Cow::Owned),
        reference_omitted: 0,
        attempts: fields.count(&["attempts"]).unwrap_or(1),
        failed_attempts: Vec::new(),
        duration_ms: fields.number(&["duration_ms", "durationMs"]),
        token_usage: fields.tokens(),
        cost_usd: fields.number(&["cost_usd", "costUsd"]),
        error: error.map(Cow::Owned),
        error_kind: kind.map(Cow::Owned),
        error_class: None,
        cached: false,
        fingerprint: None,
        file: None,
        line: None,
        leaked_processes: Vec::new(),
        dropped_elements: 0,
    })
}

struct Fields(Map<String, Value>);

impl Fields {
    fn first(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.0.get(*name).filter(|value| !value.is_null()))
    }

    fn text(&self, names: &[&str]) -> Option<String> {
        self.first(names).and_then(Value::as_str).map(str::to_owned)
    }

    fn number(&self, names: &[&str]) -> Option<f64> {
        self.first(names).and_then(Value::as_f64).filter(|number| number.is_finite())
    }

    fn count(&self, names: &[&str]) -> Option<u32> {
        self.first(names).and_then(Value::as_u64).and_then(|count| u32::try_from(count).ok())
    }

    fn list(&self, names: &[&str]) -> &[Value] {
        self.first(names).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn texts(&self, name: &str) -> Vec<String> {
        texts(self.0.get(name))
    }

    /// A part that has kept its form; one that has not is left out.
    fn read<T: serde::de::DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_value(self.0.get(name)?.clone()).ok()
    }

    fn error(&self) -> Option<String> {
        match self.first(&["error"]) {
            Some(Value::String(text)) => return Some(text.clone()),
            Some(Value::Bool(false)) | None => {}
            Some(other) => return Some(excerpt(&other.to_string(), 2000)),
        }
        let failed = self.text(&["execution_status"]).as_deref() == Some("execution_error")
            || self.text(&["status"]).as_deref() == Some("error");
        failed.then(|| "no reason was recorded".to_owned())
    }

    /// The moment in any zone; a row without one is as old as can be.
    fn timestamp(&self) -> Timestamp {
        let read = self
            .text(&["timestamp"])
            .and_then(|text| serde_json::from_value(Value::String(text)).ok());
        read.unwrap_or_else(|| Timestamp::of(SystemTime::UNIX_EPOCH))
    }

    fn hits_and_misses(&self) -> (Vec<String>, Vec<String>) {
        let (mut hits, mut misses) = (self.texts("hits"), self.texts("misses"));
        for check in self.list(&["assertions"]) {
            let Some(text) = check.get("text").and_then(Value::as_str) else { continue };
            match check.get("passed").and_then(Value::as_bool) {
                Some(true) => hits.push(text.to_owned()),
                Some(false) => misses.push(text.to_owned()),
                None => {}
            }
        }
        (hits, misses)
    }

    fn answer(&self) -> Option<String> {
        let value = self.first(&["candidate_answer", "output", "answer"])?;
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Array(messages) => {
                let last = messages.iter().rev().find_map(|it| it.get("content"))?;
                Some(last.as_str().map_or_else(|| last.to_string(), str::to_owned))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                Some(value.to_string())
            }
        }
    }

    fn question(&self) -> Option<String> {
        let requests = ["agent_provider_request", "lm_provider_request"];
        let asked = requests.iter().find_map(|name| self.0.get(*name)?.get("question")?.as_str());
        self.text(&["question"]).or_else(|| asked.map(str::to_owned))
    }

    fn tokens(&self) -> Option<TokenUsage> {
        let usage = self.first(&["token_usage", "tokenUsage"])?;
        let count = |name: &str| usage.get(name).and_then(Value::as_u64);
        Some(TokenUsage {
            input: count("input")?,
            output: count("output")?,
            cached: count("cached"),
        })
    }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn grader_result(value: &Value, cutoff: f64) -> GraderResult {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let score = value.get("score").and_then(Value::as_f64).filter(|it| (0.0..=1.0).contains(it));
    let parts = value.get("evaluator_results").and_then(Value::as_array);
    let parts = parts.map_or(&[][..], Vec::as_slice);
    let kind = text("type").unwrap_or_default();
    GraderResult {
        name: text("name").unwrap_or_else(|| kind.clone()).into(),
        kind: kind.into(),
        score,
        weight: value.get("weight").and_then(Value::as_f64).unwrap_or(1.0),
        required_score: None,
        verdict: score.map(|score| Verdict::of(score, cutoff)),
        barred: false,
        hits: texts(value.get("hits")),
        misses: texts(value.get("misses")),
        reasoning: text("reasoning"),
        duration_ms: value.get("duration_ms").and_then(Value::as_f64).unwrap_or(0.0),
        stderr: None,
        judge: None,
        error: text("error"),
        evaluator_results: parts.iter().map(|part| grader_result(part, cutoff)).collect(),
    }
}
