//! Numbers that trajectories are limited by: how often, and how long.

use agentv_base::{Diagnostic, Fields, Key, Node, NodeValue, Problems, Shape};

pub(in crate::grader) const MIN: Key = Key::new("min", Shape::Number, "How often at least");
pub(in crate::grader) const MAX: Key = Key::new("max", Shape::Number, "How often at most");

/// A whole number of at least 0, or nothing.
pub(in crate::grader) fn whole(node: &Node) -> Option<usize> {
    match &node.value {
        NodeValue::Integer(value) => usize::try_from(*value).ok(),
        NodeValue::String(text) => text.trim().parse().ok(),
        NodeValue::Null
        | NodeValue::Bool(_)
        | NodeValue::Float(_)
        | NodeValue::List(_)
        | NodeValue::Map(_) => None,
    }
}

/// The whole number of a key. The outer nothing is a problem that was reported, the inner one a
/// key that is absent.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
pub(in crate::grader) fn read_whole(
    key: &str,
    fields: &Fields<'_>,
    problems: &mut Problems,
) -> Option<Option<usize>> {
    let Some(node) = fields.get(key) else {
        return Some(None);
    };
    let value = whole(node);
    if value.is_none() {
        problems.error(node.span, format!("`{key}` must be a whole number of at least 0"));
    }
    value.map(Some)
}

/// The milliseconds of a key, as [`read_whole`] reads whole numbers.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
pub(in crate::grader) fn read_duration(
    key: &str,
    fields: &Fields<'_>,
    problems: &mut Problems,
) -> Option<Option<f64>> {
    if fields.get(key).is_none() {
        return Some(None);
    }
    fields.positive(key, problems).map(Some)
}

/// How often something may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::grader) struct Range {
    pub(in crate::grader) min: usize,
    pub(in crate::grader) max: Option<usize>,
}

impl Range {
    /// From `min` and `max` of a map; `least` where there is no `min`.
    pub(in crate::grader) fn read(
        least: usize,
        fields: &Fields<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let min = read_whole("min", fields, problems);
        let max = read_whole("max", fields, problems);
        let range = Self { min: min?.unwrap_or(least), max: max? };
        let Some(most) = range.max else {
            if range.min == 0 {
                let span = fields.get("min").map_or(fields.span(), |node| node.span);
                problems.error(span, "any number is at least 0, so every answer would pass");
                return None;
            }
            return Some(range);
        };
        if most >= range.min {
            return Some(range);
        }
        let span = fields.get("max").map_or(fields.span(), |node| node.span);
        let message = format!("`max` is {most}, which is less than `min`, {}", range.min);
        let problem = Diagnostic::error(message).at(span);
        problems.push(if fields.get("min").is_none() {
            problem.hint("without `min` it is 1; add `min: 0`, or negate with `not-`")
        } else {
            problem
        });
        None
    }

    pub(in crate::grader) fn has(self, times: usize) -> bool {
        times >= self.min && self.max.is_none_or(|max| times <= max)
    }

    /// In the words of hits and misses.
    pub(in crate::grader) fn shown(self) -> String {
        match self.max {
            None => format!("≥{}", self.min),
            Some(max) if max == self.min => format!("{max}"),
            Some(max) if self.min == 0 => format!("≤{max}"),
            Some(max) => format!("{} to {max}", self.min),
        }
    }
}
