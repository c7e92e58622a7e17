//! What a YAML file is to the converter.

use std::path::Path;

use agentv_base::Node;

use crate::classify::{FileKind, classify};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Suite,
    Targets,
    Config,
    Promptfoo,
    /// Nothing that is known here.
    Foreign,
}

/// Keys that only suites of ours have, in any dialect.
const OURS: [&str; 9] = [
    "evalcases",
    "eval_cases",
    "cases",
    "dataset",
    "execution",
    "evaluators",
    "default_test",
    "evaluate_options",
    "target",
];

/// Looks at the name and the top level of a file.
pub fn content_of(file: &Path, node: &Node) -> Content {
    if is_promptfoo(node) {
        return Content::Promptfoo;
    }
    match classify(file, node) {
        FileKind::Suite => Content::Suite,
        FileKind::Targets => Content::Targets,
        FileKind::Config => Content::Config,
        FileKind::Foreign if has(node, "prompts") || has(node, "scenarios") => Content::Suite,
        FileKind::Foreign if has_targets(node) => Content::Targets,
        FileKind::Foreign if is_list_of_cases(node) => Content::Suite,
        FileKind::Prices | FileKind::Foreign => Content::Foreign,
    }
}

fn has(node: &Node, key: &str) -> bool {
    node.get(key).is_some()
}

/// A later dialect of ours has the same keys; it writes them in snake_case, and its cases have ids.
fn is_promptfoo(node: &Node) -> bool {
    let schema = node.get("$schema").and_then(Node::as_str).unwrap_or_default();
    let asks = has(node, "prompts") && (has(node, "providers") || has(node, "targets"));
    let tests = node.get("tests").and_then(Node::as_list).unwrap_or_default();
    asks && !schema.contains("agentv")
        && !OURS.iter().any(|key| has(node, key))
        && !tests.iter().any(|test| has(test, "id"))
}

/// A targets file under its later name, `providers`.
fn has_targets(node: &Node) -> bool {
    let items = node.get("providers").and_then(Node::as_list).unwrap_or_default();
    !items.is_empty() && items.iter().all(|item| has(item, "id") || has(item, "provider"))
}

/// A file that suites refer to.
fn is_list_of_cases(node: &Node) -> bool {
    let items = node.as_list().unwrap_or_default();
    !items.is_empty()
        && items.iter().all(|item| {
            has(item, "id") && ["input", "input_messages", "vars"].iter().any(|key| has(item, key))
        })
}
