//! Graders that are written shorter than as a map with a `type`, as the map that they stand for.
//!
//! - `contains: hello`, as a text or as a map of one key: a type and its `value`;
//! - `is_json`: a type that needs no keys;
//! - any other text: a criterion, which a language model judges.
//!
//! Everything in the map has the place of what was written, so the checks that follow report as
//! they do for every other grader. Only what cannot be told apart from a misspelt type is refused
//! here: a suite must not be judged by a model because of a typo.

use std::sync::Arc;

use agentv_base::{Diagnostic, Entry, GRADER_KEYS, Key, Node, NodeValue, Span, excerpt, find_key};

use crate::{
    kind::GraderKind,
    registry::{self, Found},
};

/// The type that judges a criterion.
const JUDGE: &str = "llm_judge";

/// Enough of a text to show how it would be written otherwise.
const SHOWN: usize = 80;

/// The map that `node` stands for; nothing where it is written in full, or is no grader at all.
pub(crate) fn expand(node: &Node) -> Option<Result<Node, Diagnostic>> {
    match &node.value {
        NodeValue::String(text) => Some(expand_text(text.trim(), node.span)),
        NodeValue::Map(entries) => expand_map(entries, node.span).map(Ok),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Integer(_)
        | NodeValue::Float(_)
        | NodeValue::List(_) => None,
    }
}

fn expand_text(text: &str, span: Span) -> Result<Node, Diagnostic> {
    if text.is_empty() {
        return Err(Diagnostic::error("a grader is blank").at(span).hint(registry::known_types()));
    }
    if let Found::Kind(_) | Found::NoOpposite(_) | Found::Later(_) = registry::look_up(text) {
        return Ok(map(span, vec![typed(text, span)]));
    }
    for (kind, value) in splits(text) {
        match registry::look_up(kind) {
            Found::Kind(found) if value_key(found.kind).is_some() => {
                let value = Node::new(span, NodeValue::String(value.into()));
                return Ok(map(span, vec![typed(kind, span), entry("value", value)]));
            }
            Found::Kind(found) => return Err(needs_a_map(found.kind).at(span)),
            // What is wrong with the type is told with the types of all other graders.
            Found::NoOpposite(_) | Found::Later(_) => {
                return Ok(map(span, vec![typed(kind, span)]));
            }
            Found::Near(_) | Found::Nothing => {}
        }
    }
    // The longest first: `trajectory:tool-uesd` says more than `trajectory`.
    let kinds: Vec<&str> = splits(text).map(|(kind, _)| kind).chain([text]).collect();
    for kind in kinds.into_iter().rev() {
        if is_one_word(kind)
            && let Found::Near(meant) = registry::look_up(kind)
            && kind.contains(':') == meant.contains(':')
        {
            return Err(misspelt(kind, &meant, text).at(span));
        }
    }
    Ok(criterion(text, span))
}

/// What stands before and after the first colon, and the second: some types have one in their name.
fn splits(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.match_indices(':').take(2).filter_map(|(at, _)| {
        let (kind, value) = text.split_at_checked(at)?;
        Some((kind.trim(), value.strip_prefix(':')?.trim()))
    })
}

/// The key that the value of a short form is for, whatever its first name. A kind without one has
/// no such form.
pub fn value_key(kind: &dyn GraderKind) -> Option<&'static Key> {
    find_key("value", &[kind.keys()])
}

/// A type is one word; whoever writes two before a colon writes a sentence.
fn is_one_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
}

/// In YAML, `contains: hello` without quotes is a map of one key. It is read as it is meant where
/// a type stands in the place of a key, and neither `type` nor `value` says otherwise. Keys beside
/// it stay, to be checked as those of every grader.
fn expand_map(entries: &[Entry], span: Span) -> Option<Node> {
    if entries.iter().any(|entry| matches!(&*entry.key, "type" | "value")) {
        return None;
    }
    let is_common = |entry: &Entry| find_key(&entry.key, &[GRADER_KEYS]).is_some();
    let alone = entries.iter().filter(|entry| !is_common(entry)).count() == 1;
    let mut expanded = Vec::with_capacity(entries.len() + 1);
    let mut types = 0;
    for entry in entries {
        let found = if is_common(entry) { Found::Nothing } else { registry::look_up(&entry.key) };
        let is_type = match found {
            Found::Kind(found) => value_key(found.kind).is_some(),
            Found::Later(_) => true,
            // A key that is like a type is more likely a type only where there is no other key.
            Found::Near(_) => alone,
            Found::NoOpposite(_) | Found::Nothing => false,
        };
        if is_type {
            types += 1;
            expanded.push(typed(&entry.key, entry.key_span));
            expanded.push(Entry { key: "value".into(), ..entry.clone() });
        } else {
            expanded.push(entry.clone());
        }
    }
    (types == 1).then(|| map(span, expanded))
}

fn criterion(text: &str, span: Span) -> Node {
    let criterion = Node::new(span, NodeValue::String(text.into()));
    let rubrics = Node::new(span, NodeValue::List(Arc::from([criterion])));
    map(span, vec![typed(JUDGE, span), entry("rubrics", rubrics)])
}

fn map(span: Span, entries: Vec<Entry>) -> Node {
    Node::new(span, NodeValue::Map(Arc::from(entries)))
}

fn typed(kind: &str, span: Span) -> Entry {
    entry("type", Node::new(span, NodeValue::String(kind.into())))
}

fn entry(key: &str, value: Node) -> Entry {
    Entry { key: key.into(), key_span: value.span, value }
}

fn needs_a_map(kind: &dyn GraderKind) -> Diagnostic {
    let keys: Vec<&str> = kind.keys().iter().map(|key| key.name).collect();
    Diagnostic::error(format!("{} has no `value` that could stand after a colon", kind.name()))
        .hint(format!("write it as a map with `type` and its keys: {}", keys.join(", ")))
}

fn misspelt(kind: &str, meant: &str, text: &str) -> Diagnostic {
    Diagnostic::error(format!("unknown grader type `{kind}`")).code("unknown-grader").hint(format!(
        "did you mean `{meant}`? If this is a criterion for a judge, write it as `{{type: {JUDGE}, \
         rubrics: [\"{}\"]}}`",
        excerpt(text, SHOWN)
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::node;

    /// The map that something stands for, or what is wrong with it and the hint.
    fn check(written: &Value) -> Option<Result<Value, (String, String)>> {
        let node = node(written);
        Some(expand(&node)?.map(|map| map.to_json()).map_err(|problem| {
            assert_eq!(problem.span, Some(node.span));
            (problem.message, problem.hint.unwrap_or_default())
        }))
    }

    fn check_text(text: &str) -> Result<Value, (String, String)> {
        check(&json!(text)).unwrap()
    }

    #[test]
    fn a_type_and_a_value_stand_around_the_first_colon() {
        for (text, kind, value) in [
            ("contains:hello", "contains", "hello"),
            ("contains: hello ", "contains", "hello"),
            ("not-contains: a: b", "not-contains", "a: b"),
            ("starts_with:", "starts_with", ""),
            ("json-schema: file://schema.json", "json-schema", "file://schema.json"),
            ("llm-rubric: is polite", "llm-rubric", "is polite"),
            ("trajectory:tool-used: search", "trajectory:tool-used", "search"),
            ("not-trajectory:tool_used:a:b", "not-trajectory:tool_used", "a:b"),
        ] {
            assert_eq!(check_text(text), Ok(json!({"type": kind, "value": value})), "{text}");
        }
    }

    #[test]
    fn a_type_alone_is_a_grader_without_keys() {
        for text in ["is_json", "not-is-json", "contains", "code-judge", "latency"] {
            assert_eq!(check_text(text), Ok(json!({"type": text})));
        }
    }

    #[test]
    fn a_type_that_cannot_be_run_yet_is_left_to_the_check_of_types() {
        for (text, kind) in [
            ("trajectory:goal-success", "trajectory:goal-success"),
            ("trajectory:goal-success: a cake", "trajectory:goal-success"),
            ("not-code-judge: ./judge", "not-code-judge"),
        ] {
            assert_eq!(check_text(text), Ok(json!({"type": kind})), "{text}");
        }
    }

    #[test]
    fn any_other_text_is_a_criterion() {
        for text in [
            "Names the capital of France",
            "The answer contains: a greeting",
            "Tone: polite",
            "polite",
            "ends with a question: yes",
        ] {
            assert_eq!(check_text(text), Ok(json!({"type": "llm_judge", "rubrics": [text]})));
        }
    }

    #[test]
    fn a_misspelt_type_is_not_a_criterion() {
        for (text, kind, meant) in [
            ("contians: x", "contians", "contains"),
            ("Contains:x", "Contains", "contains"),
            ("not-contians:x", "not-contians", "not_contains"),
            ("is_jsn", "is_jsn", "is_json"),
            ("llm-rubrik: x", "llm-rubrik", "llm_rubric"),
            ("levenstein: x", "levenstein", "levenshtein"),
            ("trajectory:tool-uesd: x", "trajectory:tool-uesd", "trajectory:tool_used"),
            ("trajectory:tool-uesd", "trajectory:tool-uesd", "trajectory:tool_used"),
        ] {
            let (message, hint) = check_text(text).unwrap_err();
            assert_eq!(message, format!("unknown grader type `{kind}`"));
            assert_eq!(
                hint,
                format!(
                    "did you mean `{meant}`? If this is a criterion for a judge, write it as \
                     `{{type: llm_judge, rubrics: [\"{text}\"]}}`"
                )
            );
        }
    }

    #[test]
    fn a_type_without_a_value_shows_its_keys() {
        let (message, hint) = check_text("tool-trajectory: search").unwrap_err();
        assert_eq!(message, "tool_trajectory has no `value` that could stand after a colon");
        let start = "write it as a map with `type` and its keys: mode, expected, args_match, ";
        assert!(hint.starts_with(start), "{hint}");
    }

    #[test]
    fn a_blank_text_is_no_grader() {
        assert_eq!(check_text("  ").unwrap_err().0, "a grader is blank");
    }

    #[test]
    fn a_map_of_one_type_is_what_yaml_makes_of_a_type_and_a_value() {
        for (written, expanded) in [
            (json!({"contains": "a"}), json!({"type": "contains", "value": "a"})),
            (
                json!({"contains-any": ["a", "b"], "weight": 2, "name": "x"}),
                json!({"type": "contains-any", "value": ["a", "b"], "weight": 2, "name": "x"}),
            ),
            (
                json!({"contains": "a", "note": "why", "valeu": 1}),
                json!({"type": "contains", "value": "a", "note": "why", "valeu": 1}),
            ),
            (json!({"contians": "a"}), json!({"type": "contians", "value": "a"})),
            (
                json!({"contians": "a", "metric": "x", "minScore": 1}),
                json!({"type": "contians", "value": "a", "metric": "x", "minScore": 1}),
            ),
            (json!({"llm-rubric": "is kind"}), json!({"type": "llm-rubric", "value": "is kind"})),
        ] {
            assert_eq!(check(&written), Some(Ok(expanded)));
        }
    }

    #[test]
    fn whatever_else_is_written_is_left_alone() {
        for written in [
            json!({"type": "contains", "value": "a"}),
            json!({"type": "contains", "contains": "a"}),
            json!({"value": "a"}),
            json!({"contains": "a", "regex": "b"}),
            json!({"contains": "a", "value": "b"}),
            json!({"contians": "a", "flag": "b"}),
            json!({"tpye": "contains"}),
            json!({"script": "./judge"}),
            json!({"weight": 1}),
            json!({"Names the capital": "Paris"}),
            json!(3),
        ] {
            assert_eq!(check(&written), None, "{written}");
        }
    }
}
