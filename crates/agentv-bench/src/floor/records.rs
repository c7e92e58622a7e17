//! The bare loop over the answers of a batch: lines are split and parsed into the types that AgentV
//! keeps them in; and the same with a check and a row for each.

use std::{
    fs::File,
    hint::black_box,
    io::{self, BufWriter, Write as _},
    path::Path,
};

use agentv_base::{Message, TokenUsage, TraceEvent, TraceSummary};
use serde::{Deserialize, Serialize};

use super::each_line;

/// All that counts of an answer.
#[derive(Deserialize)]
struct Record {
    id: String,
    text: Option<String>,
    output_messages: Option<Vec<Message>>,
    #[expect(dead_code, reason = "it is parsed because AgentV keeps it")]
    trace: Option<Vec<TraceEvent>>,
    #[expect(dead_code, reason = "it is parsed because AgentV keeps it")]
    error: Option<String>,
    duration_ms: Option<f64>,
    token_usage: Option<TokenUsage>,
    cost_usd: Option<f64>,
}

impl Record {
    /// The answer: `text`, else the last thing that was said.
    fn answer(&mut self) -> Option<String> {
        self.text
            .take()
            .or_else(|| self.output_messages.as_ref()?.iter().rev().find_map(Message::text))
    }
}

/// What is left of a case, as `results.jsonl` has it.
#[derive(Serialize)]
struct Row<'a> {
    timestamp: &'a str,
    eval_id: &'a str,
    dataset: &'a str,
    suite: &'a str,
    target: &'a str,
    repeat: u32,
    status: &'a str,
    score: f64,
    verdict: &'a str,
    threshold: f64,
    hits: [&'a str; 1],
    misses: [&'a str; 0],
    candidate_answer: &'a str,
    evaluator_results: [Graded<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_summary: Option<TraceSummary>,
    question: &'a str,
    attempts: u32,
    duration_ms: Option<f64>,
    token_usage: Option<TokenUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    fingerprint: &'a str,
    line: usize,
}

#[derive(Serialize)]
struct Graded<'a> {
    name: &'a str,
    r#type: &'a str,
    score: f64,
    weight: f64,
    verdict: &'a str,
    hits: [&'a str; 1],
    misses: [&'a str; 0],
    duration_ms: f64,
}

/// Parses every line, and says how many there were.
pub fn parse(file: &Path) -> io::Result<usize> {
    each_line(file, |line| {
        let record: Record = serde_json::from_slice(line)?;
        drop(black_box(record));
        Ok(())
    })
}

/// Parses every line, looks for a text in the answer, and writes a row for it.
pub fn grade(file: &Path, looked_for: &str, out: &Path) -> io::Result<usize> {
    let mut out = BufWriter::with_capacity(1 << 16, File::create(out)?);
    let mut number = 0;
    let hit = format!("contains `{looked_for}`");
    let lines = each_line(file, |line| {
        number += 1;
        let mut record: Record = serde_json::from_slice(line)?;
        let answer = record.answer().unwrap_or_default();
        let passed = answer.contains(looked_for);
        let (score, verdict) = if passed { (1.0, "pass") } else { (0.0, "fail") };
        let row = Row {
            timestamp: "2026-01-31T12:00:00.000Z",
            eval_id: &record.id,
            dataset: "suite",
            suite: "suite.jsonl",
            target: "default",
            repeat: 1,
            status: if passed { "passed" } else { "failed" },
            score,
            verdict,
            threshold: 0.8,
            hits: [&hit],
            misses: [],
            candidate_answer: &answer,
            evaluator_results: [Graded {
                name: "contains",
                r#type: "contains",
                score,
                weight: 1.0,
                verdict,
                hits: [&hit],
                misses: [],
                duration_ms: 0.005,
            }],
            trace_summary: record.output_messages.as_deref().map(TraceSummary::of_messages),
            question: "The payment from there is compared with the last entry. A text stands beside it.",
            attempts: 1,
            duration_ms: record.duration_ms,
            token_usage: record.token_usage,
            cost_usd: record.cost_usd,
            fingerprint: "53061f2e6191ecaa18046e71cc511b42",
            line: number,
        };
        serde_json::to_writer(&mut out, &row)?;
        out.write_all(b"\n")
    })?;
    out.flush()?;
    Ok(lines)
}
