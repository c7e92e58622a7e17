//! Where rubrics can stand in the text of a case, and what they look like there: as the rest of
//! the file does.

use std::{fmt::Write as _, ops::Range};

use agentv_base::{Entry, Node, find_key};
use serde_json::Value;

use super::{Rubric, is_rubrics};
use crate::{convert::on_one_line, suite::keys::CASE_KEYS};

/// How lists below a key are indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListStyle {
    /// From the key to the dash.
    dash: usize,
    /// From the dash to what stands behind it.
    item: usize,
}

impl Default for ListStyle {
    fn default() -> Self {
        Self { dash: 2, item: 2 }
    }
}

impl ListStyle {
    /// As the list of cases is written; the usual one where its first case does not begin on the
    /// line of its dash.
    pub(super) fn of(text: &str, list: &Entry) -> Self {
        Self::read(text, list).unwrap_or_default()
    }

    fn read(text: &str, list: &Entry) -> Option<Self> {
        let first = list.value.as_list()?.first()?.span.start as usize;
        let before = text.get(line_start(text, first)..first)?;
        let dash = before.trim_end_matches(' ').strip_suffix('-')?.chars().count();
        let key = column(text, list.key_span.start as usize);
        Some(Self { dash: dash.checked_sub(key)?, item: before.chars().count() - dash })
    }
}

/// A case as it is written.
pub(super) struct CaseText<'t> {
    text: &'t str,
    style: &'t ListStyle,
    /// Where its first key begins.
    pub(super) first: u32,
    /// Whether it stands in braces.
    in_braces: bool,
    /// The entries that stand in it, not in a map that it takes keys from.
    own: Vec<&'t Entry>,
    places: Vec<Place>,
}

/// Where rubrics can stand.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Instead of this entry, by its number.
    InsteadOf(usize),
    /// Behind this entry.
    Behind(usize),
    /// Behind this entry and the empty lines that follow, which may be a part of it.
    BehindBlanks(usize),
    /// Before this entry.
    Before(usize),
}

impl<'t> CaseText<'t> {
    pub(super) fn new(text: &'t str, node: &'t Node, first: u32, style: &'t ListStyle) -> Self {
        let entries = node.as_map().unwrap_or_default();
        let inside =
            |entry: &&Entry| (node.span.start..node.span.end).contains(&entry.key_span.start);
        let own: Vec<&Entry> = entries.iter().filter(inside).collect();
        let in_braces = text.get(node.span.start as usize..).is_some_and(|it| it.starts_with('{'));
        let places = places(text, &own, in_braces);
        Self { text, style, first, in_braces, own, places }
    }

    /// How many places there are to choose from, the best first.
    pub(super) fn choices(&self) -> usize {
        self.places.len()
    }

    /// What the text becomes, and where, with the rubrics at one of the places.
    pub(super) fn change(
        &self,
        choice: usize,
        rubrics: &[Rubric],
    ) -> Option<(Range<usize>, String)> {
        let place = *self.places.get(choice)?;
        let (Place::InsteadOf(number)
        | Place::Behind(number)
        | Place::BehindBlanks(number)
        | Place::Before(number)) = place;
        let entry = self.own.get(number)?;
        let (key, end) = (entry.key_span.start as usize, self.end(entry)?);
        let line = self.line_behind(end);
        let newline = self.newline(line);
        if self.in_braces {
            let key_text = self.in_brackets(entry, rubrics);
            let alone = self.indent_before(key);
            return Some(match (place, alone) {
                (Place::InsteadOf(_), _) => (key..end, key_text),
                (_, Some(indent)) => (end..end, format!(",{newline}{indent}{key_text}")),
                (_, None) => (end..end, format!(", {key_text}")),
            });
        }
        let indent = self.indent();
        let block = self.block(&indent, rubrics, newline);
        Some(match place {
            Place::InsteadOf(_) => (key..end, block),
            Place::Before(_) => {
                self.indent_before(key)?;
                (key..key, format!("{block}{newline}{indent}"))
            }
            Place::Behind(_) | Place::BehindBlanks(_) => {
                let blanks = matches!(place, Place::BehindBlanks(_));
                let at = if blanks { self.behind_blanks(line) } else { line };
                let ended = self.text.get(..at)?.ends_with('\n');
                let new = if ended {
                    format!("{indent}{block}{newline}")
                } else {
                    format!("{newline}{indent}{block}")
                };
                (at..at, new)
            }
        })
    }

    /// Where an entry ends: with its value, or with its colon where it has none.
    fn end(&self, entry: &Entry) -> Option<usize> {
        let key_end = entry.key_span.end as usize;
        if entry.value.is_null() && entry.value.span.start == entry.value.span.end {
            return Some(key_end + self.text.get(key_end..)?.find(':')? + 1);
        }
        Some((entry.value.span.end as usize).max(key_end))
    }

    /// Where the line behind a place begins; the end of a text that has none.
    fn line_behind(&self, place: usize) -> usize {
        let rest = self.text.get(place..).unwrap_or_default();
        rest.find('\n').map_or(self.text.len(), |at| place + at + 1)
    }

    fn behind_blanks(&self, line: usize) -> usize {
        let rest = self.text.get(line..).unwrap_or_default();
        let blank = rest.split_inclusive('\n').take_while(|line| line.trim().is_empty());
        line + blank.map(str::len).sum::<usize>()
    }

    /// The end of lines, as the line before this place has it, else the first of the text.
    fn newline(&self, line: usize) -> &'static str {
        let before = self.text.get(..line).filter(|it| it.ends_with('\n'));
        let ended = before.or_else(|| self.text.split_inclusive('\n').next());
        if ended.is_some_and(|it| it.ends_with("\r\n")) { "\r\n" } else { "\n" }
    }

    /// What stands before a key on its line, where that is nothing but spaces.
    fn indent_before(&self, key: usize) -> Option<&'t str> {
        let before = self.text.get(line_start(self.text, key)..key)?;
        before.bytes().all(|byte| byte == b' ').then_some(before)
    }

    /// The indentation of the keys of this case.
    fn indent(&self) -> String {
        let keys = || self.own.iter().map(|entry| entry.key_span.start as usize);
        match keys().find_map(|key| self.indent_before(key)) {
            Some(indent) => indent.to_owned(),
            None => " ".repeat(keys().next().map_or(0, |key| column(self.text, key))),
        }
    }

    /// The key with a list below it. What stands before the key is there already, as is what ends
    /// the last line.
    fn block(&self, indent: &str, rubrics: &[Rubric], newline: &str) -> String {
        let dash = format!("{newline}{indent}{:width$}-", "", width = self.style.dash);
        let inner =
            format!("{newline}{indent}{:width$}", "", width = self.style.dash + self.style.item);
        let mut block = String::from("rubrics:");
        for rubric in rubrics {
            for (number, (name, value)) in rubric.fields().iter().enumerate() {
                if number == 0 {
                    let _ = write!(block, "{dash}{:width$}", "", width = self.style.item - 1);
                } else {
                    block.push_str(&inner);
                }
                let _ = write!(block, "{name}: {}", scalar(value));
            }
        }
        block
    }

    /// The key and its list on one line, in the quotes that other keys have.
    fn in_brackets(&self, entry: &Entry, rubrics: &[Rubric]) -> String {
        let written = self.text.get(entry.key_span.start as usize..).unwrap_or_default();
        let quote = if written.starts_with('"') { "\"" } else { "" };
        let rubrics: Vec<String> = rubrics
            .iter()
            .map(|rubric| {
                let fields = rubric.fields();
                let fields =
                    fields.iter().map(|(name, value)| format!("{quote}{name}{quote}: {value}"));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
            })
            .collect();
        format!("{quote}rubrics{quote}: [{}]", rubrics.join(", "))
    }
}

/// Where rubrics can stand, the best place first: instead of old ones, else behind what they were
/// made from.
fn places(text: &str, own: &[&Entry], in_braces: bool) -> Vec<Place> {
    if let Some(old) = own.iter().position(|entry| is_rubrics(entry)) {
        return vec![Place::InsteadOf(old)];
    }
    let is_outcome = |entry: &&Entry| {
        find_key(&entry.key, &[CASE_KEYS]).is_some_and(|key| key.name == "expected_outcome")
    };
    let all = 0..own.len();
    let best = own.iter().position(is_outcome).or(all.clone().last());
    let Some(best) = best else { return Vec::new() };
    let mut places = vec![Place::Behind(best)];
    if in_braces {
        places.extend(all.filter(|place| *place != best).map(Place::Behind));
        return places;
    }
    places.extend([Place::BehindBlanks(best), Place::Before(best)]);
    if own.get(best).is_some_and(|entry| keeps_blanks(text, entry)) {
        places.swap(0, 1);
    }
    places.extend(all.clone().filter(|place| *place != best).map(Place::Before));
    places.extend(all.filter(|place| *place != best).map(Place::Behind));
    places
}

/// Whether the value of an entry is a block of lines that has the empty ones behind it: `|+`.
fn keeps_blanks(text: &str, entry: &Entry) -> bool {
    let behind = text.get(entry.key_span.end as usize..).unwrap_or_default();
    let line = behind.lines().next().unwrap_or_default();
    let header = line.split('#').next().unwrap_or_default().split(['|', '>']).nth(1);
    header.is_some_and(|it| it.contains('+') && it.trim().len() <= "2+".len())
}

/// A value of a rubric on its line.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => on_one_line(text),
        other @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_)) => other.to_string(),
    }
}

fn line_start(text: &str, place: usize) -> usize {
    text.get(..place).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

/// Characters before a place on its line.
fn column(text: &str, place: usize) -> usize {
    text.get(line_start(text, place)..place).unwrap_or_default().chars().count()
}
