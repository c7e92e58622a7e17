//! `contains_json`: somewhere in the answer stands a JSON object or list, of the wanted shape where
//! a schema says so. How a schema is read stands with `json_schema`.

use std::sync::Arc;

use agentv_base::{BoxFuture, Fields, GradeContext, Grader, GraderFault, Key, Problems, Score};

use super::{
    json_find::{Candidates, TooMuchWork},
    json_schema::{SCHEMA, Schema},
    json_text::excerpt_of,
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

pub(crate) struct ContainsJson;

impl GraderKind for ContainsJson {
    fn name(&self) -> &'static str {
        "contains_json"
    }

    fn description(&self) -> &'static str {
        "Somewhere in the answer is a JSON object or list; with a JSON Schema in `value`, one that \
         satisfies it"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const { &[Key::new("value", SCHEMA, "The schema, or `file://…`").or(&["schema"])] }
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
        let schema = Schema::read_optional(fields, context, problems)?;
        Some(Arc::new(Contained { schema }))
    }
}

const MANUAL: Manual = Manual {
    text: "Scores 1 where the answer has a JSON object or list in it, with any text around it, else \
                   0. Numbers, texts and other plain values do not count: they are in most \
                   answers. With a schema in `value` one of them must satisfy it, as \
                   [json_schema](json_schema.md) checks it. An object or list inside of another \
                   is a part of that one and does not count on its own. An answer that opens very many brackets and \
                   never closes them cannot be searched in a bounded time and is an error of the \
                   case.",
    examples: &[
        Example::new(
            "JSON among words",
            "type: contains_json",
            &[
                Answer::text("Here you are:\n```json\n{\"total\": 12.5}\n```", 1.0),
                Answer::text("The total is 12.5 {in euros}.", 0.0),
            ],
        ),
        Example::new(
            "JSON that satisfies a schema",
            "type: contains_json\nvalue: {type: object, required: [total]}",
            &[
                Answer::text(r#"Not [1], but {"total": 12.5}."#, 1.0),
                Answer::text(r#"{"sum": 12.5}"#, 0.0),
            ],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`contains-json`",
        inspect_ai: "",
        deepeval: "",
        original: "",
    },
};

struct Contained {
    schema: Option<Schema>,
}

impl Grader for Contained {
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async move { self.score(&context.response.text) })
    }
}

impl Contained {
    fn score(&self, answer: &str) -> Result<Score, GraderFault> {
        let mut misses = Vec::new();
        let mut count = 0_usize;
        for candidate in Candidates::of(answer) {
            let text = candidate
                .map_err(|too_much: TooMuchWork| GraderFault::new(too_much.to_string()))?;
            count += 1;
            let Some(schema) = &self.schema else {
                return Ok(Score::binary(true, format!("contains JSON: {}", excerpt_of(text))));
            };
            // It was read before as what is no value, so this can be nothing but one.
            let Ok(value) = serde_json::from_str(text) else { continue };
            if let Some(fault) = schema.fault(&value) {
                return Err(fault);
            }
            let found = schema.misses(&value);
            if found.is_empty() {
                let said = format!("contains JSON that satisfies the schema: {}", excerpt_of(text));
                return Ok(Score::binary(true, said));
            }
            // What is wrong with the first says most; of others it is said that they are there.
            if misses.is_empty() {
                misses = found;
            }
        }
        match count {
            0 | 1 => {}
            2 => misses.push("nor does the other JSON value in it".to_owned()),
            _ => misses.push(format!("nor does any of the {} other JSON values in it", count - 1)),
        }
        if count == 0 {
            return Ok(Score::binary(false, "contains no JSON object and no list"));
        }
        Ok(Score { score: 0.0, misses, ..Score::default() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{Project, errors_of, eval_case, grade_text, response};

    fn check(keys: &Value, answer: &str) -> (f64, Vec<String>) {
        let given = grade_text(keys, answer);
        (given.score, [given.hits, given.misses].concat())
    }

    #[test]
    fn an_object_or_a_list_is_found_among_words() {
        let keys = json!({"type": "contains-json"});
        for (answer, found) in [
            (r#"Sure: {"a": [1]}."#, r#"`{"a": [1]}`"#),
            ("see {this} [1]", "`[1]`"),
            ("{\"a\": {}", "`{}`"),
            ("[[]", "`[]`"),
            ("[[[[[]", "`[]`"),
            ("\"[\" [2]", "`[2]`"),
        ] {
            assert_eq!(check(&keys, answer), (1.0, vec![format!("contains JSON: {found}")]));
        }
        for answer in ["", "12", "\"text\"", "null", "{a: 1}", "[1", "see {this} and [that]"] {
            assert_eq!(
                check(&keys, answer),
                (0.0, vec!["contains no JSON object and no list".to_owned()]),
                "{answer}"
            );
        }
    }

    #[test]
    fn one_of_several_must_satisfy_the_schema() {
        let keys =
            json!({"type": "contains_json", "schema": {"required": ["a"], "type": "object"}});
        assert_eq!(
            check(&keys, r#"[1] {"b": 1} {"a": 1} {}"#),
            (1.0, vec![r#"contains JSON that satisfies the schema: `{"a": 1}`"#.to_owned()])
        );
        assert_eq!(
            check(&keys, r#"{"b": 1} and [{"a": 1}]"#),
            (
                0.0,
                vec![
                    r#"does not satisfy the schema: "a" is a required property"#.to_owned(),
                    "nor does the other JSON value in it".to_owned(),
                ]
            )
        );
    }

    #[test]
    fn negated_it_states_the_same_facts() {
        let keys = json!({"type": "not-contains-json"});
        assert_eq!(check(&keys, "[1]"), (0.0, vec!["contains JSON: `[1]`".to_owned()]));
        assert_eq!(check(&keys, "no").0.to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn brackets_that_never_close_end_in_a_miss_or_in_an_error_and_soon() {
        let keys = json!({"type": "contains_json"});
        for answer in ["[".repeat(100_000), "{\"a\":".repeat(50_000), "[{\"".repeat(50_000)] {
            assert_eq!(check(&keys, &answer).0.to_bits(), 0.0_f64.to_bits());
        }
        let answer = response(&json!({"text": "[1,".repeat(1 << 20)}));
        let fault = Project::new().try_grade(&keys, &eval_case(), &answer).unwrap_err();
        assert!(fault.message.contains("3145728 bytes"), "{}", fault.message);
    }

    #[test]
    fn a_bad_schema_is_an_error_at_its_place() {
        let errors = errors_of(&json!({"type": "contains_json", "value": {"type": 3}}));
        assert_eq!(errors[0].0, "/value/type");
    }

    proptest! {
        #[test]
        fn no_answer_can_upset_it(answer in any::<String>(), brackets in "[\\[\\]{}\", :1a\\\\]{0,60}") {
            for answer in [answer, brackets] {
                let given = Contained { schema: None }.score(&answer).unwrap();
                prop_assert_eq!(given.hits.len() + given.misses.len(), 1);
            }
        }

        #[test]
        fn a_list_is_found_whatever_stands_before_it(before in "[^\\[{]{0,40}", after in "\\PC{0,40}") {
            let given = Contained { schema: None }.score(&format!("{before}[1, {{}}]{after}")).unwrap();
            prop_assert_eq!(given.hits, ["contains JSON: `[1, {}]`"]);
        }
    }
}
