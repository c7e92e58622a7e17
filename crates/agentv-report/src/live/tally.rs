//! How far a run has come.

use agentv_base::SkipReason;

use crate::{
    record::Status,
    style::{Style, Tone, counted},
};

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
        self.painted_words(Style { color: false, width: 0 }).join(", ")
    }

    /// The words in the colours of what they say, where there is any of it.
    pub(super) fn painted_words(&self, style: Style) -> Vec<String> {
        let paint = |tone: Tone, count: usize, words: &str| {
            if count > 0 { style.paint(tone, words) } else { words.to_owned() }
        };
        let mut words = vec![
            paint(Tone::Good, self.passed, &format!("{} passed", self.passed)),
            paint(Tone::Bad, self.failed, &format!("{} failed", self.failed)),
            paint(Tone::Odd, self.errors, &counted(self.errors, "error", "errors")),
        ];
        for (count, what) in [(self.not_run, "not run"), (self.not_needed, "not needed")] {
            if count > 0 {
                words.push(format!("{count} {what}"));
            }
        }
        words
    }
}
