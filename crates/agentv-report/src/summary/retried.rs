//! Cases that were asked more than once because an attempt failed. A retry is no repeat: it leaves
//! no row, and without this nothing in the numbers would say that it took several.

use crate::{
    record::{Row, Status},
    style::counted,
};

#[derive(Default)]
pub(super) struct Retried {
    rows: usize,
    /// Attempts after the first ones.
    further: usize,
    passed: usize,
    failed: usize,
    errors: usize,
}

impl Retried {
    pub(super) fn add(&mut self, row: &Row<'_>) {
        if row.failed_attempts.is_empty() {
            return;
        }
        self.rows += 1;
        self.further += row.failed_attempts.len();
        match row.status {
            Status::Passed => self.passed += 1,
            Status::Failed => self.failed += 1,
            Status::Error => self.errors += 1,
        }
    }

    /// Nothing where every first attempt was the last.
    pub(super) fn told(&self, is_repeated: bool) -> Option<String> {
        let Self { rows, further, passed, failed, errors } = *self;
        let rows_told = if is_repeated {
            counted(rows, "repeat", "repeats")
        } else {
            counted(rows, "case", "cases")
        };
        let further = counted(further, "further attempt", "further attempts");
        let errors = counted(errors, "error", "errors");
        (rows > 0).then(|| {
            format!("{rows_told}, {further}; in the end {passed} passed, {failed} failed, {errors}")
        })
    }
}
