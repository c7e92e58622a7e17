//! Numbers that trajectories are limited by: how often, and how long.

use agentv_base::{Diagnostic, Fields, Key, Problems, Shape};

pub(in crate::grader) const MIN: Key = Key::new("min", Shape::CountLimit, "How often at least");
pub(in crate::grader) const MAX: Key = Key::new("max", Shape::CountLimit, "How often at most");

/// A limit as a number of calls; one that no memory could hold is as good as the largest.
pub(in crate::grader) fn calls(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
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
        let min = fields.optional("min", problems, Fields::count_limit);
        let max = fields.optional("max", problems, Fields::count_limit);
        let range = Self { min: min?.map_or(least, calls), max: max?.map(calls) };
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
