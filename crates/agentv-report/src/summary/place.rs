//! Where a case stands, and by that in which order cases are told.

use agentv_base::excerpt;

use super::LONGEST_TEXT;
use crate::record::Row;

/// By suite and line, then by name: the order of the suites, whatever the order of the rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) suite: Box<str>,
    line: Option<usize>,
    pub(super) eval_id: Box<str>,
    pub(super) target: Box<str>,
}

impl Place {
    pub(super) fn of(row: &Row<'_>) -> Self {
        Self {
            suite: (*row.suite).into(),
            line: row.line,
            eval_id: (*row.eval_id).into(),
            target: (*row.target).into(),
        }
    }

    /// The same as comparing with the place of the row, which need not be made for it.
    pub(super) fn is_before(&self, row: &Row<'_>) -> bool {
        let Self { suite, line, eval_id, target } = self;
        (&**suite, *line, &**eval_id, &**target)
            < (&*row.suite, row.line, &*row.eval_id, &*row.target)
    }

    /// Whether the row stands here.
    pub(super) fn is_at(&self, row: &Row<'_>) -> bool {
        let Self { suite, line, eval_id, target } = self;
        (&**suite, *line, &**eval_id, &**target)
            == (&*row.suite, row.line, &*row.eval_id, &*row.target)
    }

    /// Suite, case and target as they are called.
    pub(super) fn names(&self) -> [&str; 3] {
        [&self.suite, &self.eval_id, &self.target]
    }

    /// `id (target)`, harmless for a screen.
    pub(super) fn told(&self) -> String {
        let cut = |text: &str| excerpt(text, LONGEST_TEXT);
        format!("{} ({})", cut(&self.eval_id), cut(&self.target))
    }
}
