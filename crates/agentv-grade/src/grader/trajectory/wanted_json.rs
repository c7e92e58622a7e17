//! JSON as an author wants it: literal values, and patterns in place of some of them.
//!
//! `{$regex: '…', $flags: 'i'}` stands for any text that matches. Everything else stands for
//! itself, where 1 and 1.0 are the same number. This file compares; how it is read from settings
//! stands in `wanted_json/read.rs`.

mod read;

use std::fmt::Write as _;

use agentv_base::excerpt;
use serde_json::Value;

pub(super) use self::read::unknown_word;
use super::super::json_text::shown;
use crate::json_value::equal;

/// Enough of a value to recognise it.
const SHOWN_VALUE: usize = 80;

/// What starts a word of ours in a map of values.
pub(super) const WORD: char = '$';

#[derive(Clone, Debug)]
pub(in crate::grader) enum Wanted {
    /// Null, a boolean, a number or a text.
    Scalar(Value),
    /// A text that matches; numbers and booleans count as their text.
    Regex(regex::Regex),
    List(Vec<Wanted>),
    Map(Vec<(String, Wanted)>),
}

/// How maps are compared. Lists always have the same number of items, one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::grader) enum How {
    /// The same keys.
    Exact,
    /// All keys that are wanted, and perhaps others.
    Superset,
    /// No keys but those that are wanted, and perhaps not all of them.
    Subset,
}

/// The first place at which a value is not what was wanted.
#[derive(Debug)]
pub(in crate::grader) struct Mismatch<'a> {
    /// From the innermost step outwards.
    path: Vec<Place<'a>>,
    /// Nothing where no value is wanted.
    wanted: Option<&'a Wanted>,
    /// Nothing where there is none.
    found: Option<&'a Value>,
}

#[derive(Debug)]
pub(super) enum Place<'a> {
    Key(&'a str),
    Index(usize),
    /// Whatever a path selected.
    Selected(&'a str),
}

static A_MAP: Wanted = Wanted::Map(Vec::new());

impl Wanted {
    /// Where `found` is not what is wanted; nothing where it is.
    pub(in crate::grader) fn mismatch<'a>(
        &'a self,
        found: &'a Value,
        how: How,
    ) -> Option<Mismatch<'a>> {
        let here = || Some(Mismatch { path: Vec::new(), wanted: Some(self), found: Some(found) });
        match (self, found) {
            (Self::Scalar(wanted), found) if equal(wanted, found) => None,
            (Self::Regex(pattern), found) if matches(pattern, found) => None,
            (Self::List(wanted), Value::Array(found)) if wanted.len() == found.len() => {
                let mut pairs = wanted.iter().zip(found).enumerate();
                pairs.find_map(|(index, (wanted, found))| {
                    Some(wanted.mismatch(found, how)?.at(Place::Index(index)))
                })
            }
            (Self::Map(wanted), Value::Object(found)) => {
                mismatch_of_maps(wanted, found, how, &|_| false)
            }
            (Self::Scalar(_) | Self::Regex(_) | Self::List(_) | Self::Map(_), _) => here(),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Scalar(value) => shown(value),
            Self::Regex(pattern) => {
                format!("a match of `{}`", excerpt(pattern.as_str(), SHOWN_VALUE))
            }
            Self::List(items) => format!("a list of {}", items.len()),
            Self::Map(_) => "a map".to_owned(),
        }
    }
}

/// Where two maps differ first, in the order of what is wanted. Others than the wanted keys do not
/// matter where `is_free` says so.
pub(super) fn mismatch_of_maps<'a>(
    wanted: &'a [(String, Wanted)],
    found: &'a serde_json::Map<String, Value>,
    how: How,
    is_free: &dyn Fn(&str) -> bool,
) -> Option<Mismatch<'a>> {
    for (key, wanted) in wanted {
        match found.get(key) {
            Some(found) => {
                if let Some(mismatch) = wanted.mismatch(found, how) {
                    return Some(mismatch.at(Place::Key(key)));
                }
            }
            None if how == How::Subset => {}
            None => return Some(Mismatch::absent(wanted).at(Place::Key(key))),
        }
    }
    if how == How::Superset {
        return None;
    }
    // Settings have few keys; an answer may have many, but is looked through once.
    let is_wanted = |key: &str| wanted.iter().any(|(wanted, _)| wanted == key);
    let (key, value) = found.iter().find(|(key, _)| !is_wanted(key) && !is_free(key))?;
    Some(Mismatch::unwanted(value).at(Place::Key(key)))
}

impl<'a> Mismatch<'a> {
    /// Something is wanted, and nothing is there.
    pub(super) fn absent(wanted: &'a Wanted) -> Self {
        Self { path: Vec::new(), wanted: Some(wanted), found: None }
    }

    /// Something is there, and nothing is wanted.
    pub(super) fn unwanted(found: &'a Value) -> Self {
        Self { path: Vec::new(), wanted: None, found: Some(found) }
    }

    /// The arguments are not even a map; nothing where there are none at all.
    pub(super) fn no_map(found: Option<&'a Value>) -> Self {
        Self { path: Vec::new(), wanted: found.map(|_| &A_MAP), found }
    }

    /// The same, seen from one step further out.
    pub(super) fn at(mut self, place: Place<'a>) -> Self {
        self.path.push(place);
        self
    }

    /// `.a[0]: expected 1, got 2`, to be put behind the name of the whole.
    pub(in crate::grader) fn shown(&self) -> String {
        let mut text = String::new();
        for place in self.path.iter().rev() {
            let _ = match place {
                Place::Key(key) => write!(text, ".{}", excerpt(key, SHOWN_VALUE)),
                Place::Index(index) => write!(text, "[{index}]"),
                Place::Selected(path) if path.starts_with(WORD) => write!(text, " at {path}"),
                Place::Selected(path) if path.starts_with('[') => write!(text, "{path}"),
                Place::Selected(path) => write!(text, ".{path}"),
            };
        }
        if self.wanted.is_none() && self.found.is_none() {
            return text + ": the call has no arguments";
        }
        let wanted = self.wanted.map_or_else(|| "nothing".to_owned(), Wanted::shown);
        let found = self.found.map_or_else(|| "nothing".to_owned(), shown);
        let _ = write!(text, ": expected {wanted}, got {found}");
        text
    }
}

fn matches(pattern: &regex::Regex, found: &Value) -> bool {
    match found {
        Value::String(text) => pattern.is_match(text),
        Value::Bool(value) => pattern.is_match(&value.to_string()),
        Value::Number(number) => pattern.is_match(&number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
#[path = "wanted_json_tests.rs"]
mod tests;
