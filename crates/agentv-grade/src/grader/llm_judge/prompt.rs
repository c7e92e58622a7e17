//! What a judge is asked: the author's own words with what is known of the case in them, or ours.
//!
//! Whatever is filled in is filled in once and never read again.

mod ours;
mod values;

use agentv_base::{Blanks, Diagnostic, EvalCase, Fields, GradeContext, Problems, nearest};

pub(super) use self::values::KNOWN;
use self::values::var;
use super::{form::Form, ranges::Ranges, rubric::Rubric};
use crate::{
    grader::prompt_text::{PromptText, single_braces},
    kind::BuildContext,
};

/// Blanks that show the judge what it judges.
const ANSWERS: [&str; 2] = ["candidate_answer", "output_messages"];

/// Blanks for what is expected of the answer.
const EXPECTED: [&str; 3] = ["expected_outcome", "reference_answer", "expected_messages"];

/// Blanks for what happened on the way to the answer.
const TRAIL: [&str; 4] = ["output_messages", "trace", "trace_summary", "tool_calls"];

/// Blanks for rubrics.
const RUBRICS: [&str; 2] = ["rubrics", "rubrics_json"];

/// The question to a judge, but for what only the case and the answer know.
pub(super) enum Prompt {
    Ours,
    Own { text: String, blanks: Blanks },
}

impl Prompt {
    /// The prompt of a judge, in its settings or in a file. Every problem is reported.
    pub(super) fn read(
        fields: &Fields<'_>,
        has_rubrics: bool,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let Some(node) = fields.get("prompt") else { return Some(Self::Ours) };
        let PromptText { text, file } = PromptText::read(fields, context, problems)?;
        let blanks = Blanks::read_open(&text, KNOWN);
        let told = check(&blanks, &text, file.as_deref(), has_rubrics);
        let right = told.is_empty();
        for problem in told {
            problems.push(problem.at(node.span));
        }
        right.then_some(Self::Own { text, blanks })
    }

    /// The words of it that are the same for every case.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Ours => ours::words(),
            Self::Own { text, .. } => text.clone(),
        }
    }

    /// Whether the judge sees what happened on the way to the answer.
    pub(super) fn shows_trail(&self) -> bool {
        match self {
            Self::Ours => false,
            Self::Own { blanks, .. } => TRAIL.iter().any(|name| blanks.has(name)),
        }
    }

    /// What the case would lack for it, in words that go on after "grader `x`".
    pub(super) fn lacks(&self, case: &EvalCase, form: &Form) -> Option<String> {
        let outcome = case.expected_outcome.is_some();
        let reference = !case.reference_answer().trim().is_empty();
        let Self::Own { blanks, .. } = self else {
            let needed = form.rubrics().is_none() && !outcome && !reference;
            return needed.then(|| {
                "judges by `expected_outcome` or by a reference answer, and the case has neither"
                    .to_owned()
            });
        };
        if let Some(unknown) = blanks.own().find(|name| var(case, name).is_none()) {
            return Some(unknown_name(unknown, case));
        }
        let mentioned: Vec<&str> = EXPECTED.into_iter().filter(|name| blanks.has(name)).collect();
        let given = |name: &&str| if *name == "expected_outcome" { outcome } else { reference };
        if mentioned.is_empty() || mentioned.iter().any(given) {
            return None;
        }
        let named: Vec<String> =
            mentioned.iter().map(|name| format!("`{{{{ {name} }}}}`")).collect();
        Some(format!(
            "compares with {} in its prompt, and the case has nothing of the kind",
            named.join(" and ")
        ))
    }

    /// What the author can do where the case lacks something.
    pub(super) fn remedy(&self) -> &'static str {
        match self {
            Self::Ours => {
                "add `expected_outcome` or `expected_output` to the case, or `rubrics` to the grader"
            }
            Self::Own { .. } => {
                "give the case what the prompt speaks of, or take it out of the prompt"
            }
        }
    }

    pub(super) fn filled(&self, form: &Form, context: &GradeContext<'_>) -> String {
        let Self::Own { blanks, .. } = self else { return ours::filled(form, context) };
        let rubrics = form.rubrics().unwrap_or_default();
        let mut text = blanks.fill(|name| values::value(name, rubrics, context));
        if !rubrics.is_empty() && !RUBRICS.iter().any(|name| blanks.has(name)) {
            text.push_str("\n\nCheck the answer against each of these rubrics:\n\n");
            text.push_str(&listed(rubrics));
        }
        text
    }
}

/// Everything that is wrong with a prompt, whatever the case.
fn check(blanks: &Blanks, text: &str, file: Option<&str>, has_rubrics: bool) -> Vec<Diagnostic> {
    let mut told = Vec::new();
    let whose =
        file.map_or_else(|| "the prompt".to_owned(), |path| format!("the prompt in `{path}`"));
    if text.trim().is_empty() {
        told.push(Diagnostic::error(format!("{whose} is empty")));
        return told;
    }
    if !ANSWERS.iter().any(|name| blanks.has(name)) {
        let names = || ANSWERS.into_iter().chain(["output", "answer"]);
        let all = || KNOWN.iter().filter(|(_, it)| ANSWERS.contains(it)).map(|(name, _)| *name);
        let near = blanks.own().find_map(|own| Some((own, nearest(own, names())?)));
        let hint = match near {
            Some((own, near)) => format!("did you mean `{{{{ {near} }}}}` by `{{{{ {own} }}}}`?"),
            None => single_braces(text, all()).unwrap_or_else(|| {
                "put `{{ candidate_answer }}` where the answer should stand".to_owned()
            }),
        };
        let message = format!("the judge would not see the answer: {whose} has no place for it");
        told.push(Diagnostic::error(message).code("unset-variable").hint(hint));
    }
    if !has_rubrics && RUBRICS.iter().any(|name| blanks.has(name)) {
        told.push(
            Diagnostic::error(format!("{whose} has a place for rubrics, and there are none"))
                .code("unset-variable")
                .hint("add `rubrics`, or use `{{ expected_outcome }}`"),
        );
    }
    told
}

fn unknown_name(name: &str, case: &EvalCase) -> String {
    let vars = case.vars.iter().flat_map(|vars| vars.keys());
    let known = || KNOWN.iter().map(|(name, _)| *name);
    let near = nearest(name, known().chain(vars.map(String::as_str)));
    let hint = match near {
        Some(near) => format!("did you mean `{{{{ {near} }}}}`?"),
        None => format!("known are the `vars` of the case, and {}", listed_names(known())),
    };
    format!("has `{{{{ {name} }}}}` in its prompt, which nothing is known as; {hint}")
}

fn listed_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// Rubrics as a judge reads them: a line each, with what its scores mean below it.
pub(super) fn listed(rubrics: &[Rubric]) -> String {
    let mut lines = Vec::new();
    for rubric in rubrics {
        let description = rubric.description.replace('\n', "\n  ");
        lines.push(format!("- [{}] {description}", rubric.id));
        for level in rubric.ranges.iter().flat_map(Ranges::levels) {
            let outcome = level.outcome.replace('\n', "\n    ");
            lines.push(format!("  - score {}: {outcome}", level.scores()));
        }
    }
    lines.join("\n")
}
