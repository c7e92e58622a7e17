//! `equals`: the answer is the text in `value` and nothing else, or JSON that is the same as the
//! map or the list there; without `value`, the case's reference answer.
//!
//! White space at either end of either text is left out of the comparison, since nearly every tool
//! ends its answer with a line break; white space inside counts.

mod json;

use std::sync::Arc;

use agentv_base::{
    BoxFuture, Diagnostic, EvalCase, Fields, GradeContext, Grader, GraderFault, Key, Node,
    NodeValue, Problems, Reference, Score, Shape,
};
use serde_json::Value;

use super::{
    json_text,
    letter_case::same,
    wanted::{quoted, wanted_text},
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

pub(crate) struct Equals;

impl GraderKind for Equals {
    fn name(&self) -> &'static str {
        "equals"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["exact_match"]
    }

    fn description(&self) -> &'static str {
        "The answer equals `value`, else the reference answer; white space at the ends does not \
         count"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[
                Key::new(
                    "value",
                    Shape::Any,
                    "The text, `file://…`, or a map or a list that the answer must be as JSON",
                )
                .default("the reference answer"),
                Key::new("ignore_case", Shape::Bool, "Whether upper and lower case are the same")
                    .default("false"),
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
        let ignore_case = fields.boolean("ignore_case", problems).unwrap_or(false);
        let wanted = match fields.get("value") {
            None => None,
            Some(node) if matches!(node.value, NodeValue::List(_) | NodeValue::Map(_)) => {
                refuse_case(ignore_case, node, fields, problems);
                Some(Wanted::Json(node.checked_json(problems)?))
            }
            Some(_) => Some(Wanted::Text(wanted_text(fields, context, problems)?)),
        };
        Some(Arc::new(EqualTo { wanted, ignore_case }))
    }
}

const MANUAL: Manual = Manual {
    text: "Scores 1 where the answer is the text and nothing else, else 0. White space at either \
           end of either text is left out of the comparison, since nearly every tool ends its \
           answer with a line break; white space inside counts. Letter case counts unless \
           `ignore_case` says otherwise.\n\n\
           A map or a list in `value` is compared as JSON: the whole answer must be JSON with the \
           same values, in any order of keys, where 1 is 1.0. A miss names the first place that \
           differs.\n\n\
           Without `value` the answer is compared with the last of `expected_messages` that has \
           content, and a case that has none is an error before anything is run. Blocks of text \
           and of files are compared as one text, with an empty line between them.",
    examples: &[
        Example::new(
            "One word and nothing else",
            "type: equals\nvalue: ALLOW",
            &[Answer::text("ALLOW\n", 1.0), Answer::text("ALLOW it", 0.0)],
        ),
        Example::new(
            "In any letter case",
            "type: equals\nvalue: allow\nignore_case: true",
            &[Answer::text("Allow", 1.0), Answer::text("Allow!", 0.0)],
        ),
        Example::new(
            "JSON",
            "type: equals\nvalue: {total: 12, items: [tea, milk]}",
            &[
                Answer::text(r#"{"items": ["tea", "milk"], "total": 12.0}"#, 1.0),
                Answer::text(r#"{"items": ["tea", "salt"], "total": 12}"#, 0.0),
            ],
        ),
        Example::new(
            "The reference answer",
            "type: equals",
            &[Answer::text("Paris", 1.0), Answer::text("Paris, France", 0.0)],
        )
        .expecting("Paris"),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`equals`",
        inspect_ai: "`match(location=\"exact\")` with `ignore_case: true`",
        deepeval: "`ExactMatchMetric`",
        original: "`equals`",
    },
};

enum Wanted {
    Text(String),
    Json(Value),
}

struct EqualTo {
    /// Nothing: what the case expects.
    wanted: Option<Wanted>,
    ignore_case: bool,
}

fn refuse_case(ignore_case: bool, node: &Node, fields: &Fields<'_>, problems: &mut Problems) {
    if let Some(entry) = fields.entry("ignore_case").filter(|_| ignore_case) {
        let message = format!("`ignore_case` is for texts, and `value` is {}", node.kind_name());
        problems.push(Diagnostic::error(message).code("misplaced-key").at(entry.key_span));
    }
}

/// The reference answer of a case, or why there is none; a blank one is none.
fn reference(case: &EvalCase) -> Result<Wanted, &'static str> {
    match case.reference().ok_or(NO_REFERENCE)? {
        Reference::Text(text) if text.trim().is_empty() => Err(NO_REFERENCE),
        Reference::Text(text) => Ok(Wanted::Text(text.into_owned())),
        Reference::Json(node) => {
            node.checked_json(&mut Problems::default()).map(Wanted::Json).ok_or(NO_JSON)
        }
    }
}

impl Grader for EqualTo {
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async move {
            let answer = &context.response.text;
            let reference;
            let wanted = match &self.wanted {
                Some(wanted) => wanted,
                None => {
                    reference = self::reference(context.case).map_err(GraderFault::new)?;
                    &reference
                }
            };
            Ok(match wanted {
                Wanted::Text(wanted) => score(answer, wanted, self.ignore_case),
                Wanted::Json(wanted) => score_json(answer, wanted),
            })
        })
    }

    fn lacks(&self, case: &EvalCase) -> Option<String> {
        if self.wanted.is_some() {
            return None;
        }
        match reference(case) {
            Err(lack) => Some(lack.to_owned()),
            Ok(Wanted::Json(_)) if self.ignore_case => {
                Some("ignores letter case, and the reference answer of the case is no text".into())
            }
            Ok(_) => None,
        }
    }

    fn remedy(&self) -> Option<&'static str> {
        Some("add `value` to the grader, or `expected_output` to the case")
    }
}

const NO_REFERENCE: &str =
    "has no `value`, and the case has no reference answer in `expected_messages`";

const NO_JSON: &str = "cannot use the reference answer in `expected_messages`: it has a number that JSON does not know";

fn score(answer: &str, wanted: &str, ignore_case: bool) -> Score {
    let (answer, wanted) = (answer.trim(), wanted.trim());
    let met = if ignore_case { same(answer, wanted) } else { answer == wanted };
    let in_any_case = if ignore_case { " in any case" } else { "" };
    let wanted = quoted(wanted);
    if met {
        return Score::binary(true, format!("equals {wanted}{in_any_case}"));
    }
    let miss = format!("does not equal {wanted}{in_any_case}: it is {}", quoted(answer));
    Score::binary(false, miss)
}

fn score_json(answer: &str, wanted: &Value) -> Score {
    let shown = quoted(&wanted.to_string());
    let difference = match json_text::read(answer) {
        Ok(answer) => json::difference(&answer, wanted),
        Err(miss) => Some(format!("it {miss}")),
    };
    match difference {
        None => Score::binary(true, format!("equals {shown}")),
        Some(difference) => Score::binary(false, format!("does not equal {shown}: {difference}")),
    }
}

#[cfg(test)]
#[path = "equals_tests.rs"]
mod tests;
