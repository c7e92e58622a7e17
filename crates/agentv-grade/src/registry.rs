//! Every kind of grader there is, and how a `type` finds its kind.

use std::borrow::Cow;

use agentv_base::{Diagnostic, Span, nearest};

use crate::{
    grader::{
        code_judge::CodeJudge,
        composite::Composite,
        contains::Contains,
        contains_json::ContainsJson,
        contains_many::ContainsMany,
        equals::Equals,
        execution_metrics::ExecutionMetrics,
        field_accuracy::FieldAccuracy,
        json_schema::{IsJson, JsonSchema},
        llm_judge::LlmJudge,
        one_limit::OneLimit,
        regex::Regex,
        similar::SimilarKind,
        text_end::TextEnd,
        token_usage::TokenUsage,
        tool_trajectory::ToolTrajectory,
        trajectory_step_count::StepCount,
        trajectory_tool_args_match::ToolArgsMatch,
        trajectory_tool_sequence::ToolSequence,
        trajectory_tool_used::ToolUsed,
    },
    kind::GraderKind,
    later::{self, Known},
};

/// One line a grader. The order is that of listings.
const KINDS: &[&dyn GraderKind] = &[
    &Contains,
    &ContainsMany::CONTAINS_ANY,
    &ContainsMany::CONTAINS_ALL,
    &ContainsMany::ICONTAINS,
    &ContainsMany::ICONTAINS_ANY,
    &ContainsMany::ICONTAINS_ALL,
    &TextEnd::Start,
    &TextEnd::End,
    &Equals,
    &Regex,
    &SimilarKind,
    &IsJson,
    &JsonSchema,
    &ContainsJson,
    &FieldAccuracy,
    &ToolTrajectory,
    &ToolUsed,
    &ToolSequence,
    &ToolArgsMatch,
    &StepCount,
    &OneLimit::Latency,
    &OneLimit::Cost,
    &TokenUsage,
    &ExecutionMetrics,
    &CodeJudge,
    &LlmJudge,
    &Composite,
];

const NEGATION: &str = "not_";

/// Every kind of grader, in the order of listings.
pub fn kinds() -> impl Iterator<Item = &'static dyn GraderKind> {
    KINDS.iter().copied()
}

/// The kind that goes by a name in snake or kebab case, also with `not-` in front; else what is
/// wrong with the name.
pub fn kind_called(typed: &str) -> Result<&'static dyn GraderKind, Diagnostic> {
    Ok(find(typed, Span::default())?.kind)
}

/// What a `type` stands for.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) kind: &'static dyn GraderKind,
    pub(crate) negated: bool,
}

impl Kind {
    /// The type as rows show it.
    pub(crate) fn canonical_name(self) -> Cow<'static, str> {
        let name = self.kind.name();
        if self.negated { format!("{NEGATION}{name}").into() } else { name.into() }
    }
}

/// What a name can turn out to be.
pub(crate) enum Found {
    Kind(Kind),
    /// `not_` in front of a kind that has no opposite.
    NoOpposite(&'static dyn GraderKind),
    /// Known, and not built, or not as a type.
    Later(Known),
    /// Not known, but close to this name.
    Near(String),
    Nothing,
}

/// What goes by the name `typed`, in snake or kebab case, with or without a `not_` in front.
pub(crate) fn look_up(typed: &str) -> Found {
    let name = typed.trim().replace('-', "_");
    let (name, negated) = match find_exactly(&name) {
        Some(kind) => return Found::Kind(Kind { kind, negated: false }),
        None => name.strip_prefix(NEGATION).map_or((name.as_str(), false), |rest| (rest, true)),
    };
    match find_exactly(name) {
        Some(kind) if kind.can_be_negated() => return Found::Kind(Kind { kind, negated }),
        Some(kind) => return Found::NoOpposite(kind),
        None => {}
    }
    if let Some(later) = later::find(name) {
        return Found::Later(later);
    }
    match nearest_name(name) {
        Some(near) if negated => Found::Near(format!("{NEGATION}{near}")),
        Some(near) => Found::Near(near.to_owned()),
        None => Found::Nothing,
    }
}

/// The kind that goes by the name `typed`, or what is wrong with it.
pub(crate) fn find(typed: &str, span: Span) -> Result<Kind, Diagnostic> {
    let unknown = || {
        Diagnostic::error(format!("unknown grader type `{typed}`")).code("unknown-grader").at(span)
    };
    match look_up(typed) {
        Found::Kind(kind) => Ok(kind),
        Found::NoOpposite(kind) => Err(no_opposite(kind).at(span)),
        Found::Later(later) => Err(later.problem(typed.trim(), span)),
        Found::Near(name) => Err(unknown().hint(format!("did you mean `{name}`?"))),
        Found::Nothing => Err(unknown().hint(known_types())),
    }
}

/// What is said where a kind that has no opposite is negated, by its type or by a key.
pub(crate) fn no_opposite(kind: &dyn GraderKind) -> Diagnostic {
    let can = kinds().filter(|kind| kind.can_be_negated()).map(GraderKind::name);
    Diagnostic::error(format!("`{}` cannot be negated", kind.name()))
        .code("misplaced-key")
        .hint(format!("graders that can: {}", join(can)))
}

fn find_exactly(name: &str) -> Option<&'static dyn GraderKind> {
    kinds().find(|kind| kind.name() == name || kind.aliases().contains(&name))
}

/// Words for a model that judges which are near to other names.
const JUDGES: [&str; 4] = ["judge", "grader", "llm", "model"];

fn nearest_name(name: &str) -> Option<&'static str> {
    if JUDGES.contains(&name) {
        return Some("llm_judge");
    }
    let built =
        kinds().flat_map(|kind| std::iter::once(kind.name()).chain(kind.aliases().iter().copied()));
    nearest(name, built.chain(later::names()))
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
            .map(|kind| kind.canonical_name().into_owned())
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
    fn an_llm_judge_is_known_by_all_its_names() {
        for typed in ["llm_judge", "llm-grader", "llm-rubric", "rubrics", "agent-judge"] {
            assert_eq!(check(typed).unwrap(), "llm_judge");
        }
        for typed in ["llm-jugde", "judge"] {
            assert_eq!(check(typed).unwrap_err().1, "did you mean `llm_judge`?");
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
        for (typed, name) in [("not-code-grader", "code_judge"), ("not_llm_rubric", "llm_judge")] {
            let (message, hint) = check(typed).unwrap_err();
            assert_eq!(message, format!("`{name}` cannot be negated"));
            assert!(hint.starts_with("graders that can: contains, "), "{hint}");
            assert!(!hint.contains(name), "{hint}");
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
    fn a_type_that_cannot_be_run_yet_says_so_and_what_would_do() {
        for (typed, instead) in [
            ("is-xml", "code_judge"),
            ("not_is_sql", "code_judge"),
            ("javascript", "node"),
            ("trajectory:goal-success", "llm_judge"),
        ] {
            let (message, hint) = check(typed).unwrap_err();
            assert_eq!(
                message,
                format!("grader type `{typed}` is known, but this version cannot run it yet")
            );
            assert!(hint.contains(instead), "{hint}");
        }
    }

    #[test]
    fn a_measure_that_is_a_type_elsewhere_says_what_to_write() {
        for (typed, measure) in [
            ("bleu", "bleu"),
            ("levenshtein", "levenshtein"),
            ("not-rouge-n", "rouge_1"),
            ("rouge-l", "rouge_l"),
            ("f1", "token_f1"),
        ] {
            let (message, hint) = check(typed).unwrap_err();
            assert_eq!(message, format!("grader type `{typed}` is a measure of `similar`"));
            let wanted = format!("write `type: similar` with `measure: {measure}`");
            assert!(hint.starts_with(&wanted), "{hint}");
        }
    }

    #[test]
    fn the_nearest_can_be_a_type_that_cannot_be_run_yet() {
        for (typed, meant) in [
            ("skill-triger", "skill_trigger"),
            ("trajectory:goal-sucess", "trajectory:goal_success"),
        ] {
            assert_eq!(check(typed).unwrap_err().1, format!("did you mean `{meant}`?"));
        }
    }

    #[test]
    fn a_type_like_no_other_lists_them_all() {
        let (_, hint) = check("horoscope").unwrap_err();
        let names: Vec<_> = kinds().map(GraderKind::name).collect();
        assert_eq!(hint, format!("known types: {}", names.join(", ")));
    }

    #[test]
    fn every_kind_has_names_of_its_own_and_a_description() {
        let mut seen = BTreeSet::new();
        for kind in kinds() {
            for name in std::iter::once(&kind.name()).chain(kind.aliases()) {
                assert!(seen.insert(*name), "{name} is taken twice");
                assert!(
                    name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_:".contains(&byte)),
                    "{name} is not snake_case"
                );
            }
            assert!(!kind.description().is_empty(), "{}", kind.name());
            assert!(!kind.description().contains('\n'), "{}", kind.name());
        }
    }
}
