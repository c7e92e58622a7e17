//! Answers a batch: reads the requests in `AGENTV_BATCH_FILE` and writes a record for each to
//! `AGENTV_OUTPUT_FILE`, with the faults that its flags ask for. ID is the id of a request, N a
//! line of what is written, from 1.
//!
//! | flag | effect |
//! |---|---|
//! | `--text TEMPLATE` | the answers, with `{id}` and `{question}` filled in; `echo` (the default) gives the question |
//! | `--leave-out ID` | no record for it |
//! | `--duplicate ID` | two records for it |
//! | `--unknown ID` | a record that nobody asked for |
//! | `--error ID MESSAGE` | its record says that it failed |
//! | `--no-text ID` | its record has no text |
//! | `--tools ID A,B` | its record has a message that calls these tools |
//! | `--bad-line N`, `--blank-line N` | line N is not JSON, or blank, before what would be there |
//! | `--add JSON` | the members of this object are added to every record |
//! | `--reverse`, `--crlf`, `--bom` | the other order, Windows line ends, a byte-order mark |

use std::{collections::BTreeMap, fs};

use serde_json::{Map, Value, json};

use crate::{Words, fail, variable, write_file};

#[derive(Default)]
struct Faults {
    template: Option<String>,
    left_out: Vec<String>,
    duplicates: Vec<String>,
    unknown: Vec<String>,
    errors: BTreeMap<String, String>,
    without_text: Vec<String>,
    tools: BTreeMap<String, String>,
    /// What to put before which line, in the order of the flags.
    insertions: Vec<(usize, &'static str)>,
    added: Map<String, Value>,
    reverse: bool,
    crlf: bool,
    bom: bool,
}

pub(crate) fn answer(words: &mut Words) {
    let faults = Faults::read(words);
    let path = variable("AGENTV_BATCH_FILE");
    let requests =
        fs::read_to_string(&path).unwrap_or_else(|error| fail(&format!("{path}: {error}")));
    let mut lines: Vec<String> =
        requests.lines().flat_map(|line| faults.records_for(line)).collect();
    lines.extend(
        faults.unknown.iter().map(|id| json!({"id": id, "text": "nobody asked"}).to_string()),
    );
    if faults.reverse {
        lines.reverse();
    }
    for (line, text) in &faults.insertions {
        let place = line.saturating_sub(1).min(lines.len());
        lines.insert(place, (*text).to_owned());
    }
    let end = if faults.crlf { "\r\n" } else { "\n" };
    let mut output = String::from(if faults.bom { "\u{feff}" } else { "" });
    for line in lines {
        output.push_str(&line);
        output.push_str(end);
    }
    write_file(&variable("AGENTV_OUTPUT_FILE"), output.as_bytes());
}

impl Faults {
    fn read(words: &mut Words) -> Self {
        let mut faults = Self::default();
        while words.peek().is_some_and(|word| word.starts_with("--")) {
            let flag = words.take("a flag");
            faults.read_flag(&flag, words);
        }
        faults
    }

    fn read_flag(&mut self, flag: &str, words: &mut Words) {
        match flag {
            "--text" => self.template = Some(words.take("a template")),
            "--leave-out" => self.left_out.push(words.take("an id")),
            "--duplicate" => self.duplicates.push(words.take("an id")),
            "--unknown" => self.unknown.push(words.take("an id")),
            "--error" => {
                let id = words.take("an id");
                self.errors.insert(id, words.take("a message"));
            }
            "--no-text" => self.without_text.push(words.take("an id")),
            "--tools" => {
                let id = words.take("an id");
                self.tools.insert(id, words.take("names"));
            }
            "--bad-line" => self.insert(words, "{\"id\": \"broken\", text}"),
            "--blank-line" => self.insert(words, ""),
            "--add" => {
                let added = words.take("an object");
                match serde_json::from_str(&added) {
                    Ok(Value::Object(members)) => self.added.extend(members),
                    _ => fail(&format!("`{added}` is not an object")),
                }
            }
            "--reverse" => self.reverse = true,
            "--crlf" => self.crlf = true,
            "--bom" => self.bom = true,
            flag => fail(&format!("`{flag}` is no flag of batch")),
        }
    }

    fn insert(&mut self, words: &mut Words, text: &'static str) {
        self.insertions.push((words.number("a line"), text));
    }

    /// No record, one or two.
    fn records_for(&self, line: &str) -> Vec<String> {
        let request: Value = serde_json::from_str(line)
            .unwrap_or_else(|error| fail(&format!("a request is not JSON: {error}")));
        let text = |key: &str| request.get(key).and_then(Value::as_str).unwrap_or_default();
        let (id, question) = (text("id"), text("question"));
        if self.left_out.iter().any(|out| out == id) {
            return Vec::new();
        }
        let record = Value::Object(self.record(id, question)).to_string();
        let count = 1 + usize::from(self.duplicates.iter().any(|twice| twice == id));
        vec![record; count]
    }

    fn record(&self, id: &str, question: &str) -> Map<String, Value> {
        let mut record = Map::new();
        record.insert("id".into(), id.into());
        if let Some(message) = self.errors.get(id) {
            record.insert("error".into(), message.as_str().into());
        } else if !self.without_text.iter().any(|without| without == id) {
            let text = match self.template.as_deref() {
                None | Some("echo") => question.to_owned(),
                Some(template) => template.replace("{id}", id).replace("{question}", question),
            };
            record.insert("text".into(), text.into());
        }
        if let Some(tools) = self.tools.get(id) {
            let calls: Vec<_> =
                tools.split(',').map(|tool| json!({"tool": tool, "input": {}})).collect();
            let message = json!({"role": "assistant", "tool_calls": calls});
            record.insert("output_messages".into(), json!([message]));
        }
        record.extend(self.added.clone());
        record
    }
}
