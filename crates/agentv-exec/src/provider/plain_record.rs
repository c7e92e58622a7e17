//! A record in which everything fits, as nearly all do: read at once into what is kept of it.
//!
//! A record with anything odd in it is none of these. It is read by `record`, which builds the JSON
//! first and says what did not fit; for all that both can read they say the same.

use agentv_base::{Message, TokenUsage, ToolCall};
use serde::{
    Deserialize,
    de::{Deserializer, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};

use super::record::{Reading, Record};

/// What the record on a line says.
pub(super) fn read(line: &[u8]) -> Result<Reading, serde_json::Error> {
    // Whole lines are checked faster than the texts in them one by one.
    match str::from_utf8(line).ok().and_then(read_plain) {
        Some(reading) => Ok(reading),
        None => serde_json::from_slice::<Record>(line).map(Record::read),
    }
}

fn read_plain(text: &str) -> Option<Reading> {
    serde_json::from_str::<Object<Plain>>(text).ok()?.0.read()
}

#[derive(Deserialize)]
struct Plain {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    output_messages: Option<Vec<Object<PlainMessage>>>,
    #[serde(default)]
    trace: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
    #[serde(default)]
    duration_ms: Option<f64>,
    #[serde(default)]
    token_usage: Option<Object<TokenUsage>>,
    #[serde(default)]
    cost_usd: Option<f64>,
}

#[derive(Deserialize)]
struct PlainMessage {
    role: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    tool_calls: Vec<Object<PlainCall>>,
    #[serde(default)]
    timestamp: Option<String>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct PlainCall {
    tool: String,
    #[serde(default, deserialize_with = "also_null")]
    input: Option<Value>,
    #[serde(default, deserialize_with = "also_null")]
    output: Option<Value>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    timestamp: Option<String>,
    #[serde(default)]
    duration_ms: Option<f64>,
}

impl Plain {
    /// Nothing where a number is none that can be meant.
    fn read(self) -> Option<Reading> {
        let fits = |number: &Option<f64>| number.is_none_or(|number| number >= 0.0);
        if !fits(&self.duration_ms) || !fits(&self.cost_usd) {
            return None;
        }
        let messages = self.output_messages.filter(|messages| !messages.is_empty());
        let messages: Option<Vec<Message>> = match messages {
            Some(messages) => Some(messages.into_iter().map(message).collect::<Option<_>>()?),
            None => None,
        };
        let text = self.text.map(Value::String);
        // The little that is left is read as in any other record.
        let rest = Record { text, trace: self.trace, error: self.error, ..Record::default() };
        Some(Reading {
            duration_ms: self.duration_ms,
            reports_duration: self.duration_ms.is_some(),
            token_usage: self.token_usage.map(|usage| usage.0),
            cost_usd: self.cost_usd,
            ..rest.read_with(messages)
        })
    }
}

fn message(Object(message): Object<PlainMessage>) -> Option<Message> {
    let call = |Object(call): Object<PlainCall>| {
        call.duration_ms.is_none_or(|it| it >= 0.0).then_some(ToolCall {
            tool: call.tool,
            input: call.input,
            output: call.output,
            id: call.id,
            timestamp: call.timestamp,
            duration_ms: call.duration_ms,
        })
    };
    Some(Message {
        role: message.role,
        name: message.name,
        content: message.content,
        tool_calls: message.tool_calls.into_iter().map(call).collect::<Option<_>>()?,
        timestamp: message.timestamp,
        metadata: message.metadata,
    })
}

/// Null is a value that a tool can be given.
fn also_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// An object and nothing else: by itself the parser would take a list of the right length as well.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = T;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(ObjectVisitor(std::marker::PhantomData)).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// What both readers say.
    fn check(record: &Value) -> bool {
        let line = record.to_string();
        let Some(plain) = read_plain(&line) else { return false };
        let slow = serde_json::from_str::<Record>(&line).unwrap().read();
        assert_eq!(format!("{plain:?}"), format!("{slow:?}"), "{line}");
        true
    }

    #[test]
    fn records_as_they_should_be_are_plain() {
        assert!(check(&json!({"id": "a", "text": "x", "duration_ms": 1.5, "cost_usd": 0})));
        assert!(check(&json!({"id": "a", "text": null, "output_messages": [
            {"role": "assistant", "content": "hm", "tool_calls": [
                {"tool": "search", "input": {"q": [1]}, "output": null, "id": "1", "duration_ms": 3},
            ]},
            {"role": "tool", "name": "search", "content": null, "metadata": {"x": 1}},
            {"role": "assistant", "content": {"final": true}, "timestamp": "now"},
        ], "token_usage": {"input": 1, "output": 2, "cached": null}, "more": {}})));
        assert!(check(&json!({"text": "x", "trace": [{"type": "message"}, 5], "error": "boom"})));
        assert!(check(&json!({"text": "x", "output_messages": []})));
        assert!(check(&json!({})));
    }

    #[test]
    fn whatever_is_odd_is_left_to_the_other_reader() {
        for odd in [
            json!([]),
            json!({"text": 5}),
            json!({"duration_ms": -1}),
            json!({"cost_usd": "1"}),
            json!({"token_usage": [1, 2, 3]}),
            json!({"token_usage": {"input": 1.0, "output": 2}}),
            json!({"output_messages": {}}),
            json!({"output_messages": [["assistant", null, "x"]]}),
            json!({"output_messages": [{"content": "x"}]}),
            json!({"output_messages": [{"role": "a", "name": 5}]}),
            json!({"output_messages": [{"role": "a", "tool_calls": null}]}),
            json!({"output_messages": [{"role": "a", "tool_calls": [["t"]]}]}),
            json!({"output_messages": [{"role": "a", "tool_calls": [{"tool": "t", "duration_ms": -1}]}]}),
        ] {
            assert!(!check(&odd), "{odd}");
        }
        let doubled = br#"{"text": "a", "text": "b"}"#;
        assert_eq!(read(doubled).unwrap().text.as_deref(), Some("b"));
        assert!(read(b"{\"text\": \"\xff\"}").is_err());
    }

    fn anything() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3..9).prop_map(Value::from),
            (-1.0..9.0).prop_map(|number: f64| json!(number)),
            "[a-z]{0,3}".prop_map(Value::from),
        ];
        let key = prop::sample::select(vec![
            "text",
            "output_messages",
            "trace",
            "error",
            "duration_ms",
            "token_usage",
            "cost_usd",
            "role",
            "name",
            "content",
            "tool_calls",
            "tool",
            "input",
            "output",
            "cached",
            "id",
            "timestamp",
            "metadata",
            "type",
        ]);
        leaf.prop_recursive(5, 40, 6, move |inner| {
            let role = prop::option::of("[a-z]{0,2}");
            let entries = prop::collection::vec((key.clone(), inner.clone()), 0..6);
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::from),
                (role, entries).prop_map(|(role, entries)| {
                    let named =
                        role.map(|role| [("role", role.clone().into()), ("tool", role.into())]);
                    let entries = entries.into_iter().chain(named.into_iter().flatten());
                    Value::Object(entries.map(|(key, value)| (key.to_owned(), value)).collect())
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_plain_is_read_as_the_other_reader_would(record in anything()) {
            check(&record);
        }

        #[test]
        fn messages_that_are_plain_are_too(messages in prop::collection::vec(anything(), 0..3)) {
            check(&json!({ "output_messages": messages }));
        }
    }
}
