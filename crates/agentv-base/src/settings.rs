//! Reading a map of settings against the list of keys it may have.
//!
//! Every reader of ours goes through here, so an unknown key, a key given twice under two of its
//! names and a value of the wrong type are reported in the same words everywhere. What a value is
//! read as stands in `settings/value.rs`.

mod value;

use self::value::{boolean_meant, looks_like, number_of, wrong_type};
pub use self::value::{count_limit_of, count_of, limit_of, share_of};
use crate::{
    choice::choice_of,
    diagnostic::{Diagnostic, Problems},
    key::{FREE_KEYS, Key, OWN_KEY_PREFIX, Shape, find_key},
    nearest::nearest,
    node::{Entry, Node, NodeValue, Span},
};

/// A map whose keys have been checked, to be asked for values by their first name.
pub struct Fields<'n> {
    what: &'static str,
    span: Span,
    known: Vec<(&'static str, &'n Entry)>,
    /// The marks of the known names: most keys of a table are not given, and a look at this tells.
    marks: u64,
    /// Keys that were perhaps meant by others, whose values do not look like theirs.
    doubtful: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// Reads `node` as a map of `what` ("target", "eval case") that may have the keys of `tables`.
    /// Gives nothing where it is not a map; unknown and doubled keys are reported.
    ///
    /// A misspelt key is an error, and from there on stands for the key that was meant: what is
    /// below it is checked too, and nobody misses the key that is only misspelt. Where the value
    /// does not look like that key's at all, something else was meant, and it is left alone.
    pub fn read(
        node: &'n Node,
        what: &'static str,
        tables: &[&'static [Key]],
        problems: &mut Problems,
    ) -> Option<Self> {
        let Some(entries) = node.as_map() else {
            problems.push(
                Diagnostic::error(format!("{what} must be a map, not {}", node.kind_name()))
                    .code("wrong-type")
                    .at(node.span),
            );
            return None;
        };
        let mut known: Vec<(&'static str, &'n Entry)> = Vec::with_capacity(entries.len());
        let mut misspelt: Vec<(&'static Key, &'n Entry)> = Vec::new();
        for entry in entries {
            match find_key(&entry.key, tables) {
                Some(Key { shape: Shape::Later(instead), .. }) => {
                    problems.push(not_yet(entry, what, instead));
                }
                Some(key) => {
                    if let Some((_, first)) = known.iter().find(|(name, _)| *name == key.name) {
                        problems.push(
                            Diagnostic::error(format!(
                                "`{}` and `{}` are the same key of {what}",
                                entry.key, first.key
                            ))
                            .code("duplicate-key")
                            .at(entry.key_span)
                            .label("given again here")
                            .note(first.key_span, "first given here"),
                        );
                    } else {
                        known.push((key.name, entry));
                    }
                }
                None if is_free(&entry.key) => {}
                None => {
                    let meant = key_meant(&entry.key, tables);
                    problems.push(unknown_key(entry, what, meant.map(|(typed, _)| typed), tables));
                    misspelt.extend(meant.map(|(_, key)| (key, entry)));
                }
            }
        }
        let mut doubtful = Vec::new();
        for (key, entry) in misspelt {
            if known.iter().any(|(given, _)| *given == key.name) {
                continue;
            }
            if looks_like(&entry.value, &key.shape) {
                known.push((key.name, entry));
            } else {
                doubtful.push(key.name);
            }
        }
        let marks = known.iter().fold(0, |marks, (name, _)| marks | mark(name));
        Some(Self { what, span: node.span, known, marks, doubtful })
    }

    pub fn span(&self) -> Span {
        self.span
    }

    /// The entry of a key, also where its value is null.
    #[inline]
    pub fn entry(&self, name: &str) -> Option<&'n Entry> {
        if self.marks & mark(name) == 0 {
            return None;
        }
        self.known.iter().find(|(known, _)| *known == name).map(|(_, entry)| *entry)
    }

    /// The value of a key; null counts as absent.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&'n Node> {
        self.entry(name).map(|entry| &entry.value).filter(|node| !node.is_null())
    }

    /// The value of a key that must be there.
    pub fn required(&self, name: &str, problems: &mut Problems) -> Option<&'n Node> {
        let value = self.get(name);
        if value.is_none() && !self.doubtful.contains(&name) {
            let span = self.entry(name).map_or(self.span, |entry| entry.key_span);
            problems.push(
                Diagnostic::error(format!("{} needs `{name}`", self.what))
                    .code("missing-key")
                    .at(span)
                    .hint(format!("add `{name}: …`")),
            );
        }
        value
    }

    pub fn string(&self, name: &str, problems: &mut Problems) -> Option<&'n str> {
        let node = self.get(name)?;
        let text = node.as_str();
        if text.is_none() {
            problems.push(wrong_type(name, node, "a string"));
        }
        text
    }

    pub fn non_blank(&self, name: &str, problems: &mut Problems) -> Option<&'n str> {
        let text = self.string(name, problems)?;
        if text.trim().is_empty() {
            let span = self.get(name).map_or(self.span, |node| node.span);
            problems.error(span, format!("`{name}` of {} is blank", self.what));
            return None;
        }
        Some(text)
    }

    /// A boolean, also as the strings that environment variables can hold.
    pub fn boolean(&self, name: &str, problems: &mut Problems) -> Option<bool> {
        self.read_boolean(name, "true or false", problems)
    }

    /// The same where something else is allowed too, which is no boolean.
    pub fn boolean_or(&self, name: &str, other: &str, problems: &mut Problems) -> Option<bool> {
        self.read_boolean(name, &format!("true, false or {other}"), problems)
    }

    fn read_boolean(&self, name: &str, wanted: &str, problems: &mut Problems) -> Option<bool> {
        let node = self.get(name)?;
        let value = match &node.value {
            NodeValue::Bool(value) => Some(*value),
            NodeValue::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            NodeValue::Null
            | NodeValue::Integer(_)
            | NodeValue::Float(_)
            | NodeValue::List(_)
            | NodeValue::Map(_) => None,
        };
        if value.is_none() {
            let problem = wrong_type(name, node, wanted);
            problems.push(match boolean_meant(node) {
                Some(meant) => problem.hint(format!("write `{meant}`: YAML 1.2 has no yes and no")),
                None => problem,
            });
        }
        value
    }

    /// What one of the readers makes of a key. The outer nothing is a problem that was reported,
    /// the inner one a key that is absent.
    pub fn optional<T>(
        &self,
        name: &str,
        problems: &mut Problems,
        read: impl FnOnce(&Self, &str, &mut Problems) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.get(name).is_none() {
            return Some(None);
        }
        read(self, name, problems).map(Some)
    }

    /// A finite number, also as a string that holds one.
    pub fn number(&self, name: &str, problems: &mut Problems) -> Option<f64> {
        let node = self.get(name)?;
        let value = number_of(node);
        if value.is_none() {
            problems.push(wrong_type(name, node, "a number"));
        }
        value
    }

    /// A number of seconds greater than zero.
    pub fn positive(&self, name: &str, problems: &mut Problems) -> Option<f64> {
        let value = self.number(name, problems)?;
        if value > 0.0 {
            return Some(value);
        }
        let span = self.get(name).map_or(self.span, |node| node.span);
        problems.error(span, format!("`{name}` must be greater than 0"));
        None
    }

    /// A whole number of at least one.
    pub fn count(&self, name: &str, problems: &mut Problems) -> Option<usize> {
        count_of(name, self.get(name)?, problems)
    }

    /// A number of at least 0.
    pub fn limit(&self, name: &str, problems: &mut Problems) -> Option<f64> {
        limit_of(name, self.get(name)?, problems)
    }

    /// A whole number of at least 0.
    pub fn count_limit(&self, name: &str, problems: &mut Problems) -> Option<u64> {
        count_limit_of(name, self.get(name)?, problems)
    }

    /// A number from 0 to 1.
    pub fn share(&self, name: &str, problems: &mut Problems) -> Option<f64> {
        share_of(name, self.get(name)?, problems)
    }

    /// What a word of a table stands for.
    pub fn choice<T: Copy>(
        &self,
        name: &str,
        words: &[(&'static str, T)],
        problems: &mut Problems,
    ) -> Option<T> {
        choice_of(name, self.get(name)?, words, problems)
    }

    pub fn list(&self, name: &str, problems: &mut Problems) -> Option<&'n [Node]> {
        let node = self.get(name)?;
        let items = node.as_list();
        if items.is_none() {
            problems.push(wrong_type(name, node, "a list"));
        }
        items
    }

    pub fn map(&self, name: &str, problems: &mut Problems) -> Option<&'n [Entry]> {
        let node = self.get(name)?;
        let entries = node.as_map();
        if entries.is_none() {
            problems.push(wrong_type(name, node, "a map"));
        }
        entries
    }
}

/// One of 64, which few names share.
#[inline]
fn mark(name: &str) -> u64 {
    let first = name.as_bytes().first().copied().map_or(0, usize::from);
    1 << ((name.len() * 5 + first) % 64)
}

/// Whether a key is the author's own, about which nothing is known here.
pub fn is_free(key: &str) -> bool {
    FREE_KEYS.contains(&key) || key.starts_with(OWN_KEY_PREFIX)
}

/// The name that a misspelt key most likely stands for, and whose key that is.
fn key_meant(typed: &str, tables: &[&'static [Key]]) -> Option<(&'static str, &'static Key)> {
    let keys = || tables.iter().copied().flatten();
    let supported = keys().filter(|key| !matches!(key.shape, Shape::Later(_)));
    let name = nearest(typed, supported.flat_map(Key::names))?;
    let key = keys().find(|key| key.is_called(name))?;
    Some((name, key))
}

/// A key of another dialect with a meaning that would be lost.
fn not_yet(entry: &Entry, what: &str, instead: &str) -> Diagnostic {
    let message = format!("`{}` of {what} is known, but not supported yet", entry.key);
    Diagnostic::error(message).code("not-supported").at(entry.key_span).hint(instead)
}

fn unknown_key(
    entry: &Entry,
    what: &str,
    meant: Option<&'static str>,
    tables: &[&'static [Key]],
) -> Diagnostic {
    let diagnostic = Diagnostic::error(format!("unknown key `{}` in {what}", entry.key))
        .code("unknown-key")
        .at(entry.key_span);
    // The free keys are no keys of a table, but people misspell them all the same.
    match meant.or_else(|| nearest(&entry.key, FREE_KEYS)) {
        Some(name) => diagnostic.hint(format!("did you mean `{name}`?")),
        None => {
            let keys = tables.iter().copied().flatten();
            let names =
                keys.filter(|key| !matches!(key.shape, Shape::Later(_))).map(|key| key.name);
            diagnostic.hint(format!(
                "known keys: {}; keys of your own start with `x-`",
                names.collect::<Vec<_>>().join(", ")
            ))
        }
    }
}

#[cfg(test)]
mod tests;
