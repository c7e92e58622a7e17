//! `starts_with` and `ends_with`: how the answer begins and how it ends. White space around the
//! answer and around `value` is left out of the comparison, for the reason that `equals` has.

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

/// One of the two ends of an answer.
#[derive(Clone, Copy)]
pub(crate) enum TextEnd {
    Start,
    End,
}

impl GraderKind for TextEnd {
    fn name(&self) -> &'static str {
        match self {
            Self::Start => "starts_with",
            Self::End => "ends_with",
        }
    }

    fn description(&self) -> &'static str {
        match self {
            Self::Start => "The answer starts with the text in `value`",
            Self::End => "The answer ends with the text in `value`",
        }
    }

    fn manual(&self) -> Manual {
        match self {
            Self::Start => START,
            Self::End => END,
        }
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
        let wanted = wanted_text(fields, context, problems)?.trim().to_owned();
        if wanted.is_empty() {
            let span = fields.get("value").map_or(fields.span(), |node| node.span);
            problems.error(span, "`value` is blank, so every answer would pass");
            return None;
        }
        let end = *self;
        Some(immediate(move |context| end.score(context.response.text.trim(), &wanted)))
    }
}

const START: Manual = Manual {
    text: "Scores 1 where the answer begins with the text, white space around both aside, \
                       else 0. Letter case counts.",
    examples: &[Example::new(
        "The first word decides",
        "type: starts_with\nvalue: 'DENY:'",
        &[
            Answer::text("\nDENY: not on the list", 1.0),
            Answer::text("I would DENY: not on the list", 0.0),
        ],
    )],
    elsewhere: Elsewhere {
        promptfoo: "`starts-with`",
        inspect_ai: "`match(location=\"begin\")`",
        deepeval: "",
        original: "`starts-with`",
    },
};

const END: Manual = Manual {
    text: "Scores 1 where the answer ends with the text, white space around both aside, \
                       else 0. Letter case counts.",
    examples: &[Example::new(
        "The last word decides",
        "type: ends_with\nvalue: DONE",
        &[Answer::text("Three files were changed. DONE\n", 1.0), Answer::text("DONE.", 0.0)],
    )],
    elsewhere: Elsewhere {
        promptfoo: "",
        inspect_ai: "`match()`",
        deepeval: "",
        original: "`ends-with`",
    },
};

impl TextEnd {
    fn score(self, answer: &str, wanted: &str) -> Score {
        let (met, verb, negative) = match self {
            Self::Start => (answer.starts_with(wanted), "starts with", "does not start with"),
            Self::End => (answer.ends_with(wanted), "ends with", "does not end with"),
        };
        Score::binary(met, format!("{} {}", if met { verb } else { negative }, quoted(wanted)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::testing::{errors_of, grade_text};

    /// The one hit or miss of a grader that looks for `value` in `answer`.
    fn check(kind: &str, value: &str, answer: &str) -> Result<String, String> {
        let given = grade_text(&json!({"type": kind, "value": value}), answer);
        assert_eq!(
            given.score.to_bits(),
            f64::to_bits(if given.hits.is_empty() { 0.0 } else { 1.0 })
        );
        given.hits.into_iter().next().ok_or_else(|| given.misses[0].clone())
    }

    #[test]
    fn each_looks_at_its_own_end() {
        assert_eq!(
            check("starts_with", "Dear", "Dear Ada, yours"),
            Ok("starts with `Dear`".into())
        );
        assert_eq!(
            check("starts-with", "yours", "Dear Ada, yours"),
            Err("does not start with `yours`".into())
        );
        assert_eq!(check("ends-with", "yours", "Dear Ada, yours"), Ok("ends with `yours`".into()));
        assert_eq!(
            check("ends_with", "Dear", "Dear Ada, yours"),
            Err("does not end with `Dear`".into())
        );
    }

    #[test]
    fn letter_case_counts_and_white_space_around_does_not() {
        assert!(check("starts-with", "dear", "Dear Ada").is_err());
        assert!(check("starts-with", " Dear", "\n Dear Ada").is_ok());
        assert!(check("ends-with", "42.\n", "It is 42.\r\n\n").is_ok());
    }

    #[test]
    fn negated_they_state_the_same_facts() {
        assert_eq!(check("not-ends-with", "?", "Sure."), Ok("does not end with `?`".into()));
        assert_eq!(
            check("not_starts_with", "Sorry", "Sorry, no"),
            Err("starts with `Sorry`".into())
        );
    }

    #[test]
    fn a_blank_text_is_an_error() {
        for kind in ["starts_with", "ends_with"] {
            assert_eq!(
                errors_of(&json!({"type": kind, "value": " "})),
                [("/value".to_owned(), "`value` is blank, so every answer would pass".to_owned())]
            );
        }
    }

    proptest! {
        #[test]
        fn what_an_answer_is_made_of_stands_at_its_ends(first in "\\PC*x", last in "x\\PC*") {
            let answer = format!("{first}{last}");
            prop_assert!(TextEnd::Start.score(&answer, &first).misses.is_empty());
            prop_assert!(TextEnd::End.score(&answer, &last).misses.is_empty());
        }
    }
}
