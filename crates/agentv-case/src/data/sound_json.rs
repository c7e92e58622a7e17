//! JSON that nothing is wrong with → a tree, in one pass over it.
//!
//! Whatever is wrong, or rare, is given up without a word; `json` reads the same text again, tells
//! what it finds, and gives the same tree for everything that is read here. So no rule of JSON is
//! relaxed here, and none has a message of its own.

use std::{borrow::Cow, sync::Arc};

use agentv_base::{Entry, Node, NodeValue, SourceId, Span, Text};

use super::json::{DEEPEST, FEW_KEYS, LONGEST_WORD, Written};
use crate::yaml::{Names, lost_digits};

/// What the lines of one file share.
pub(super) struct SoundJson<'t> {
    file: &'t Arc<String>,
    source: SourceId,
    names: Names<'t>,
    /// Items of all open lists, and entries of all open maps: a finished one is allocated once, in
    /// its size.
    items: Vec<Node>,
    entries: Vec<Entry>,
}

impl<'t> SoundJson<'t> {
    pub(super) fn new(file: &'t Arc<String>, source: SourceId) -> Self {
        Self { file, source, names: Names::default(), items: Vec::new(), entries: Vec::new() }
    }

    /// Reads the piece of the file from `first` to `end` as one value.
    pub(super) fn read(&mut self, first: usize, end: usize) -> Option<Node> {
        self.items.clear();
        self.entries.clear();
        let text = self.file.get(..end)?;
        let mut reader = Reader { shared: self, text, at: first };
        let node = reader.value(1)?;
        reader.skip_blanks();
        (reader.at == end).then_some(node)
    }
}

struct Reader<'s, 't> {
    shared: &'s mut SoundJson<'t>,
    /// The file up to the end of what is read.
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'_, 't> {
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Whether this byte comes next, after blanks; then it is passed.
    fn passes(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let comes = self.peek() == Some(byte);
        self.at += usize::from(comes);
        comes
    }

    fn place(&self, start: usize, end: usize) -> Option<Span> {
        let (start, end) = (u32::try_from(start).ok()?, u32::try_from(end).ok()?);
        Some(Span { source: self.shared.source, start, end })
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        if depth > DEEPEST {
            return None;
        }
        self.skip_blanks();
        let start = self.at;
        let value = match self.peek()? {
            b'{' => NodeValue::Map(Arc::from(self.map(depth)?)),
            b'[' => NodeValue::List(Arc::from(self.list(depth)?)),
            b'"' => {
                let text = self.string()?;
                NodeValue::String(self.kept(text, start + 1)?)
            }
            b't' => self.word("true", NodeValue::Bool(true))?,
            b'f' => self.word("false", NodeValue::Bool(false))?,
            b'n' => self.word("null", NodeValue::Null)?,
            _ => self.number()?,
        };
        Some(Node::new(self.place(start, self.at)?, value))
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Node>> {
        self.at += 1;
        let first = self.shared.items.len();
        if !self.passes(b']') {
            loop {
                let item = self.value(depth + 1)?;
                self.shared.items.push(item);
                if self.passes(b']') {
                    break;
                }
                if !self.passes(b',') {
                    return None;
                }
            }
        }
        Some(self.shared.items.split_off(first))
    }

    fn map(&mut self, depth: usize) -> Option<Vec<Entry>> {
        self.at += 1;
        let first = self.shared.entries.len();
        if !self.passes(b'}') {
            loop {
                let entry = self.entry(depth)?;
                let known = self.shared.entries.get(first..).unwrap_or_default();
                let is_new = known.iter().all(|known| known.key != entry.key);
                if !is_new || known.len() > FEW_KEYS {
                    return None;
                }
                self.shared.entries.push(entry);
                if self.passes(b'}') {
                    break;
                }
                if !self.passes(b',') {
                    return None;
                }
            }
        }
        Some(self.shared.entries.split_off(first))
    }

    fn entry(&mut self, depth: usize) -> Option<Entry> {
        self.skip_blanks();
        let start = self.at;
        // A key with escapes does not stand in the text as it is read.
        let Cow::Borrowed(key) = self.string()? else { return None };
        let key_span = self.place(start + 1, start + 1 + key.len())?;
        if !self.passes(b':') {
            return None;
        }
        let key = self.shared.names.shared(Cow::Borrowed(key));
        let value = self.value(depth + 1)?;
        Some(Entry { key, key_span, value })
    }

    /// A string, from the text itself where it has no escapes.
    fn string(&mut self) -> Option<Cow<'t, str>> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let start = self.at;
        self.at += 1;
        let mut has_escapes = false;
        loop {
            let found = memchr::memchr2(b'"', b'\\', self.rest())?;
            self.at += found;
            if self.peek() == Some(b'"') {
                break;
            }
            has_escapes = true;
            self.at += 2;
        }
        self.at += 1;
        if has_escapes {
            let read: Written<'t> = serde_json::from_str(self.text.get(start..self.at)?).ok()?;
            return Some(read.0);
        }
        let text = self.text.get(start + 1..self.at - 1)?;
        let least = text.bytes().fold(u8::MAX, u8::min);
        (least >= b' ').then_some(Cow::Borrowed(text))
    }

    /// A text as the tree keeps it: a word that may come again once for all of them, a longer text
    /// as a piece of the file.
    fn kept(&mut self, text: Cow<'t, str>, start: usize) -> Option<Text> {
        match text {
            Cow::Owned(text) => Some(text.into()),
            Cow::Borrowed(text) if text.len() > LONGEST_WORD => {
                Text::piece(self.shared.file, start..start + text.len())
            }
            Cow::Borrowed(_) => Some(self.shared.names.shared(text).into()),
        }
    }

    fn word(&mut self, word: &str, value: NodeValue) -> Option<NodeValue> {
        self.rest().starts_with(word.as_bytes()).then(|| {
            self.at += word.len();
            value
        })
    }

    fn number(&mut self) -> Option<NodeValue> {
        let is_part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let start = self.at;
        self.at += self.rest().iter().take_while(is_part).count();
        let written = self.text.get(start..self.at)?;
        let float: f64 = serde_json::from_str(written).ok()?;
        let value = written.parse().map_or(NodeValue::Float(float), NodeValue::Integer);
        lost_digits(written, &value).is_none().then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use agentv_base::Problems;
    use proptest::prelude::*;

    use super::{super::json::json_value, *};

    /// What is read here, and what is read and told in general.
    fn check(text: &str) -> (Option<Node>, Option<Node>, Problems) {
        let mut problems = Problems::default();
        let in_general = json_value(text, SourceId::default(), &mut problems);
        let file = Arc::new(format!("{text}\n"));
        let quickly = SoundJson::new(&file, SourceId::default()).read(0, text.len());
        (quickly, in_general, problems)
    }

    #[test]
    fn what_nothing_is_wrong_with_is_read_with_its_places() {
        for text in [
            r#"{"id": "a", "n": [1, -2.5e3, true, false, null, "x\ny é", {}], "o": {"é": []}}"#,
            " [ ] ",
            "\t{ \"a\" : 1 , \"b\" : \"a text of more than sixteen letters, ü\" }\r",
            "0",
            "\"\"",
        ] {
            let (quickly, in_general, problems) = check(text);
            assert!(problems.is_empty(), "{text}");
            assert!(quickly.is_some(), "{text}");
            assert_eq!(quickly, in_general, "{text}");
        }
    }

    #[test]
    fn what_something_is_to_be_told_of_is_given_up() {
        let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
        for text in [
            "",
            "{",
            "[1",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a:1}",
            "01",
            "+1",
            "1e999",
            "1.",
            "tru",
            "nul",
            "\"a",
            "\"a\\",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"\t\"",
            "[1] x",
            "1 2",
            "--1",
            "{\"a\":1,\"a\":2}",
            "123456789012345678901",
            "[1 2]",
            "'a'",
            "\u{a0}1",
            &deep,
        ] {
            let (quickly, _, problems) = check(text);
            assert!(quickly.is_none() && !problems.is_empty(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_the_same_in_general(
            text in r#"[\[{]?( ?("[ab]" ?: ?)?("[a-zé\\"nu0-9]{0,20}"|-?[0-9.eE+-]{1,4}|true|null|\{\}|\[\]) ?,?){1,3}[\]}]?"#,
        ) {
            let (quickly, in_general, problems) = check(&text);
            if quickly.is_some() {
                prop_assert!(problems.is_empty());
                prop_assert_eq!(quickly, in_general);
            } else if let Some(node) = in_general.filter(|_| problems.is_empty()) {
                // Nothing but keys with escapes is given up without a reason.
                prop_assert!(text.contains('\\'), "{text}: {node:?}");
            }
        }
    }
}
