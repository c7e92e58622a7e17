//! Looking for several texts in an answer: each by itself where that is quick, else in one pass over
//! the answer, however many they are, and without a copy of it in another letter case.

use std::collections::HashSet;

use agentv_base::GraderFault;
use aho_corasick::{
    Anchored,
    automaton::{Automaton, StateID},
    nfa::contiguous::NFA,
};

use super::{super::letter_case::folded, LetterCase};

/// The product of bytes and texts up to which each text is looked for by itself: to prepare one
/// pass would take longer.
const QUICK: usize = 64 * 1024;

/// The time to prepare a pass grows with the square of the texts when they are very many, so those
/// are looked for in several passes.
const TEXTS_OF_A_PASS: usize = 4096;

/// Which of the texts are in the answer, in their order.
pub(super) fn find_all(
    answer: &str,
    texts: &[String],
    letter_case: LetterCase,
) -> Result<Vec<bool>, GraderFault> {
    if answer.len().saturating_mul(texts.len()) <= QUICK {
        return Ok(find_each(answer, texts, letter_case));
    }
    let mut found = Vec::with_capacity(texts.len());
    for texts in texts.chunks(TEXTS_OF_A_PASS) {
        let pass = find_in_one_pass(answer, texts, letter_case);
        found.extend(pass.map_err(|error| {
            GraderFault::new(format!("the texts in `value` are too long: {error}"))
        })?);
    }
    Ok(found)
}

fn find_each(answer: &str, texts: &[String], letter_case: LetterCase) -> Vec<bool> {
    match letter_case {
        LetterCase::AsWritten => texts.iter().map(|text| answer.contains(text)).collect(),
        LetterCase::Any => {
            let answer: String = folded(answer).collect();
            let found = |text: &String| answer.contains(&folded(text).collect::<String>());
            texts.iter().map(found).collect()
        }
    }
}

fn find_in_one_pass(
    answer: &str,
    texts: &[String],
    letter_case: LetterCase,
) -> Result<Vec<bool>, String> {
    match letter_case {
        LetterCase::AsWritten => {
            let mut search = Search::new(texts)?;
            for byte in answer.bytes() {
                if search.is_done_after(byte) {
                    break;
                }
            }
            Ok(search.found)
        }
        LetterCase::Any => {
            let mut search =
                Search::new(texts.iter().map(|text| folded(text).collect::<String>()))?;
            'answer: for letter in answer.chars() {
                // Most letters of most answers, for which there is a shorter way.
                if let Some(byte) = u8::try_from(letter).ok().filter(u8::is_ascii) {
                    if search.is_done_after(byte.to_ascii_lowercase()) {
                        break;
                    }
                    continue;
                }
                for lowered in letter.to_lowercase() {
                    for byte in lowered.encode_utf8(&mut [0; 4]).bytes() {
                        if search.is_done_after(byte) {
                            break 'answer;
                        }
                    }
                }
            }
            Ok(search.found)
        }
    }
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

    /// Takes the next byte, and says whether nothing is left to look for.
    fn is_done_after(&mut self, byte: u8) -> bool {
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
        self.absent == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_inside_of_each_other_and_texts_that_stand_twice_are_all_found() {
        let texts = ["he", "she", "hers", "she", "his"].map(str::to_owned);
        let found = find_in_one_pass("ushers", &texts, LetterCase::AsWritten).unwrap();
        assert_eq!(found, [true, true, true, true, false]);
    }

    #[test]
    fn a_hundred_thousand_texts_are_found_in_their_order() {
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

    #[test]
    fn an_empty_text_and_an_empty_answer_upset_nobody() {
        let texts = [String::new(), "a".to_owned()];
        assert_eq!(find_all("", &texts, LetterCase::Any).unwrap(), [true, false]);
    }

    proptest! {
        #[test]
        fn one_pass_finds_what_looking_for_each_text_by_itself_finds(
            answer in "[abABßİσς]{0,40}",
            texts in prop::collection::vec("[abABßİσς]{1,4}", 1..8),
        ) {
            for letter_case in [LetterCase::AsWritten, LetterCase::Any] {
                prop_assert_eq!(
                    find_in_one_pass(&answer, &texts, letter_case).unwrap(),
                    find_each(&answer, &texts, letter_case)
                );
            }
        }

        #[test]
        fn no_answer_and_no_texts_can_upset_it(
            answer in any::<String>(), texts in prop::collection::vec("(?s).{1,4}", 1..4)
        ) {
            prop_assert_eq!(
                find_in_one_pass(&answer, &texts, LetterCase::Any).unwrap(),
                find_each(&answer, &texts, LetterCase::Any)
            );
        }
    }
}
