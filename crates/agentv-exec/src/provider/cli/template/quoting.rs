//! The pieces of a word that are quoted or expanded: where each ends, and what stands inside.

use std::ops::Range;

use super::{command::Word, fault::Refusal, reader::Reader};

impl Reader<'_> {
    pub(super) fn single_quotes(&mut self, word: &mut Word) {
        let start = self.at;
        self.at += 1;
        let Some(length) = self.rest().find('\'') else {
            self.at = self.text.len();
            self.fault(start, "a quote `'` is not closed");
            return;
        };
        let inside = self.at..self.at + length;
        self.at = inside.end + 1;
        let right = self.unquoted(start..self.at);
        let carried = self.refuse_in(&inside, &Refusal::Quotes { right });
        word.carry(&carried);
        word.push_text(self.text.get(inside).unwrap_or_default());
    }

    /// To the closing quote; the opening one, at `start`, was taken.
    pub(super) fn double_quotes(&mut self, start: usize, word: &mut Word) {
        let mut refused = Vec::new();
        loop {
            let Some(byte) = self.peek() else {
                self.fault(start, "a quote `\"` is not closed");
                return;
            };
            if let Some(hole) = self.hole() {
                if hole.holds_a_value() {
                    refused.push(hole.range.clone());
                }
                self.at = hole.range.end;
                continue;
            }
            match byte {
                b'"' => break,
                b'\\' => {
                    self.at += 1;
                    // What stands after a backslash stands inside the quotes all the same.
                    if self.hole().is_none() {
                        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
                    }
                }
                b'`' => self.backticks(word),
                b'$' => self.dollar(word),
                _ => {
                    let c = self.rest().chars().next().unwrap_or_default();
                    self.at += c.len_utf8();
                    word.push_text(c.encode_utf8(&mut [0; 4]));
                }
            }
        }
        self.at += 1;
        let right = self.unquoted(start..self.at);
        for hole in &refused {
            self.refuse(hole, &Refusal::Quotes { right: right.clone() });
        }
        word.carry(&refused);
    }

    /// A quoted piece with the quotes closed around each placeholder.
    fn unquoted(&self, range: Range<usize>) -> String {
        let quote = self.text.get(range.start..=range.start).unwrap_or_default();
        let piece = |range: Range<usize>| match self.text.get(range) {
            Some(text) if !text.is_empty() => format!("{quote}{text}{quote}"),
            _ => String::new(),
        };
        let mut right = String::new();
        let mut end = range.start + 1;
        for hole in self.holes_in(&range) {
            right.push_str(&piece(end..hole.start));
            right.push_str(self.text.get(hole.clone()).unwrap_or_default());
            end = hole.end;
        }
        right + &piece(end..range.end - 1)
    }

    pub(super) fn backticks(&mut self, word: &mut Word) {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => self.at = (self.at + 1).min(self.text.len()),
                b'`' => {
                    let carried = self.refuse_in(&(start..self.at), &Refusal::Backticks);
                    word.expand(&carried);
                    return;
                }
                _ => {}
            }
        }
        self.fault(start, "a backtick is not closed");
    }

    pub(super) fn dollar(&mut self, word: &mut Word) {
        let start = self.at;
        if self.starts_with("$((") {
            self.at += 3;
            let carried = self.arithmetic(start);
            word.expand(&carried);
        } else if self.starts_with("$(") {
            self.at += 2;
            self.depth += 1;
            let inside = self.list(Some(b')'), Vec::new());
            self.depth -= 1;
            word.expand(&inside);
        } else if self.starts_with("${") {
            self.at += 2;
            let name = variable_name(self.rest().trim_start_matches(['#', '!'])).to_owned();
            self.parameter_expansion(start);
            let carried = self.refuse_in(&(start..self.at), &Refusal::ParameterExpansion);
            word.expand(&carried);
            self.use_variable(&name, start..self.at, word);
        } else if self.starts_with("$'") {
            // Some shells know these quotes and read `\'` in them as a character, others do not.
            self.at += 1;
            self.single_quotes(word);
            if self.text.get(start..self.at).unwrap_or_default().contains('\\') {
                self.fault(start, "shells read `$'…\\…'` differently: use printf instead");
            }
        } else {
            self.at += 1;
            let name = variable_name(self.rest()).to_owned();
            self.at += name.len();
            self.use_variable(&name, start..self.at, word);
        }
    }

    /// To the closing brace; `${` was taken.
    fn parameter_expansion(&mut self, start: usize) {
        let mut word = Word::default();
        while let Some(byte) = self.peek() {
            match byte {
                b'}' => {
                    self.at += 1;
                    return;
                }
                b'\\' => {
                    self.at += 1;
                    self.at += self.rest().chars().next().map_or(0, char::len_utf8);
                }
                b'\'' => {
                    // Inside double quotes this is a character, outside it is a quote: fine only
                    // where both readings end at the same place.
                    let quoted = self.rest().get(1..).and_then(|rest| rest.split_once('\''));
                    let length = quoted.map_or(0, |(inside, _)| inside.len() + 1);
                    if quoted.is_none_or(|(inside, _)| inside.contains(['}', '"', '$', '`', '\\']))
                    {
                        self.fault(start, "shells read quotes inside `${…}` differently");
                    }
                    self.at += length + 1;
                }
                b'"' => {
                    let quote = self.at;
                    self.at += 1;
                    self.double_quotes(quote, &mut word);
                }
                b'`' => self.backticks(&mut word),
                b'$' => self.dollar(&mut word),
                _ => {
                    // Placeholders are passed over whole, so that their `}` does not end this.
                    self.at = match self.hole() {
                        Some(hole) => hole.range.end,
                        None => self.at + self.rest().chars().next().map_or(1, char::len_utf8),
                    };
                }
            }
        }
        self.fault(start, "a `${` is not closed");
    }
}

/// The name of the variable that stands here: a word, or one of the shell's own signs.
fn variable_name(text: &str) -> &str {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return text.split(|c| !word(c)).next().unwrap_or_default();
    }
    let sign = |c: char| c.is_ascii_digit() || "@*#?$!-".contains(c);
    if text.starts_with(sign) { text.get(..1).unwrap_or_default() } else { "" }
}
