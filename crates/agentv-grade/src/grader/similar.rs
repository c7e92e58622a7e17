//! `similar`: how close the answer is to a reference text. This file reads the keys and says what
//! came of it; how texts are compared stands in `similar/`.

mod alignment;
mod grams;
mod manual;
mod measure;
mod words;

use std::sync::Arc;

use agentv_base::{
    BoxFuture, Diagnostic, EvalCase, Fields, GradeContext, Grader, GraderFault, Key, Node,
    Problems, Reference, Score, Shape, excerpt,
};

use self::{
    alignment::MOST_CELLS,
    measure::{Likeness, Measure, TooLong},
};
use super::wanted::read_text;
use crate::{
    kind::{BuildContext, GraderKind},
    manual::Manual,
    numbers::share,
};

/// Enough of a reference to recognise it.
const SHOWN: usize = 80;

const MEASURES: [&str; 7] = {
    let mut names = [""; 7];
    let mut place = 0;
    while place < names.len() {
        names[place] = Measure::ALL[place].name();
        place += 1;
    }
    names
};

/// Measures of other tools that compare meanings.
const OF_A_MODEL: [&str; 6] =
    ["embedding", "embeddings", "cosine", "semantic", "dot_product", "euclidean"];

const NO_REFERENCE: &str =
    "has nothing to compare with: give it `value`, or the case an expected answer";

pub(crate) struct SimilarKind;

impl GraderKind for SimilarKind {
    fn name(&self) -> &'static str {
        "similar"
    }

    fn description(&self) -> &'static str {
        "How close the answer is to a reference text, by a published measure"
    }

    fn manual(&self) -> Manual {
        manual::MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[
                Key::new("measure", Shape::Choice(&MEASURES), "How texts are compared").required(),
                Key::new(
                    "value",
                    Shape::Either(&[Shape::Scalar, Shape::List(&Shape::Scalar)]),
                    "The reference, or several; each as it is or as `file://…`",
                )
                .default("what the case expects"),
                Key::new(
                    "ignore_case",
                    Shape::Bool,
                    "Whether upper and lower case are equal; of `levenshtein`, `bleu` and `chrf`",
                )
                .default("false"),
                Key::later(
                    "threshold",
                    "give `min_score`, the score from which this grader passes",
                ),
            ]
        }
    }

    fn can_be_negated(&self) -> bool {
        true
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        // Everything is read before anything is given up, so that all problems are told.
        let measure = read_measure(fields, problems);
        let ignore_case = read_ignore_case(fields, measure, problems);
        let references = match fields.get("value") {
            Some(node) => Some(read_references(node, measure, context, problems)?),
            None => None,
        };
        Some(Arc::new(Similar { measure: measure?, ignore_case: ignore_case?, references }))
    }
}

fn read_measure(fields: &Fields<'_>, problems: &mut Problems) -> Option<Measure> {
    let hint = || format!("measures: {}", MEASURES.join(", "));
    let Some(node) = fields.get("measure") else {
        let span = fields.entry("measure").map_or(fields.span(), |entry| entry.key_span);
        let missing = Diagnostic::error("similar needs `measure`").code("missing-key");
        problems.push(missing.at(span).hint(hint()));
        return None;
    };
    let typed = fields.string("measure", problems)?.trim();
    if OF_A_MODEL.contains(&typed.replace('-', "_").as_str()) {
        problems.push(
            Diagnostic::error(format!("measure `{typed}` needs a model, and is not supported yet"))
                .code("not-supported")
                .at(node.span)
                .hint(format!("{}; or `code_judge` with a program that asks a model", hint())),
        );
        return None;
    }
    fields.choice("measure", &Measure::ALL.map(|measure| (measure.name(), measure)), problems)
}

/// Of a measure that is not known, nobody can say whether the key belongs to it.
fn read_ignore_case(
    fields: &Fields<'_>,
    measure: Option<Measure>,
    problems: &mut Problems,
) -> Option<bool> {
    let Some(entry) = fields.entry("ignore_case").filter(|entry| !entry.value.is_null()) else {
        return Some(false);
    };
    let ignore_case = fields.boolean("ignore_case", problems)?;
    if let Some(measure) = measure.filter(|measure| measure.ignores_case()) {
        let message = format!("`{}` never tells upper from lower case", measure.name());
        problems.push(
            Diagnostic::error(message)
                .code("misplaced-key")
                .at(entry.key_span)
                .hint("leave `ignore_case` out; it belongs to `levenshtein`, `bleu` and `chrf`"),
        );
        return None;
    }
    Some(ignore_case)
}

/// The text or the texts in `value`.
fn read_references(
    node: &Node,
    measure: Option<Measure>,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<Vec<String>> {
    let items = node.as_list();
    if items.is_some_and(<[Node]>::is_empty) {
        problems.error(node.span, "`value` is an empty list, so there is nothing to compare with");
        return None;
    }
    let what = if items.is_some() { "a text of `value`" } else { "`value`" };
    let read: Vec<Option<String>> = items
        .unwrap_or(std::slice::from_ref(node))
        .iter()
        .map(|item| {
            let text = read_text(item, what, context, problems)?;
            if let Some(measure) = measure.filter(|measure| measure.is_blank(&text)) {
                problems.error(item.span, format!("this text {}", has_nothing(measure)));
                return None;
            }
            Some(text)
        })
        .collect();
    read.into_iter().collect()
}

fn has_nothing(measure: Measure) -> String {
    format!("has nothing that `{}` compares: {}", measure.name(), measure.compares())
}

struct Similar {
    measure: Measure,
    ignore_case: bool,
    /// Nothing where what the case expects is the reference.
    references: Option<Vec<String>>,
}

impl Similar {
    /// What the case expects, or in what way it is no reference.
    fn expected(&self, case: &EvalCase) -> Result<String, String> {
        let expected = match case.reference() {
            None => String::new(),
            Some(Reference::Text(text)) => text.into_owned(),
            Some(Reference::Json(node)) => node
                .checked_json(&mut Problems::default())
                .map(|value| format!("{value:#}"))
                .ok_or("cannot use the expected answer: it has a number that JSON does not know")?,
        };
        if expected.trim().is_empty() {
            return Err(NO_REFERENCE.to_owned());
        }
        if self.measure.is_blank(&expected) {
            return Err(format!(
                "cannot use the expected answer: it {}",
                has_nothing(self.measure)
            ));
        }
        Ok(expected)
    }

    fn compare(&self, answer: &str, references: &[String]) -> Result<Score, GraderFault> {
        let found = if self.measure == Measure::Levenshtein {
            // Nearly every tool ends its answer with a line break. Other measures see no white
            // space at the ends.
            let references: Vec<&str> = references.iter().map(|text| text.trim()).collect();
            self.measure.compare(answer.trim(), &references, self.ignore_case)
        } else {
            self.measure.compare(answer, references, self.ignore_case)
        };
        let found = found.map_err(|lengths| GraderFault::new(too_long(self.measure, lengths)))?;
        Ok(Score::measured(found.score, said(self.measure, found, references)))
    }
}

impl Grader for Similar {
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async move {
            let answer = &context.response.text;
            match &self.references {
                Some(references) => self.compare(answer, references),
                None => {
                    let expected = self.expected(context.case).map_err(GraderFault::new)?;
                    self.compare(answer, &[expected])
                }
            }
        })
    }

    fn lacks(&self, case: &EvalCase) -> Option<String> {
        if self.references.is_some() { None } else { self.expected(case).err() }
    }

    fn remedy(&self) -> Option<&'static str> {
        Some("add `value` to the grader, or `expected_output` to the case")
    }
}

fn said(measure: Measure, found: Likeness, references: &[String]) -> String {
    let name = measure.name();
    let score = share(found.score);
    let nearest = found.nearest.and_then(|place| references.get(place));
    match (nearest, references.len()) {
        (Some(text), 1) => format!("{name} {score} to `{}`", excerpt(text, SHOWN)),
        (Some(text), all) => {
            format!("{name} {score} to `{}`, the nearest of {all}", excerpt(text, SHOWN))
        }
        (None, all) => format!("{name} {score} to {all} references together"),
    }
}

fn too_long(measure: Measure, TooLong { answer, reference }: TooLong) -> String {
    let (what, instead) = match measure {
        Measure::RougeL => ("words", "`rouge_1`, `rouge_2` or `token_f1`"),
        Measure::Levenshtein
        | Measure::TokenF1
        | Measure::Rouge1
        | Measure::Rouge2
        | Measure::Bleu
        | Measure::Chrf => ("characters", "`chrf`, `bleu` or `token_f1`"),
    };
    format!(
        "the answer is too long for `{}`: {answer} {what} against {reference} of the reference, \
         and at most {MOST_CELLS} pairs are compared for an answer; use {instead}, which take \
         texts of any length",
        measure.name()
    )
}

#[cfg(test)]
#[path = "similar_tests.rs"]
mod tests;
