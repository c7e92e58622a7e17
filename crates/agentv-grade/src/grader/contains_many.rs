//! The relatives of `contains`: in any letter case (`icontains`), and for a list of texts of which
//! one (`-any`) or each (`-all`) must be there.

mod manuals;
mod search;

use std::sync::Arc;

use agentv_base::{Fields, Grader, Key, Problems, Score, Shape};

use self::search::Search;
use super::{
    immediate::immediate,
    wanted::{quoted, wanted_something, wanted_texts},
};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::Manual,
    told::first_of,
};

/// More hits or misses than this are counted, not shown.
const SHOWN_TEXTS: usize = 100;

/// One way to look for texts.
#[derive(Clone, Copy)]
pub(crate) struct ContainsMany {
    name: &'static str,
    description: &'static str,
    manual: Manual,
    needs: Needs,
    letter_case: LetterCase,
}

/// How many of the texts must be there.
#[derive(Clone, Copy, PartialEq)]
enum Needs {
    /// There is only one, and `value` is not a list.
    One,
    Any,
    All,
}

#[derive(Clone, Copy)]
enum LetterCase {
    AsWritten,
    Any,
}

impl ContainsMany {
    pub(crate) const ICONTAINS: Self = Self {
        name: "icontains",
        description: "The answer contains the text in `value` in any mix of upper and lower case",
        manual: manuals::ICONTAINS,
        needs: Needs::One,
        letter_case: LetterCase::Any,
    };
    pub(crate) const CONTAINS_ANY: Self = Self {
        name: "contains_any",
        description: "The answer contains at least one of the texts in the list `value`",
        manual: manuals::CONTAINS_ANY,
        needs: Needs::Any,
        letter_case: LetterCase::AsWritten,
    };
    pub(crate) const CONTAINS_ALL: Self = Self {
        name: "contains_all",
        description: "The answer contains every text in the list `value`",
        manual: manuals::CONTAINS_ALL,
        needs: Needs::All,
        letter_case: LetterCase::AsWritten,
    };
    pub(crate) const ICONTAINS_ANY: Self = Self {
        name: "icontains_any",
        description: "As contains_any, in any mix of upper and lower case",
        manual: manuals::ICONTAINS_ANY,
        needs: Needs::Any,
        letter_case: LetterCase::Any,
    };
    pub(crate) const ICONTAINS_ALL: Self = Self {
        name: "icontains_all",
        description: "As contains_all, in any mix of upper and lower case",
        manual: manuals::ICONTAINS_ALL,
        needs: Needs::All,
        letter_case: LetterCase::Any,
    };
}

const ONE: &[Key] = &[Key::new("value", Shape::Scalar, "The text, or `file://…`").required()];
const SEVERAL: &[Key] =
    &[Key::new("value", Shape::List(&Shape::Scalar), "The texts, each as it is or as `file://…`")
        .required()];

impl GraderKind for ContainsMany {
    fn name(&self) -> &'static str {
        self.name
    }

    fn aliases(&self) -> &'static [&'static str] {
        match (self.needs, self.letter_case) {
            (Needs::One, LetterCase::Any) => &["includes"],
            (Needs::One | Needs::Any | Needs::All, _) => &[],
        }
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn manual(&self) -> Manual {
        self.manual
    }

    fn keys(&self) -> &'static [Key] {
        match self.needs {
            Needs::One => ONE,
            Needs::Any | Needs::All => SEVERAL,
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
        let texts = match self.needs {
            Needs::One => vec![wanted_something(fields, context, problems)?],
            Needs::Any | Needs::All => wanted_texts(fields, context, problems)?,
        };
        let needs = self.needs;
        match Search::new(texts, self.letter_case) {
            Ok(search) => {
                Some(immediate(move |context| score(&context.response.text, &search, needs)))
            }
            Err(error) => {
                let span = fields.get("value").map_or(fields.span(), |node| node.span);
                problems.error(span, format!("the texts in `value` are too long: {error}"));
                None
            }
        }
    }
}

/// What is said is what decides: the texts that are there where that is enough, else those that
/// are not. So all that is said stands on one side, also when a `not_` changes the sides.
fn score(answer: &str, search: &Search, needs: Needs) -> Score {
    let found = search.find_all(answer);
    let met = match needs {
        Needs::One | Needs::All => found.iter().all(|found| *found),
        Needs::Any => found.iter().any(|found| *found),
    };
    let deciding = search.texts().iter().zip(&found).filter(|(_, found)| **found == met);
    let said = say(deciding.map(|(text, _)| text), met, search.letter_case());
    if met {
        Score { score: 1.0, hits: said, ..Score::default() }
    } else {
        Score { score: 0.0, misses: said, ..Score::default() }
    }
}

/// A fact for each of the texts; of very many the first, and how many more.
fn say<'t>(
    texts: impl Iterator<Item = &'t String>,
    found: bool,
    letter_case: LetterCase,
) -> Vec<String> {
    let verb = if found { "contains" } else { "does not contain" };
    let in_any_case = match letter_case {
        LetterCase::AsWritten => "",
        LetterCase::Any => " in any case",
    };
    first_of(
        texts,
        SHOWN_TEXTS,
        |text| format!("{verb} {}{in_any_case}", quoted(text)),
        |more| format!("{verb} {more} more of the texts"),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        build,
        testing::{Project, errors_of, grade_text, node},
    };

    /// The hits of a grader that is satisfied, or the misses of one that is not.
    fn check(kind: &str, value: &Value, answer: &str) -> Result<Vec<String>, Vec<String>> {
        let given = grade_text(&json!({"type": kind, "value": value}), answer);
        match given.score.to_bits() == 1.0_f64.to_bits() {
            true if given.misses.is_empty() => Ok(given.hits),
            false if given.hits.is_empty() && given.score == 0.0 => Err(given.misses),
            _ => panic!("{given:?}"),
        }
    }

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn one_text_is_found_in_any_letter_case() {
        assert!(check("includes", &json!("hello"), "Say HELLO").is_ok());
        for (wanted, answer) in [
            ("hello", "Say HELLO"),
            ("STRASSE", "die Strasse"),
            ("Ärger", "ÄRGER"),
            ("ΟΔΟΣ", "οδοσα"),
            ("ΟΔΟΣ", "η οδος"),
        ] {
            let hit = format!("contains `{wanted}` in any case");
            assert_eq!(check("icontains", &json!(wanted), answer), Ok(vec![hit]));
        }
        assert_eq!(
            check("icontains", &json!("hello"), "Hell"),
            Err(strings(&["does not contain `hello` in any case"]))
        );
    }

    #[test]
    fn any_is_met_by_one_and_names_those_that_are_there() {
        let value = json!(["Paris", "London", 42]);
        assert_eq!(
            check("contains-any", &value, "London, 42"),
            Ok(strings(&["contains `London`", "contains `42`"]))
        );
        assert_eq!(
            check("contains_any", &value, "paris"),
            Err(strings(&[
                "does not contain `Paris`",
                "does not contain `London`",
                "does not contain `42`"
            ]))
        );
    }

    #[test]
    fn all_is_nothing_when_one_is_absent_and_names_those_that_are() {
        let value = json!(["Paris", "London", "Rome"]);
        assert_eq!(
            check("contains-all", &value, "Rome, Paris, London"),
            Ok(strings(&["contains `Paris`", "contains `London`", "contains `Rome`"]))
        );
        assert_eq!(
            check("contains_all", &value, "Rome and paris"),
            Err(strings(&["does not contain `Paris`", "does not contain `London`"]))
        );
    }

    #[test]
    fn the_lists_can_be_looked_for_in_any_letter_case() {
        let value = json!(["Paris", "rome"]);
        assert!(check("icontains-all", &value, "PARIS, ROME").is_ok());
        assert!(check("icontains-any", &value, "ROME").is_ok());
        assert!(check("contains-any", &value, "ROME").is_err());
    }

    #[test]
    fn negated_they_state_the_same_facts() {
        let value = json!(["sorry", "cannot"]);
        assert_eq!(
            check("not-contains-any", &value, "I am sorry"),
            Err(strings(&["contains `sorry`"]))
        );
        assert_eq!(
            check("not-contains-all", &value, "I am sorry"),
            Ok(strings(&["does not contain `cannot`"]))
        );
        assert!(check("not-icontains", &json!("sorry"), "SORRY").is_err());
    }

    #[test]
    fn a_list_that_is_none_or_says_nothing_is_an_error_at_its_place() {
        for (value, at, message) in [
            (json!("a, b"), "/value", "`value` must be a list, not a string"),
            (json!([]), "/value", "`value` is an empty list, so there is nothing to look for"),
            (json!(["a", ""]), "/value/1", "this text is empty, so every answer would contain it"),
            (json!([["a"]]), "/value/0", "a text of `value` must be a text, not a list"),
        ] {
            assert_eq!(
                errors_of(&json!({"type": "contains_any", "value": value})),
                [(at.to_owned(), message.to_owned())]
            );
        }
        assert_eq!(
            errors_of(&json!({"type": "icontains", "value": ["a"]})),
            [("/value".to_owned(), "`value` must be a text, not a list".to_owned())]
        );
    }

    #[test]
    fn of_very_many_texts_the_first_are_named_and_the_rest_counted() {
        let texts: Vec<String> = (0..1000).map(|number| format!("<{number}>")).collect();
        let misses = check("contains-all", &json!(texts), "<7>").unwrap_err();
        assert_eq!(misses.len(), 101);
        assert_eq!(misses[7], "does not contain `<8>`");
        assert_eq!(misses[100], "does not contain 899 more of the texts");
        let hits = check("contains-any", &json!(texts), &texts.concat()).unwrap();
        assert_eq!(hits[100], "contains 900 more of the texts");
    }

    #[test]
    fn a_text_with_commas_is_shown_as_the_list_that_it_may_stand_for() {
        for (value, hint) in [
            ("denied, refused,ok", "`value: [denied, refused, \"ok\"]`"),
            ("it's, 42,a: b", "`value: [\"it's\", \"42\", \"a: b\"]`"),
            ("no", "`value: [\"no\"]`"),
            (" , ", "`value: [one, two]`"),
        ] {
            let node = node(&json!([{"type": "contains-any", "value": value}]));
            let mut problems = Problems::default();
            build(node.as_list().unwrap(), &Project::new().context(), &mut problems);
            let problem = problems.iter().next().unwrap();
            let hint = format!("write the texts as a list: {hint}");
            assert_eq!(problem.hint.as_deref(), Some(&*hint), "{value}");
        }
    }

    proptest! {
        #[test]
        fn any_part_of_an_answer_is_found_whatever_its_letter_case(
            before in "\\PC*", wanted in "\\PC+", after in "\\PC*"
        ) {
            let lowered: String = wanted.chars().flat_map(char::to_lowercase).collect();
            let answer = format!("{before}{lowered}{after}");
            let search = Search::new(vec![wanted], LetterCase::Any).unwrap();
            let given = score(&answer, &search, Needs::One);
            prop_assert!(given.misses.is_empty());
        }
    }
}
