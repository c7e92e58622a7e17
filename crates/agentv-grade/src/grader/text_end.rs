//! `starts_with` and `ends_with`: how the answer begins and how it ends. White space around the
//! answer and around `value` is left out of the comparison, for the reason that `equals` has.

use std::sync::Arc;

use agentv_base::{Fields, Grader, Key, Problems, Score, Shape};

use super::{
    immediate::immediate,
    letter_case::{folded, leads},
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
        const {
            &[
                Key::new("value", Shape::Scalar, "The text, or `file://…`").required(),
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
        let wanted = wanted_text(fields, context, problems)?.trim().to_owned();
        if wanted.is_empty() {
            let span = fields.get("value").map_or(fields.span(), |node| node.span);
            problems.error(span, "`value` is blank, so every answer would pass");
            return None;
        }
        let end = *self;
        Some(immediate(move |context| {
            end.score(context.response.text.trim(), &wanted, ignore_case)
        }))
    }
}

const START: Manual = Manual {
    text: "Scores 1 where the answer begins with the text, white space around both aside, \
                       else 0. Letter case counts unless `ignore_case` says otherwise.",
    examples: &[
        Example::new(
            "The first word decides",
            "type: starts_with\nvalue: 'DENY:'",
            &[
                Answer::text("\nDENY: not on the list", 1.0),
                Answer::text("I would DENY: not on the list", 0.0),
            ],
        ),
        Example::new(
            "In any letter case",
            "type: starts_with\nvalue: yes\nignore_case: true",
            &[Answer::text("YES, of course.", 1.0), Answer::text("Oh yes.", 0.0)],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`starts-with`",
        inspect_ai: "`match(location=\"begin\")`",
        deepeval: "",
        original: "`starts-with`",
    },
};

const END: Manual = Manual {
    text: "Scores 1 where the answer ends with the text, white space around both aside, \
                       else 0. Letter case counts unless `ignore_case` says otherwise.",
    examples: &[
        Example::new(
            "The last word decides",
            "type: ends_with\nvalue: DONE",
            &[Answer::text("Three files were changed. DONE\n", 1.0), Answer::text("DONE.", 0.0)],
        ),
        Example::new(
            "In any letter case",
            "type: ends_with\nvalue: done.\nignore_case: true",
            &[Answer::text("All is Done.", 1.0), Answer::text("Done. What next?", 0.0)],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "",
        inspect_ai: "`match()`",
        deepeval: "",
        original: "`ends-with`",
    },
};

impl TextEnd {
    fn score(self, answer: &str, wanted: &str, ignore_case: bool) -> Score {
        let met = match (self, ignore_case) {
            (Self::Start, false) => answer.starts_with(wanted),
            (Self::Start, true) => leads(folded(answer), folded(wanted)),
            (Self::End, false) => answer.ends_with(wanted),
            (Self::End, true) => leads(folded(answer).rev(), folded(wanted).rev()),
        };
        let verb = match (self, met) {
            (Self::Start, true) => "starts with",
            (Self::Start, false) => "does not start with",
            (Self::End, true) => "ends with",
            (Self::End, false) => "does not end with",
        };
        let in_any_case = if ignore_case { " in any case" } else { "" };
        Score::binary(met, format!("{verb} {}{in_any_case}", quoted(wanted)))
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

    #[test]
    fn letter_case_can_be_ignored_at_either_end() {
        let said = |kind: &str, value: &str| {
            let keys = json!({"type": kind, "value": value, "ignore_case": true});
            let given = grade_text(&keys, "ÄRGER im ΟΔΟΣ");
            given.hits.into_iter().next().ok_or_else(|| given.misses[0].clone())
        };
        assert_eq!(said("starts-with", "ärger"), Ok("starts with `ärger` in any case".into()));
        assert_eq!(said("ends-with", "IM οδοσ"), Ok("ends with `IM οδοσ` in any case".into()));
        assert_eq!(said("not-ends-with", "οδοσ"), Err("ends with `οδοσ` in any case".into()));
        assert_eq!(
            said("ends-with", "xx ÄRGER im ΟΔΟΣ"),
            Err("does not end with `xx ÄRGER im ΟΔΟΣ` in any case".into())
        );
    }

    proptest! {
        #[test]
        fn letter_case_ignored_is_the_same_as_letter_case_lowered(
            answer in "[abAB]{0,6}", wanted in "[abAB]{1,3}"
        ) {
            for end in [TextEnd::Start, TextEnd::End] {
                let lowered = end.score(&answer.to_lowercase(), &wanted.to_lowercase(), false);
                let given = end.score(&answer, &wanted, true);
                prop_assert_eq!(given.misses.is_empty(), lowered.misses.is_empty());
            }
        }

        #[test]
        fn what_an_answer_is_made_of_stands_at_its_ends(first in "\\PC*x", last in "x\\PC*") {
            let answer = format!("{first}{last}");
            prop_assert!(TextEnd::Start.score(&answer, &first, false).misses.is_empty());
            prop_assert!(TextEnd::End.score(&answer, &last, false).misses.is_empty());
        }
    }
}
