//! What a code judge is told on its standard input: one JSON object, all keys always there.

use std::{
    borrow::Cow,
    io::{self, Write},
    path::PathBuf,
};

use agentv_base::{
    GradeContext, GraderResult, Message, Messages, TokenUsage, TraceEvent, TraceSummary,
};
use serde::Serialize;
use serde_json::Value;

use crate::grader::composite::ByName;

/// The object. Messages inside are in the snake_case of the wire; the summary keeps the camelCase
/// it has in rows.
#[derive(Serialize)]
struct Payload<'a> {
    question: Cow<'a, str>,
    expected_outcome: Option<&'a str>,
    expected_messages: &'a Messages,
    reference_answer: String,
    candidate_answer: &'a str,
    output_messages: Option<&'a [Message]>,
    guideline_files: Vec<String>,
    /// Without the guideline files.
    input_files: Vec<String>,
    input_messages: &'a Messages,
    candidate_trace_summary: Option<TraceSummary>,
    candidate_trace: Option<&'a [TraceEvent]>,
    eval_id: &'a str,
    target: &'a str,
    token_usage: Option<TokenUsage>,
    cost_usd: Option<f64>,
    duration_ms: Option<f64>,
    config: &'a Value,
    /// Only there for a program that adds up the scores of other graders.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<ByName<'a>>,
}

/// Writes the object to `out`, ended by a line break for judges that read lines.
pub(super) fn write(
    context: &GradeContext<'_>,
    config: &Value,
    results: Option<&[GraderResult]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let GradeContext { case, target, response, .. } = *context;
    let input = &case.input;
    let payload = Payload {
        question: input.question(),
        expected_outcome: case.expected_outcome.as_deref(),
        expected_messages: &case.expected_messages,
        reference_answer: case.reference_answer(),
        candidate_answer: &response.text,
        output_messages: response.output_messages.as_deref(),
        guideline_files: paths(input.guideline_files.iter()),
        input_files: paths(input.files.iter().filter(|file| !input.guideline_files.contains(file))),
        input_messages: &input.messages,
        candidate_trace_summary: response.trace_summary(),
        candidate_trace: response.trace.as_deref(),
        eval_id: &input.eval_id,
        target,
        token_usage: response.token_usage,
        cost_usd: response.cost_usd,
        duration_ms: response.duration_ms,
        config,
        results: results.map(ByName),
    };
    serde_json::to_writer(&mut *out, &payload)?;
    out.write_all(b"\n")
}

/// JSON is text: a path that is not UTF-8 is shown with its odd bytes replaced.
fn paths<'a>(files: impl Iterator<Item = &'a PathBuf>) -> Vec<String> {
    files.map(|file| file.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{eval_case, response, with_context};

    /// The payload as the judge would parse it, in the order in which it was written.
    fn check(record: &Value, config: &Value) -> Value {
        let (case, response) = (eval_case(), response(record));
        let mut bytes = Vec::new();
        with_context(&case, &response, |context| write(context, config, None, &mut bytes)).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text.lines().count(), 1);
        assert!(text.ends_with('\n'));
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_judge_is_told_everything_in_snake_case() {
        let record = json!({
            "text": "Paris",
            "output_messages": [{
                "role": "assistant",
                "content": {"city": "Paris"},
                "tool_calls": [{"tool": "atlas", "input": {"q": "France"}, "output": "Paris", "duration_ms": 12.5}],
            }],
            "trace": [
                {"type": "tool_call", "name": "atlas", "input": {"q": "France"}},
                {"type": "error", "text": "slow"},
            ],
            "token_usage": {"input": 7, "output": 1, "cached": 3},
            "cost_usd": 0.001,
            "duration_ms": 1234.5,
        });
        insta::assert_json_snapshot!(check(&record, &json!({"strict": true})));
    }

    #[test]
    fn what_is_not_known_is_null() {
        let told = check(&json!({"text": "Paris"}), &Value::Null);
        for key in [
            "output_messages",
            "candidate_trace_summary",
            "candidate_trace",
            "token_usage",
            "cost_usd",
            "duration_ms",
            "config",
        ] {
            assert_eq!(told.get(key), Some(&Value::Null), "{key}");
        }
    }

    #[test]
    fn guideline_files_are_not_input_files() {
        let told = check(&json!({"text": ""}), &Value::Null);
        assert_eq!(told["guideline_files"], json!(["/suites/house.prompt.md"]));
        assert_eq!(told["input_files"], json!(["/suites/map.txt"]));
    }
}
