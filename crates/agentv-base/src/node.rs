//! A settings tree in which every key and every value knows where it stands.
//!
//! It is what any file of ours becomes before anyone gives it a meaning. Collections are shared,
//! so that an anchor used a thousand times costs one copy.

use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use crate::{
    diagnostic::{Diagnostic, Problems},
    source::SourceId,
    text::Text,
    word::Word,
};

/// A range of bytes in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    pub source: SourceId,
    pub start: u32,
    pub end: u32,
}

/// One value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub span: Span,
    pub value: NodeValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NodeValue {
    Null,
    Bool(bool),
    /// A whole number as YAML 1.2 reads it.
    Integer(i64),
    Float(f64),
    String(Text),
    List(Arc<[Node]>),
    Map(Arc<[Entry]>),
}

/// One `key: value` of a map. Invariant: keys of a map are unique.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: Word,
    pub key_span: Span,
    pub value: Node,
}

impl Node {
    pub fn new(span: Span, value: NodeValue) -> Self {
        Self { span, value }
    }

    /// Takes the value out, and leaves nothing in its place.
    #[must_use]
    pub fn take(&mut self) -> Self {
        let nothing = Self::new(self.span, NodeValue::Null);
        std::mem::replace(self, nothing)
    }

    pub fn is_null(&self) -> bool {
        matches!(self.value, NodeValue::Null)
    }

    pub fn as_str(&self) -> Option<&str> {
        if let NodeValue::String(text) = &self.value { Some(text) } else { None }
    }

    pub fn as_list(&self) -> Option<&[Node]> {
        if let NodeValue::List(items) = &self.value { Some(items) } else { None }
    }

    pub fn as_map(&self) -> Option<&[Entry]> {
        if let NodeValue::Map(entries) = &self.value { Some(entries) } else { None }
    }

    /// The value under `key`, where this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.iter().find(|entry| &*entry.key == key).map(|entry| &entry.value)
    }

    /// What this is, in the words of an error message.
    pub fn kind_name(&self) -> &'static str {
        match &self.value {
            NodeValue::Null => "nothing",
            NodeValue::Bool(_) => "a boolean",
            NodeValue::Integer(_) | NodeValue::Float(_) => "a number",
            NodeValue::String(_) => "a string",
            NodeValue::List(_) => "a list",
            NodeValue::Map(_) => "a map",
        }
    }

    /// A value that was never written anywhere.
    pub fn from_json(value: &Value) -> Self {
        let value = match value {
            Value::Null => NodeValue::Null,
            Value::Bool(value) => NodeValue::Bool(*value),
            Value::Number(number) => match number.as_i64() {
                Some(value) => NodeValue::Integer(value),
                None => NodeValue::Float(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => NodeValue::String(text.as_str().into()),
            Value::Array(items) => NodeValue::List(items.iter().map(Self::from_json).collect()),
            Value::Object(map) => NodeValue::Map(
                map.iter()
                    .map(|(key, value)| Entry {
                        key: key.as_str().into(),
                        key_span: Span::default(),
                        value: Self::from_json(value),
                    })
                    .collect(),
            ),
        };
        Self::new(Span::default(), value)
    }

    /// The same value as JSON; nothing where it has numbers that JSON cannot hold (`.inf`, `.nan`),
    /// each of which is reported at its place.
    pub fn checked_json(&self, problems: &mut Problems) -> Option<Value> {
        self.report_numbers(problems).then(|| self.to_json())
    }

    /// Whether there are none that JSON cannot hold; each is looked at, also after one that is wrong.
    fn report_numbers(&self, problems: &mut Problems) -> bool {
        let mut fine = true;
        match &self.value {
            NodeValue::Float(value) if !value.is_finite() => {
                problems.push(
                    Diagnostic::error("JSON knows no such number")
                        .code("wrong-type")
                        .at(self.span)
                        .hint("put it in quotes where a text is meant"),
                );
                fine = false;
            }
            NodeValue::List(items) => {
                for item in items.iter() {
                    fine &= item.report_numbers(problems);
                }
            }
            NodeValue::Map(entries) => {
                for entry in entries.iter() {
                    fine &= entry.value.report_numbers(problems);
                }
            }
            NodeValue::Null
            | NodeValue::Bool(_)
            | NodeValue::Integer(_)
            | NodeValue::Float(_)
            | NodeValue::String(_) => {}
        }
        fine
    }

    /// The same value as JSON. Numbers that JSON cannot hold (`.inf`, `.nan`) become null.
    pub fn to_json(&self) -> Value {
        match &self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(value) => Value::Bool(*value),
            NodeValue::Integer(value) => Value::from(*value),
            NodeValue::Float(value) => Value::from(*value),
            NodeValue::String(text) => Value::String(text.to_string()),
            NodeValue::List(items) => Value::Array(items.iter().map(Node::to_json).collect()),
            NodeValue::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.to_string(), entry.value.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }
}

/// As JSON has it; places are not a part of it.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            NodeValue::Null => serializer.serialize_unit(),
            NodeValue::Bool(value) => serializer.serialize_bool(*value),
            NodeValue::Integer(value) => serializer.serialize_i64(*value),
            NodeValue::Float(value) => serializer.serialize_f64(*value),
            NodeValue::String(text) => serializer.serialize_str(text),
            NodeValue::List(items) => serializer.collect_seq(items.iter()),
            NodeValue::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for entry in entries.iter() {
                    map.serialize_entry(&*entry.key, &entry.value)?;
                }
                map.end()
            }
        }
    }
}
