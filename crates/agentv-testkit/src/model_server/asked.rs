//! What a server was asked, in the words of its vendor and in words of no vendor.

use serde_json::Value;

use super::{http::Incoming, vendor};

/// Whose form a request has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    /// OpenAI's chat completions.
    OpenaiChat,
    /// OpenAI's responses.
    OpenaiResponses,
    Azure,
    Anthropic,
    Gemini,
}

/// One request.
#[derive(Clone, Debug)]
pub struct Asked {
    /// How many were asked before it.
    pub number: usize,
    /// The numbers of those that had no answer yet when it arrived.
    pub beside: Vec<usize>,
    /// None where nobody has such a path.
    pub vendor: Option<Vendor>,
    pub method: String,
    /// Without what follows a question mark.
    pub path: String,
    pub query: String,
    pub headers: Vec<(String, String)>,
    /// Null where it is not JSON.
    pub body: Value,
    /// What the body was, byte for byte where it is text.
    pub text: String,
    /// The status with which it was refused, before anybody looked at the script.
    pub refused: Option<u16>,
}

impl Asked {
    pub(super) fn new(number: usize, incoming: Incoming) -> Self {
        let (path, query) = match incoming.target.split_once('?') {
            Some((path, query)) => (path.to_owned(), query.to_owned()),
            None => (incoming.target.clone(), String::new()),
        };
        Self {
            number,
            beside: Vec::new(),
            vendor: vendor::of_path(&path),
            method: incoming.method,
            path,
            query,
            headers: incoming.headers,
            body: serde_json::from_slice(&incoming.body).unwrap_or(Value::Null),
            text: String::from_utf8_lossy(&incoming.body).into_owned(),
            refused: None,
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let named = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.headers.iter().find(named).map(|(_, value)| value.as_str())
    }

    /// The value of one of the parameters of the address.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The model that was asked for, wherever the vendor has it.
    pub fn model(&self) -> Option<&str> {
        match self.vendor? {
            Vendor::Gemini => {
                let model = self.path.strip_prefix(vendor::GEMINI_MODELS)?;
                Some(model.split(':').next().unwrap_or_default())
            }
            Vendor::Azure => self.path.split('/').nth(3),
            Vendor::OpenaiChat | Vendor::OpenaiResponses | Vendor::Anthropic => {
                self.body["model"].as_str()
            }
        }
    }

    /// Who said what, system prompt first, as `(role, text)`; the assistant is called so whatever
    /// the vendor calls it.
    pub fn turns(&self) -> Vec<(String, String)> {
        let Some(vendor) = self.vendor else { return Vec::new() };
        let (system, turns) = match vendor {
            Vendor::OpenaiChat | Vendor::Azure => (&Value::Null, &self.body["messages"]),
            Vendor::OpenaiResponses => (&self.body["instructions"], &self.body["input"]),
            Vendor::Anthropic => (&self.body["system"], &self.body["messages"]),
            Vendor::Gemini => (&self.body["systemInstruction"], &self.body["contents"]),
        };
        let system = (!system.is_null()).then(|| ("system".to_owned(), text_of(system)));
        let turns: Vec<(String, String)> = match turns {
            Value::String(text) => vec![("user".to_owned(), text.clone())],
            turns => turns.as_array().into_iter().flatten().map(turn).collect(),
        };
        system.into_iter().chain(turns).collect()
    }

    /// What was said last.
    pub fn prompt(&self) -> String {
        self.turns().pop().map(|(_, text)| text).unwrap_or_default()
    }

    /// The schema that the answer must follow, wherever the vendor has it.
    pub fn schema(&self) -> Option<&Value> {
        let found = match self.vendor? {
            Vendor::OpenaiChat | Vendor::Azure => {
                &self.body["response_format"]["json_schema"]["schema"]
            }
            Vendor::OpenaiResponses => &self.body["text"]["format"]["schema"],
            Vendor::Anthropic => {
                let tools = self.body["tools"].as_array()?;
                let forced = self.forced_tool()?;
                &tools.iter().find(|tool| tool["name"] == forced)?["input_schema"]
            }
            Vendor::Gemini => {
                let config = &self.body["generationConfig"];
                let other = &config["responseJsonSchema"];
                if other.is_null() { &config["responseSchema"] } else { other }
            }
        };
        Some(found).filter(|schema| !schema.is_null())
    }

    /// The tool that must be called, of Anthropic.
    pub(super) fn forced_tool(&self) -> Option<&str> {
        let choice = &self.body["tool_choice"];
        choice["name"].as_str().filter(|_| choice["type"] == "tool")
    }
}

fn turn(turn: &Value) -> (String, String) {
    let role = match turn["role"].as_str().unwrap_or_default() {
        "model" => "assistant",
        other => other,
    };
    let content = if turn["parts"].is_null() { &turn["content"] } else { turn };
    (role.to_owned(), text_of(content))
}

/// The text of a string, of a list of parts, or of an object with parts.
fn text_of(content: &Value) -> String {
    let parts = match content {
        Value::String(text) => return text.clone(),
        Value::Array(parts) => parts,
        other => match other["parts"].as_array() {
            Some(parts) => parts,
            None => return String::new(),
        },
    };
    let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}
