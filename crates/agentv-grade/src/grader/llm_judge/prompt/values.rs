//! What stands for the blanks of a prompt, under the names of every dialect.

use agentv_base::{Call, EvalCase, GradeContext};
use serde::Serialize;
use serde_json::{Value, json};

use super::{super::rubric::Rubric, listed};

/// Every name, and the one that it stands for.
pub(in crate::grader::llm_judge) const KNOWN: &[(&str, &str)] = &[
    ("question", "question"),
    ("input", "question"),
    ("input_text", "question"),
    ("question_text", "question"),
    ("expected_outcome", "expected_outcome"),
    ("outcome", "expected_outcome"),
    ("criteria", "expected_outcome"),
    ("reference_answer", "reference_answer"),
    ("reference_answer_text", "reference_answer"),
    ("expected_output", "reference_answer"),
    ("expected_output_text", "reference_answer"),
    ("candidate_answer", "candidate_answer"),
    ("candidate_answer_text", "candidate_answer"),
    ("answer", "candidate_answer"),
    ("output", "candidate_answer"),
    ("output_text", "candidate_answer"),
    ("input_messages", "input_messages"),
    ("expected_messages", "expected_messages"),
    ("output_messages", "output_messages"),
    ("messages", "output_messages"),
    ("guidelines", "guidelines"),
    ("rubrics", "rubrics"),
    ("rubric", "rubrics"),
    ("rubrics_json", "rubrics_json"),
    ("trace", "trace"),
    ("candidate_trace", "trace"),
    ("trace_summary", "trace_summary"),
    ("candidate_trace_summary", "trace_summary"),
    ("tool_calls", "tool_calls"),
    ("token_usage", "token_usage"),
    ("cost_usd", "cost_usd"),
    ("duration_ms", "duration_ms"),
    ("eval_id", "eval_id"),
    ("test_id", "eval_id"),
    ("target", "target"),
];

/// What stands where nobody knows: a trace that was not kept, a cost that nobody told.
const UNKNOWN: &str = "unknown";

/// In front of a variable of the case.
const VARS: &str = "vars.";

/// What stands for a name of the table, or for a variable of the case.
pub(super) fn value(name: &str, rubrics: &[Rubric], context: &GradeContext<'_>) -> String {
    let GradeContext { case, target, response, .. } = *context;
    match name {
        "question" => case.input.question().into_owned(),
        "expected_outcome" => case.expected_outcome.as_deref().unwrap_or_default().to_owned(),
        "reference_answer" => case.reference_answer(),
        "candidate_answer" => response.text.clone(),
        "input_messages" => pretty(&case.input.messages),
        "expected_messages" => pretty(&case.expected_messages),
        // A target that tells no messages said one all the same.
        "output_messages" => response.output_messages.as_ref().map_or_else(
            || pretty(&json!([{"role": "assistant", "content": response.text}])),
            pretty,
        ),
        "guidelines" => case.input.guidelines().unwrap_or_default(),
        "rubrics" => listed(rubrics),
        "rubrics_json" => pretty(&rubrics.iter().map(of_rubric).collect::<Vec<_>>()),
        "trace" => known(response.trace.as_ref()),
        "trace_summary" => known(response.trace_summary().as_ref()),
        "tool_calls" => {
            let calls = response.calls();
            known(calls.map(|calls| calls.iter().map(of_call).collect::<Vec<_>>()).as_ref())
        }
        "token_usage" => known(response.token_usage.as_ref()),
        "cost_usd" => known(response.cost_usd.as_ref()),
        "duration_ms" => known(response.duration_ms.as_ref()),
        "eval_id" => case.id().to_owned(),
        "target" => target.to_owned(),
        own => var(case, own).map(text_of).unwrap_or_default(),
    }
}

/// A variable of the case, by its name or below `vars`, and what is inside of it.
pub(super) fn var<'c>(case: &'c EvalCase, name: &str) -> Option<&'c Value> {
    let vars = case.vars.as_deref()?;
    let find = |path: &str| {
        let mut names = path.split('.');
        let first = vars.get(names.next()?)?;
        names.try_fold(first, |value, name| {
            let place = || value.get(name.parse::<usize>().ok()?);
            value.get(name).or_else(place)
        })
    };
    find(name).or_else(|| find(name.strip_prefix(VARS)?))
}

/// As templates tell values: null is nothing, a text is itself, anything else is JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

fn known<T: Serialize>(value: Option<&T>) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), pretty)
}

fn pretty<T: Serialize>(value: &T) -> String {
    // Values of ours can always be written.
    serde_json::to_string_pretty(value).unwrap_or_else(|_| UNKNOWN.to_owned())
}

fn of_rubric(rubric: &Rubric) -> Value {
    let mut map = json!({"id": rubric.id, "description": rubric.description});
    if let (Some(ranges), Some(map)) = (&rubric.ranges, map.as_object_mut()) {
        let levels = ranges
            .levels()
            .iter()
            .map(|level| json!({"score_range": [level.from, level.to], "outcome": level.outcome}));
        map.insert("score_ranges".to_owned(), levels.collect());
    }
    map
}

fn of_call(call: &Call<'_>) -> Value {
    let mut map = serde_json::Map::new();
    map.insert("tool".to_owned(), json!(call.tool));
    for (key, value) in [("input", call.input), ("output", call.output)] {
        if let Some(value) = value {
            map.insert(key.to_owned(), value.clone());
        }
    }
    Value::Object(map)
}
