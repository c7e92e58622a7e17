//! Rows of results to which a person added a label.

use agentv_base::{Entry, Node, NodeValue, find_key};

use super::label::{LABEL_KEYS, is_blank};

/// Keys that rows of results have and labels do not.
const OF_ROWS: [&str; 11] = [
    "timestamp",
    "dataset",
    "suite",
    "target",
    "repeat",
    "status",
    "threshold",
    "hits",
    "misses",
    "attempts",
    "evaluator_results",
];

/// A label of ours has none of these keys; two are no slip of the pen.
const ENOUGH: usize = 2;

/// Names of the label that no row has by itself: `verdict` is the judge's own.
const ADDED: [&str; 4] = ["label", "human_label", "human", "human_score"];

/// Whether this is a row of results.
pub(super) fn is_row(node: &Node) -> bool {
    are_of_rows(node.as_map().unwrap_or_default().iter().map(|entry| &*entry.key))
}

/// Whether these are keys of a row of results.
pub(super) fn are_of_rows<'k>(keys: impl Iterator<Item = &'k str>) -> bool {
    keys.filter(|key| OF_ROWS.contains(key)).count() >= ENOUGH
}

/// Whether one of these keys is a label that no row has by itself.
pub(super) fn have_label_added(keys: &[String]) -> bool {
    keys.iter().any(|key| ADDED.contains(&&**key))
}

/// The row with nothing but what makes a label of it; nothing where nobody added one.
pub(super) fn as_label(row: &Node) -> Option<Node> {
    let entries = row.as_map().unwrap_or_default();
    let is_added = |entry: &&Entry| ADDED.contains(&&*entry.key);
    entries.iter().find(|entry| is_added(entry) && !is_blank(&entry.value))?;
    let kept = entries.iter().filter(|entry| match find_key(&entry.key, &[LABEL_KEYS]) {
        Some(key) if key.name == "label" => is_added(entry),
        Some(_) => true,
        None => false,
    });
    Some(Node::new(row.span, NodeValue::Map(kept.cloned().collect())))
}
