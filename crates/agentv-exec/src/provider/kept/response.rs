//! A response on disk: the shape that `agentv invoke` prints, which can be read back.

use std::{path::PathBuf, sync::Arc};

use agentv_base::{
    CommandRaw, CommandRun, Message, ModelRaw, Provenance, Raw, RecordRaw, Response, TokenUsage,
    ToolCall, TraceEvent,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// A response in camelCase. Inside the program, and in rows, the same words are snake_case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptResponse {
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_messages: Option<Vec<KeptMessage>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<TraceEvent>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token_usage: Option<TokenUsage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    raw: KeptRaw,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptMessage {
    role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<KeptCall>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptCall {
    tool: String,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    input: Option<Value>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
}

/// A null that stands there is a value: a tool may have been given one.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// How the answer came about: of a command, of a model, or from a record. The first that fits
/// counts when it is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum KeptRaw {
    Command {
        command: String,
        exit_code: Option<i32>,
        stderr: String,
        cwd: String,
        output_file: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        record_id: Option<String>,
    },
    Model {
        model: String,
        url: String,
        status: u16,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        finish_reason: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
        tries: u32,
    },
    Record {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
    },
}

impl KeptResponse {
    pub fn of(response: &Response) -> Self {
        let messages = response.output_messages.as_ref();
        Self {
            text: response.text.clone(),
            output_messages: messages.map(|list| list.iter().map(KeptMessage::of).collect()),
            trace: response.trace.clone(),
            token_usage: response.token_usage,
            cost_usd: response.cost_usd,
            duration_ms: response.duration_ms,
            raw: KeptRaw::of(&response.raw),
        }
    }

    /// The response that was kept. What it left running when it was given is long gone.
    pub(super) fn into_response(self, dropped_elements: usize, provenance: Provenance) -> Response {
        let messages = self.output_messages;
        Response {
            text: self.text,
            output_messages: messages
                .map(|list| list.into_iter().map(KeptMessage::into_message).collect()),
            trace: self.trace,
            token_usage: self.token_usage,
            cost_usd: self.cost_usd,
            duration_ms: self.duration_ms,
            dropped_elements,
            leaked: Vec::new(),
            provenance,
            raw: self.raw.into_raw(),
        }
    }
}

impl KeptMessage {
    fn of(message: &Message) -> Self {
        Self {
            role: message.role.clone(),
            name: message.name.clone(),
            content: message.content.clone(),
            tool_calls: message.tool_calls.iter().map(KeptCall::of).collect(),
            timestamp: message.timestamp.clone(),
            metadata: message.metadata.clone(),
        }
    }

    fn into_message(self) -> Message {
        Message {
            role: self.role,
            name: self.name,
            content: self.content,
            tool_calls: self.tool_calls.into_iter().map(KeptCall::into_call).collect(),
            timestamp: self.timestamp,
            metadata: self.metadata,
        }
    }
}

impl KeptCall {
    fn of(call: &ToolCall) -> Self {
        Self {
            tool: call.tool.clone(),
            input: call.input.clone(),
            output: call.output.clone(),
            id: call.id.clone(),
            timestamp: call.timestamp.clone(),
            duration_ms: call.duration_ms,
        }
    }

    fn into_call(self) -> ToolCall {
        let Self { tool, input, output, id, timestamp, duration_ms } = self;
        ToolCall { tool, input, output, id, timestamp, duration_ms }
    }
}

impl KeptRaw {
    fn of(raw: &Raw) -> Self {
        let shown = |path: &std::path::Path| path.to_string_lossy().into_owned();
        match raw {
            Raw::Command(raw) => Self::Command {
                command: raw.run.command.clone(),
                exit_code: raw.run.exit_code,
                stderr: raw.run.stderr.clone(),
                cwd: shown(&raw.run.cwd),
                output_file: raw.run.output_file.as_deref().map(shown),
                record_id: raw.record_id.as_deref().map(str::to_owned),
            },
            Raw::Model(raw) => Self::Model {
                model: raw.model.clone(),
                url: raw.url.to_string(),
                status: raw.status,
                finish_reason: raw.finish_reason.clone(),
                request_id: raw.request_id.clone(),
                tries: raw.tries,
            },
            Raw::Record(raw) => {
                Self::Record { file: raw.file.as_deref().map(shown), line: raw.line }
            }
        }
    }

    fn into_raw(self) -> Raw {
        let path = |text: String| Arc::from(PathBuf::from(text));
        match self {
            Self::Command { command, exit_code, stderr, cwd, output_file, record_id } => {
                let cwd = PathBuf::from(cwd);
                let output_file = output_file.map(PathBuf::from);
                let run = Arc::new(CommandRun { command, exit_code, stderr, cwd, output_file });
                Raw::Command(CommandRaw { run, record_id: record_id.map(Arc::from) })
            }
            Self::Model { model, url, status, finish_reason, request_id, tries } => {
                let url = url.into();
                Raw::Model(ModelRaw { model, url, status, finish_reason, request_id, tries })
            }
            Self::Record { file, line } => Raw::Record(RecordRaw { file: file.map(path), line }),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What comes back of a response that was written.
    fn check(raw: Raw) {
        let call = ToolCall {
            tool: "t".to_owned(),
            input: Some(Value::Null),
            output: None,
            id: Some("1".to_owned()),
            timestamp: None,
            duration_ms: Some(1.5),
        };
        let message = Message {
            role: "assistant".to_owned(),
            name: None,
            content: Some(json!([{"b": 1, "a": 2}])),
            tool_calls: vec![call],
            timestamp: Some("now".to_owned()),
            metadata: Some(Map::from_iter([("k".to_owned(), json!(1))])),
        };
        let response = Response {
            text: "an answer\n".to_owned(),
            output_messages: Some(vec![message]),
            trace: Some(vec![serde_json::from_value(json!({"type": "tool_call"})).unwrap()]),
            token_usage: Some(TokenUsage { input: 1, output: 2, cached: Some(1) }),
            cost_usd: Some(0.25),
            duration_ms: None,
            dropped_elements: 3,
            leaked: Vec::new(),
            provenance: Provenance::Asked,
            raw,
        };
        let text = serde_json::to_string(&KeptResponse::of(&response)).unwrap();
        let read: KeptResponse = serde_json::from_str(&text).unwrap();
        assert_eq!(read.into_response(3, Provenance::Asked), response);
    }

    #[test]
    fn a_response_is_read_back_as_it_was() {
        let run = CommandRun {
            command: "echo".to_owned(),
            exit_code: Some(0),
            stderr: "said".to_owned(),
            cwd: PathBuf::from("/x"),
            output_file: None,
        };
        check(Raw::Command(CommandRaw { run: Arc::new(run), record_id: Some("a".into()) }));
        check(Raw::Model(ModelRaw {
            model: "m".to_owned(),
            url: "http://127.0.0.1".into(),
            status: 200,
            finish_reason: Some("length".to_owned()),
            request_id: None,
            tries: 2,
        }));
        check(Raw::Record(RecordRaw { file: Some(PathBuf::from("/f").into()), line: Some(2) }));
        check(Raw::Record(RecordRaw { file: None, line: None }));
    }
}
