//! One answer as a JSON object, whoever wrote it: which of its fields count, and what is dropped.
//!
//! Fields that are not listed are skipped without being built. Where a key stands twice the last
//! one wins, as in most JSON readers.

use std::fmt;

use agentv_base::{Message, TokenUsage, ToolCall, TraceEvent, TraceEventKind};
use serde::{
    Deserialize,
    de::{Deserializer, IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value};

/// The fields of a record as they stand; null counts as absent.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub text: Option<Value>,
    pub output_messages: Option<Value>,
    pub trace: Option<Value>,
    pub error: Option<Value>,
    pub duration_ms: Option<Value>,
    pub token_usage: Option<Value>,
    pub cost_usd: Option<Value>,
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RecordVisitor;

        impl<'de> Visitor<'de> for RecordVisitor {
            type Value = Record;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
                let mut record = Record::default();
                while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                    let field = match &*key {
                        "text" => &mut record.text,
                        "output_messages" => &mut record.output_messages,
                        "trace" => &mut record.trace,
                        "error" => &mut record.error,
                        "duration_ms" => &mut record.duration_ms,
                        "token_usage" => &mut record.token_usage,
                        "cost_usd" => &mut record.cost_usd,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *field = map.next_value::<Option<Value>>()?;
                }
                Ok(record)
            }
        }

        deserializer.deserialize_map(RecordVisitor)
    }
}

/// What a record says, with everything that did not fit left out and counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// The answer: `text`, else the last thing an assistant said. None where neither is there.
    pub text: Option<String>,
    pub output_messages: Option<Vec<Message>>,
    pub trace: Option<Vec<TraceEvent>>,
    /// The tool's own word that this case failed.
    pub error: Option<String>,
    pub duration_ms: Option<f64>,
    /// A duration was reported, also one that says nothing usable: then what is measured is none.
    pub reports_duration: bool,
    pub token_usage: Option<TokenUsage>,
    pub cost_usd: Option<f64>,
    pub dropped: usize,
}

impl Record {
    pub fn read(mut self) -> Reading {
        let mut dropped = 0;
        let messages = elements(self.output_messages.take(), &mut dropped, message);
        let reading = self.read_with(messages);
        Reading { dropped: reading.dropped + dropped, ..reading }
    }

    /// As `read`, with the messages that are known already.
    pub fn read_with(self, output_messages: Option<Vec<Message>>) -> Reading {
        let mut dropped = 0;
        let trace = elements(self.trace, &mut dropped, |item, _| trace_event(item));
        let text = self.text.map(into_text).or_else(|| {
            let messages = output_messages.as_ref()?;
            let said = messages.iter().rev().filter(|message| message.role == "assistant");
            Some(said.into_iter().find_map(Message::text).unwrap_or_default())
        });
        Reading {
            text,
            output_messages,
            trace,
            error: self.error.and_then(error_text),
            reports_duration: self.duration_ms.as_ref().is_some_and(|said| !said.is_null()),
            duration_ms: usable(self.duration_ms.as_ref(), &mut dropped, quantity),
            token_usage: usable(self.token_usage.as_ref(), &mut dropped, token_usage),
            cost_usd: usable(self.cost_usd.as_ref(), &mut dropped, quantity),
            dropped,
        }
    }
}

/// A string as it is, anything else as compact JSON.
fn into_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_)) => other.to_string(),
    }
}

/// A blank string and `false` are how tools say that there was none; anything else is an error,
/// also where it is not a string.
fn error_text(value: Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) => Some(text).filter(|text| !text.trim().is_empty()),
        other @ (Value::Bool(true) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Some(other.to_string())
        }
    }
}

/// What a metric says; one that says nothing usable is unknown, and counted.
fn usable<T>(
    value: Option<&Value>,
    dropped: &mut usize,
    read: impl Fn(&Value) -> Option<T>,
) -> Option<T> {
    let read = read(value?);
    *dropped += usize::from(read.is_none());
    read
}

fn quantity(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite() && *number >= 0.0)
}

fn token_usage(value: &Value) -> Option<TokenUsage> {
    let count = |name: &str| value.get(name).and_then(whole_number);
    Some(TokenUsage { input: count("input")?, output: count("output")?, cached: count("cached") })
}

/// A count, also where a tool writes it as `12.0`.
fn whole_number(value: &Value) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, not negative, and far below the limit"
    )]
    let from_float =
        |number: f64| (number.fract() == 0.0 && number < 1e15).then_some(number as u64);
    value.as_u64().or_else(|| quantity(value).and_then(from_float))
}

/// The elements of a list that fit, in order; nothing where none does.
fn elements<T>(
    value: Option<Value>,
    dropped: &mut usize,
    read: impl Fn(Map<String, Value>, &mut usize) -> Option<T>,
) -> Option<Vec<T>> {
    let Value::Array(items) = value? else {
        *dropped += 1;
        return None;
    };
    let mut fitting = Vec::with_capacity(items.len());
    for item in items {
        let element = if let Value::Object(item) = item { read(item, dropped) } else { None };
        match element {
            Some(element) => fitting.push(element),
            None => *dropped += 1,
        }
    }
    (!fitting.is_empty()).then_some(fitting)
}

fn message(mut item: Map<String, Value>, dropped: &mut usize) -> Option<Message> {
    let Some(Value::String(role)) = item.remove("role") else { return None };
    let tool_calls = elements(present(&mut item, "tool_calls"), dropped, |call, _| tool_call(call));
    Some(Message {
        role,
        name: string(&mut item, "name"),
        content: present(&mut item, "content"),
        tool_calls: tool_calls.unwrap_or_default(),
        timestamp: string(&mut item, "timestamp"),
        metadata: object(&mut item, "metadata"),
    })
}

fn tool_call(mut item: Map<String, Value>) -> Option<ToolCall> {
    let Some(Value::String(tool)) = item.remove("tool") else { return None };
    Some(ToolCall {
        tool,
        input: item.remove("input"),
        output: item.remove("output"),
        id: string(&mut item, "id"),
        timestamp: string(&mut item, "timestamp"),
        duration_ms: item.get("duration_ms").and_then(quantity),
    })
}

/// An event fits when its type is known and its optional fields have the types they should.
fn trace_event(mut item: Map<String, Value>) -> Option<TraceEvent> {
    let kind = TraceEventKind::from_name(item.get("type")?.as_str()?)?;
    let strings_fit = ["timestamp", "id", "name", "text"]
        .iter()
        .all(|name| item.get(*name).is_none_or(|value| value.is_null() || value.is_string()));
    let metadata_fits =
        item.get("metadata").is_none_or(|value| value.is_null() || value.is_object());
    if !strings_fit || !metadata_fits {
        return None;
    }
    Some(TraceEvent {
        kind,
        timestamp: string(&mut item, "timestamp"),
        id: string(&mut item, "id"),
        name: string(&mut item, "name"),
        text: string(&mut item, "text"),
        input: item.remove("input"),
        output: item.remove("output"),
        metadata: object(&mut item, "metadata"),
    })
}

fn present(item: &mut Map<String, Value>, name: &str) -> Option<Value> {
    item.remove(name).filter(|value| !value.is_null())
}

fn string(item: &mut Map<String, Value>, name: &str) -> Option<String> {
    if let Some(Value::String(text)) = item.remove(name) { Some(text) } else { None }
}

fn object(item: &mut Map<String, Value>, name: &str) -> Option<Map<String, Value>> {
    if let Some(Value::Object(map)) = item.remove(name) { Some(map) } else { None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Reading {
        serde_json::from_str::<Record>(&value.to_string()).unwrap().read()
    }

    #[test]
    fn text_that_is_not_a_string_becomes_compact_json() {
        for (text, answer) in [
            (json!("a"), "a"),
            (json!(1.5), "1.5"),
            (json!({"b": [1, 2]}), r#"{"b":[1,2]}"#),
            (json!(false), "false"),
        ] {
            assert_eq!(read(&json!({ "text": text })).text.as_deref(), Some(answer));
        }
    }

    #[test]
    fn null_text_counts_as_absent_and_the_last_assistant_speaks() {
        let reading = read(&json!({"text": null, "output_messages": [
            {"role": "assistant", "content": "first"},
            {"role": "assistant", "content": {"final": 1}},
            {"role": "assistant", "tool_calls": [{"tool": "x"}]},
            {"role": "user", "content": "not me"},
        ]}));
        assert_eq!(reading.text.as_deref(), Some(r#"{"final":1}"#));
    }

    #[test]
    fn messages_without_any_content_give_an_empty_answer() {
        let calls = json!([{"role": "assistant", "content": "", "tool_calls": [{"tool": "x"}]}]);
        assert_eq!(read(&json!({ "output_messages": calls })).text.as_deref(), Some(""));
    }

    #[test]
    fn elements_that_do_not_fit_are_dropped_and_counted_and_the_rest_keeps_its_order() {
        let reading = read(&json!({
            "text": "x",
            "output_messages": [
                {"role": "assistant", "tool_calls": [{"tool": "a", "input": 1}, {"name": "no tool"}, {"tool": "b"}]},
                {"content": "no role"},
                "not a map",
                {"role": "tool", "name": 5, "content": [1]},
            ],
            "trace": [
                {"type": "tool_call", "name": "a"},
                {"type": "unheard_of"},
                {"type": "error", "timestamp": 5},
                {"type": "message", "metadata": "no map"},
                {"type": "message", "text": "hi", "timestamp": null},
            ],
        }));
        let messages = reading.output_messages.unwrap();
        let tools: Vec<_> = messages[0].tool_calls.iter().map(|call| call.tool.as_str()).collect();
        assert_eq!(tools, ["a", "b"]);
        assert_eq!(messages.len(), 2);
        assert_eq!(messages[1].name, None);
        let kinds: Vec<_> = reading.trace.unwrap().iter().map(|event| event.kind).collect();
        assert_eq!(kinds, [TraceEventKind::ToolCall, TraceEventKind::Message]);
        assert_eq!(reading.dropped, 6);
    }

    #[test]
    fn a_trace_with_no_valid_event_counts_as_none() {
        let reading = read(&json!({"text": "x", "trace": [{"type": "nonsense"}]}));
        assert!(reading.trace.is_none());
        assert_eq!(reading.dropped, 1);
    }

    #[test]
    fn an_error_of_any_shape_is_an_error_and_a_blank_one_is_none() {
        for (error, expected) in [
            (json!("boom"), Some("boom")),
            (json!({"code": 1}), Some(r#"{"code":1}"#)),
            (json!(true), Some("true")),
            (json!(""), None),
            (json!(null), None),
            (json!(false), None),
        ] {
            assert_eq!(read(&json!({"text": "x", "error": error})).error.as_deref(), expected);
        }
    }

    #[test]
    fn metrics_that_make_no_sense_are_unknown() {
        let reading = read(&json!({"text": "x", "duration_ms": -1, "cost_usd": "3",
            "token_usage": {"input": 1}}));
        assert_eq!(
            (reading.duration_ms, reading.cost_usd, reading.token_usage),
            (None, None, None)
        );
        assert_eq!(reading.dropped, 3);
    }

    #[test]
    fn counts_may_be_written_as_floats() {
        let reading = read(&json!({"text": "x", "token_usage": {"input": 3.0, "output": 4}}));
        assert_eq!(reading.token_usage, Some(TokenUsage { input: 3, output: 4, cached: None }));
    }

    #[test]
    fn a_key_given_twice_counts_by_its_last_place() {
        let record: Record = serde_json::from_str(r#"{"text":"a","text":"b"}"#).unwrap();
        assert_eq!(record.read().text.as_deref(), Some("b"));
    }
}
