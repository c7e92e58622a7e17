//! Objects and lists of JSON in a text, from left to right and none inside of another.
//!
//! From every bracket that could open one the text is read as far as it is JSON. Brackets that
//! never close make that a lot of reading for one text, so there is a limit to it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// So many times the length of the text is read at most, or so many bytes where it is short.
const MOST_TIMES: usize = 16;
const ALWAYS_READ: usize = 1 << 25;

/// The limit was reached before the text was searched through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TooMuchWork {
    length: usize,
    read: usize,
}

impl fmt::Display for TooMuchWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { length, read } = self;
        write!(
            f,
            "the answer of {length} bytes opens so many brackets without closing them that it \
             cannot be searched for JSON: {read} bytes were read in vain"
        )
    }
}

/// The text of each object and list, in order.
pub(crate) struct Candidates<'t> {
    text: &'t str,
    /// The brackets that open one.
    opening: &'static [char],
    at: usize,
    /// How much was read so far, what was read twice counted twice.
    read: usize,
}

impl<'t> Candidates<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, opening: &['{', '['], at: 0, read: 0 }
    }

    /// Objects only, also those in lists.
    pub(crate) fn objects(text: &'t str) -> Self {
        Self { opening: &['{'], ..Self::of(text) }
    }
}

impl<'t> Iterator for Candidates<'t> {
    type Item = Result<&'t str, TooMuchWork>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.text.get(self.at..)?;
            let start = rest.find(self.opening)?;
            let rest = rest.get(start..)?;
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Shallow>();
            match values.next()? {
                Ok(Shallow) => {
                    let found = rest.get(..values.byte_offset())?;
                    self.at += start + found.len();
                    self.read += found.len();
                    return Some(Ok(found));
                }
                Err(error) => {
                    self.at += start + 1;
                    self.read += read_before(rest, &error);
                }
            }
            let length = self.text.len();
            if self.read > ALWAYS_READ.max(length.saturating_mul(MOST_TIMES)) {
                self.at = length;
                return Some(Err(TooMuchWork { length, read: self.read }));
            }
        }
    }
}

/// How much of a text was read when an error was found, in bytes.
fn read_before(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    lines.map(str::len).sum::<usize>() + error.column()
}

/// JSON of a depth that can be read into a value, of which nothing is kept.
struct Shallow;

impl<'de> Deserialize<'de> for Shallow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Shallow)
    }
}

impl<'de> Visitor<'de> for Shallow {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while let Some(Shallow) = items.next_element()? {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self, A::Error> {
        // Keys are read as texts are, and not looked at.
        while entries.next_key::<IgnoredAny>()?.is_some() {
            let Shallow = entries.next_value()?;
        }
        Ok(self)
    }
}
