//! Types of graders that suites may name and that this version cannot run: those of every dialect,
//! by every name. A suite that uses one is told so, with what would do instead, and is never graded
//! without it. A kind that is built leaves this table and stands in the registry.
//!
//! Beside these: types of other tools that are a measure of `similar` here.

use agentv_base::{Diagnostic, Span};

/// One type that is known and that no grader has, by all its names in snake_case.
pub(crate) struct KnownType {
    names: &'static [&'static str],
    /// What the author can do.
    instead: &'static str,
}

const PROGRAM: &str = "use `code_judge` with a program that does the same";
const CALLS: &str = "use `code_judge`; it is told every call in `candidate_trace`";
const MEASURE: &str = "use `similar` with `measure: bleu` or `chrf`, which are near to it";

/// Types that are known and not built.
const LATER: &[KnownType] = &[
    KnownType {
        names: &["trajectory:goal_success"],
        instead: "use `llm_judge` with the goal in `rubrics`, and a `prompt` with \
                  `{{ output_messages }}` in it",
    },
    KnownType { names: &["skill_trigger", "skill_used"], instead: CALLS },
    KnownType {
        names: &["javascript"],
        instead: "use `code_judge`, such as `script: node judge.js`",
    },
    KnownType {
        names: &["python"],
        instead: "use `code_judge`, such as `script: python3 judge.py`",
    },
    KnownType { names: &["webhook"], instead: PROGRAM },
    KnownType { names: &["gleu"], instead: MEASURE },
    KnownType { names: &["meteor"], instead: MEASURE },
    KnownType { names: &["is_xml"], instead: PROGRAM },
    KnownType { names: &["is_sql"], instead: PROGRAM },
];

/// Measures of `similar` that are types of their own elsewhere.
const MEASURES: &[KnownType] = &[
    KnownType {
        names: &["levenshtein", "edit_distance"],
        instead: "write `type: similar` with `measure: levenshtein`; its `min_score` is a \
                  similarity from 0 to 1, not a number of edits",
    },
    KnownType {
        names: &["f1", "token_f1"],
        instead: "write `type: similar` with `measure: token_f1`",
    },
    KnownType {
        names: &["rouge_n", "rouge", "rouge_1"],
        instead: "write `type: similar` with `measure: rouge_1`, `rouge_2` or `rouge_l`",
    },
    KnownType { names: &["rouge_2"], instead: "write `type: similar` with `measure: rouge_2`" },
    KnownType { names: &["rouge_l"], instead: "write `type: similar` with `measure: rouge_l`" },
    KnownType { names: &["bleu"], instead: "write `type: similar` with `measure: bleu`" },
    KnownType { names: &["chrf"], instead: "write `type: similar` with `measure: chrf`" },
];

/// A type that is known and that no grader has.
#[derive(Clone, Copy)]
pub(crate) enum Known {
    Later(&'static KnownType),
    Measure(&'static KnownType),
}

/// The type that goes by `name`, in snake_case.
pub(crate) fn find(name: &str) -> Option<Known> {
    let later = LATER.iter().find(|later| later.names.contains(&name)).map(Known::Later);
    let measure = || MEASURES.iter().find(|measure| measure.names.contains(&name));
    later.or_else(|| measure().map(Known::Measure))
}

/// Every type that cannot be run yet: its names, and what the author could do until then.
pub fn later_types() -> impl Iterator<Item = (&'static [&'static str], &'static str)> {
    LATER.iter().map(|later| (later.names, later.instead))
}

/// Every name of every such type, for the search of the nearest.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    LATER.iter().chain(MEASURES).flat_map(|known| known.names.iter().copied())
}

impl Known {
    /// What is said where it was typed.
    pub(crate) fn problem(self, typed: &str, span: Span) -> Diagnostic {
        match self {
            Self::Later(later) => Diagnostic::error(format!(
                "grader type `{typed}` is known, but this version cannot run it yet"
            ))
            .code("not-supported")
            .at(span)
            .hint(later.instead),
            Self::Measure(measure) => {
                let message = format!("grader type `{typed}` is a measure of `similar`");
                Diagnostic::error(message).code("unknown-grader").at(span).hint(measure.instead)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{kind::GraderKind, registry::kinds};

    #[test]
    fn no_name_stands_for_two_types_and_none_for_a_kind_that_is_built() {
        let mut seen: BTreeSet<_> =
            kinds().flat_map(|kind| [&[kind.name()], kind.aliases()].concat()).collect();
        for name in names() {
            assert!(seen.insert(name), "{name} is taken twice");
            assert!(
                name.bytes().all(|byte| byte.is_ascii_lowercase()
                    || byte.is_ascii_digit()
                    || b"_:".contains(&byte)),
                "{name} is not snake_case"
            );
        }
    }

    #[test]
    fn a_hint_names_only_kinds_that_are_built() {
        let built: BTreeSet<_> = kinds().map(GraderKind::name).collect();
        for later in LATER {
            let mut named = later.instead.split('`').skip(1).step_by(2);
            let first = named.next().unwrap();
            assert!(built.contains(first), "{}", later.instead);
        }
    }
}
