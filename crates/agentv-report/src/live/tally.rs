//! How far a run has come.

use agentv_base::SettledCase;

use crate::{
    record::{Status, status_of},
    style::counted,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) planned: usize,
    pub(super) settled: usize,
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) errors: usize,
}

impl Tally {
    pub(super) fn of(planned: usize) -> Self {
        Self { planned, ..Self::default() }
    }

    pub(super) fn add(&mut self, settled: &SettledCase) {
        self.settled += 1;
        match status_of(&settled.outcome) {
            Some(Status::Passed) => self.passed += 1,
            Some(Status::Failed) => self.failed += 1,
            Some(Status::Error) => self.errors += 1,
            None => {}
        }
    }

    /// How many whole tenths of the plan are done.
    pub(super) fn tenths(&self) -> usize {
        (self.settled * 10).checked_div(self.planned).unwrap_or(10)
    }

    pub(super) fn words(&self) -> String {
        format!(
            "{} passed, {} failed, {}",
            self.passed,
            self.failed,
            counted(self.errors, "error", "errors")
        )
    }
}
