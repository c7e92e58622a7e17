//! Labels that people gave answers, for the calibration of judges: which case, which answer, and
//! whether it passes. Whoever judges the same answers is not known here.
//!
//! Two forms are read. In our own every key is known and anything else is a mistake. A row of
//! results with a `label` added is the other: its `score` and `verdict` are the judge's own and are
//! never taken for a person's. In both, a label that is there and blank has not been given yet: such
//! an answer is left out, and counted in a warning.

mod label;
mod reading;
mod row;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
    sync::Arc,
};

use agentv_base::{
    Diagnostic, Entry, EvalCase, Fields, Message, Node, NodeValue, Problems, SourceId, Sources,
    Span, Suite, TraceEvent, find_key,
};

use self::{label::LABEL_KEYS, reading::Reading};
use crate::{
    data::{Records, json_lines, json_value},
    folders,
    library::{FileText, Library},
    read::LARGEST_FILE,
    yaml,
};

/// What a minimal file looks like.
const EXAMPLE: &str = r#"{"eval_id": "capital", "answer": "It is Paris.", "label": "pass"}
{"eval_id": "capital", "answer": "It is Rome.", "label": "fail"}"#;

/// How the name of a file of labels may end.
const ENDINGS: &str = ".jsonl, .ndjson, .csv, .yaml, .yml, .json";

/// Whether rows with these keys are labels, or results to which someone added one.
pub(crate) fn are_labels(keys: &[String]) -> bool {
    let has = |name: &str| {
        let is = |key: &String| find_key(key, &[LABEL_KEYS]).is_some_and(|it| it.name == name);
        keys.iter().any(is)
    };
    let all_known = || keys.iter().all(|key| label::is_known(key));
    has("eval_id")
        && (has("label") && all_known() || are_results(keys) && row::have_label_added(keys))
}

/// Whether rows with these keys are results of a run.
pub(crate) fn are_results(keys: &[String]) -> bool {
    row::are_of_rows(keys.iter().map(String::as_str))
}

/// The labels of one file.
#[derive(Debug)]
pub struct Labels {
    pub labels: Vec<Label>,
    /// From the repository root, with `/`.
    pub path: String,
    /// SHA-256 of the file, in hex.
    pub content_hash: String,
}

/// What one person said of one answer.
#[derive(Clone, Debug)]
pub struct Label {
    pub case: Arc<EvalCase>,
    pub answer: String,
    pub output_messages: Option<Vec<Message>>,
    pub trace: Option<Vec<TraceEvent>>,
    pub said: HumanSaid,
    /// Which judge of the case it is about, and where that stands.
    pub grader: Option<(String, Span)>,
    pub labeler: Option<String>,
    pub span: Span,
    /// From 1.
    pub line: usize,
}

/// What a person said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HumanSaid {
    Pass,
    Fail,
    /// From 0 to 1; it passes from where the judge's score would.
    Score(f64),
}

impl HumanSaid {
    pub fn passes(self, cutoff: f64) -> bool {
        match self {
            Self::Pass => true,
            Self::Fail => false,
            Self::Score(score) => agentv_base::reaches(score, cutoff),
        }
    }
}

/// Reads the labels of a suite's cases. Every problem is reported; nothing is given where there is
/// an error among them.
pub fn read_labels(
    path: &Path,
    current_dir: &Path,
    root: &Path,
    suite: &Suite,
    sources: &mut Sources,
    problems: &mut Problems,
) -> Option<Labels> {
    let file = folders::absolute(path, current_dir);
    let mut library = Library {
        sources: std::mem::take(sources),
        current_dir: current_dir.to_owned(),
        hashing: true,
        referred: HashSet::new(),
        taken: BTreeMap::new(),
        known: HashMap::new(),
    };
    let read = library.read(&file, LARGEST_FILE);
    let shown = library.shown(&file);
    *sources = library.sources;
    let FileText { source, text, content_hash } =
        read.map_err(|problem| problems.push(problem)).ok()?;
    let mut found = Problems::default();
    let start = Span { source, start: 0, end: 0 };
    let nodes = match nodes_of(&file, source, &text, &mut found) {
        Ok(nodes) => nodes,
        Err(ending) => {
            let message = format!("labels cannot be read from `{}`", shown.display());
            let hint = if ending.is_empty() {
                format!("its name must end with one of {ENDINGS}")
            } else {
                format!("`.{ending}` is none of {ENDINGS}")
            };
            found.push(Diagnostic::error(message).code("unknown-format").hint(hint));
            Vec::new()
        }
    };
    if nodes.is_empty() && !found.has_errors() {
        let message = format!("`{}` has no labels", shown.display());
        found.push(
            Diagnostic::error(message)
                .code("empty-file")
                .at(start)
                .hint(format!("a label a line:\n{EXAMPLE}")),
        );
    }
    let mut reading = Reading::new(suite, &text);
    for node in &nodes {
        reading.take(node, &mut found);
    }
    let labels = reading.finish(&mut found);
    let failed = found.has_errors();
    problems.append(found);
    (!failed).then(|| Labels { labels, path: folders::from_root(&file, root), content_hash })
}

/// The maps that a file has, one a label; or the ending that says nothing.
fn nodes_of(
    file: &Path,
    source: SourceId,
    text: &Arc<String>,
    problems: &mut Problems,
) -> Result<Vec<Node>, String> {
    let ending = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    Ok(match ending.as_str() {
        "jsonl" | "ndjson" => json_lines(text, source)
            .filter_map(|(node, found)| {
                problems.append(found);
                node
            })
            .collect(),
        "csv" => table(text, source, problems),
        "json" => listed(json_value(text, source, problems), problems),
        "yaml" | "yml" => listed(yaml::parse_shared(text, source, problems), problems),
        _ => return Err(ending),
    })
}

/// The items of a list, or of a map that holds only the list.
fn listed(node: Option<Node>, problems: &mut Problems) -> Vec<Node> {
    let Some(node) = node.filter(|node| !node.is_null()) else { return Vec::new() };
    let list = match node.as_map() {
        Some([entry]) if &*entry.key == "labels" => &entry.value,
        _ => &node,
    };
    if let Some(items) = list.as_list() {
        return items.to_vec();
    }
    let message = format!("labels must be a list, not {}", list.kind_name());
    problems.push(Diagnostic::error(message).code("wrong-type").at(list.span));
    Vec::new()
}

/// The rows of a table. A blank cell says nothing, except of an answer: an empty one is an answer;
/// and a blank label is one that nobody has given yet.
fn table(text: &str, source: SourceId, problems: &mut Problems) -> Vec<Node> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let records = match Records::separated_by(separator(text), text, source) {
        Ok(records) => records,
        Err(problem) => {
            problems.push(problem);
            return Vec::new();
        }
    };
    let columns = columns(&records, problems);
    let mut nodes = Vec::new();
    for record in records {
        let (record, span) = match record {
            Ok(record) => record,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let cells =
            columns.iter().zip(&record).filter_map(|(name, cell)| Some((name.as_ref()?, cell)));
        let entries = cells.map(|(name, cell)| {
            let said = !cell.trim().is_empty() || label::is_answer(name);
            let value = if said { NodeValue::String(cell.into()) } else { NodeValue::Null };
            Entry { key: Arc::clone(name).into(), key_span: span, value: Node::new(span, value) }
        });
        nodes.push(Node::new(span, NodeValue::Map(entries.collect())));
    }
    nodes
}

/// The sign between the cells of a table: a comma, or what spreadsheets write instead, where the
/// line of names has no comma.
fn separator(text: &str) -> u8 {
    let names = text.lines().next().unwrap_or_default();
    let has = |sign: char| !names.contains(',') && names.contains(sign);
    if has(';') {
        b';'
    } else if has('\t') {
        b'\t'
    } else {
        b','
    }
}

/// The names of the columns; nothing for those that are wrong, which is told once and not for each
/// row.
fn columns(records: &Records<'_>, problems: &mut Problems) -> Vec<Option<Arc<str>>> {
    let span = records.names_span();
    let names: Vec<Arc<str>> = records.names().iter().map(|name| name.trim().into()).collect();
    let null = Node::new(span, NodeValue::Null);
    let entries = names.iter().filter(|name| !name.is_empty()).map(|name| Entry {
        key: Arc::clone(name).into(),
        key_span: span,
        value: null.clone(),
    });
    let header = Node::new(span, NodeValue::Map(entries.collect()));
    if !row::is_row(&header) {
        Fields::read(&header, "label", &[LABEL_KEYS], problems);
    }
    if names.iter().any(|name| name.is_empty()) {
        problems.push(Diagnostic::error("a column has no name").code("syntax").at(span));
    }
    // Of rows of results, `verdict` and `label` are two things.
    let rows = row::is_row(&header);
    let mut taken = HashSet::new();
    let wanted = |name: Arc<str>| {
        let key = find_key(&name, &[LABEL_KEYS]).filter(|_| !rows);
        let known = key.map_or(&*name, |key| key.name).to_owned();
        let right = !name.is_empty() && (rows || label::is_known(&name));
        (right && taken.insert(known)).then_some(name)
    };
    names.into_iter().map(wanted).collect()
}

#[cfg(test)]
#[path = "labels_tests.rs"]
mod tests;
