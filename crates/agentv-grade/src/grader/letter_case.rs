//! Texts whose upper and lower case are the same. Nothing is copied: an answer can be large.

/// Letter by letter, and the last sigma of a word is any other sigma: as in Unicode's folding, so
/// that a part of an answer is found in it wherever its words end.
pub(super) fn folded(text: &str) -> impl DoubleEndedIterator<Item = char> {
    text.chars().flat_map(folded_letter)
}

/// What one letter is folded to.
pub(super) fn folded_letter(letter: char) -> impl DoubleEndedIterator<Item = char> {
    let letter = if letter == 'ς' { 'σ' } else { letter };
    letter.to_lowercase()
}

/// Whether two texts are the same in any mix of upper and lower case.
pub(super) fn same(one: &str, other: &str) -> bool {
    folded(one).eq(folded(other))
}

/// Whether all of `part` stands at the start of `whole`; of two texts that are read backwards, at
/// the end.
pub(super) fn leads(
    mut whole: impl Iterator<Item = char>,
    mut part: impl Iterator<Item = char>,
) -> bool {
    part.all(|letter| whole.next() == Some(letter))
}
