//! A case by the words that people know it by, made harmless for a screen.

use agentv_base::excerpt;

use super::LONGEST_TEXT;
use crate::record::Row;

#[derive(Clone, Debug)]
pub(super) struct CaseName {
    /// `evals/suite.yaml:12`; empty where it is not told.
    place: String,
    pub(super) id: String,
    repeat: u32,
    target: String,
}

impl CaseName {
    pub(super) fn of(row: &Row<'_>) -> Self {
        let suite = excerpt(row.file.as_ref().unwrap_or(&row.suite), LONGEST_TEXT);
        let place = match row.line {
            Some(line) => format!("{suite}:{line}"),
            None => suite,
        };
        Self { place, ..Self::new(&row.eval_id, row.repeat, &row.target) }
    }

    pub(super) fn new(id: &str, repeat: u32, target: &str) -> Self {
        Self {
            place: String::new(),
            id: excerpt(id, LONGEST_TEXT),
            repeat: repeat.max(1),
            target: excerpt(target, LONGEST_TEXT),
        }
    }

    /// `id (target)`; in a run with repeats `id #1 (target)`. Only at the end of a run is it known
    /// whether it has any.
    pub(super) fn told(&self, is_repeated: bool) -> String {
        let Self { id, repeat, target, .. } = self;
        if is_repeated { format!("{id} #{repeat} ({target})") } else { format!("{id} ({target})") }
    }

    pub(super) fn in_full(&self, is_repeated: bool) -> String {
        format!("{} {}", self.place, self.told(is_repeated))
    }
}
