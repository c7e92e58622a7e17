//! What a YAML file is: a suite, a targets file, a configuration, prices, or none of ours.

use std::path::Path;

use agentv_base::{Node, find_key, is_free, nearest};

use crate::suite::keys::SUITE_KEYS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Suite,
    Targets,
    Config,
    Prices,
    /// Nothing in it is ours.
    Foreign,
}

/// Keys that only a suite has.
const SUITE_MARKS: [&str; 7] = [
    "dataset",
    "execution",
    "evaluators",
    "evaluator",
    "input_messages",
    "default_test",
    "evaluate_options",
];

/// Words that make a file that cannot be read as YAML a suite of ours that went wrong.
const SUITE_WORDS: [&str; 5] =
    ["evalcase", "eval_case", "input_messages", "expected_outcome", "agentv"];

/// Looks at the name and the top level of a file. A misspelt suite counts as a suite, so that it
/// is loaded and its mistake told.
pub(crate) fn classify(file: &Path, node: &Node) -> FileKind {
    let schema = node.get("$schema").and_then(Node::as_str).unwrap_or_default();
    for (word, kind) in [
        ("agentv-eval", FileKind::Suite),
        ("agentv-targets", FileKind::Targets),
        ("agentv-config", FileKind::Config),
    ] {
        if schema.contains(word) {
            return kind;
        }
    }
    if has_cases(node) {
        return FileKind::Suite;
    }
    let stem = file.file_stem().unwrap_or_default();
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    if stem == "targets" || (stem == "providers" && folder == ".agentv") {
        return FileKind::Targets;
    }
    if stem == "config" && folder == ".agentv" {
        return FileKind::Config;
    }
    if stem == "prices" && folder == ".agentv" {
        return FileKind::Prices;
    }
    if looks_like_suite(node) {
        FileKind::Suite
    } else if ["targets", "providers"].iter().any(|key| {
        node.get(key).and_then(Node::as_list).is_some_and(|items| items.iter().any(is_target))
    }) {
        FileKind::Targets
    } else if node.get("guideline_patterns").is_some() {
        FileKind::Config
    } else {
        FileKind::Foreign
    }
}

/// Whether a file has a list of cases of its own, under whatever name.
pub(crate) fn has_cases(node: &Node) -> bool {
    let mut entries = node.as_map().unwrap_or_default().iter();
    entries.any(|entry| holds_cases(&entry.key) || is_called(&entry.key, "scenarios"))
}

/// Whether a file has a list of cases and no settings for them: another suite may take them.
pub(crate) fn has_only_cases(node: &Node) -> bool {
    let mut entries = node.as_map().unwrap_or_default().iter();
    let cases = entries.clone().any(|entry| holds_cases(&entry.key));
    cases
        && entries
            .all(|entry| holds_cases(&entry.key) || is_free(&entry.key) || &*entry.key == "$schema")
}

/// Whether this is a name of the list of cases.
pub(crate) fn holds_cases(key: &str) -> bool {
    is_called(key, "evalcases")
}

fn is_called(typed: &str, name: &str) -> bool {
    find_key(typed, &[SUITE_KEYS]).is_some_and(|key| key.name == name)
}

/// Whether a file is cases without the key that they belong under: a part of a suite.
pub(crate) fn is_list_of_cases(node: &Node) -> bool {
    let said = ["input_messages", "input", "vars"];
    let case =
        |item: &Node| item.get("id").is_some() && said.iter().any(|key| item.get(key).is_some());
    case(node) || node.as_list().is_some_and(|items| items.iter().any(case))
}

fn looks_like_suite(node: &Node) -> bool {
    if is_list_of_cases(node) {
        return true;
    }
    let mut entries = node.as_map().unwrap_or_default().iter();
    entries.any(|entry| {
        SUITE_MARKS.contains(&&*entry.key) || nearest(&entry.key, ["evalcases"]).is_some()
    })
}

fn is_target(node: &Node) -> bool {
    ["name", "provider", "id", "label"].iter().any(|key| node.get(key).is_some())
}

/// Whether a text that is no YAML was meant to be a suite.
pub(crate) fn mentions_suite(text: &str) -> bool {
    SUITE_WORDS.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use agentv_base::{Problems, SourceId};

    use super::*;
    use crate::yaml;

    fn check(file: &str, text: &str) -> FileKind {
        let mut problems = Problems::default();
        let node = yaml::parse(text, SourceId::default(), &mut problems).unwrap();
        classify(Path::new(file), &node)
    }

    #[test]
    fn files_are_known_by_schema_by_name_and_by_content() {
        assert_eq!(check("a.yaml", "evalcases: []"), FileKind::Suite);
        assert_eq!(check("a.yaml", "$schema: agentv-eval-v2"), FileKind::Suite);
        assert_eq!(check("targets.yaml", "target: []"), FileKind::Targets);
        assert_eq!(check("targets.yaml", "evalcases: []"), FileKind::Suite);
        assert_eq!(check("a.yaml", "targets: [{name: x}]"), FileKind::Targets);
        assert_eq!(check("a.yaml", "$schema: agentv-targets-v2.2"), FileKind::Targets);
        assert_eq!(check("/r/.agentv/config.yaml", "x: 1"), FileKind::Config);
        assert_eq!(check("a.yaml", "guideline_patterns: []"), FileKind::Config);
        assert_eq!(check("config.yaml", "x: 1"), FileKind::Foreign);
        assert_eq!(check("/r/.agentv/prices.yaml", "x: 1"), FileKind::Prices);
        assert_eq!(check("prices.yaml", "models: {}"), FileKind::Foreign);
    }

    #[test]
    fn a_misspelt_suite_is_a_suite() {
        for text in [
            "evalcase: []",
            "evalCases: []",
            "eval-cases: []",
            "evlacases: []",
            "tests: []",
            "evaluators: []",
            "- {id: a, input_messages: []}",
        ] {
            assert_eq!(check("a.yaml", text), FileKind::Suite, "{text}");
        }
    }

    #[test]
    fn files_of_other_tools_are_none_of_ours() {
        for text in [
            "name: ci\n'on': push\njobs: {}",
            "services: {web: {}}",
            "- a",
            "",
            "description: x\ntarget: y",
        ] {
            assert_eq!(check("a.yaml", text), FileKind::Foreign, "{text}");
        }
    }
}
