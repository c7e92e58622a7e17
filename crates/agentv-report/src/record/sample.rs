//! Settled cases and manifests for tests.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};

use agentv_base::{
    Assessment, CasePlace, CommandRaw, EvalCase, FailedAttempt, Failure, FailureKind, Grade,
    GraderResult, Input, LeakedProcess, Message, Messages, Outcome, Provenance, Raw, Response,
    SettledCase, SkipReason, SkippedCase, Span, TokenUsage, ToolCall, Verdict,
};
use serde_json::{Map, Value, json};

use super::{
    RUN_FORMAT, RunCounts, RunKind, RunManifest, RunStatus, RunSuite, RunTarget, Timestamp,
};

pub(crate) const THRESHOLD: f64 = 0.8;

/// 2025-01-02T03:04:05.678Z, and so many milliseconds.
pub(crate) fn moment(milliseconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(1_735_787_045_678 + milliseconds)
}

pub(crate) fn case(id: &str, line: usize) -> Arc<EvalCase> {
    Arc::new(EvalCase {
        input: Arc::new(Input {
            eval_id: Arc::from(id),
            suite_file: Arc::from(Path::new("evals/demo.yaml")),
            messages: Messages::default(),
            files: Vec::new(),
            guideline_files: Vec::new(),
            conversation_id: None,
        }),
        dataset: Arc::from("demo"),
        suite: Arc::from("evals/demo.yaml"),
        place: CasePlace { file: None, span: Span::default(), line, column: 5 },
        expected_outcome: None,
        expected_messages: Messages::default(),
        graders: Arc::from([]),
        targets: Arc::from([]),
        judge_target: None,
        threshold: None,
        repeat: None,
        depends_on: Arc::from([]),
        tags: Arc::from([]),
        vars: None,
    })
}

pub(crate) fn response(text: &str) -> Response {
    Response {
        text: text.to_owned(),
        output_messages: None,
        trace: None,
        token_usage: None,
        cost_usd: None,
        duration_ms: None,
        dropped_elements: 0,
        provenance: Provenance::Asked,
        leaked: Vec::new(),
        raw: Raw::Command(CommandRaw { run: Arc::default(), record_id: None }),
    }
}

/// A response with everything a target can say.
pub(crate) fn full_response() -> Response {
    Response {
        output_messages: Some(vec![Message {
            role: "assistant".to_owned(),
            name: None,
            content: Some(json!("Done.")),
            tool_calls: vec![ToolCall {
                tool: "search".to_owned(),
                input: Some(json!({"q": "x"})),
                output: None,
                id: None,
                timestamp: None,
                duration_ms: Some(12.5),
            }],
            timestamp: None,
            metadata: None,
        }]),
        token_usage: Some(TokenUsage { input: 100, output: 20, cached: None }),
        cost_usd: Some(0.0125),
        duration_ms: Some(1234.5),
        leaked: vec![LeakedProcess { pid: 42, command: "sleep 100".to_owned() }],
        ..response("It is this.")
    }
}

pub(crate) fn grader(name: &str, score: f64, hits: &[&str], misses: &[&str]) -> GraderResult {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    GraderResult {
        name: name.to_owned().into(),
        kind: "contains".into(),
        score: Some(score),
        required_score: None,
        weight: 1.0,
        verdict: Some(Verdict::of(score, THRESHOLD)),
        barred: false,
        hits: owned(hits),
        misses: owned(misses),
        reasoning: None,
        duration_ms: 0.5,
        stderr: None,
        judge: None,
        error: None,
        evaluator_results: Vec::new(),
    }
}

pub(crate) fn assessed(response: Response, results: Vec<GraderResult>) -> Outcome {
    let score =
        results.iter().filter_map(|result| result.score).sum::<f64>() / results.len().max(1) as f64;
    let failed = results.iter().find_map(|result| result.error.clone());
    Outcome::Assessed {
        response: Box::new(response),
        assessment: Assessment {
            grade: match failed {
                Some(error) => Err(error),
                None => Ok(Grade { score, verdict: Verdict::of(score, THRESHOLD) }),
            },
            results,
            threshold: THRESHOLD,
        },
    }
}

/// An answer with this score from its only grader.
pub(crate) fn scored(score: f64, misses: &[&str]) -> Outcome {
    assessed(response("An answer."), vec![grader("has", score, &[], misses)])
}

pub(crate) fn failed(kind: FailureKind, message: &str) -> Outcome {
    Outcome::Failed { failure: Failure::new(kind, message) }
}

pub(crate) fn settled(slot: usize, id: &str, outcome: Outcome) -> SettledCase {
    SettledCase {
        slot,
        case: case(id, slot + 10),
        target: Arc::from("agent"),
        repeat: 1,
        attempts: 1,
        failed_attempts: Vec::new(),
        outcome,
        settled_at: moment(0),
    }
}

pub(crate) fn skipped(id: &str, reason: SkipReason) -> SkippedCase {
    SkippedCase { slot: 0, case: case(id, 10), target: Arc::from("agent"), repeat: 1, reason }
}

pub(crate) fn failed_attempt(kind: FailureKind, message: &str, duration: f64) -> FailedAttempt {
    FailedAttempt {
        failure: Failure { duration_ms: Some(duration), ..Failure::new(kind, message) },
    }
}

pub(crate) fn manifest() -> RunManifest {
    let mut options = Map::new();
    options.insert("threshold".to_owned(), Value::from(THRESHOLD));
    RunManifest {
        run_id: String::new(),
        format: RUN_FORMAT,
        kind: RunKind::Eval,
        parent: None,
        parts: Vec::new(),
        sessions: Vec::new(),
        shard: None,
        plan: None,
        files: Vec::new(),
        skipped: Vec::new(),
        repeats: None,
        agentv_version: "0.1.0".to_owned(),
        status: RunStatus::Running,
        started_at: Timestamp::of(moment(0)),
        finished_at: None,
        command: vec!["agentv".to_owned(), "eval".to_owned(), "evals".to_owned()],
        suites: vec![RunSuite {
            path: "evals/demo.yaml".to_owned(),
            sha256: "00ff".to_owned(),
            cases: 3,
        }],
        targets: vec![RunTarget {
            name: "agent".to_owned(),
            provider: "cli".to_owned(),
            definition: json!({"command": "agent {PROMPT}"}),
            sha256: "aa11".to_owned(),
        }],
        judges: vec![RunTarget {
            name: "judge".to_owned(),
            provider: "openai".to_owned(),
            definition: json!({"model": "gpt-5-mini"}),
            sha256: "bb22".to_owned(),
        }],
        options,
        counts: RunCounts { planned: 3, ..RunCounts::default() },
        exit_code: None,
    }
}
