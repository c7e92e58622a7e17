//! Looking for many texts at once: one pass over the answer, however many they are, and no copy of
//! it in another letter case.

use std::{collections::HashSet, ops::ControlFlow};

use agentv_base::GraderFault;
use aho_corasick::{
    Anchored,
    automaton::{Automaton, StateID},
    nfa::contiguous::NFA,
};

use super::{super::letter_case::folded, LetterCase};

/// Which of the texts are in the answer, in their order.
pub(super) fn find_all(
    answer: &str,
    texts: &[String],
    letter_case: LetterCase,
) -> Result<Vec<bool>, GraderFault> {
    let built = match letter_case {
        LetterCase::AsWritten => Search::new(texts),
        LetterCase::Any => Search::new(texts.iter().map(|text| folded(text).collect::<String>())),
    };
    let mut search = built.map_err(|error| {
        GraderFault::new(format!("the texts in `value` are too many or too long: {error}"))
    })?;
    let mut bytes = |bytes: &[u8]| bytes.iter().try_for_each(|byte| search.step(*byte));
    let _done = match letter_case {
        LetterCase::AsWritten => bytes(answer.as_bytes()),
        LetterCase::Any => {
            answer.chars().try_for_each(|c| match u8::try_from(c) {
                // Most letters of most answers, for which there is a shorter way.
                Ok(byte) if byte.is_ascii() => bytes(&[byte.to_ascii_lowercase()]),
                _ => {
                    c.to_lowercase().try_for_each(|c| bytes(c.encode_utf8(&mut [0; 4]).as_bytes()))
                }
            })
        }
    };
    Ok(search.found)
}

/// A search that is fed byte by byte.
struct Search {
    automaton: NFA,
    state: StateID,
    /// States that stand for texts, and that were met: meeting them again says nothing new.
    met: HashSet<StateID>,
    found: Vec<bool>,
    absent: usize,
}

impl Search {
    fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Result<Self, String> {
        let automaton = NFA::builder().prefilter(false).build(texts).map_err(|e| e.to_string())?;
        let state = automaton.start_state(Anchored::No).map_err(|e| e.to_string())?;
        let absent = automaton.patterns_len();
        Ok(Self { automaton, state, met: HashSet::new(), found: vec![false; absent], absent })
    }

    /// Takes the next byte; breaks where nothing is left to look for.
    fn step(&mut self, byte: u8) -> ControlFlow<()> {
        self.state = self.automaton.next_state(Anchored::No, self.state, byte);
        if self.automaton.is_match(self.state) && self.met.insert(self.state) {
            for index in 0..self.automaton.match_len(self.state) {
                let text = self.automaton.match_pattern(self.state, index).as_usize();
                if let Some(found) = self.found.get_mut(text).filter(|found| !**found) {
                    *found = true;
                    self.absent -= 1;
                }
            }
        }
        if self.absent == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(answer: &str, texts: &[String], letter_case: LetterCase) -> Vec<bool> {
        let fold = |text: &str| match letter_case {
            LetterCase::AsWritten => text.to_owned(),
            LetterCase::Any => folded(text).collect(),
        };
        let answer = fold(answer);
        texts.iter().map(|text| answer.contains(&fold(text))).collect()
    }

    #[test]
    fn texts_inside_of_each_other_and_texts_that_stand_twice_are_all_found() {
        let texts = ["he", "she", "hers", "she", "his"].map(str::to_owned);
        let found = find_all("ushers", &texts, LetterCase::AsWritten).unwrap();
        assert_eq!(found, [true, true, true, true, false]);
    }

    #[test]
    fn a_hundred_thousand_texts_are_found_in_one_pass() {
        let texts: Vec<String> = (0..100_000).map(|number| format!("<{number}>")).collect();
        let answer = texts.iter().step_by(2).cloned().collect::<String>();
        let found = find_all(&answer, &texts, LetterCase::Any).unwrap();
        assert!(found.iter().enumerate().all(|(index, found)| *found == (index % 2 == 0)));
    }

    #[test]
    fn texts_that_end_in_each_other_are_looked_at_once_and_not_at_every_letter() {
        let texts: Vec<String> = (1..1000).map(|length| "a".repeat(length)).collect();
        let mut answer = "a".repeat(1_000_000);
        answer.push('b');
        assert!(find_all(&answer, &texts, LetterCase::AsWritten).unwrap().iter().all(|f| *f));
        let texts = ["a".repeat(1000), "c".to_owned()];
        assert_eq!(find_all(&answer, &texts, LetterCase::Any).unwrap(), [true, false]);
    }

    proptest! {
        #[test]
        fn it_finds_what_looking_for_each_text_by_itself_finds(
            answer in "[abABßİσς]{0,40}",
            texts in prop::collection::vec("[abABßİσς]{1,4}", 1..8),
        ) {
            for letter_case in [LetterCase::AsWritten, LetterCase::Any] {
                prop_assert_eq!(
                    find_all(&answer, &texts, letter_case).unwrap(),
                    naive(&answer, &texts, letter_case)
                );
            }
        }

        #[test]
        fn no_answer_and_no_texts_can_upset_it(
            answer in any::<String>(), texts in prop::collection::vec(any::<String>(), 1..4)
        ) {
            prop_assert_eq!(
                find_all(&answer, &texts, LetterCase::Any).unwrap(),
                naive(&answer, &texts, LetterCase::Any)
            );
        }
    }
}
