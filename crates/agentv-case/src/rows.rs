//! What rows of data are: cases, labels of people, or results of a run. The keys of the first row
//! tell; nothing else of the file is read here.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
};

use agentv_base::{Diagnostic, Node};
use csv::ReaderBuilder;
use serde_json::{Map, Value};

use crate::labels::{are_labels, are_results};

/// A first row that is longer tells nothing; with a trace it may be long.
const LONGEST: u64 = 16 * 1024 * 1024;
/// Most files that one message names; the others are counted.
const NAMED: usize = 5;
/// Keys that only cases have: what a target is told.
const OF_CASES: [&str; 3] = ["input", "input_messages", "vars"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowsKind {
    /// Or anything else: whoever names the file says that they are cases.
    Cases,
    Labels,
    Results,
}

impl RowsKind {
    /// Of a file of JSON lines or a table. One that cannot be read is told by whoever reads it.
    pub(crate) fn of_file(file: &Path) -> Self {
        let is_table = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let keys = if is_table { columns(file) } else { first_keys(file) };
        Self::of_keys(&keys.unwrap_or_default())
    }

    /// Of a list that was read.
    pub(crate) fn of_list(node: &Node) -> Self {
        let first = node.as_list().and_then(<[Node]>::first).and_then(Node::as_map);
        let keys = first.unwrap_or_default().iter().map(|entry| entry.key.to_string());
        Self::of_keys(&keys.collect::<Vec<_>>())
    }

    fn of_keys(keys: &[String]) -> Self {
        let has = |name: &&str| keys.iter().any(|key| key == name);
        if OF_CASES.iter().any(has) {
            Self::Cases
        } else if are_labels(keys) {
            Self::Labels
        } else if has(&"eval_id") && are_results(keys) {
            Self::Results
        } else {
            Self::Cases
        }
    }

    /// What is said of files that were met by the way, under the names that they are shown by.
    pub(crate) fn skipped(self, files: &[String]) -> Diagnostic {
        let more = files.len().saturating_sub(NAMED);
        let mut names: Vec<String> =
            files.iter().take(NAMED).map(|file| format!("`{file}`")).collect();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        let last = names.pop().unwrap_or_default();
        let names =
            if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) };
        let what = match (self, files.len()) {
            (Self::Cases, 1) => "is no suite and is skipped",
            (Self::Cases, _) => "are no suites and are skipped",
            (Self::Labels, 1) => "holds labels for `agentv calibrate` and is skipped",
            (Self::Labels, _) => "hold labels for `agentv calibrate` and are skipped",
            (Self::Results, 1) => "holds rows of a run and is skipped",
            (Self::Results, _) => "hold rows of runs and are skipped",
        };
        let warning = Diagnostic::warning(format!("{names} {what}")).code("skipped-file");
        match self {
            Self::Cases => {
                warning.hint("name the file itself, or put a YAML file of the same name beside it")
            }
            Self::Labels | Self::Results => warning,
        }
    }

    /// What is said of a file that was named as a suite and is none; nothing where it may be one.
    pub(crate) fn refused(self, shown: &str) -> Option<Diagnostic> {
        let (what, hint) = match self {
            Self::Cases => return None,
            Self::Labels => (
                "labels",
                format!(
                    "labels are read with their suite: `agentv calibrate SUITE --labels {shown}`"
                ),
            ),
            Self::Results => (
                "rows of a run",
                "give the suite that was run; `provider: replay` takes answers from such rows"
                    .to_owned(),
            ),
        };
        let message = format!("`{shown}` holds {what}, not cases");
        Some(Diagnostic::error(message).code("no-suite").hint(hint))
    }
}

fn opened(file: &Path) -> Option<impl std::io::BufRead> {
    // Before it is opened: to open a pipe is to wait for someone who writes to it.
    if !file.is_file() {
        return None;
    }
    Some(BufReader::new(File::open(file).ok()?.take(LONGEST)))
}

fn columns(file: &Path) -> Option<Vec<String>> {
    let mut reader = ReaderBuilder::new().from_reader(opened(file)?);
    let names = reader.headers().ok()?.iter();
    Some(names.map(|name| name.trim().to_owned()).collect())
}

/// The keys of the first line that is not blank.
fn first_keys(file: &Path) -> Option<Vec<String>> {
    let mut reader = opened(file)?;
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let content = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
        if !content.is_empty() {
            let row: Map<String, Value> = serde_json::from_slice(content).ok()?;
            return Some(row.into_iter().map(|(key, _)| key).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{
        RowsKind::{Cases, Labels, Results},
        *,
    };

    fn check(name: &str, content: &str) -> RowsKind {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::write(&file, content).unwrap();
        RowsKind::of_file(&file)
    }

    #[test]
    fn the_keys_of_the_first_row_tell_what_rows_are() {
        let label = r#"{"eval_id": "a", "answer": "x", "label": "pass"}"#;
        let row = r#"{"timestamp": "t", "eval_id": "a", "target": "b", "score": 1, "hits": []}"#;
        for (name, content, kind) in [
            ("a.jsonl", label.to_owned(), Labels),
            ("a.jsonl", format!("\u{feff}\r\n{label}\r\n"), Labels),
            ("a.csv", "id,output,human_label\na,x,pass\n".to_owned(), Labels),
            ("a.CSV", "\u{feff}eval_id, answer, label, labeler\n".to_owned(), Labels),
            ("a.jsonl", row.to_owned(), Results),
            ("a.jsonl", row.replace("\"score\"", "\"label\""), Labels),
            ("a.csv", "eval_id,target,status,score\n".to_owned(), Results),
            // Nothing says that these are anything but cases.
            ("a.jsonl", r#"{"id": "a", "input": "x", "label": "pass"}"#.to_owned(), Cases),
            ("a.jsonl", r#"{"id": "a", "question": "x", "label": "pass"}"#.to_owned(), Cases),
            ("a.csv", "id,question,label\n".to_owned(), Cases),
            ("a.jsonl", r#"{"target": "a", "suite": "b"}"#.to_owned(), Cases),
            ("a.jsonl", "[1]\n".to_owned(), Cases),
            ("a.jsonl", "{".to_owned(), Cases),
            ("a.jsonl", String::new(), Cases),
            ("a.csv", String::new(), Cases),
        ] {
            assert_eq!(check(name, &content), kind, "{name}: {content}");
        }
        assert_eq!(RowsKind::of_file(Path::new("/nowhere.jsonl")), Cases);
    }

    #[test]
    fn files_of_a_kind_are_told_together() {
        let told = |count: usize| {
            let files: Vec<String> = (0..count).map(|number| format!("{number}.csv")).collect();
            Labels.skipped(&files).message
        };
        assert_eq!(told(1), "`0.csv` holds labels for `agentv calibrate` and is skipped");
        assert_eq!(
            told(2),
            "`0.csv` and `1.csv` hold labels for `agentv calibrate` and are skipped"
        );
        assert_eq!(
            told(8),
            "`0.csv`, `1.csv`, `2.csv`, `3.csv`, `4.csv` and 3 more hold labels for `agentv \
             calibrate` and are skipped"
        );
    }
}
