//! What was expected of a failed case and what came, side by side in a few lines.
//!
//! A few lines are worth reading only where the two are much alike; otherwise the beginning of each is
//! told. No grader works like this: it is what a person looks at first.

use agentv_base::{escape_controls, excerpt};
use console::{measure_text_width, truncate_str};
use serde_json::Value;
use similar::{ChangeTag, DiffTag, TextDiff};

use crate::{
    record::Row,
    style::{Style, Tone, counted},
};

/// Longer texts are not laid side by side, and no more of them is kept.
const LONGEST: usize = 4000;

/// Lines of a difference that are told.
const MOST_LINES: usize = 10;

/// Of lines that were replaced by others, so many of each.
const MOST_REPLACED: usize = 3;

/// How much of a text in one line stands before what differs.
const BEFORE: usize = 24;

/// How many times as long one text may be for a comparison to say anything.
const MOST_TIMES: usize = 5;

/// What is told of a case that failed for another reason.
const SAME: &str = "the answer is the expected one";

/// What lines with signs begin with, so that they are not taken for misses.
const UNDER: &str = "  ";

/// Beginnings of texts that are not laid side by side.
const BEGINNING: usize = 160;

/// The two texts, as far as they are needed. They are compared when they are told: most failed cases
/// of a large run never are.
pub(super) struct Difference {
    expected: Box<str>,
    actual: Box<str>,
    /// Whether both are there to their ends.
    is_whole: bool,
}

impl Difference {
    /// Nothing where nothing was expected, or nothing came.
    pub(super) fn of(row: &Row<'_>) -> Option<Self> {
        let (expected, actual) =
            (row.reference_answer.as_deref()?, row.candidate_answer.as_deref()?);
        let (kept_expected, kept_actual) = (beginning(expected), beginning(actual));
        let is_whole = kept_expected.len() == expected.len()
            && kept_actual.len() == actual.len()
            && row.reference_omitted == 0;
        (!expected.trim().is_empty()).then(|| Self {
            expected: kept_expected.into(),
            actual: kept_actual.into(),
            is_whole,
        })
    }

    /// Lines of at most `room` columns, ready for a screen.
    pub(super) fn told(&self, style: Style, room: usize) -> Vec<String> {
        let below = room.saturating_sub(UNDER.len());
        let told = match (self.is_whole, json(&self.expected), json(&self.actual)) {
            (true, Some(expected), Some(actual)) => by_lines(&expected, &actual, style, below),
            _ => self.by_text(style, below),
        };
        told.unwrap_or_else(|| self.beginnings(room))
    }

    fn by_text(&self, style: Style, room: usize) -> Option<Vec<String>> {
        let (expected, actual) = (self.expected.trim(), self.actual.trim());
        let (shorter, longer) =
            (expected.len().min(actual.len()), expected.len().max(actual.len()));
        if !self.is_whole || shorter == 0 || longer > shorter.saturating_mul(MOST_TIMES) {
            return None;
        }
        if expected.contains('\n') || actual.contains('\n') {
            by_lines(expected, actual, style, room)
        } else {
            Some(by_words(expected, actual, style, room))
        }
    }

    fn beginnings(&self, room: usize) -> Vec<String> {
        let told = |head: &str, text: &str| {
            let words: Vec<&str> = text.split_whitespace().collect();
            let text = if words.is_empty() {
                "(nothing)".to_owned()
            } else {
                excerpt(&words.join(" "), BEGINNING)
            };
            cut(&format!("{head}{text}"), room)
        };
        vec![told("expected: ", &self.expected), told("actual:   ", &self.actual)]
    }
}

fn beginning(text: &str) -> &str {
    text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// A JSON object or list in a form that shows one thing a line, in an order that does not depend on who
/// wrote it.
fn json(text: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(text).ok()?;
    value.sort_all_objects();
    let is_composed = value.is_object() || value.is_array();
    is_composed.then(|| serde_json::to_string_pretty(&value).ok())?
}

/// Lines with signs, under what the signs mean.
fn with_head(lines: &[String], style: Style) -> Vec<String> {
    let lines = lines.iter().map(|line| format!("{UNDER}{line}"));
    [head(style)].into_iter().chain(lines).collect()
}

fn head(style: Style) -> String {
    let [expected, actual] =
        [(Tone::Bad, "-"), (Tone::Good, "+")].map(|(tone, sign)| style.paint(tone, sign));
    format!("expected ({expected}) and actual ({actual}):")
}

/// Nothing where the two have no line in common: then their beginnings say as much.
fn by_lines(expected: &str, actual: &str, style: Style, room: usize) -> Option<Vec<String>> {
    if expected == actual {
        return Some(vec![SAME.to_owned()]);
    }
    // The last lines too are lines: without their ends they would differ from the same in between.
    let [expected, actual] = [expected, actual].map(|text| format!("{text}\n"));
    let diff = TextDiff::from_lines(&expected, &actual);
    diff.ops().iter().find(|op| op.tag() == DiffTag::Equal)?;
    let mut lines = Vec::new();
    for (place, group) in diff.grouped_ops(1).iter().enumerate() {
        if place > 0 {
            lines.push(style.paint(Tone::Aside, "  …"));
        }
        for op in group {
            let of = |tag: ChangeTag| {
                let changes = diff.iter_changes(op).filter(move |change| change.tag() == tag);
                changes.map(|change| change.value()).collect::<Vec<&str>>()
            };
            lines.extend(of(ChangeTag::Equal).iter().map(|line| line_of("  ", line, room)));
            for (tag, sign, tone) in
                [(ChangeTag::Delete, "- ", Tone::Bad), (ChangeTag::Insert, "+ ", Tone::Good)]
            {
                let changed = of(tag);
                let told = changed.iter().take(MOST_REPLACED);
                lines.extend(told.map(|line| style.paint(tone, &line_of(sign, line, room))));
                if let Some(more @ 1..) = changed.len().checked_sub(MOST_REPLACED) {
                    let more = counted(more, "more line", "more lines");
                    lines.push(style.paint(Tone::Aside, &format!("{sign}… ({more})")));
                }
            }
        }
    }
    if lines.len() > MOST_LINES {
        let more = lines.len() - (MOST_LINES - 1);
        lines.truncate(MOST_LINES - 1);
        let more = counted(more, "more line", "more lines");
        lines.push(style.paint(Tone::Aside, &format!("  … ({more})")));
    }
    Some(with_head(&lines, style))
}

fn line_of(sign: &str, line: &str, room: usize) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    // Tabs indent; everything else that nobody sees is escaped, also where it is all that differs.
    cut(&format!("{sign}{}", escape_controls(&line.replace('\t', "    "))), room)
}

/// Two texts of one line each, from a little before what differs, with the words that do in colour.
fn by_words(expected: &str, actual: &str, style: Style, room: usize) -> Vec<String> {
    if expected == actual {
        return vec![SAME.to_owned()];
    }
    let diff = TextDiff::from_words(expected, actual);
    let mut sides: [Vec<(String, bool)>; 2] = [Vec::new(), Vec::new()];
    for change in diff.iter_all_changes() {
        let text = escape_controls(change.value()).into_owned();
        let [one, other] = &mut sides;
        match change.tag() {
            ChangeTag::Equal => {
                one.push((text.clone(), false));
                other.push((text, false));
            }
            ChangeTag::Delete => one.push((text, true)),
            ChangeTag::Insert => other.push((text, true)),
        }
    }
    let [one, other] = sides;
    let does_fit = |side: &[(String, bool)]| width_of(side) + 2 <= room;
    let skip = if does_fit(&one) && does_fit(&other) { 0 } else { common_start(&one) };
    let line = |sign: &str, tone: Tone, side: &[(String, bool)]| {
        let mut line = style.paint(tone, sign);
        let mut left = room.saturating_sub(2);
        if skip > 0 {
            line.push('…');
            left = left.saturating_sub(1);
        }
        let words = side.get(skip..).unwrap_or_default();
        let is_cut = width_of(words) > left;
        left = left.saturating_sub(usize::from(is_cut));
        for (word, differs) in words {
            let word = truncate_str(word, left, "");
            left = left.saturating_sub(measure_text_width(&word));
            line.push_str(&if *differs { style.paint(tone, &word) } else { word.into_owned() });
            if left == 0 {
                break;
            }
        }
        if is_cut {
            line.push('…');
        }
        line
    };
    let lines = vec![line("- ", Tone::Bad, &one), line("+ ", Tone::Good, &other)];
    with_head(&lines, style)
}

fn width_of(words: &[(String, bool)]) -> usize {
    words.iter().map(|(word, _)| measure_text_width(word)).sum()
}

/// How many words at the start can be left out, so that a little of what is alike stays.
fn common_start(words: &[(String, bool)]) -> usize {
    let alike = words.iter().take_while(|(_, differs)| !differs).count();
    let mut room = BEFORE;
    let kept = words.iter().take(alike).rev().take_while(|(word, _)| {
        let width = measure_text_width(word);
        let fits = width <= room;
        room = room.saturating_sub(width);
        fits
    });
    alike - kept.count()
}

/// At most so many columns of a text without colours.
fn cut(text: &str, room: usize) -> String {
    truncate_str(text, room, "…").into_owned()
}

#[cfg(test)]
mod tests;
