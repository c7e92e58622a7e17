//! The arguments that a call is expected to have, and how they are compared.
//!
//! Plain keys are compared with the arguments as a whole. A key that is a JSONPath (`$.a[0]`)
//! selects values inside of them: at least one, and each of them must be what is wanted. Top-level
//! keys that a path looks into are left to the path.

use std::collections::HashSet;

use agentv_base::{Diagnostic, Entry, Node, Problems, Shape, choice_of, excerpt, words_of};
use serde_json::Value;

use super::wanted_json::{How, Mismatch, Place, WORD, Wanted, mismatch_of_maps, unknown_word};
use crate::path::{Found, Path};

/// Enough of a path to recognise it.
const SHOWN_KEY: usize = 120;

const WORDS: [(&str, ArgsMatch<'static>); 4] = [
    ("exact", ArgsMatch::Whole(How::Exact)),
    ("ignore", ArgsMatch::Ignore),
    ("subset", ArgsMatch::Whole(How::Subset)),
    ("superset", ArgsMatch::Whole(How::Superset)),
];

/// A way to compare, as it stands in settings.
pub(in crate::grader) const ARGS_MATCH: Shape =
    Shape::Either(&[Shape::Choice(const { &words_of(&WORDS) }), Shape::List(&Shape::Name)]);

/// How arguments are compared.
#[derive(Clone, Copy, Debug)]
pub(in crate::grader) enum ArgsMatch<'n> {
    Whole(How),
    /// Not at all.
    Ignore,
    /// Only these fields, each exactly.
    Fields(&'n [Node]),
}

impl<'n> ArgsMatch<'n> {
    pub(in crate::grader) fn read(node: &'n Node, problems: &mut Problems) -> Option<Self> {
        if let Some(fields) = node.as_list() {
            return Self::read_fields(node, fields, problems);
        }
        if node.as_str().is_none() {
            let message = format!(
                "`args_match` must be a word or a list of fields, not {}",
                node.kind_name()
            );
            problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
            return None;
        }
        choice_of("args_match", node, &WORDS, problems)
    }

    fn read_fields(node: &Node, fields: &'n [Node], problems: &mut Problems) -> Option<Self> {
        if fields.is_empty() {
            problems.push(
                Diagnostic::error("there is no field to compare, so any arguments would do")
                    .at(node.span)
                    .hint("name at least one field, or write `args_match: ignore`"),
            );
            return None;
        }
        let mut good = true;
        for field in fields {
            let Some(name) = field.as_str().map(str::trim).filter(|name| !name.is_empty()) else {
                good = false;
                problems.error(field.span, "a field to compare must be a text that is not blank");
                continue;
            };
            if let Err(fault) = Path::parse(name) {
                good = false;
                problems.push(fault.problem("args_match", name, field.span));
            }
        }
        good.then_some(Self::Fields(fields))
    }
}

/// What the arguments of a call must be.
#[derive(Clone, Debug)]
pub(in crate::grader) struct Args {
    /// Nothing where there are only paths, or only some fields are compared.
    whole: Option<(Vec<(String, Wanted)>, How)>,
    /// Values inside of them: what paths among the keys select, or fields by their names.
    paths: Vec<(Path, Wanted)>,
    how: How,
}

impl Args {
    /// Reads `args` of a call. Nothing, twice over, where there is a problem; nothing inside where
    /// any arguments will do.
    #[expect(clippy::option_option, reason = "any arguments and wrong settings are two things")]
    pub(in crate::grader) fn read(
        node: &Node,
        how: ArgsMatch<'_>,
        problems: &mut Problems,
    ) -> Option<Option<Self>> {
        if node.as_str().is_some_and(|word| word.trim() == "any") {
            return Some(None);
        }
        let Some(entries) = node.as_map() else {
            let message = format!("`args` must be a map or `any`, not {}", node.kind_name());
            problems.push(Diagnostic::error(message).code("wrong-type").at(node.span));
            return None;
        };
        let mut plain = Vec::new();
        let mut paths = Vec::new();
        let mut good = true;
        for entry in entries {
            let wanted = Wanted::read(&entry.value, problems);
            let path = if entry.key.starts_with(WORD) {
                read_path(entry, problems).map(Some)
            } else {
                Some(None)
            };
            match (path, wanted) {
                (Some(Some(path)), Some(wanted)) => paths.push((path, wanted)),
                (Some(None), Some(wanted)) => plain.push((entry.key.to_string(), wanted)),
                _ => good = false,
            }
        }
        let args = match how {
            ArgsMatch::Ignore => None,
            ArgsMatch::Whole(how) => {
                if how == How::Superset && entries.is_empty() {
                    let message = "`args` is empty, so any arguments would do";
                    let problem = Diagnostic::error(message).at(node.span);
                    problems.push(problem.hint("write `args: any`, or `args_match: exact`"));
                    return None;
                }
                let whole = (!plain.is_empty() || paths.is_empty()).then_some((plain, how));
                Some(Self { whole, paths, how })
            }
            ArgsMatch::Fields(fields) => {
                let only = chosen(fields, &paths, node, problems);
                good &= only.is_some();
                only
            }
        };
        good.then_some(args)
    }

    /// Where the arguments of a call are not what is wanted; nothing where they are.
    pub(in crate::grader) fn mismatch<'a>(
        &'a self,
        input: Option<&'a Value>,
    ) -> Option<Mismatch<'a>> {
        let Some(input) = input.filter(|input| !input.is_null()) else {
            return (!self.wants_none()).then(|| Mismatch::no_map(None));
        };
        let Value::Object(given) = input else {
            return Some(Mismatch::no_map(Some(input)));
        };
        self.mismatch_of_paths(input).or_else(|| {
            let (wanted, how) = self.whole.as_ref()?;
            let free = self.names_that_paths_look_into(input);
            mismatch_of_maps(wanted, given, *how, &|key| free.contains(key))
        })
    }

    fn wants_none(&self) -> bool {
        self.paths.is_empty() && self.whole.as_ref().is_none_or(|(wanted, _)| wanted.is_empty())
    }

    fn mismatch_of_paths<'a>(&'a self, input: &'a Value) -> Option<Mismatch<'a>> {
        self.paths.iter().find_map(|(path, wanted)| {
            let mismatch = match path.find(input) {
                Found::Absent(_) => Mismatch::absent(wanted),
                Found::One(found) => wanted.mismatch(found, self.how)?,
                Found::Several(found) => {
                    found.into_iter().find_map(|found| wanted.mismatch(found, self.how))?
                }
            };
            Some(mismatch.at(Place::Selected(path.written())))
        })
    }

    fn names_that_paths_look_into(&self, input: &Value) -> HashSet<String> {
        self.paths.iter().flat_map(|(path, _)| path.keys_on_the_way(input)).collect()
    }
}

fn read_path(entry: &Entry, problems: &mut Problems) -> Option<Path> {
    if !entry.key.starts_with("$.") && !entry.key.starts_with("$[") {
        problems.push(unknown_word(entry));
        return None;
    }
    let key = &entry.key;
    Path::parse(key)
        .map_err(|fault| {
            problems.push(fault.problem(&excerpt(key, SHOWN_KEY), key, entry.key_span));
        })
        .ok()
}

/// The arguments of which only some fields are compared. Fields that other calls have are no
/// problem, but a call of which nothing would be compared is.
fn chosen(
    fields: &[Node],
    paths: &[(Path, Wanted)],
    args: &Node,
    problems: &mut Problems,
) -> Option<Args> {
    let mut only = Args { whole: None, paths: Vec::new(), how: How::Exact };
    for field in fields.iter().filter_map(Node::as_str).map(str::trim) {
        if let Some(path) = paths.iter().find(|(path, _)| path.written() == field) {
            only.paths.push(path.clone());
            continue;
        }
        let path = Path::parse(field).ok()?;
        if let Some(node) = path.find_node(args) {
            // What is wrong inside was reported when the whole was read.
            let wanted = Wanted::read(node, &mut Problems::default())?;
            only.paths.push((path, wanted));
        }
    }
    if only.paths.is_empty() {
        problems.push(
            Diagnostic::error("no field of `args_match` is in these `args`, so any would do")
                .at(args.span)
                .hint("add one of the fields, or write `args: any`"),
        );
        return None;
    }
    Some(only)
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
