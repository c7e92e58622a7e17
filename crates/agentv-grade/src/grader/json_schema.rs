//! `json_schema` and `is_json`: the answer is JSON, and JSON of the wanted shape.
//!
//! An answer that is no JSON is a wrong answer, not a failed grader. What a schema is and how it
//! is read stands in `schema.rs`.

mod growth;
mod keywords;
mod limits;
mod parts;
mod references;
mod schema;
mod warnings;

use std::sync::Arc;

use agentv_base::{Fields, Grader, GraderFault, Key, Problems, Score, Shape};

pub(super) use self::schema::Schema;
use super::{immediate::fallible, json_text};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

/// A schema as it stands, or the file that holds it.
pub(super) const SCHEMA: Shape = Shape::Either(&[Shape::AnyMap, Shape::Name]);

pub(crate) struct JsonSchema;

impl GraderKind for JsonSchema {
    fn name(&self) -> &'static str {
        "json_schema"
    }

    fn description(&self) -> &'static str {
        "The answer is JSON that satisfies the JSON Schema in `value`"
    }

    fn manual(&self) -> Manual {
        SCHEMA_MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const { &[Key::new("value", SCHEMA, "The schema, or `file://…`").or(&["schema"]).required()] }
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
        let node = fields.required("value", problems)?;
        let schema = Schema::read(node, context, problems)?;
        Some(fallible(move |context| score(&context.response.text, Some(&schema))))
    }
}

const SCHEMA_MANUAL: Manual = Manual {
    text: "Scores 1 where the whole answer is JSON that satisfies the schema, else 0; each miss \
                   says where in the answer it does not. The schema stands in `value` as a map, or in \
                   a JSON file of the suite's folder. Drafts 4, 6, 7, 2019-09 and 2020-12 are known by \
                   `$schema`; without it, 2020-12. Formats such as `date` and `email` are checked. \
                   A key that looks like a misspelt keyword and a format that is not known are \
                   warned of; a schema that checks nothing is an error. \
                   Patterns are those of [regex](regex.md). Nothing is fetched for a `$ref`: it must \
                   lead to a place in the same schema, and may lead in circles. More than 32 \
                   references, `allOf` and the like in a row for one and the same value are \
                   refused. An answer that is nested deeper than 127 levels scores 0. Of an answer \
                   that is very large only the first miss is told, and where a schema that refers \
                   to itself in several branches meets a deep answer, no place. A schema that \
                   would check such an answer millions of times is an error of the case.",
    examples: &[
        Example::new(
            "A schema in the suite",
            "type: json_schema\nvalue:\n  type: object\n  required: [total]\n  \
                         properties:\n    total: {type: number, minimum: 0}",
            &[
                Answer::text(r#"{"total": 12.5}"#, 1.0),
                Answer::text(r#"{"total": "12.5"}"#, 0.0),
                Answer::text("The total is 12.5.", 0.0),
            ],
        ),
        Example::new(
            "A schema in a file",
            "type: json_schema\nvalue: file://person.json",
            &[Answer::text(r#"{"name": "Ada"}"#, 1.0), Answer::text("{}", 0.0)],
        )
        .with(&[("person.json", r#"{"required": ["name"]}"#)]),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`is-json` with a schema",
        inspect_ai: "",
        deepeval: "`JsonCorrectnessMetric`",
        original: "",
    },
};

pub(crate) struct IsJson;

impl GraderKind for IsJson {
    fn name(&self) -> &'static str {
        "is_json"
    }

    fn description(&self) -> &'static str {
        "The answer is JSON; with a JSON Schema in `value`, JSON that satisfies it"
    }

    fn manual(&self) -> Manual {
        JSON_MANUAL
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
        Some(fallible(move |context| score(&context.response.text, schema.as_ref())))
    }
}

const JSON_MANUAL: Manual = Manual {
    text: "Scores 1 where the whole answer is JSON, else 0: a sentence around it, or a fence of \
                   Markdown, is no JSON ([contains_json](contains_json.md) takes both). It may be nested \
                   as deep as it likes. With a schema in `value` it is [json_schema](json_schema.md).",
    examples: &[
        Example::new(
            "Any JSON",
            "type: is_json",
            &[Answer::text(r#"[1, "two"]"#, 1.0), Answer::text(r#"Sure! [1, "two"]"#, 0.0)],
        ),
        Example::new(
            "JSON that satisfies a schema",
            "type: is_json\nvalue: {type: array}",
            &[Answer::text("[]", 1.0), Answer::text("{}", 0.0)],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`is-json`",
        inspect_ai: "",
        deepeval: "",
        original: "`is-json`",
    },
};

fn score(answer: &str, schema: Option<&Schema>) -> Result<Score, GraderFault> {
    let Some(schema) = schema else {
        return Ok(match json_text::check(answer) {
            Ok(()) => Score::binary(true, "is JSON"),
            Err(miss) => Score::binary(false, miss),
        });
    };
    let value = match json_text::read(answer) {
        Ok(value) => value,
        Err(miss) => return Ok(Score::binary(false, miss)),
    };
    if let Some(fault) = schema.fault(&value) {
        return Err(fault);
    }
    let misses = schema.misses(&value);
    if misses.is_empty() {
        return Ok(Score::binary(true, "satisfies the schema"));
    }
    Ok(Score { score: 0.0, misses, ..Score::default() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{Project, errors_of, eval_case, grade_text, response};

    /// The hits of a grader that is satisfied, or the misses of one that is not.
    fn check(keys: &Value, answer: &str) -> Result<Vec<String>, Vec<String>> {
        let given = grade_text(keys, answer);
        match given.misses.is_empty() {
            true if given.score > 0.9 => Ok(given.hits),
            false if given.score == 0.0 && given.hits.is_empty() => Err(given.misses),
            _ => panic!("{given:?}"),
        }
    }

    fn person() -> Value {
        json!({
            "type": "object",
            "required": ["name"],
            "properties": {"age": {"type": "integer"}},
        })
    }

    #[test]
    fn an_answer_satisfies_a_schema_or_says_where_it_does_not() {
        let keys = json!({"type": "json-schema", "value": person()});
        assert_eq!(
            check(&keys, "{\"name\": \"Ada\", \"age\": 36}\n"),
            Ok(vec!["satisfies the schema".to_owned()])
        );
        assert_eq!(
            check(&keys, r#"{"age": "old"}"#),
            Err(vec![
                r#"does not satisfy the schema: "name" is a required property"#.to_owned(),
                r#"does not satisfy the schema at /age: "old" is not of type "integer""#.to_owned(),
            ])
        );
    }

    #[test]
    fn an_answer_that_is_no_json_is_wrong_and_not_an_error() {
        for keys in [json!({"type": "json_schema", "value": person()}), json!({"type": "is_json"})]
        {
            assert_eq!(
                check(&keys, "Sure! {}"),
                Err(vec!["is not JSON (expected value at line 1 column 1): `Sure! {}`".to_owned()])
            );
            assert!(check(&keys, "").is_err());
        }
    }

    #[test]
    fn is_json_takes_a_schema_or_none() {
        assert_eq!(check(&json!({"type": "is-json"}), " [1]\n"), Ok(vec!["is JSON".to_owned()]));
        let keys = json!({"type": "is-json", "value": {"type": "object"}});
        assert_eq!(check(&keys, "{}"), Ok(vec!["satisfies the schema".to_owned()]));
        assert!(check(&keys, "[1]").is_err());
    }

    #[test]
    fn a_schema_may_stand_under_the_name_schema() {
        for kind in ["json_schema", "is_json"] {
            let keys = json!({"type": kind, "schema": {"type": "object"}});
            assert!(check(&keys, "{}").is_ok() && check(&keys, "[]").is_err());
        }
    }

    #[test]
    fn an_answer_that_is_nested_deep_is_json_but_nothing_for_a_schema() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(check(&json!({"type": "is_json"}), &deep), Ok(vec!["is JSON".to_owned()]));
        let keys = json!({"type": "json_schema", "value": {"items": {"$ref": "#"}}});
        let misses = check(&keys, &deep).unwrap_err();
        assert_eq!(misses.len(), 1);
        assert!(misses[0].starts_with("is nested deeper than 127 levels"), "{misses:?}");
        assert!(check(&json!({"type": "is_json"}), &format!("[{deep}")).is_err());
    }

    #[test]
    fn negated_they_state_the_same_facts() {
        assert_eq!(check(&json!({"type": "not-is-json"}), "{}"), Err(vec!["is JSON".to_owned()]));
        let keys = json!({"type": "not_json_schema", "value": {"type": "object"}});
        assert_eq!(check(&keys, "{}"), Err(vec!["satisfies the schema".to_owned()]));
        assert!(check(&keys, "hello").is_ok());
    }

    #[test]
    fn a_schema_can_stand_in_a_file_of_the_suites_folder() {
        let project = Project::new();
        project.write("person.json", &person().to_string());
        let keys = json!({"type": "json_schema", "value": "file://person.json"});
        let answer = response(&json!({"text": "{}"}));
        let given = project.try_grade(&keys, &eval_case(), &answer).unwrap();
        assert_eq!(given.misses.len(), 1);
    }

    #[test]
    fn a_file_that_holds_no_schema_is_an_error_that_names_it() {
        let project = Project::new();
        for (file, text, message) in [
            ("a.json", "{", "`a.json` is not JSON: EOF while parsing an object at line 1 column 1"),
            ("b.json", "[]", "`b.json` is not a schema: it is no object"),
            (
                "c.json",
                r#"{"items": {"minimum": "x"}}"#,
                "`c.json` is not a JSON Schema that can be used: /items/minimum: \"x\" is not of \
                 type \"number\"",
            ),
            (
                "d.json",
                r#"{"$defs": {"a/b": {"$ref": "http://127.0.0.1:1/x.json"}}}"#,
                "`d.json` is not a JSON Schema that can be used: /$defs/a~1b/$ref: it refers to \
                 `http://127.0.0.1:1/x.json`, and nothing is fetched; copy that part into `$defs`",
            ),
        ] {
            project.write(file, text);
            assert_eq!(
                project
                    .errors_of(&json!({"type": "json_schema", "value": format!("file://{file}")})),
                [("/value".to_owned(), message.to_owned())]
            );
        }
        let absent = project.errors_of(&json!({"type": "is_json", "value": "file://absent.json"}));
        assert_eq!(absent[0].1, "file `absent.json` was not found");
    }

    #[test]
    fn a_value_that_is_no_schema_is_an_error() {
        for (keys, at, message) in [
            (json!({"type": "json_schema"}), "", "json_schema needs `value`"),
            (
                json!({"type": "json_schema", "value": "object"}),
                "/value",
                "`value` must be a schema, not a string",
            ),
            (
                json!({"type": "is_json", "value": ["object"]}),
                "/value",
                "`value` must be a schema, not a list",
            ),
            (
                json!({"type": "is_json", "value": {"type": 3}}),
                "/value/type",
                "`value` is not a JSON Schema that can be used: 3 is none of \"array\", \"boolean\", \
                 \"integer\", \"null\", \"number\", \"object\", \"string\"",
            ),
        ] {
            assert_eq!(errors_of(&keys), [(at.to_owned(), message.to_owned())]);
        }
    }

    proptest! {
        #[test]
        fn no_answer_can_upset_it(answer in any::<String>()) {
            let given = score(&answer, None).unwrap();
            prop_assert_eq!(given.hits.len() + given.misses.len(), 1);
        }
    }
}
