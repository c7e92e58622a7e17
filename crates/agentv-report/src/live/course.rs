//! How a run goes so far: counts, rate, spending and pace. What all displays know, and no display
//! itself.

use std::{collections::HashMap, time::Duration};

use agentv_base::{Outcome, Provenance, SettledCase, SkipReason};

use super::{
    pace::Pace,
    rate::Rate,
    spend::{Budget, Spend},
    tally::Tally,
};
use crate::record::{KeptRow, Status, status_of};

#[derive(Default)]
pub(super) struct Course {
    pub(super) tally: Tally,
    pub(super) rate: Rate,
    pub(super) spend: Spend,
    pace: Pace,
    /// How many cases each invocation that is under way asks for.
    asked: HashMap<usize, usize>,
}

impl Course {
    pub(super) fn new(budget: Budget) -> Self {
        Self { spend: Spend::new(budget), ..Self::default() }
    }

    /// The plan is known: what is settled already belongs to it.
    pub(super) fn plan(&mut self, cases: usize, repeated: bool) {
        self.tally.planned = cases;
        if !repeated {
            self.rate.tell_none_apart();
        }
    }

    /// A row that is there. Whether this run has paid for it, or another whose rows it took, is not
    /// told by the row.
    pub(super) fn already(&mut self, row: &KeptRow, is_paid_here: bool) {
        self.tally.add(Some(row.status));
        let slot = &row.slot;
        self.grade(&slot.suite, &slot.eval_id, &slot.target, Some(row.status));
        if is_paid_here {
            self.spend.add_earlier(row.spent);
        }
    }

    /// An invocation for so many cases.
    pub(super) fn invoke(&mut self, unit: usize, cases: usize, now: Duration) {
        self.asked.insert(unit, cases);
        self.pace.begin(cases, now);
    }

    pub(super) fn invoked(&mut self, unit: usize, now: Duration) {
        if let Some(cases) = self.asked.remove(&unit) {
            self.pace.end(cases, now);
        }
    }

    pub(super) fn settle(&mut self, settled: &SettledCase, now: Duration) {
        let status = status_of(&settled.outcome);
        self.tally.add(status);
        self.grade(&settled.case.suite, settled.case.id(), &settled.target, status);
        self.spend.add(settled);
        if is_waited_for(settled) {
            self.pace.settle(now);
        }
    }

    pub(super) fn skip(&mut self, reason: &SkipReason) {
        self.tally.skip(reason);
    }

    /// How long the rest will take, where that is known.
    pub(super) fn left(&mut self, now: Duration) -> Option<Duration> {
        let remaining = self.tally.planned.saturating_sub(self.tally.done());
        self.pace.left(remaining, now)
    }

    fn grade(&mut self, suite: &str, id: &str, target: &str, status: Option<Status>) {
        match status {
            Some(Status::Passed) => self.rate.add(suite, id, target, true),
            Some(Status::Failed) => self.rate.add(suite, id, target, false),
            Some(Status::Error) | None => {}
        }
    }
}

/// Whether somebody worked on it in this session: neither an answer that was kept nor a target that
/// was never asked says how long the others take.
fn is_waited_for(settled: &SettledCase) -> bool {
    match &settled.outcome {
        Outcome::Assessed { response, .. } | Outcome::Answered { response } => {
            !matches!(response.provenance, Provenance::Cache)
        }
        Outcome::Failed { .. } => settled.attempts > 0,
    }
}
