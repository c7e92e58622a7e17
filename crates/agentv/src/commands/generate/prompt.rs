//! What a model is asked for rubrics, and what its answer must look like.

use std::{collections::HashSet, fmt::Write as _, sync::Arc};

use agentv_base::{EvalCase, JudgeQuestion, excerpt};
use agentv_case::rubrics::Rubric;
use agentv_grade::only_object;
use serde_json::{Map, Value, json};

/// More points than this are no help to anyone who reads a report.
const MOST: usize = 12;
/// A point that takes more words is several points.
const LONGEST: usize = 500;
/// Weights are shares of each other; larger ones are slips of the pen.
const HEAVIEST: f64 = 1000.0;
/// Enough of a value to recognise it.
const SHOWN: usize = 80;

const INSTRUCTIONS: &str = "\
You write rubrics by which the answers of an assistant are graded. A rubric is one point that an \
answer either meets or does not.
- Take the expected outcome apart: each requirement that it states becomes one rubric, and every \
requirement is covered. Add nothing that it does not ask for.
- Write each rubric so that two careful readers would agree whether an answer meets it, as a short \
sentence about the answer, such as \"Names the capital of the country\".
- Rubrics do not overlap, and no rubric needs another to be understood.
- `id` is a short name in lower case with hyphens, such as \"names-the-capital\"; each is used once.
- `weight` is how much the point matters compared to the others; 1 is usual.
- `required` is true where an answer without the point is a wrong answer, and false where the point \
only makes it better.
Answer with one JSON object and nothing else:
{\"rubrics\": [{\"id\": \"…\", \"description\": \"…\", \"weight\": 1, \"required\": true}]}
Give between 1 and 12 rubrics.";

/// The question about a case.
pub(super) fn question(case: &EvalCase) -> JudgeQuestion {
    let outcome = case.expected_outcome.as_deref().unwrap_or_default().trim();
    let mut prompt = format!(
        "The assistant is asked:\n\n<question>\n{}\n</question>\n\n\
         What is expected of its answer:\n\n<expected_outcome>\n{outcome}\n</expected_outcome>\n",
        case.input.question().trim()
    );
    let reference = case.reference_answer();
    if !reference.trim().is_empty() {
        let _ = write!(
            prompt,
            "\nA good answer, as an example; others may be as good:\n\n\
             <reference_answer>\n{}\n</reference_answer>\n",
            reference.trim()
        );
    }
    prompt.push_str("\nWrite the rubrics for this expected outcome.");
    JudgeQuestion {
        instructions: INSTRUCTIONS.to_owned(),
        prompt,
        schema: Some(Arc::new(schema())),
        repair: None,
        sample: 0,
    }
}

fn schema() -> Value {
    let rubric = json!({
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "description": {"type": "string"},
            "weight": {"type": "number"},
            "required": {"type": "boolean"},
        },
        "required": ["id", "description", "weight", "required"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {"rubrics": {"type": "array", "items": rubric}},
        "required": ["rubrics"],
        "additionalProperties": false,
    })
}

/// The rubrics of an answer, or what is wrong with it, in words that go on after a colon.
pub(super) fn read(answer: &str) -> Result<Vec<Rubric>, String> {
    let object = only_object(answer, "rubrics")?;
    let object: Map<String, Value> = serde_json::from_str(object)
        .map_err(|error| format!("its JSON cannot be used: {error}"))?;
    let Some(Value::Array(items)) = object.get("rubrics") else {
        return Err("`rubrics` must be a list".to_owned());
    };
    if items.is_empty() || items.len() > MOST {
        return Err(format!("`rubrics` must have from 1 to {MOST} items, not {}", items.len()));
    }
    let mut ids = HashSet::new();
    let mut rubrics = Vec::with_capacity(items.len());
    for (number, item) in items.iter().enumerate() {
        let rubric =
            read_one(item).map_err(|what| format!("rubric {} of the list {what}", number + 1))?;
        if !ids.insert(rubric.id.clone()) {
            return Err(format!("two rubrics have the id `{}`", rubric.id));
        }
        rubrics.push(rubric);
    }
    if rubrics.iter().map(|rubric| rubric.weight).sum::<f64>() <= 0.0 {
        return Err("no rubric has a weight above 0".to_owned());
    }
    Ok(rubrics)
}

fn read_one(item: &Value) -> Result<Rubric, String> {
    let Value::Object(fields) = item else { return Err("is no object".to_owned()) };
    let id = match fields.get("id") {
        Some(Value::String(id)) if is_kebab(id) => id.clone(),
        Some(Value::String(id)) => {
            return Err(format!(
                "has the id `{}`, which must be lower case with hyphens",
                excerpt(id, SHOWN)
            ));
        }
        _ => return Err("has no `id`".to_owned()),
    };
    let text = ["description", "outcome"].iter().find_map(|name| fields.get(*name)?.as_str());
    let words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
    let description = words.join(" ");
    if description.is_empty() {
        return Err("has no `description`".to_owned());
    }
    if description.chars().count() > LONGEST {
        return Err(format!("has a `description` of more than {LONGEST} characters"));
    }
    if description.chars().any(char::is_control) {
        return Err("has control characters in its `description`".to_owned());
    }
    // In cases with variables these would be filled in.
    if ["{{", "{%", "{#"].iter().any(|braces| description.contains(braces)) {
        return Err("has `{{`, `{%` or `{#` in its `description`".to_owned());
    }
    let weight = match fields.get("weight") {
        None | Some(Value::Null) => 1.0,
        Some(weight) => weight
            .as_f64()
            .filter(|weight| (0.0..=HEAVIEST).contains(weight))
            .ok_or_else(|| format!("has a `weight` that is no number from 0 to {HEAVIEST}"))?,
    };
    let required = match fields.get("required") {
        None | Some(Value::Null) => true,
        Some(Value::Bool(required)) => *required,
        Some(_) => return Err("has a `required` that is neither true nor false".to_owned()),
    };
    Ok(Rubric { id, description, weight, required })
}

/// Short, because reports show it before everything else.
fn is_kebab(id: &str) -> bool {
    const LONGEST_ID: usize = 60;
    let piece = |piece: &str| {
        !piece.is_empty() && piece.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    id.len() <= LONGEST_ID && id.split('-').all(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an answer gives: its ids, or what is said of it.
    fn check(answer: &str) -> Result<Vec<String>, String> {
        Ok(read(answer)?.into_iter().map(|rubric| rubric.id).collect())
    }

    fn one(fields: &Value) -> Result<Rubric, String> {
        let mut rubric = json!({"id": "a", "description": "b"});
        rubric.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        Ok(read(&json!({ "rubrics": [rubric] }).to_string())?.remove(0))
    }

    #[test]
    fn rubrics_are_found_in_what_a_model_says_around_them() {
        let said = "Sure!\n```json\n{\"rubrics\": [{\"id\": \"a\", \"outcome\": \"x\"}, \
                    {\"id\": \"b-2\", \"description\": \" y \\n z \", \"weight\": 0.5}]}\n```";
        assert_eq!(check(said).unwrap(), ["a", "b-2"]);
        let second = read(said).unwrap().remove(1);
        let wanted = Rubric {
            id: "b-2".to_owned(),
            description: "y z".to_owned(),
            weight: 0.5,
            required: true,
        };
        assert_eq!(second, wanted);
    }

    #[test]
    fn what_cannot_be_used_is_told() {
        for (fields, said) in [
            (
                json!({"id": "A b"}),
                "rubric 1 of the list has the id `A b`, which must be lower case with hyphens",
            ),
            (
                json!({"id": "a--b"}),
                "rubric 1 of the list has the id `a--b`, which must be lower case with hyphens",
            ),
            (json!({"id": 5}), "rubric 1 of the list has no `id`"),
            (json!({"description": " "}), "rubric 1 of the list has no `description`"),
            (
                json!({"description": "x".repeat(501)}),
                "rubric 1 of the list has a `description` of more than 500 characters",
            ),
            (
                json!({"description": "a\u{1b}b"}),
                "rubric 1 of the list has control characters in its `description`",
            ),
            (
                json!({"description": "{{ x }}"}),
                "rubric 1 of the list has `{{`, `{%` or `{#` in its `description`",
            ),
            (
                json!({"weight": -1}),
                "rubric 1 of the list has a `weight` that is no number from 0 to 1000",
            ),
            (
                json!({"weight": "2"}),
                "rubric 1 of the list has a `weight` that is no number from 0 to 1000",
            ),
            (json!({"weight": 0}), "no rubric has a weight above 0"),
            (
                json!({"required": "yes"}),
                "rubric 1 of the list has a `required` that is neither true nor false",
            ),
        ] {
            assert_eq!(one(&fields).unwrap_err(), said);
        }
        assert_eq!(
            check("{\"rubrics\": []}").unwrap_err(),
            "`rubrics` must have from 1 to 12 items, not 0"
        );
        assert_eq!(check("{\"rubrics\": {}}").unwrap_err(), "`rubrics` must be a list");
        let two =
            json!({"rubrics": [{"id": "a", "description": "x"}, {"id": "a", "description": "y"}]});
        assert_eq!(check(&two.to_string()).unwrap_err(), "two rubrics have the id `a`");
        assert_eq!(check("no idea").unwrap_err(), "it gave no JSON object: `no idea`");
    }
}
