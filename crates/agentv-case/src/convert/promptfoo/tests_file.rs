//! Tests wherever they are: in the configuration, in YAML, JSON and JSONL files, in tables.
//!
//! All of them become nodes of one shape, so that only one reader has to know what a test is.

use std::{path::Path, sync::Arc};

use agentv_base::{Entry, Node, NodeValue, Problems, SourceId, Span};

use super::{
    Import,
    assertions::assertion_of_text,
    files::{ending, moved},
    table::{self, Cell},
};
use crate::yaml;

impl Import {
    /// The tests that a value stands for: a list, a file, or a list of files and tests.
    pub(super) fn test_nodes(&mut self, node: &Node) -> Vec<Node> {
        match &node.value {
            NodeValue::List(items) => items.iter().flat_map(|item| self.test_nodes(item)).collect(),
            NodeValue::Map(_) if node.get("path").is_some() => {
                self.leave(
                    node.span,
                    "tests that a program makes",
                    "AgentV reads tests from files",
                );
                Vec::new()
            }
            NodeValue::Map(_) => vec![node.clone()],
            NodeValue::String(reference) => {
                let mut found = Vec::new();
                if is_elsewhere(reference) {
                    let what = format!("the tests of `{reference}`");
                    self.leave(
                        node.span,
                        what,
                        "AgentV reads tests from .yaml, .json, .jsonl and .csv files",
                    );
                    return found;
                }
                for file in self.files(reference, node.span) {
                    found.extend(self.tests_of(&file, node.span));
                }
                found
            }
            NodeValue::Null => Vec::new(),
            NodeValue::Bool(_) | NodeValue::Integer(_) | NodeValue::Float(_) => {
                self.error(node.span, format!("a test must be a map, not {}", node.kind_name()));
                Vec::new()
            }
        }
    }

    fn tests_of(&mut self, file: &Path, span: Span) -> Vec<Node> {
        match ending(&file.to_string_lossy()) {
            "csv" => self.tests_of_table(file, span),
            "jsonl" | "ndjson" => self.tests_of_lines(file, span),
            _ => match self.read_yaml(file, span) {
                Some(node) => self.test_nodes(&node),
                None => Vec::new(),
            },
        }
    }

    fn tests_of_lines(&mut self, file: &Path, span: Span) -> Vec<Node> {
        let Some((text, source)) = self.read_text(file, span) else { return Vec::new() };
        let mut found = Vec::new();
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let start = u32::try_from(offset).unwrap_or(u32::MAX);
            offset += line.len();
            if line.trim().is_empty() {
                continue;
            }
            let mut problems = Problems::default();
            match yaml::parse(line, source, &mut problems) {
                Some(node) if problems.is_empty() => found.push(moved(node, source, start)),
                _ => {
                    let end = u32::try_from(offset).unwrap_or(u32::MAX);
                    self.error(Span { source, start, end }, "this line is not JSON");
                }
            }
        }
        found
    }

    fn tests_of_table(&mut self, file: &Path, span: Span) -> Vec<Node> {
        let Some((text, source)) = self.read_text(file, span) else { return Vec::new() };
        let mut rows = table::rows(&text).into_iter();
        let Some(header) = rows.next() else {
            self.error(span, "the table is empty");
            return Vec::new();
        };
        rows.map(|row| self.test_of_row(&header, row, source)).collect()
    }

    fn test_of_row(&mut self, header: &[Cell], row: Vec<Cell>, source: SourceId) -> Node {
        let whole = place(source, row.first().map_or(0, |cell| cell.range.start), &row);
        let mut test = MapOf::default();
        let (mut vars, mut assert, mut metadata) = (MapOf::default(), Vec::new(), MapOf::default());
        let mut metric = None;
        for (name, cell) in header.iter().zip(row) {
            let span = span_of(source, &cell);
            let node = text_node(&cell.text, span);
            let column = name.text.trim();
            let blank = cell.text.trim().is_empty();
            match column {
                _ if column.starts_with("__expected") && blank => {}
                _ if column.starts_with("__expected") => {
                    assert.push(assertion_of_text(&cell.text, span));
                }
                "__description" if !blank => test.add("description", node),
                "__threshold" if !blank => {
                    let number = cell.text.trim().parse().map_or(node.value, NodeValue::Float);
                    test.add("threshold", Node::new(span, number));
                }
                "__metric" if !blank => metric = Some(node),
                "__description" | "__threshold" | "__metric" => {}
                _ if column.starts_with("__metadata:") => {
                    let key = column.strip_prefix("__metadata:").unwrap_or_default();
                    metadata.add(key.trim_end_matches("[]"), node);
                }
                _ if column.starts_with("__") && blank => {}
                _ if column.starts_with("__") => {
                    let why = "AgentV has nothing that does the same";
                    self.leave(span, format!("the column `{column}`"), why);
                }
                _ => vars.add(name.text.trim_start_matches('\u{feff}'), node),
            }
        }
        if let Some(metric) = metric {
            assert = assert.into_iter().map(|node| with_metric(&node, &metric)).collect();
        }
        test.add("vars", vars.node(whole));
        if !assert.is_empty() {
            test.add("assert", Node::new(whole, NodeValue::List(Arc::from(assert))));
        }
        if !metadata.0.is_empty() {
            test.add("metadata", metadata.node(whole));
        }
        test.node(whole)
    }
}

/// Tests that are not in a file that can be read here.
fn is_elsewhere(reference: &str) -> bool {
    let web = ["http://", "https://", "huggingface://", "az://", "s3://"];
    let programs = [".py", ".js", ".ts", ".mjs", ".cjs", ".xlsx", ".xls"];
    web.iter().any(|start| reference.starts_with(start))
        || programs
            .iter()
            .any(|end| reference.ends_with(end) || reference.contains(&format!("{end}:")))
}

fn with_metric(assertion: &Node, metric: &Node) -> Node {
    let mut map = MapOf(assertion.as_map().unwrap_or_default().to_vec());
    map.add("metric", metric.clone());
    map.node(assertion.span)
}

fn span_of(source: SourceId, cell: &Cell) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span { source, start: offset(cell.range.start), end: offset(cell.range.end) }
}

fn place(source: SourceId, start: usize, row: &[Cell]) -> Span {
    let end = row.last().map_or(start, |cell| cell.range.end);
    span_of(source, &Cell { text: String::new(), range: start..end })
}

pub(super) fn text_node(text: &str, span: Span) -> Node {
    Node::new(span, NodeValue::String(text.into()))
}

/// A map while it is made.
#[derive(Default)]
pub(super) struct MapOf(Vec<Entry>);

impl MapOf {
    pub(super) fn add(&mut self, key: &str, value: Node) {
        self.0.push(Entry { key: key.into(), key_span: value.span, value });
    }

    pub(super) fn node(self, span: Span) -> Node {
        Node::new(span, NodeValue::Map(Arc::from(self.0)))
    }
}
