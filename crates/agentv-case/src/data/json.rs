//! JSON → the same tree with places that YAML becomes.
//!
//! The parser is asked for raw pieces, level by level; where a piece lies in the text is where its
//! value stands. A value is scanned once for each level above it, which is cheap at the speed of
//! such a scan and saves a parser of our own. Lines that nothing is wrong with never come here:
//! `sound_json` reads them.

use std::{borrow::Cow, collections::HashMap, fmt, sync::Arc};

use agentv_base::{
    Diagnostic, Entry, Node, NodeValue, Problems, SourceId, Span, Text, Word, excerpt,
};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::sound_json::SoundJson;
use crate::yaml::lost_digits;

/// As deep as YAML may be.
pub(super) const DEEPEST: usize = 255;

/// Shorter texts are not worth a look at where they stand.
pub(super) const LONGEST_WORD: usize = 16;

/// Below this size a look at every key is quicker than a table of them.
pub(super) const FEW_KEYS: usize = 16;

/// The objects of a JSONL file, one a line, with what is wrong with each. Blank lines are skipped.
pub(crate) fn json_lines(
    text: &Arc<String>,
    source: SourceId,
) -> impl Iterator<Item = (Option<Node>, Problems)> {
    let mut start = 0;
    let mut sound = SoundJson::new(text, source);
    text.split('\n').filter_map(move |line| {
        let at = start;
        start += line.len() + 1;
        (!line.trim().is_empty()).then(|| {
            let mut problems = Problems::default();
            let node = sound.read(at, at + line.len()).or_else(|| {
                let reader = Reader { text: line, source, first: at, file: Some(text) };
                reader.read(&mut problems)
            });
            (node, problems)
        })
    })
}

/// A whole text as one JSON value.
pub(crate) fn json_value(text: &str, source: SourceId, problems: &mut Problems) -> Option<Node> {
    Reader { text, source, first: 0, file: None }.read(problems)
}

struct Reader<'t> {
    text: &'t str,
    source: SourceId,
    /// Where the text begins in its file.
    first: usize,
    /// The whole file, where values may hold on to it.
    file: Option<&'t Arc<String>>,
}

impl<'t> Reader<'t> {
    fn read(&self, problems: &mut Problems) -> Option<Node> {
        match serde_json::from_str::<&RawValue>(self.text) {
            Ok(raw) => self.node(raw.get(), 1, problems),
            Err(error) => {
                problems.push(self.broken(&error));
                None
            }
        }
    }

    fn broken(&self, error: &serde_json::Error) -> Diagnostic {
        let before: usize = self
            .text
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1))
            .map(str::len)
            .sum();
        let at = if error.is_eof() {
            self.text.trim_end().len()
        } else {
            before + error.column().saturating_sub(1)
        };
        let shown = excerpt(self.text.trim(), 80);
        no_json(error)
            .at(self.place(at.min(self.text.len()), 0))
            .hint(format!("the line begins with `{shown}`"))
    }

    fn place(&self, at: usize, length: usize) -> Span {
        let offset = |at: usize| u32::try_from(self.first + at).unwrap_or(u32::MAX);
        Span { source: self.source, start: offset(at), end: offset(at + length) }
    }

    /// The place of a piece of the text itself.
    fn span(&self, piece: &str) -> Span {
        let at = (piece.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        self.place(at.min(self.text.len()), piece.len())
    }

    /// A text as the tree keeps it: a long one as a piece of the file.
    fn kept(&self, text: Cow<'t, str>) -> Text {
        let written = match text {
            Cow::Borrowed(written) => written,
            Cow::Owned(text) => return text.into(),
        };
        let span = self.span(written);
        let range = span.start as usize..span.end as usize;
        self.file
            .filter(|_| written.len() > LONGEST_WORD)
            .and_then(|file| Text::piece(file, range))
            .unwrap_or_else(|| Text::from(written))
    }

    fn node(&self, raw: &'t str, depth: usize, problems: &mut Problems) -> Option<Node> {
        let span = self.span(raw);
        if depth > DEEPEST {
            problems.error(span, format!("nested more than {DEEPEST} levels deep"));
            return None;
        }
        let value = match raw.as_bytes().first() {
            Some(b'{') => NodeValue::Map(Arc::from(self.map(raw, depth, problems)?)),
            Some(b'[') => {
                let items: Vec<&RawValue> = read_piece(raw, span, problems)?;
                let items: Option<Vec<Node>> = items
                    .into_iter()
                    .map(|item| self.node(item.get(), depth + 1, problems))
                    .collect();
                NodeValue::List(Arc::from(items?))
            }
            Some(b'"') => {
                let text: Written<'_> = read_piece(raw, span, problems)?;
                NodeValue::String(self.kept(text.0))
            }
            Some(b't') => NodeValue::Bool(true),
            Some(b'f') => NodeValue::Bool(false),
            Some(b'n') => NodeValue::Null,
            _ => match raw.parse::<i64>() {
                Ok(number) => NodeValue::Integer(number),
                Err(_) => NodeValue::Float(read_piece(raw, span, problems)?),
            },
        };
        if let Some(problem) = lost_digits(raw, &value) {
            problems.push(problem.at(span));
        }
        Some(Node::new(span, value))
    }

    fn map(&self, raw: &'t str, depth: usize, problems: &mut Problems) -> Option<Vec<Entry>> {
        let members: Members<'t> = read_piece(raw, self.span(raw), problems)?;
        let mut entries: Vec<Entry> = Vec::with_capacity(members.0.len());
        let mut index: HashMap<Word, usize> = HashMap::new();
        for (Written(key), raw) in members.0 {
            let value = self.node(raw.get(), depth + 1, problems)?;
            let key_span = match &key {
                Cow::Borrowed(key) => self.span(key),
                // A key with escapes does not stand in the text as it is read.
                Cow::Owned(_) => value.span,
            };
            let first = if entries.len() < FEW_KEYS {
                entries.iter().position(|entry| *entry.key == *key)
            } else {
                if index.is_empty() {
                    let known = entries.iter().enumerate();
                    index.extend(known.map(|(place, entry)| (entry.key.clone(), place)));
                }
                index.get(&*key).copied()
            };
            if let Some(first) = first.and_then(|first| entries.get(first)) {
                problems.push(
                    Diagnostic::error(format!("key `{key}` stands twice in one map"))
                        .code("duplicate-key")
                        .at(key_span)
                        .label("given again here")
                        .note(first.key_span, "first given here"),
                );
                continue;
            }
            let key = Word::from(&*key);
            if !index.is_empty() {
                index.insert(key.clone(), entries.len());
            }
            entries.push(Entry { key, key_span, value });
        }
        Some(entries)
    }
}

/// A piece of JSON as a value of ours.
fn read_piece<'t, T: Deserialize<'t>>(
    raw: &'t str,
    span: Span,
    problems: &mut Problems,
) -> Option<T> {
    let read = serde_json::from_str(raw);
    read.map_err(|error| problems.push(no_json(&error).at(span))).ok()
}

fn no_json(error: &serde_json::Error) -> Diagnostic {
    let said = error.to_string();
    let reason = said.split(" at line ").next().unwrap_or_default();
    Diagnostic::error(format!("this is no JSON: {reason}")).code("syntax")
}

/// A string, from the text itself where it has no escapes.
pub(super) struct Written<'t>(pub(super) Cow<'t, str>);

impl<'t> Deserialize<'t> for Written<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyText;
        impl<'t> Visitor<'t> for AnyText {
            type Value = Written<'t>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'t str) -> Result<Self::Value, E> {
                Ok(Written(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Written(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(AnyText)
    }
}

/// The members of an object, all of them, in their order.
struct Members<'t>(Vec<(Written<'t>, &'t RawValue)>);

impl<'t> Deserialize<'t> for Members<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyMembers;
        impl<'t> Visitor<'t> for AnyMembers {
            type Value = Members<'t>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<M: MapAccess<'t>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(AnyMembers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> (Vec<String>, Vec<String>) {
        let mut values = Vec::new();
        let mut said = Vec::new();
        for (node, problems) in json_lines(&Arc::new(text.to_owned()), SourceId::default()) {
            values.extend(node.map(|node| node.to_json().to_string()));
            said.extend(problems.iter().map(|problem| {
                let span = problem.span.unwrap_or_default();
                let at = text.get(span.start as usize..span.end as usize).unwrap_or("?");
                format!("{} @{} {at}", problem.message, span.start)
            }));
        }
        (values, said)
    }

    #[test]
    fn every_line_is_a_value_and_blank_lines_are_skipped() {
        let (values, problems) =
            check("{\"a\": [1, -2.5, true, null, \"x\\n\\u00e9\"]}\r\n\n  {\"b\":{}}");
        assert_eq!(values, [r#"{"a":[1,-2.5,true,null,"x\né"]}"#, r#"{"b":{}}"#]);
        assert_eq!(problems, [""; 0]);
    }

    #[test]
    fn values_and_keys_know_their_places() {
        let text = "{}\n{\"key\": {\"inner\": [10, \"text\"]}}";
        let file = Arc::new(text.to_owned());
        let (node, _) = json_lines(&file, SourceId::default()).nth(1).unwrap();
        let node = node.unwrap();
        let at = |span: Span| text.get(span.start as usize..span.end as usize).unwrap().to_owned();
        let entry = &node.as_map().unwrap()[0];
        assert_eq!(at(entry.key_span), "key");
        let inner = &entry.value.as_map().unwrap()[0];
        assert_eq!(at(inner.key_span), "inner");
        let items = inner.value.as_list().unwrap();
        assert_eq!(at(items[1].span), "\"text\"");
    }

    #[test]
    fn a_broken_line_is_placed_and_the_others_are_read() {
        let (values, problems) = check("{\"a\": 1}\n{\"a\": }\n{\"a\": 2} x\n[1e999]");
        assert_eq!(values, [r#"{"a":1}"#]);
        assert_eq!(
            problems,
            [
                "this is no JSON: expected value @15 ",
                "this is no JSON: trailing characters @26 ",
                "this is no JSON: number out of range @29 1e999",
            ]
        );
    }

    #[test]
    fn a_doubled_key_is_reported_also_among_many() {
        let (_, problems) = check("{\"a\": 1, \"a\": 2}");
        assert_eq!(problems, ["key `a` stands twice in one map @10 a"]);
        let many: Vec<String> = (0..40).map(|n| format!("\"k{}\": 1", n % 39)).collect();
        let (_, problems) = check(&format!("{{{}}}", many.join(",")));
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn what_is_nested_too_deep_is_refused() {
        let (values, problems) = check(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)));
        assert_eq!(values, [""; 0]);
        assert!(problems[0].starts_with("nested more than 255 levels deep"), "{problems:?}");
    }
}
