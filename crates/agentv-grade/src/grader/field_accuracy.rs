//! `field_accuracy`: the answer is JSON, and its fields are those that are expected. `settings.rs`
//! reads the keys, `field.rs` looks at one field, `compare.rs` and `date.rs` know what is equal.

mod compare;
mod date;
mod expected;
mod field;
mod settings;

use std::sync::Arc;

use agentv_base::{
    BoxFuture, EvalCase, Fields, GradeContext, Grader, GraderFault, Key, Problems, Score,
};
use serde_json::Value;

use self::{
    expected::expected_data,
    field::{Field, Seen},
    settings::{KEYS, read_aggregation, read_fields},
};
use super::json_text::read_fenced;
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

/// So many hits, and so many misses, say what an answer is like; the rest is counted.
const MOST_SHOWN: usize = 20;

/// So many things that a case lacks are told; the rest is counted.
const MOST_LACKS: usize = 5;

pub(crate) struct FieldAccuracy;

impl GraderKind for FieldAccuracy {
    fn name(&self) -> &'static str {
        "field_accuracy"
    }

    fn description(&self) -> &'static str {
        "The fields of a JSON answer are those that are expected: exactly, as numbers or as dates"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        KEYS
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        _: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        let aggregation = read_aggregation(fields, problems);
        let fields = read_fields(fields, aggregation, problems)?;
        Some(Arc::new(Accuracy { fields, aggregation: aggregation? }))
    }
}

const MANUAL: Manual = Manual {
    text: "Compares the fields of an answer, which must be JSON as a whole, or one fenced block \
                   of JSON and nothing else. The score is the weighted average of the fields, 1 for \
                   one that is right and 0 for one that is not; with `aggregation: all_or_nothing` \
                   it is 1 where all are right, else 0. An answer that is no JSON scores 0.\n\n\
                   **What is expected** stands in `value` of a field, else at the same path of the \
                   case's expected answer: the last expected message that has content, as an \
                   object, a list, or a text (or blocks of text and files) that is JSON. A case whose expected answer does not have a \
                   field is an error that is told before anything is run.\n\n\
                   **Paths** are names with dots and indices in brackets, such as \
                   `invoice.lines[0].amount`; `lines.0` is the same as `lines[0]`, `[-1]` is the last item, and `[\"a.b\"]` is a name \
                   with a dot. A path that starts with `$` is a JSONPath (RFC 9535, without its \
                   functions, and with one `..` at most). Where it may select several values, as in \
                   `$.lines[*].amount`, they are compared as a list: as many, in the same order, \
                   all right.\n\n\
                   **An absent field** is wrong. With `required: false` it is left out of the \
                   score; null is there, and not absent. Where every field is left out there is \
                   no score, and the case has an error.\n\n\
                   **`exact`**: equal in all depth. 1 and 1.0 are the same number, \"1\" is a \
                   text, the order of an object's keys does not count.\n\n\
                   **`numeric_tolerance`**: a number that is at most `tolerance` away; with \
                   `relative`, at most that share of what is expected (so of 0 only 0 is near). \
                   A text that is a number and nothing else is one, such as `\"12.50\"`; `\"1,234\"` \
                   and `\"12 EUR\"` are none. The last bits of a decimal do not count: 1.01 is 0.01 \
                   away from 1.\n\n\
                   **`date`**: the same day of the calendar, as it is written; times and offsets \
                   are not compared. Known are ISO 8601 dates with or without a time, \
                   `14-Mar-2025`, `14 March 2025`, `March 14, 2025`, `2025/03/14`, and days of \
                   numbers such as `14/03/2025` where only one order makes a day. `03/04/2025` could \
                   be two days and is neither, unless `formats` says which. `formats` then is all \
                   that is known, of the answer and of what is expected, made of `YYYY`, `YY`, \
                   `MMMM`, `MMM`, `MM`, `M`, `DD`, `D`, `HH`, `H`, `mm`, `ss`, `SSS` and `Z`; names \
                   of months are English.",
    examples: &[
        Example::new(
            "An invoice against the expected answer",
            "type: field_accuracy\nfields:\n  - {path: number, weight: 2}\n  \
             - {path: date, match: date}\n  \
             - {path: total, match: numeric_tolerance, tolerance: 0.01}\n  \
             - {path: '$.lines[*].sku'}",
            &[
                Answer::text(
                    r#"{"number": "A-17", "date": "14 March 2025", "total": 99.5, "lines": [{"sku": "x"}, {"sku": "y"}]}"#,
                    1.0,
                ),
                Answer::text(
                    r#"{"number": "A-71", "date": "2025-03-14", "total": "99.51", "lines": [{"sku": "x"}]}"#,
                    0.4,
                ),
                Answer::text("The total is 99.5.", 0.0),
            ],
        )
        .expecting(
            r#"{"number": "A-17", "date": "2025-03-14", "total": 99.5, "lines": [{"sku": "x"}, {"sku": "y"}]}"#,
        ),
        Example::new(
            "Values of its own, all or nothing",
            "type: field_accuracy\naggregation: all_or_nothing\nfields:\n  \
             - {path: country, value: FR}\n  \
             - {path: population, value: 68000000, match: numeric_tolerance, tolerance: 0.05, relative: true}\n  \
             - {path: founded, value: 22/09/1792, match: date, formats: [DD/MM/YYYY, YYYY-MM-DD], required: false}",
            &[
                Answer::text("```json\n{\"country\": \"FR\", \"population\": 66000000}\n```", 1.0),
                Answer::text(
                    r#"{"country": "FR", "population": 66000000, "founded": "1792-09-21"}"#,
                    0.0,
                ),
            ],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "",
        inspect_ai: "",
        deepeval: "",
        original: "`field_accuracy`",
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aggregation {
    WeightedAverage,
    AllOrNothing,
}

struct Accuracy {
    fields: Vec<Field>,
    aggregation: Aggregation,
}

impl Grader for Accuracy {
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async move { self.score(context).map_err(GraderFault::new) })
    }

    fn lacks(&self, case: &EvalCase) -> Option<String> {
        if !self.needs_data() {
            return None;
        }
        let Some(data) = expected_data(case) else {
            let what = "needs an expected answer that is JSON, or `value` in each of its fields";
            return Some(what.to_owned());
        };
        let of_the_case = self.fields.iter().filter(|field| field.value.is_none());
        let mut lacks = of_the_case.filter_map(|field| field.lacks(Some(&data)));
        let mut told: Vec<String> = lacks.by_ref().take(MOST_LACKS).collect();
        let more = lacks.count();
        if told.is_empty() {
            return None;
        }
        if more > 0 {
            told.push(format!("{more} more"));
        }
        Some(format!("needs {}", told.join("; ")))
    }
}

impl Accuracy {
    /// Whether it looks into the expected answer of a case.
    fn needs_data(&self) -> bool {
        self.fields.iter().any(|field| field.value.is_none())
    }

    fn score(&self, context: &GradeContext<'_>) -> Result<Score, String> {
        let data = if self.needs_data() {
            Some(expected_data(context.case).ok_or("the expected answer is not JSON")?)
        } else {
            None
        };
        let answer = match read_fenced(&context.response.text) {
            Ok(answer) => answer,
            Err(miss) => return Ok(Score::binary(false, miss)),
        };
        self.add_up(data.as_ref(), &answer)
    }

    fn add_up(&self, data: Option<&Value>, answer: &Value) -> Result<Score, String> {
        let (mut hits, mut misses) = (Said::default(), Said::default());
        let (mut reached, mut possible) = (0.0, 0.0);
        let mut seen = false;
        for field in &self.fields {
            let weight = match self.aggregation {
                Aggregation::WeightedAverage => field.weight,
                Aggregation::AllOrNothing => 1.0,
            };
            match field.look(data, answer).map_err(|lack| format!("it needs {lack}"))? {
                Seen::LeftOut => continue,
                Seen::Right(said) => {
                    reached += weight;
                    hits.add(|| format!("{} {said}", field.path));
                }
                Seen::Wrong(said) => misses.add(|| format!("{} {said}", field.path)),
            }
            possible += weight;
            seen = true;
        }
        if !seen || possible <= 0.0 {
            return Err("the answer has none of the fields that count, and none of them is \
                        required, so there is no score"
                .to_owned());
        }
        let score = match self.aggregation {
            Aggregation::AllOrNothing if misses.count > 0 => 0.0,
            Aggregation::AllOrNothing => 1.0,
            // Weights of any size may be added up: the share of two infinities is none.
            Aggregation::WeightedAverage if f64::is_finite(possible) => reached / possible,
            Aggregation::WeightedAverage => {
                return Err("the weights of its fields are too large to be added up".to_owned());
            }
        };
        Ok(Score { score, hits: hits.told(), misses: misses.told(), ..Score::default() })
    }
}

/// Hits or misses: the first of them, and how many there are.
#[derive(Default)]
struct Said {
    first: Vec<String>,
    count: usize,
}

impl Said {
    fn add(&mut self, said: impl FnOnce() -> String) {
        if self.count < MOST_SHOWN {
            self.first.push(said());
        }
        self.count += 1;
    }

    fn told(mut self) -> Vec<String> {
        let more = self.count - self.first.len();
        if more > 0 {
            self.first.push(format!("and {more} more"));
        }
        self.first
    }
}

#[cfg(test)]
#[path = "field_accuracy_tests.rs"]
mod tests;
