//! Names of keys, shared: the same few come again in every case.

use std::borrow::Cow;

use agentv_base::Word;

/// Enough for the keys of a suite to have a place each, as a rule.
const PLACES: usize = 256;

/// The name last seen at each place. A name that meets another one at its place replaces it, so
/// that a map of a million different keys costs no memory here.
pub(crate) struct Names<'t> {
    places: Vec<Option<(&'t str, Word)>>,
}

impl Default for Names<'_> {
    fn default() -> Self {
        Self { places: vec![None; PLACES] }
    }
}

impl<'t> Names<'t> {
    pub(crate) fn shared(&mut self, text: Cow<'t, str>) -> Word {
        let text = match text {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => return text.into(),
        };
        let Some(place) = self.places.get_mut(place_of(text)) else {
            return text.into();
        };
        match place {
            Some((known, name)) if *known == text => name.clone(),
            Some(_) | None => {
                let name = Word::often(text).unwrap_or_else(|| text.into());
                *place = Some((text, name.clone()));
                name
            }
        }
    }
}

/// Told by the length and three of the letters: a look at every letter of every key of a large suite
/// would cost more than it saves.
fn place_of(text: &str) -> usize {
    let letters = text.as_bytes();
    let letter = |at: usize| letters.get(at).copied().map_or(0, usize::from);
    let (first, middle) = (letter(0), letter(letters.len() / 2));
    let last = letter(letters.len().saturating_sub(1));
    (letters.len() * 31 + first * 7 + middle * 3 + last) % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_comes_again_is_the_same_one() {
        let mut names = Names::default();
        let first = names.shared(Cow::Borrowed("seldom"));
        for number in 0..1000 {
            let name = format!("k{number}");
            assert_eq!(&*names.shared(Cow::Owned(name.clone())), name);
        }
        assert_eq!(first.as_ptr(), names.shared(Cow::Borrowed("seldom")).as_ptr());
    }

    #[test]
    fn names_that_share_a_place_stay_apart() {
        let texts: Vec<String> = (0..1000).map(|number| format!("k{number}")).collect();
        let mut names = Names::default();
        for text in &texts {
            assert_eq!(&*names.shared(Cow::Borrowed(text)), text);
        }
    }
}
