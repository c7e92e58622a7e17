//! The table against what rows really hold.

use agentv_base::{
    CalibrationNote, CheckRecord, Exchange, Failure, FailureKind, JudgeRecord, LeakedProcess,
    Message, Outcome, SchemaWriter, TokenUsage, TraceEvent, TraceEventKind, WrittenBy,
};
use serde_json::{Map, Value, json};

use super::*;
use crate::record::{
    Row,
    sample::{assessed, failed, failed_attempt, full_response, grader, response, scored, settled},
};

fn validator() -> jsonschema::Validator {
    let mut writer = SchemaWriter::new(WrittenBy::Program);
    let root = writer.part(&ROW);
    jsonschema::draft7::new(&writer.finish("Row", root)).unwrap()
}

fn judge() -> JudgeRecord {
    JudgeRecord {
        target: "judge".to_owned(),
        fingerprint: "0123456789ab".to_owned(),
        asks: 2,
        samples: vec![0.5, 1.0],
        spread: Some(0.25),
        checks: vec![CheckRecord {
            id: "rubric-1".to_owned(),
            score: 1.0,
            reasoning: Some("so".to_owned()),
        }],
        token_usage: Some(TokenUsage { input: 1, output: 2, cached: Some(0) }),
        cost_usd: Some(0.001),
        calibration: Some(CalibrationNote {
            measured_at: "2026-11-15T12:00:00Z".to_owned(),
            labels: 40,
            accuracy: 0.9,
            kappa: Some(0.8),
            true_positive_rate: Some(0.9),
            true_negative_rate: Some(0.9),
            errors: Some(1),
            pass_from: vec![0.8],
            passes_here_from: Some(0.6),
        }),
        exchanges: vec![Exchange {
            instructions: "a".to_owned(),
            prompt: "b".to_owned(),
            repair: Some("c".to_owned()),
            answer: "d".to_owned(),
        }],
    }
}

/// A row in which nothing is left out.
fn whole_row() -> Value {
    let mut inner = grader("inner", 1.0, &["a"], &["b"]);
    inner.reasoning = Some("Good.".to_owned());
    inner.required_score = Some(0.5);
    inner.stderr = Some("warning".to_owned());
    inner.error = Some("none".to_owned());
    inner.barred = true;
    inner.judge = Some(Box::new(judge()));
    inner.evaluator_results = vec![inner.clone()];
    let mut answer = full_response();
    answer.trace = Some(vec![TraceEvent {
        kind: TraceEventKind::ToolCall,
        timestamp: Some("now".to_owned()),
        id: Some("1".to_owned()),
        name: Some("search".to_owned()),
        text: Some("x".to_owned()),
        input: Some(json!(1)),
        output: Some(json!([])),
        metadata: Some(Map::new()),
    }]);
    answer.token_usage = Some(TokenUsage { input: 0, output: 0, cached: Some(0) });
    answer.dropped_elements = 1;
    for message in answer.output_messages.iter_mut().flatten() {
        *message = Message {
            name: Some("n".to_owned()),
            timestamp: Some("now".to_owned()),
            metadata: Some(Map::new()),
            ..message.clone()
        };
        for call in &mut message.tool_calls {
            call.output = Some(json!(null));
            call.id = Some("1".to_owned());
            call.timestamp = Some("now".to_owned());
        }
    }
    let mut settled = settled(0, "whole", assessed(answer, vec![inner]));
    settled.failed_attempts = vec![failed_attempt(FailureKind::Exit, "exit code 1", 5.0)];
    let mut row =
        Row::of(&settled, crate::record::Keeping { trace: true, question: true, prompts: false })
            .unwrap();
    row.conversation_id = Some("talk".into());
    row.tags = vec!["slow".into()];
    row.question = Some("Why?".into());
    row.question_omitted = 1;
    row.reference_answer = Some("Because.".into());
    row.reference_omitted = 1;
    row.error = Some("why".into());
    row.file = Some("cases.jsonl".into());
    row.error_kind = Some("exit".into());
    row.error_class = Some("target".into());
    row.cached = true;
    row.fingerprint = Some("00ff".into());
    for attempt in &mut row.failed_attempts {
        attempt.token_usage = row.token_usage;
        attempt.cost_usd = Some(0.5);
    }
    serde_json::to_value(&row).unwrap()
}

/// Every map of a value has exactly the keys of its part, in their order.
fn check_names(value: &Value, shape: &Shape) {
    match (shape, value) {
        (Shape::Part(part), Value::Object(map)) => {
            let keys = part.tables.concat();
            let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
            let written: Vec<&str> = map.keys().map(String::as_str).collect();
            // A grader is made of others only down to some depth.
            let written = match part.what {
                "grader result" if !written.contains(&"evaluator_results") => {
                    [written, vec!["evaluator_results"]].concat()
                }
                _ => written,
            };
            assert_eq!(written, names, "in {}", part.what);
            for key in &keys {
                check_names(&value[key.name], &key.shape);
            }
        }
        (Shape::List(items), Value::Array(values)) => {
            assert!(!values.is_empty(), "an empty list shows nothing");
            for value in values {
                check_names(value, items);
            }
        }
        _ => {}
    }
}

#[test]
fn the_table_names_exactly_what_a_row_holds_in_its_order() {
    check_names(&whole_row(), &Shape::Part(&ROW));
}

#[test]
fn rows_of_every_kind_satisfy_the_schema() {
    let mut broken = grader("judge", 0.0, &[], &[]);
    broken.score = None;
    broken.verdict = None;
    broken.error = Some("judge: exit code 1".to_owned());
    let mut leaked = Failure::new(FailureKind::Timeout, "timed out after 5 s");
    leaked.leaked = std::sync::Arc::from([LeakedProcess { pid: 1, command: "tail".to_owned() }]);
    let mut shared = settled(0, "batch", Outcome::Failed { failure: leaked });
    shared.attempts = 2;
    shared.failed_attempts = vec![failed_attempt(FailureKind::Batch, "line 3", 1.0)];
    shared.failed_attempts[0].failure.duration_ms = None;
    let validator = validator();
    let check = |row: &Value| {
        let faults: Vec<String> = validator
            .iter_errors(row)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert_eq!(faults, [""; 0], "{row:#}");
    };
    check(&whole_row());
    for settled in [
        settled(0, "passed", scored(1.0, &[])),
        settled(0, "borderline", scored(0.7, &["short"])),
        settled(0, "failed", scored(0.0, &["wrong"])),
        settled(0, "error", failed(FailureKind::Exit, "exit code 7")),
        settled(0, "grader", assessed(response(""), vec![broken])),
        settled(0, "full", assessed(full_response(), vec![grader("has", 1.0, &["a"], &[])])),
        shared,
    ] {
        check(
            &serde_json::to_value(
                Row::of(
                    &settled,
                    crate::record::Keeping { trace: true, question: true, prompts: false },
                )
                .unwrap(),
            )
            .unwrap(),
        );
    }
}

#[test]
fn what_is_no_row_does_not_satisfy_it() {
    let validator = validator();
    for (key, value) in [
        ("score", json!("1")),
        ("score", json!(1.5)),
        ("score", json!(true)),
        ("status", json!("ok")),
        ("verdict", json!("good")),
        ("hits", json!(null)),
        ("attempts", json!(0)),
        ("evaluator_results", json!([{"name": "x"}])),
        ("token_usage", json!({"input": 1})),
    ] {
        let mut row = whole_row();
        row[key] = value;
        assert!(!validator.is_valid(&row), "{key}: {}", row[key]);
    }
    for key in ROW_KEYS.iter().filter(|key| key.required) {
        let mut row = whole_row();
        row.as_object_mut().unwrap().remove(key.name);
        assert!(!validator.is_valid(&row), "without {}", key.name);
    }
    let mut later = whole_row();
    later["of_a_later_version"] = json!(1);
    assert!(validator.is_valid(&later), "room for more");
}
