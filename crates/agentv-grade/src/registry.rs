//! Every kind of grader there is, and how a `type` finds its kind.

use agentv_base::{Diagnostic, Span, nearest};

use crate::{
    grader::{
        code_judge::CodeJudge, contains::Contains, equals::Equals, regex::Regex,
        tool_trajectory::ToolTrajectory,
    },
    kind::GraderKind,
};

/// One line a grader. The order is that of listings.
const KINDS: &[&dyn GraderKind] = &[&Contains, &Equals, &Regex, &ToolTrajectory, &CodeJudge];

const NEGATION: &str = "not_";

/// Every kind of grader, in the order of listings.
pub fn kinds() -> impl Iterator<Item = &'static dyn GraderKind> {
    KINDS.iter().copied()
}

/// What a `type` stands for.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) kind: &'static dyn GraderKind,
    pub(crate) negated: bool,
}

impl Kind {
    /// The type as rows show it.
    pub(crate) fn canonical_name(self) -> String {
        if self.negated {
            format!("{NEGATION}{}", self.kind.name())
        } else {
            self.kind.name().to_owned()
        }
    }
}

/// The kind that goes by the name `typed`, or what is wrong with it.
pub(crate) fn find(typed: &str, span: Span) -> Result<Kind, Diagnostic> {
    let name = typed.trim().replace('-', "_");
    if let Some(kind) = find_exactly(&name) {
        return Ok(Kind { kind, negated: false });
    }
    let Some(rest) = name.strip_prefix(NEGATION) else {
        return Err(unknown(typed, span, nearest_name(&name)));
    };
    match find_exactly(rest) {
        Some(kind) if kind.can_be_negated() => Ok(Kind { kind, negated: true }),
        Some(kind) => Err(Diagnostic::error(format!("`{}` cannot be negated", kind.name()))
            .at(span)
            .hint(format!(
                "graders that can: {}",
                join(kinds().filter(|kind| kind.can_be_negated()).map(GraderKind::name))
            ))),
        None => {
            let meant = nearest_name(rest).map(|name| format!("{NEGATION}{name}"));
            Err(unknown(typed, span, meant))
        }
    }
}

fn find_exactly(name: &str) -> Option<&'static dyn GraderKind> {
    kinds().find(|kind| kind.name() == name || kind.aliases().contains(&name))
}

fn nearest_name(name: &str) -> Option<String> {
    let names =
        kinds().flat_map(|kind| std::iter::once(kind.name()).chain(kind.aliases().iter().copied()));
    nearest(name, names).map(str::to_owned)
}

fn unknown(typed: &str, span: Span, meant: Option<String>) -> Diagnostic {
    let diagnostic = Diagnostic::error(format!("unknown grader type `{typed}`")).at(span);
    match meant {
        Some(name) => diagnostic.hint(format!("did you mean `{name}`?")),
        None => diagnostic.hint(known_types()),
    }
}

/// The sentence that lists what can stand in `type`.
pub(crate) fn known_types() -> String {
    format!("known types: {}", join(kinds().map(GraderKind::name)))
}

fn join(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn check(typed: &str) -> Result<String, (String, String)> {
        find(typed, Span::default())
            .map(Kind::canonical_name)
            .map_err(|problem| (problem.message, problem.hint.unwrap_or_default()))
    }

    #[test]
    fn kebab_and_snake_case_are_the_same_name() {
        for typed in ["tool_trajectory", "tool-trajectory", " tool-trajectory "] {
            assert_eq!(check(typed).unwrap(), "tool_trajectory");
        }
    }

    #[test]
    fn a_code_judge_is_known_by_all_its_names() {
        for typed in ["code_judge", "code-judge", "code_grader", "code-grader", "script"] {
            assert_eq!(check(typed).unwrap(), "code_judge");
        }
    }

    #[test]
    fn not_in_front_negates_a_text_grader() {
        for typed in ["not-contains", "not_contains"] {
            assert_eq!(check(typed).unwrap(), "not_contains");
        }
    }

    #[test]
    fn what_cannot_be_negated_says_so() {
        for (typed, name) in
            [("not-code-grader", "code_judge"), ("not_tool_trajectory", "tool_trajectory")]
        {
            let (message, hint) = check(typed).unwrap_err();
            assert_eq!(message, format!("`{name}` cannot be negated"));
            assert_eq!(hint, "graders that can: contains, equals, regex");
        }
    }

    #[test]
    fn an_unknown_type_names_the_nearest() {
        for (typed, meant) in
            [("contians", "contains"), ("code-jugde", "code_judge"), ("not-regx", "not_regex")]
        {
            let (message, hint) = check(typed).unwrap_err();
            assert_eq!(message, format!("unknown grader type `{typed}`"));
            assert_eq!(hint, format!("did you mean `{meant}`?"));
        }
    }

    #[test]
    fn a_type_like_no_other_lists_them_all() {
        let (_, hint) = check("horoscope").unwrap_err();
        assert_eq!(hint, "known types: contains, equals, regex, tool_trajectory, code_judge");
    }

    #[test]
    fn every_kind_has_names_of_its_own_and_a_description() {
        let mut seen = BTreeSet::new();
        for kind in kinds() {
            for name in std::iter::once(&kind.name()).chain(kind.aliases()) {
                assert!(seen.insert(*name), "{name} is taken twice");
                assert!(
                    name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
                    "{name} is not snake_case"
                );
            }
            assert!(!kind.description().is_empty(), "{}", kind.name());
            assert!(!kind.description().contains('\n'), "{}", kind.name());
        }
    }
}
