//! Texts whose upper and lower case are the same. Nothing is copied: an answer can be large.

/// Letter by letter: to lower a whole text would make the last sigma of a word another letter, and
/// then a part of an answer might not be found in it.
pub(super) fn folded(text: &str) -> impl DoubleEndedIterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
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
