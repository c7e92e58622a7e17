//! The trail that an agent left: its events, and their summary.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    call::{called, tool_called},
    message::Message,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceEventKind {
    ModelStep,
    ToolCall,
    ToolResult,
    Message,
    Error,
}

impl TraceEventKind {
    /// The kind that goes by this name on the wire.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "model_step" => Some(Self::ModelStep),
            "tool_call" => Some(Self::ToolCall),
            "tool_result" => Some(Self::ToolResult),
            "message" => Some(Self::Message),
            "error" => Some(Self::Error),
            _ => None,
        }
    }
}

/// One event of an explicit trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceEvent {
    #[serde(rename = "type")]
    pub kind: TraceEventKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// The counts of a trace that rows and judges carry. Its keys are camelCase inside snake_case
/// rows, as they have always been.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceSummary {
    pub event_count: usize,
    /// Sorted, each once.
    pub tool_names: Vec<String>,
    pub tool_calls_by_name: BTreeMap<String, usize>,
    pub error_count: usize,
}

impl TraceSummary {
    pub fn of_trace(events: &[TraceEvent]) -> Self {
        let errors = events.iter().filter(|event| event.kind == TraceEventKind::Error).count();
        Self::of_calls(events.len(), errors, events.iter().filter_map(tool_called))
    }

    pub fn of_messages(messages: &[Message]) -> Self {
        let tools = || called(messages).map(|call| call.tool.as_str());
        Self::of_calls(tools().count(), 0, tools())
    }

    fn of_calls<'a>(
        event_count: usize,
        error_count: usize,
        tools: impl Iterator<Item = &'a str>,
    ) -> Self {
        let mut tool_calls_by_name = BTreeMap::new();
        for tool in tools {
            *tool_calls_by_name.entry(tool.to_owned()).or_insert(0) += 1;
        }
        let tool_names = tool_calls_by_name.keys().cloned().collect();
        Self { event_count, tool_names, tool_calls_by_name, error_count }
    }
}
