//! `equals`: the answer is the text in `value` and nothing else. White space at either end of
//! either text is left out of the comparison, since nearly every tool ends its answer with a line
//! break; white space inside counts.

use std::sync::Arc;

use agentv_base::{Fields, Grader, Key, Problems, Score, Shape};

use super::{
    immediate::immediate,
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

    fn description(&self) -> &'static str {
        "The answer equals the text in `value`; white space at the ends of both does not count"
    }

    fn manual(&self) -> Manual {
        MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const { &[Key::new("value", Shape::Scalar, "The text, or `file://…`").required()] }
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
        let wanted = wanted_text(fields, context, problems)?;
        Some(immediate(move |context| score(context.response.text.trim(), wanted.trim())))
    }
}

const MANUAL: Manual = Manual {
    text: "Scores 1 where the answer is the text and nothing else, else 0. White space at \
                   either end of either text is left out of the comparison, since nearly every tool \
                   ends its answer with a line break; white space inside counts.",
    examples: &[Example::new(
        "One word and nothing else",
        "type: equals\nvalue: ALLOW",
        &[Answer::text("ALLOW\n", 1.0), Answer::text("ALLOW it", 0.0)],
    )],
    elsewhere: Elsewhere {
        promptfoo: "`equals`",
        inspect_ai: "`exact()`, `match(location=\"exact\")`",
        deepeval: "`ExactMatchMetric`",
        original: "`equals`",
    },
};

fn score(answer: &str, wanted: &str) -> Score {
    if answer == wanted {
        return Score::binary(true, format!("equals {}", quoted(wanted)));
    }
    Score::binary(false, format!("does not equal {}: it is {}", quoted(wanted), quoted(answer)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::grade_text;

    fn check(value: &Value, answer: &str) -> Result<String, String> {
        let given = grade_text(&json!({"type": "equals", "value": value}), answer);
        match (given.hits.as_slice(), given.misses.as_slice()) {
            ([hit], []) if reaches_one(given.score) => Ok(hit.clone()),
            ([], [miss]) if !reaches_one(given.score) => Err(miss.clone()),
            _ => panic!("{given:?}"),
        }
    }

    fn reaches_one(score: f64) -> bool {
        agentv_base::reaches(score, 1.0)
    }

    #[test]
    fn white_space_at_the_ends_does_not_count() {
        assert_eq!(check(&json!(" 42\n"), "42\r\n\n"), Ok("equals `42`".to_owned()));
        assert_eq!(check(&json!(42), "42\n"), Ok("equals `42`".to_owned()));
        assert_eq!(check(&json!(""), "\n"), Ok("equals ``".to_owned()));
    }

    #[test]
    fn white_space_inside_and_letter_case_count() {
        for answer in ["a  b", "A b", "a b c"] {
            assert_eq!(
                check(&json!("a b"), answer),
                Err(format!("does not equal `a b`: it is `{answer}`"))
            );
        }
    }
}
