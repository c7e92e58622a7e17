//! Reading wanted JSON from settings, with the `$…` words that stand for patterns.

use agentv_base::{Diagnostic, Entry, Node, NodeValue, Problems, nearest};

use super::{WORD, Wanted};
use crate::grader::regex::{check_flags, compile, reason};

const WORDS: [&str; 2] = ["$regex", "$flags"];

impl Wanted {
    /// What a value of the settings stands for. `$…` words that are not known are reported.
    pub(in crate::grader) fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.value {
            NodeValue::Map(entries) if entries.iter().any(is_word) => {
                read_words(node, entries, problems)
            }
            NodeValue::Map(entries) => {
                let read: Vec<_> = entries
                    .iter()
                    .map(|entry| Some((entry.key.to_string(), Self::read(&entry.value, problems)?)))
                    .collect();
                read.into_iter().collect::<Option<_>>().map(Self::Map)
            }
            NodeValue::List(items) => {
                let read: Vec<_> = items.iter().map(|item| Self::read(item, problems)).collect();
                read.into_iter().collect::<Option<_>>().map(Self::List)
            }
            NodeValue::Null
            | NodeValue::Bool(_)
            | NodeValue::Integer(_)
            | NodeValue::Float(_)
            | NodeValue::String(_) => node.checked_json(problems).map(Self::Scalar),
        }
    }
}

fn is_word(entry: &Entry) -> bool {
    entry.key.starts_with(WORD)
}

/// A map of `$…` words: a pattern, or a problem.
fn read_words(node: &Node, entries: &[Entry], problems: &mut Problems) -> Option<Wanted> {
    let mut good = true;
    for entry in entries.iter().filter(|entry| !WORDS.contains(&&*entry.key)) {
        good = false;
        problems.push(if is_word(entry) {
            unknown_word(entry)
        } else {
            let message =
                format!("`{}` stands beside a `$` word, which takes the whole map", entry.key);
            Diagnostic::error(message).code("misplaced-key").at(entry.key_span)
        });
    }
    let flags = match node.get("$flags") {
        None => Some(""),
        Some(flags) => read_flags(flags, problems),
    };
    let Some(pattern) = node.get("$regex") else {
        if good {
            let problem = Diagnostic::error("`$flags` needs `$regex`").code("missing-key");
            problems.push(problem.at(node.span));
        }
        return None;
    };
    let Some(text) = pattern.as_str() else {
        let message = format!("`$regex` must be a string, not {}", pattern.kind_name());
        problems.push(Diagnostic::error(message).code("wrong-type").at(pattern.span));
        return None;
    };
    if text.is_empty() {
        problems.error(pattern.span, "`$regex` is empty, so every text would match");
        return None;
    }
    match compile(text, flags?) {
        Ok(pattern) => good.then_some(Wanted::Regex(pattern)),
        Err(error) => {
            let message = format!(
                "`$regex` is not a regular expression that can be used: {}",
                reason(&error)
            );
            problems.push(Diagnostic::error(message).code("bad-regex").at(pattern.span));
            None
        }
    }
}

fn read_flags<'n>(node: &'n Node, problems: &mut Problems) -> Option<&'n str> {
    let Some(flags) = node.as_str() else {
        let message = format!("`$flags` must be a string, not {}", node.kind_name());
        problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
        return None;
    };
    check_flags(flags, node, problems)
}

/// A word that is neither ours nor a path.
pub(in crate::grader::trajectory) fn unknown_word(entry: &Entry) -> Diagnostic {
    let message = format!("unknown word `{}`", entry.key);
    let problem = Diagnostic::error(message).code("unknown-key").at(entry.key_span);
    match nearest(&entry.key, WORDS) {
        Some(word) => problem.hint(format!("did you mean `{word}`?")),
        None => problem.hint(format!(
            "known words: {}; a JSONPath such as `$.a[0]` stands at the top of `args`, and finds \
             a key of this name as `$['{}']`",
            WORDS.join(", "),
            entry.key
        )),
    }
}
