//! The measures: how alike two texts are, from 0 to 1, as published libraries compute it. Values of
//! these libraries are stored in `testdata/similarity.json`, and each must come out here.

use std::borrow::Cow;

use super::{
    super::letter_case::folded,
    alignment::{self, Numbers, TooMuch, Work},
    grams::{Grams, Shared},
    words::{is_space, of_mteval, of_rouge, of_squad, words},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Levenshtein,
    TokenF1,
    Rouge1,
    Rouge2,
    RougeL,
    Bleu,
    Chrf,
}

/// How alike an answer and its references are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Likeness {
    pub(super) score: f64,
    /// The place of the reference that it is nearest to; nothing where the measure takes all of
    /// them together.
    pub(super) nearest: Option<usize>,
}

/// A comparison that would take too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong {
    pub(super) answer: usize,
    pub(super) reference: usize,
}

impl Measure {
    pub(super) const ALL: [Self; 7] = [
        Self::Levenshtein,
        Self::TokenF1,
        Self::Rouge1,
        Self::Rouge2,
        Self::RougeL,
        Self::Bleu,
        Self::Chrf,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Levenshtein => "levenshtein",
            Self::TokenF1 => "token_f1",
            Self::Rouge1 => "rouge_1",
            Self::Rouge2 => "rouge_2",
            Self::RougeL => "rouge_l",
            Self::Bleu => "bleu",
            Self::Chrf => "chrf",
        }
    }

    /// Whether upper and lower case are the same to it by definition.
    pub(super) fn ignores_case(self) -> bool {
        matches!(self, Self::TokenF1 | Self::Rouge1 | Self::Rouge2 | Self::RougeL)
    }

    /// What it compares, in words for those who gave it none of that.
    pub(super) fn compares(self) -> &'static str {
        match self {
            Self::Levenshtein | Self::Chrf => "characters other than white space",
            Self::TokenF1 => "words other than articles and punctuation",
            Self::Rouge1 | Self::RougeL => "words of the letters a-z and digits",
            Self::Rouge2 => "two words of the letters a-z and digits",
            Self::Bleu => "words",
        }
    }

    /// Whether a reference has nothing that this measure compares: then no answer is any nearer to
    /// it than another.
    pub(super) fn is_blank(self, reference: &str) -> bool {
        match self {
            Self::Levenshtein | Self::Chrf => reference.chars().all(is_space),
            Self::Bleu => words(&of_mteval(reference)).next().is_none(),
            Self::TokenF1 => words(&of_squad(reference)).next().is_none(),
            Self::Rouge1 | Self::RougeL => words(&of_rouge(reference)).next().is_none(),
            Self::Rouge2 => words(&of_rouge(reference)).nth(1).is_none(),
        }
    }

    /// How alike an answer is to the nearest of its references.
    pub(super) fn compare<R: AsRef<str>>(
        self,
        answer: &str,
        references: &[R],
        ignore_case: bool,
    ) -> Result<Likeness, TooLong> {
        self.compare_within(&mut Work::default(), answer, references, ignore_case)
    }

    fn compare_within<R: AsRef<str>>(
        self,
        work: &mut Work,
        answer: &str,
        references: &[R],
        ignore_case: bool,
    ) -> Result<Likeness, TooLong> {
        let in_case = |text| if ignore_case { self.lowered(text) } else { Cow::Borrowed(text) };
        let answer = in_case(answer);
        let references = references.iter().map(|reference| in_case(reference.as_ref()));
        if self == Self::Bleu && references.len() > 1 {
            let references: Vec<_> = references.map(|text| self.prepared(text)).collect();
            let score = bleu(&self.prepared(answer), &references);
            return Ok(Likeness { score, nearest: None });
        }
        let answer = self.prepared(answer);
        let mut best = Likeness { score: 0.0, nearest: None };
        for (place, reference) in references.enumerate() {
            let score = self.score(&answer, &self.prepared(reference), work)?;
            if best.nearest.is_none() || score > best.score {
                best = Likeness { score, nearest: Some(place) };
            }
        }
        Ok(best)
    }

    /// BLEU and chrF are numbers that others publish, and the libraries that compute them lower
    /// whole texts as Python does: a sigma at the end of a word becomes another letter. Edits have
    /// no such library, so they are counted as other graders ignore case.
    fn lowered(self, text: &str) -> Cow<'_, str> {
        Cow::Owned(match self {
            Self::Levenshtein => folded(text).collect(),
            Self::TokenF1
            | Self::Rouge1
            | Self::Rouge2
            | Self::RougeL
            | Self::Bleu
            | Self::Chrf => text.to_lowercase(),
        })
    }

    /// A text in which only what is compared is left, where that is words.
    fn prepared(self, text: Cow<'_, str>) -> Cow<'_, str> {
        match self {
            Self::Levenshtein | Self::Chrf => text,
            Self::Bleu => Cow::Owned(of_mteval(&text)),
            Self::TokenF1 => Cow::Owned(of_squad(&text)),
            Self::Rouge1 | Self::Rouge2 | Self::RougeL => Cow::Owned(of_rouge(&text)),
        }
    }

    fn score(self, answer: &str, reference: &str, work: &mut Work) -> Result<f64, TooLong> {
        Ok(match self {
            Self::Levenshtein => return levenshtein(answer, reference, work),
            Self::RougeL => return rouge_l(answer, reference, work),
            Self::TokenF1 => {
                let [one] = shared_words(answer, reference);
                // As SQuAD 2.0 has it: no words are like no words, and like nothing else.
                let both_empty = one.answer == 0 && one.reference == 0;
                if both_empty { 1.0 } else { f_measure(one) }
            }
            Self::Rouge1 => {
                let [one] = shared_words(answer, reference);
                f_measure(one)
            }
            Self::Rouge2 => {
                let [_, two] = shared_words(answer, reference);
                f_measure(two)
            }
            Self::Chrf => chrf(answer, reference),
            Self::Bleu => bleu(answer, &[reference]),
        })
    }
}

fn levenshtein(answer: &str, reference: &str, work: &mut Work) -> Result<f64, TooLong> {
    let lengths =
        || TooLong { answer: answer.chars().count(), reference: reference.chars().count() };
    let distance = alignment::distance(answer.chars(), reference.chars(), work)
        .map_err(|TooMuch| lengths())?;
    let TooLong { answer, reference } = lengths();
    let longer = answer.max(reference);
    Ok(if longer == 0 { 1.0 } else { 1.0 - distance as f64 / longer as f64 })
}

fn rouge_l(answer: &str, reference: &str, work: &mut Work) -> Result<f64, TooLong> {
    let lengths = TooLong { answer: words(answer).count(), reference: words(reference).count() };
    let common =
        alignment::common(words(answer), words(reference), work).map_err(|TooMuch| lengths)?;
    Ok(f_measure(Shared {
        common: common as u64,
        answer: lengths.answer as u64,
        reference: lengths.reference as u64,
    }))
}

fn shared_words<const N: usize>(answer: &str, reference: &str) -> [Shared; N] {
    let mut numbers = Numbers::default();
    let grams = Grams::<N>::of(words(reference).map(|word| numbers.learn(word)));
    grams.shared(words(answer).map(|word| numbers.of(word)))
}

/// The harmonic mean of precision and recall.
fn f_measure(shared: Shared) -> f64 {
    if shared.common == 0 {
        return 0.0;
    }
    let precision = shared.common as f64 / shared.answer as f64;
    let recall = shared.common as f64 / shared.reference as f64;
    2.0 * precision * recall / (precision + recall)
}

/// The longest runs of words that BLEU looks at.
const BLEU_ORDER: usize = 4;

/// Of texts whose words are parted. Runs of words that the answer is too short for are left out,
/// and one without a match counts as half a match, the next as a quarter, and so on.
fn bleu<R: AsRef<str>>(answer: &str, references: &[R]) -> f64 {
    let mut numbers = Numbers::default();
    let mut grams: Option<Grams<BLEU_ORDER>> = None;
    let mut lengths = Vec::with_capacity(references.len());
    for reference in references {
        let words = words(reference.as_ref());
        lengths.push(words.clone().count());
        let own = Grams::of(words.map(|word| numbers.learn(word)));
        match &mut grams {
            Some(grams) => grams.raise_to(own),
            None => grams = Some(own),
        }
    }
    let Some(grams) = grams else { return 0.0 };
    let shared = grams.shared(words(answer).map(|word| numbers.of(word)));
    if shared.iter().all(|shared| shared.common == 0) {
        return 0.0;
    }
    let mut logarithms = 0.0;
    let mut orders = 0.0;
    let mut matched = 1.0;
    for shared in shared.iter().take_while(|shared| shared.answer > 0) {
        let mut common = shared.common as f64;
        if shared.common == 0 {
            matched /= 2.0;
            common = matched;
        }
        logarithms += (common / shared.answer as f64).ln();
        orders += 1.0;
    }
    let length = words(answer).count();
    // The nearest in length; of two that are as near, the shorter.
    let wanted = lengths.iter().copied().min_by_key(|wanted| (wanted.abs_diff(length), *wanted));
    let shortfall = wanted.map_or(0.0, |wanted| 1.0 - wanted as f64 / length as f64).min(0.0);
    // Rounding may lead a little beyond 1.
    (shortfall + logarithms / orders).exp().min(1.0)
}

/// The longest runs of characters that chrF looks at.
const CHRF_ORDER: usize = 6;
/// How much more recall counts than precision.
const CHRF_BETA: f64 = 2.0;

fn chrf(answer: &str, reference: &str) -> f64 {
    let letters = |text| str::chars(text).filter(|c| !is_space(*c));
    let mut numbers = Numbers::default();
    let grams = Grams::<CHRF_ORDER>::of(letters(reference).map(|letter| numbers.learn(letter)));
    let shared = grams.shared(letters(answer).map(|letter| numbers.of(letter)));
    let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
    for shared in shared.iter().filter(|shared| shared.answer > 0 && shared.reference > 0) {
        precision += shared.common as f64 / shared.answer as f64;
        recall += shared.common as f64 / shared.reference as f64;
        orders += 1.0;
    }
    if precision + recall == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (precision / orders, recall / orders);
    let factor = CHRF_BETA * CHRF_BETA;
    ((1.0 + factor) * precision * recall / (factor * precision + recall)).min(1.0)
}

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
