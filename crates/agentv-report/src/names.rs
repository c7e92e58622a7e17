//! Names, each kept once however many rows say it, and known by a number.
//!
//! All texts stand one behind the other and the table holds nothing but places: a name costs its
//! text and about twenty bytes, and no allocation of its own.

use std::hash::{BuildHasher as _, RandomState};

/// A name by its place, from 0.
pub(crate) type Name = u32;

/// No name.
const NONE: Name = Name::MAX;

#[derive(Default)]
pub(crate) struct Names {
    text: String,
    /// Where each ends in the text.
    ends: Vec<usize>,
    /// Places by hash, each in the first entry that was free; always a power of two, or none.
    table: Vec<Entry>,
    /// Where the last one stands that was asked for. Rows of another run mostly come in the same
    /// order, so that the one behind it is asked for next.
    last: Name,
    /// Seeded: names are what somebody else wrote, and must not be able to fall into one entry all.
    hasher: RandomState,
}

/// With the hash beside the place, a name that is not meant is seldom looked at.
#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    place: Name,
}

const FREE: Entry = Entry { hash: 0, place: NONE };

impl Names {
    /// With the empty name at 0.
    pub(crate) fn with_empty() -> Self {
        let mut names = Self::default();
        names.place("");
        names
    }

    /// Where a name is kept. Beyond four billion names, which no memory holds, all are one.
    pub(crate) fn place(&mut self, name: &str) -> Name {
        let next = self.last.saturating_add(1);
        let is_next = (next as usize) < self.len() && self.get(next) == name;
        self.last = if is_next { next } else { self.found(name) };
        self.last
    }

    fn found(&mut self, name: &str) -> Name {
        if self.ends.len() * 2 >= self.table.len() {
            self.grow();
        }
        let hash = self.hash(name);
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        while let Some(entry) = self.table.get(at).filter(|entry| entry.place != NONE) {
            if entry.hash == hash && self.get(entry.place) == name {
                return entry.place;
            }
            at = (at + 1) & mask;
        }
        let place = Name::try_from(self.ends.len()).unwrap_or(NONE);
        if let Some(entry) = self.table.get_mut(at).filter(|_| place != NONE) {
            *entry = Entry { hash, place };
            self.text.push_str(name);
            self.ends.push(self.text.len());
        }
        place
    }

    #[expect(clippy::cast_possible_truncation, reason = "any bits of it will do")]
    fn hash(&self, name: &str) -> u32 {
        self.hasher.hash_one(name) as u32
    }

    /// As [`Self::place`], of a name that is mostly the one that was met before.
    pub(crate) fn place_near(&mut self, name: &str, before: &mut Name) -> Name {
        if self.len() <= *before as usize || self.get(*before) != name {
            *before = self.place(name);
        }
        *before
    }

    pub(crate) fn get(&self, place: Name) -> &str {
        let place = place as usize;
        let from = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(place).copied().unwrap_or(0);
        self.text.get(from.unwrap_or(0)..end).unwrap_or("")
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Every name in the order of their places.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        (0..NONE).take(self.len()).map(|place| self.get(place))
    }

    /// Gives back what only new names need, until there is one.
    pub(crate) fn rest(&mut self) {
        self.table = Vec::new();
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    fn grow(&mut self) {
        let size = (self.len() * 4).next_power_of_two().max(16);
        let entries = if self.table.is_empty() {
            let all = (0..NONE).zip(self.all());
            all.map(|(place, name)| Entry { hash: self.hash(name), place }).collect()
        } else {
            std::mem::take(&mut self.table)
        };
        self.table = vec![FREE; size];
        for entry in entries.into_iter().filter(|entry| entry.place != NONE) {
            let mut at = entry.hash as usize & (size - 1);
            while self.table.get(at).is_some_and(|taken| taken.place != NONE) {
                at = (at + 1) & (size - 1);
            }
            if let Some(free) = self.table.get_mut(at) {
                *free = entry;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_place_however_often_it_is_said() {
        let mut names = Names::with_empty();
        let all: Vec<String> = (0..1000).map(|number| format!("case {number}")).collect();
        let first: Vec<Name> = all.iter().map(|name| names.place(name)).collect();
        let again: Vec<Name> = all.iter().map(|name| names.place(name)).collect();
        assert_eq!(first, (1..=1000).collect::<Vec<Name>>());
        assert_eq!(again, first);
        names.rest();
        assert_eq!(names.place("case 7"), 8);
        assert_eq!((names.place(""), names.get(0), names.len()), (0, "", 1001));
        assert_eq!(names.all().skip(1).collect::<Vec<_>>(), all);
        assert_eq!(names.get(5000), "");
    }

    #[test]
    fn names_that_follow_on_each_other_are_not_taken_for_one() {
        let mut names = Names::default();
        let places = ["ab", "c", "a", "bc", "", "ab"].map(|name| names.place(name));
        assert_eq!(places, [0, 1, 2, 3, 4, 0]);
        assert_eq!(names.all().collect::<Vec<_>>(), ["ab", "c", "a", "bc", ""]);
    }

    #[test]
    fn a_name_that_was_met_before_is_found_without_looking_and_another_one_all_the_same() {
        let mut names = Names::default();
        let mut before = 0;
        let places = ["a", "a", "b", "b", "a"].map(|name| names.place_near(name, &mut before));
        assert_eq!(places, [0, 0, 1, 1, 0]);
    }
}
