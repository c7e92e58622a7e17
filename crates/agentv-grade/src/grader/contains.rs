//! `contains`: the answer has the text in `value` somewhere, letter by letter.

use std::sync::Arc;

use agentv_base::{Fields, Grader, Key, Problems, Score, Shape};

use super::{
    immediate::immediate,
    wanted::{quoted, wanted_something},
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

pub(crate) struct Contains;

impl GraderKind for Contains {
    fn name(&self) -> &'static str {
        "contains"
    }

    fn description(&self) -> &'static str {
        "The answer contains the text in `value`, upper and lower case as written"
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
        let wanted = wanted_something(fields, context, problems)?;
        let said = said_of(&wanted);
        Some(immediate(move |context| score(&context.response.text, &wanted, &said)))
    }
}

const MANUAL: Manual = Manual {
    text: "Scores 1 where the answer has the text in it, else 0. White space and letter case \
                   count; [icontains](icontains.md) takes any mix of upper and lower case. A number \
                   or a boolean in `value` is looked for as YAML reads it: put `0.10` in quotes.",
    examples: &[Example::new(
        "A text somewhere in the answer",
        "type: contains\nvalue: Paris",
        &[Answer::text("It is Paris, of course.", 1.0), Answer::text("It is PARIS.", 0.0)],
    )],
    elsewhere: Elsewhere {
        promptfoo: "`contains`",
        inspect_ai: "`includes(ignore_case=False)`",
        deepeval: "",
        original: "`contains`",
    },
};

/// The hit and the miss: the same for every answer.
fn said_of(wanted: &str) -> [String; 2] {
    ["contains", "does not contain"].map(|verb| format!("{verb} {}", quoted(wanted)))
}

fn score(answer: &str, wanted: &str, [hit, miss]: &[String; 2]) -> Score {
    let met = answer.contains(wanted);
    Score::binary(met, if met { hit } else { miss })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::testing::{errors_of, grade_text};

    #[test]
    fn a_text_is_found_as_it_is_written() {
        let keys = json!({"type": "contains", "value": "Hello"});
        for (answer, score, hits, misses) in [
            ("Hello, world", 1.0, vec!["contains `Hello`"], vec![]),
            ("hello, world", 0.0, vec![], vec!["does not contain `Hello`"]),
            ("", 0.0, vec![], vec!["does not contain `Hello`"]),
        ] {
            let given = grade_text(&keys, answer);
            assert_eq!(given.score.to_bits(), f64::to_bits(score), "{answer}");
            assert_eq!((given.hits, given.misses), (strings(&hits), strings(&misses)));
        }
    }

    #[test]
    fn what_was_looked_for_is_quoted_short_and_harmless() {
        let long = "\u{1b}[31m".repeat(100);
        let given = grade_text(&json!({"type": "contains", "value": long}), "");
        assert!(given.misses[0].starts_with("does not contain `\\u{1b}[31m"));
        assert!(given.misses[0].chars().count() < 250);
    }

    #[test]
    fn looking_for_nothing_is_an_error() {
        assert_eq!(
            errors_of(&json!({"type": "contains", "value": ""})),
            [("/value".to_owned(), "`value` is empty, so every answer would pass".to_owned())]
        );
    }

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    fn score(answer: &str, wanted: &str) -> Score {
        super::score(answer, wanted, &said_of(wanted))
    }

    proptest! {
        #[test]
        fn any_part_of_an_answer_is_found_in_it(before in "\\PC*", wanted in "\\PC+", after in "\\PC*") {
            prop_assert_eq!(score(&format!("{before}{wanted}{after}"), &wanted).score.to_bits(), 1.0_f64.to_bits());
        }

        #[test]
        fn no_answer_and_no_text_can_upset_it(answer in any::<String>(), wanted in any::<String>()) {
            let given = score(&answer, &wanted);
            prop_assert_eq!(given.hits.len() + given.misses.len(), 1);
        }
    }
}
