//! How far a run has come.

use agentv_base::SkipReason;

use crate::{record::Status, style::counted};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) planned: usize,
    pub(super) settled: usize,
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) errors: usize,
    pub(super) not_run: usize,
    /// Repeats whose case is decided without them.
    pub(super) not_needed: usize,
}

impl Tally {
    /// The plan is known: what is settled already belongs to it.
    pub(super) fn plan(&mut self, cases: usize) {
        self.planned = cases;
    }

    pub(super) fn add(&mut self, status: Option<Status>) {
        self.settled += 1;
        match status {
            Some(Status::Passed) => self.passed += 1,
            Some(Status::Failed) => self.failed += 1,
            Some(Status::Error) => self.errors += 1,
            None => {}
        }
    }

    pub(super) fn skip(&mut self, reason: &SkipReason) {
        match reason {
            SkipReason::Decided => self.not_needed += 1,
            SkipReason::Budget
            | SkipReason::Deadline
            | SkipReason::Dependency { .. }
            | SkipReason::FailFast => self.not_run += 1,
        }
    }

    /// Cases of which nothing more will be heard, whatever became of them.
    pub(super) fn done(&self) -> usize {
        self.settled + self.not_run + self.not_needed
    }

    /// How many whole tenths of the plan are done.
    pub(super) fn tenths(&self) -> usize {
        (self.done() * 10).checked_div(self.planned).unwrap_or(10)
    }

    pub(super) fn words(&self) -> String {
        let mut words = vec![
            format!("{} passed", self.passed),
            format!("{} failed", self.failed),
            counted(self.errors, "error", "errors"),
        ];
        for (count, what) in [(self.not_run, "not run"), (self.not_needed, "not needed")] {
            if count > 0 {
                words.push(format!("{count} {what}"));
            }
        }
        words.join(", ")
    }
}
