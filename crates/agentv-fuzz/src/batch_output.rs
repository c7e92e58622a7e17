//! Any bytes as what a tool wrote: as the JSONL file of a batch, and as the output of one case.
//!
//! What the reader says is held against a slow reading of the same lines as plain JSON values.

use std::{
    fs::File,
    io::{Seek as _, Write as _},
    sync::Arc,
};

use agentv_base::{Answer, Answers, AskAgain, Failure, FailureKind, Response, excerpt};
use agentv_exec::provider::cli::output;
use serde_json::Value;

use crate::scratch;

/// What a batch is asked for. Short, so that a fuzzer finds them, and one that needs escapes.
const REQUESTED: [&str; 4] = ["a", "b", "case-1", "ä\n"];
/// Most characters of a bad line that a message may show.
const EXCERPT: usize = 200;
/// Most bytes of what a tool said about a case of its own.
const SAID: usize = 2 * 1024;

/// Panics where reading these bytes breaks a promise.
pub fn check(bytes: &[u8]) {
    let lines = Lines::of(bytes);
    check_batch(bytes, &lines, None);
    check_batch(bytes, &lines, Some(AskAgain::Together));
    check_case(bytes);
}

fn file_with(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile_in(scratch()).unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}

/// The lines of a file, read in the simplest way there is.
struct Lines<'b> {
    all: Vec<&'b [u8]>,
    /// Every line that is not blank: its number, and what it is where that is JSON.
    records: Vec<(usize, Option<Value>)>,
}

impl<'b> Lines<'b> {
    fn of(bytes: &'b [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let all: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        let records = all
            .iter()
            .enumerate()
            .filter(|(_, line)| !line.trim_ascii().is_empty())
            .map(|(index, line)| (index + 1, serde_json::from_slice(line).ok()))
            .collect();
        Self { all, records }
    }

    /// The lines of this id, and whether there may be others among lines that could not be read.
    fn with_id(&self, id: &str) -> (Vec<usize>, bool) {
        let has_id = |value: &Value| value.get("id").and_then(Value::as_str) == Some(id);
        let found = self.records.iter().filter(|(_, value)| value.as_ref().is_some_and(has_id));
        let found = found.map(|(line, _)| *line).collect();
        (found, self.records.iter().any(|(_, value)| value.is_none()))
    }

    /// Whether every line is a record that the format allows, each id once.
    fn are_sound(&self) -> bool {
        let mut ids: Vec<&str> = Vec::new();
        for (_, value) in &self.records {
            let id = value.as_ref().and_then(|value| value.get("id")).and_then(Value::as_str);
            match id {
                Some(id) if !id.trim().is_empty() => ids.push(id),
                Some(_) | None => return false,
            }
        }
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        ids.len() == count
    }
}

fn check_batch(bytes: &[u8], lines: &Lines<'_>, ask_again: Option<AskAgain>) {
    let ids: Vec<Arc<str>> = REQUESTED.iter().map(|id| Arc::from(*id)).collect();
    let answers = match output::of_batch(file_with(bytes), ids, ask_again) {
        Ok(answers) => answers,
        Err(failure) => return check_failed_batch(&failure, lines, ask_again),
    };
    for warning in answers.warnings() {
        assert_harmless(warning);
    }
    for (index, id) in REQUESTED.iter().enumerate() {
        let (found, unsure) = lines.with_id(id);
        let answer = answers.settle(index);
        match &answer {
            Answer::Given(response) => {
                let agentv_base::Raw::Command(raw) = &response.raw else {
                    panic!("not of a command")
                };
                assert_eq!(raw.record_id.as_deref(), Some(*id));
                check_metrics(response);
                if let [line] = found.as_slice() {
                    check_text(response, lines, *line);
                }
                assert!(found.len() == 1 || unsure, "{id}: answered from {found:?}");
            }
            Answer::Failed(failure) => {
                assert!(found.len() == 1 || unsure, "{id}: failed at {found:?}");
                check_failed_record(failure, lines);
            }
            Answer::Unanswered { ask, failure } => {
                assert_eq!(Some(*ask), ask_again);
                assert!(found.is_empty(), "{id} is unanswered, but stands on {found:?}");
                assert_eq!(failure.kind, FailureKind::Missing);
                assert_harmless(&failure.message);
                assert!(failure.message.contains(&excerpt(id, EXCERPT)), "{}", failure.message);
            }
        }
        // An answer stays in its file, and can be taken again.
        assert_eq!(said(&answer), said(&answers.settle(index)));
    }
}

/// A batch of which nothing is taken: what is said of it is true.
fn check_failed_batch(failure: &Failure, lines: &Lines<'_>, ask_again: Option<AskAgain>) {
    assert_harmless(&failure.message);
    if failure.kind == FailureKind::Missing {
        assert_eq!(ask_again, None);
        let missing = REQUESTED.iter().filter(|id| failure.message.contains(&excerpt(id, EXCERPT)));
        assert!(missing.count() > 0, "{}", failure.message);
        let all = REQUESTED.iter().all(|id| lines.with_id(id).0.len() == 1);
        assert!(!all, "nothing is missing: {}", failure.message);
        return;
    }
    assert_eq!(failure.kind, FailureKind::Batch);
    assert!(!lines.are_sound(), "refused without a reason: {}", failure.message);
    if let Some(rest) = failure.message.strip_prefix("id `") {
        let (_, places) = rest.rsplit_once("` of batch output stands on line ").unwrap();
        let (first, second) = places.split_once(" and again on line ").unwrap();
        let (first, second): (usize, usize) = (first.parse().unwrap(), second.parse().unwrap());
        assert!(first < second && second <= lines.all.len(), "{}", failure.message);
    } else {
        check_bad_line(&failure.message, lines);
    }
}

fn check_failed_record(failure: &Failure, lines: &Lines<'_>) {
    if failure.kind == FailureKind::Target {
        return assert!(failure.message.len() <= SAID);
    }
    assert_eq!(failure.kind, FailureKind::Output);
    match failure.message.strip_prefix("record on ") {
        Some(place) => assert!(line_of(place, lines) > 0),
        None => check_bad_line(&failure.message, lines),
    }
}

/// The message names a line that exists, and ends with a short piece of that very line.
fn check_bad_line(message: &str, lines: &Lines<'_>) {
    assert_harmless(message);
    let number = line_of(message, lines);
    let written = String::from_utf8_lossy(lines.all[number - 1].trim_ascii_end()).into_owned();
    let shown = excerpt(&written, EXCERPT);
    assert!(shown.chars().count() <= EXCERPT);
    let reason = message.strip_suffix(&shown).unwrap_or_else(|| panic!("{message}"));
    assert!(reason.ends_with(": "), "{message}");
    // The parser's reason must not bring in the line by another way.
    assert!(reason.chars().count() <= 160, "{message}");
}

fn line_of(message: &str, lines: &Lines<'_>) -> usize {
    let number = message.strip_prefix("line ").and_then(|rest| rest.split(' ').next());
    let number: usize = number.unwrap().parse().unwrap();
    let blank = lines.all[number - 1].trim_ascii().is_empty();
    assert!(!blank, "{message}");
    number
}

fn assert_harmless(message: &str) {
    assert!(!message.chars().any(char::is_control), "{message:?}");
}

fn check_metrics(response: &Response) {
    for number in [response.duration_ms, response.cost_usd].into_iter().flatten() {
        assert!(number.is_finite() && number >= 0.0);
    }
    let messages = response.output_messages.as_ref().is_none_or(|messages| !messages.is_empty());
    let trace = response.trace.as_ref().is_none_or(|events| !events.is_empty());
    assert!(messages && trace, "an empty list counts as none");
    response.trace_summary();
}

/// An answer that stands in the record as text is that text.
fn check_text(response: &Response, lines: &Lines<'_>, line: usize) {
    let record = lines.records.iter().find(|(number, _)| *number == line);
    let text = record.and_then(|(_, value)| value.as_ref()?.get("text")?.as_str());
    if let Some(text) = text {
        assert_eq!(response.text, text);
    }
}

fn said(answer: &Answer) -> (&str, Option<FailureKind>) {
    match answer {
        Answer::Given(response) => (&response.text, None),
        Answer::Failed(failure) | Answer::Unanswered { failure, .. } => {
            (&failure.message, Some(failure.kind))
        }
    }
}

/// The same bytes as the output of a single case.
fn check_case(bytes: &[u8]) {
    let content = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(content).ok().filter(|text| !text.trim().is_empty());
    let answers: Arc<dyn Answers> = match (output::of_case(file_with(bytes)), text) {
        (Ok(answers), Some(_)) => answers,
        (Err(failure), None) => {
            assert_eq!(failure.kind, FailureKind::Output);
            return assert_harmless(&failure.message);
        }
        (Ok(_), None) => panic!("what is no text was taken for an answer"),
        (Err(failure), Some(_)) => panic!("refused without a reason: {}", failure.message),
    };
    let Answer::Given(response) = answers.settle(0) else { panic!("there is an answer") };
    check_metrics(&response);
    match serde_json::from_slice::<Value>(content) {
        Ok(Value::Object(record)) => {
            if let Some(Value::String(text)) = record.get("text") {
                assert_eq!(&response.text, text);
            }
        }
        // What is no record is the answer to the last byte.
        Ok(_) => assert_eq!(Some(&*response.text), text),
        Err(_) => {}
    }
    assert!(matches!(answers.settle(0), Answer::Failed(_)), "an answer is given once");
}
