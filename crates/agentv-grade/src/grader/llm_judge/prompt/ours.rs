//! The prompt of a judge that brings none of its own.

use agentv_base::GradeContext;

use super::{super::form::Form, listed};
use crate::grader::marked;

const AS_A_WHOLE: &str = "\
How good is the answer? Judge it by the expected outcome and by the reference answer, as far as \
they are given. It need not have the words of the reference, only its substance: what is wrong, \
missing or made up counts against it.";

const BY_RUBRICS: &str = "\
Check the answer against each of the rubrics. An expected outcome and a reference answer, where \
they are given, only help to understand them.";

/// The sections, in their order.
const QUESTION: &str = "question";
const GUIDELINES: &str = "guidelines";
const OUTCOME: &str = "expected outcome";
const REFERENCE: &str = "reference answer";
const RUBRICS: &str = "rubrics";
const ANSWER: &str = "answer";

/// All words of it that do not depend on the case.
pub(super) fn words() -> String {
    let sections = [QUESTION, GUIDELINES, OUTCOME, REFERENCE, RUBRICS, ANSWER];
    [&marked::words(), &*sections.join(", "), AS_A_WHOLE, BY_RUBRICS].join("\n")
}

pub(super) fn filled(form: &Form, context: &GradeContext<'_>) -> String {
    let GradeContext { case, response, .. } = context;
    let rubrics = form.rubrics().map(listed).unwrap_or_default();
    let outcome = case.expected_outcome.as_deref().unwrap_or_default().to_owned();
    let sections = [
        (QUESTION, case.input.question().into_owned()),
        (GUIDELINES, case.input.guidelines().unwrap_or_default()),
        (OUTCOME, outcome),
        (REFERENCE, case.reference_answer()),
        (RUBRICS, rubrics),
        (ANSWER, response.text.clone()),
    ];
    // An answer is shown also where it is empty: that is what it is.
    let given: Vec<(&str, String)> = sections
        .into_iter()
        .filter(|(name, text)| *name == ANSWER || !text.trim().is_empty())
        .collect();
    let asked = if form.rubrics().is_some() { BY_RUBRICS } else { AS_A_WHOLE };
    format!("{}\n{asked}", marked::sections(&given))
}
