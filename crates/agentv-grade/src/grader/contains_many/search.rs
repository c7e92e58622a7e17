//! Looking for several texts in an answer: each by itself where that is quick, else in one pass over
//! the answer, however many they are, and without a copy of it in another letter case.
//!
//! What a pass needs is prepared once, with the grader, so that texts that no pass can take are a
//! problem of the suite and not of every answer.

use std::collections::HashSet;

use aho_corasick::{
    Anchored,
    automaton::{Automaton, StateID},
    nfa::contiguous::NFA,
};

use super::{
    super::letter_case::{folded, folded_letter},
    LetterCase,
};

/// Texts up to this number are each looked for by themselves when they are wanted as written: that
/// is quicker than one pass, which has to stop at every byte.
const FEW: usize = 8;

/// The time to prepare a pass grows with the square of the texts when they are very many, so those
/// are looked for in several passes.
const TEXTS_OF_A_PASS: usize = 4096;

/// Texts, and how they are looked for.
pub(super) struct Search {
    texts: Vec<String>,
    letter_case: LetterCase,
    /// One for each part of the texts; none where each text is looked for by itself.
    passes: Vec<Pass>,
}

/// What one pass looks for.
struct Pass {
    automaton: NFA,
    start: StateID,
}

impl Search {
    /// Prepares it; else what is wrong with the texts.
    pub(super) fn new(texts: Vec<String>, letter_case: LetterCase) -> Result<Self, String> {
        let few = matches!(letter_case, LetterCase::AsWritten) && texts.len() <= FEW;
        let passes = if few { Vec::new() } else { prepare(&texts, letter_case)? };
        Ok(Self { texts, letter_case, passes })
    }

    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }

    pub(super) fn letter_case(&self) -> LetterCase {
        self.letter_case
    }

    /// Which of the texts are in the answer, in their order.
    pub(super) fn find_all(&self, answer: &str) -> Vec<bool> {
        if self.passes.is_empty() {
            return self.texts.iter().map(|text| answer.contains(text)).collect();
        }
        self.passes.iter().flat_map(|pass| pass.find(answer, self.letter_case)).collect()
    }
}

fn prepare(texts: &[String], letter_case: LetterCase) -> Result<Vec<Pass>, String> {
    let parts = texts.chunks(TEXTS_OF_A_PASS);
    parts
        .map(|texts| match letter_case {
            LetterCase::AsWritten => Pass::new(texts),
            LetterCase::Any => Pass::new(texts.iter().map(|text| folded(text).collect::<String>())),
        })
        .collect()
}

impl Pass {
    fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Result<Self, String> {
        let automaton = NFA::builder().prefilter(false).build(texts).map_err(|e| e.to_string())?;
        let start = automaton.start_state(Anchored::No).map_err(|e| e.to_string())?;
        Ok(Self { automaton, start })
    }

    fn find(&self, answer: &str, letter_case: LetterCase) -> Vec<bool> {
        let mut progress = Progress::new(self);
        match letter_case {
            LetterCase::AsWritten => {
                for byte in answer.bytes() {
                    if progress.is_done_after(byte) {
                        break;
                    }
                }
            }
            LetterCase::Any => {
                'answer: for letter in answer.chars() {
                    // Most letters of most answers, for which there is a shorter way.
                    if let Some(byte) = u8::try_from(letter).ok().filter(u8::is_ascii) {
                        if progress.is_done_after(byte.to_ascii_lowercase()) {
                            break;
                        }
                        continue;
                    }
                    for lowered in folded_letter(letter) {
                        for byte in lowered.encode_utf8(&mut [0; 4]).bytes() {
                            if progress.is_done_after(byte) {
                                break 'answer;
                            }
                        }
                    }
                }
            }
        }
        progress.found
    }
}

/// A pass that is fed byte by byte.
struct Progress<'p> {
    automaton: &'p NFA,
    state: StateID,
    /// States that stand for texts, and that were met: meeting them again says nothing new.
    met: HashSet<StateID>,
    found: Vec<bool>,
    absent: usize,
}

impl<'p> Progress<'p> {
    fn new(pass: &'p Pass) -> Self {
        let absent = pass.automaton.patterns_len();
        let mut progress = Self {
            automaton: &pass.automaton,
            state: pass.start,
            met: HashSet::new(),
            found: vec![false; absent],
            absent,
        };
        progress.note();
        progress
    }

    /// Takes the next byte, and says whether nothing is left to look for.
    fn is_done_after(&mut self, byte: u8) -> bool {
        self.state = self.automaton.next_state(Anchored::No, self.state, byte);
        self.note();
        self.absent == 0
    }

    /// Remembers the texts that end here.
    fn note(&mut self) {
        if self.automaton.is_match(self.state) && self.met.insert(self.state) {
            for index in 0..self.automaton.match_len(self.state) {
                let text = self.automaton.match_pattern(self.state, index).as_usize();
                if let Some(found) = self.found.get_mut(text).filter(|found| !**found) {
                    *found = true;
                    self.absent -= 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find_all(answer: &str, texts: &[String], letter_case: LetterCase) -> Vec<bool> {
        Search::new(texts.to_vec(), letter_case).unwrap().find_all(answer)
    }

    fn find_in_one_pass(answer: &str, texts: &[String], letter_case: LetterCase) -> Vec<bool> {
        let passes = prepare(texts, letter_case).unwrap();
        passes.iter().flat_map(|pass| pass.find(answer, letter_case)).collect()
    }

    fn find_each(answer: &str, texts: &[String], letter_case: LetterCase) -> Vec<bool> {
        let in_case = |text: &str| match letter_case {
            LetterCase::AsWritten => text.to_owned(),
            LetterCase::Any => folded(text).collect(),
        };
        let answer = in_case(answer);
        texts.iter().map(|text| answer.contains(&in_case(text))).collect()
    }

    #[test]
    fn texts_inside_of_each_other_and_texts_that_stand_twice_are_all_found() {
        let texts = ["he", "she", "hers", "she", "his"].map(str::to_owned);
        let found = find_in_one_pass("ushers", &texts, LetterCase::AsWritten);
        assert_eq!(found, [true, true, true, true, false]);
    }

    #[test]
    fn a_hundred_thousand_texts_are_found_in_their_order() {
        let texts: Vec<String> = (0..100_000).map(|number| format!("<{number}>")).collect();
        let answer = texts.iter().step_by(2).cloned().collect::<String>();
        let found = find_all(&answer, &texts, LetterCase::Any);
        assert!(found.iter().enumerate().all(|(index, found)| *found == (index % 2 == 0)));
    }

    #[test]
    fn texts_that_end_in_each_other_are_looked_at_once_and_not_at_every_letter() {
        let texts: Vec<String> = (1..1000).map(|length| "a".repeat(length)).collect();
        let mut answer = "a".repeat(1_000_000);
        answer.push('b');
        assert!(find_all(&answer, &texts, LetterCase::AsWritten).iter().all(|f| *f));
        let texts = ["a".repeat(1000), "c".to_owned()];
        assert_eq!(find_all(&answer, &texts, LetterCase::Any), [true, false]);
    }

    #[test]
    fn a_few_texts_as_written_need_no_preparation() {
        let texts = |count: usize| (0..count).map(|number| number.to_string()).collect();
        assert!(Search::new(texts(FEW), LetterCase::AsWritten).unwrap().passes.is_empty());
        assert!(!Search::new(texts(FEW + 1), LetterCase::AsWritten).unwrap().passes.is_empty());
        assert!(!Search::new(texts(1), LetterCase::Any).unwrap().passes.is_empty());
    }

    #[test]
    fn an_empty_text_and_an_empty_answer_upset_nobody() {
        let texts = [String::new(), "a".to_owned()];
        assert_eq!(find_all("", &texts, LetterCase::Any), [true, false]);
    }

    proptest! {
        #[test]
        fn one_pass_finds_what_looking_for_each_text_by_itself_finds(
            answer in "[abABßİσς]{0,40}",
            texts in prop::collection::vec("[abABßİσς]{1,4}", 1..8),
        ) {
            for letter_case in [LetterCase::AsWritten, LetterCase::Any] {
                prop_assert_eq!(
                    find_in_one_pass(&answer, &texts, letter_case),
                    find_each(&answer, &texts, letter_case)
                );
            }
        }

        #[test]
        fn no_answer_and_no_texts_can_upset_it(
            answer in any::<String>(), texts in prop::collection::vec("(?s).{1,4}", 1..4)
        ) {
            prop_assert_eq!(
                find_in_one_pass(&answer, &texts, LetterCase::Any),
                find_each(&answer, &texts, LetterCase::Any)
            );
        }
    }
}
