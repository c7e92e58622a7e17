//! Whose record a line is: all that the first pass wants to know of it.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize,
    de::{Deserializer, IgnoredAny, MapAccess, Visitor},
};

use super::{FILE, skim};
use crate::provider::jsonl::{bad_line, why_no_object};

/// The id of the record on this line; every way in which there can be none has its own words.
pub(super) fn read_id(content: &[u8], line: usize) -> Result<Cow<'_, str>, String> {
    let Ok(text) = std::str::from_utf8(content) else {
        return Err(bad_line(FILE, line, "is not UTF-8", content));
    };
    if let Some(id) = skim::id(text).filter(|id| !id.trim().is_empty()) {
        return Ok(Cow::Borrowed(id));
    }
    let header: Header<'_> = match serde_json::from_str(text) {
        Ok(header) => header,
        Err(error) => {
            return Err(bad_line(FILE, line, &why_no_object(text, &error), content));
        }
    };
    let what = match header.id {
        Id::Text(id) if !id.trim().is_empty() => return Ok(id),
        Id::Text(_) => "has a blank `id`",
        Id::Absent => "has no `id`",
        Id::Other => "has an `id` that is not a string",
    };
    Err(bad_line(FILE, line, what, content))
}

/// The one field that the first pass looks at; the others are checked for syntax and skipped.
struct Header<'a> {
    id: Id<'a>,
}

enum Id<'a> {
    Absent,
    Text(Cow<'a, str>),
    Other,
}

impl<'de> Deserialize<'de> for Header<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct HeaderVisitor;

        impl<'de> Visitor<'de> for HeaderVisitor {
            type Value = Header<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut id = Id::Absent;
                while let Some(IsId(is_id)) = map.next_key()? {
                    if is_id {
                        id = map.next_value()?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Header { id })
            }
        }

        deserializer.deserialize_map(HeaderVisitor)
    }
}

/// A key, of which only one thing is of interest.
struct IsId(bool);

impl<'de> Deserialize<'de> for IsId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl Visitor<'_> for KeyVisitor {
            type Value = IsId;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a key")
            }

            fn visit_str<E>(self, key: &str) -> Result<IsId, E> {
                Ok(IsId(key == "id"))
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}

impl<'de> Deserialize<'de> for Id<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdVisitor;

        impl<'de> Visitor<'de> for IdVisitor {
            type Value = Id<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON value")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Id<'de>, E> {
                Ok(Id::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Id<'de>, E> {
                Ok(Id::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_unit<E>(self) -> Result<Id<'de>, E> {
                Ok(Id::Absent)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Id<'de>, E> {
                Ok(Id::Other)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Id<'de>, E> {
                Ok(Id::Other)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Id<'de>, E> {
                Ok(Id::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Id<'de>, E> {
                Ok(Id::Other)
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut items: A,
            ) -> Result<Id<'de>, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Id::Other)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Id<'de>, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Id::Other)
            }
        }

        deserializer.deserialize_any(IdVisitor)
    }
}
