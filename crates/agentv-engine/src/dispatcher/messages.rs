//! What the dispatcher is told, and what it wants done.

use agentv_base::{Answer, FailedAttempt, Failure, Outcome, Response, StopLevel, Totals};

use crate::agenda::Unit;

pub(crate) type UnitId = usize;

pub(crate) enum Input {
    Begin,
    Checked {
        target: usize,
        result: Result<(), Failure>,
    },
    /// The invocation ended and its answers can be taken.
    Answered {
        unit: UnitId,
        /// All of them were kept from before: the target was not asked.
        kept: bool,
    },
    Failed {
        unit: UnitId,
        failure: Failure,
    },
    Settled {
        unit: UnitId,
        index: usize,
        settlement: Settlement,
    },
    /// The wait that was asked for is over.
    Due {
        token: usize,
    },
    /// The time of the session is over.
    Deadline,
    Stop(StopLevel),
}

/// What came of one answer.
pub(crate) enum Settlement {
    Done(Outcome),
    NotAnswered(Answer),
    /// The run was stopped while the answer was being graded: it was paid for, where it is known.
    Interrupted(Option<Box<Response>>),
}

pub(crate) enum Action {
    Check {
        target: usize,
    },
    Invoke {
        unit: UnitId,
        work: Unit,
    },
    /// Take the answer at this place of the unit, grade it, and say what came of it.
    Settle {
        unit: UnitId,
        index: usize,
        slot: usize,
    },
    /// Nothing more will be taken from this unit.
    Release {
        unit: UnitId,
    },
    /// Say so when it is time for this retry (the first is 1) of the target.
    Wait {
        token: usize,
        target: usize,
        retry: u32,
    },
    Record {
        slot: usize,
        attempts: u32,
        failed_attempts: Vec<FailedAttempt>,
        outcome: Outcome,
    },
    Skip {
        slot: usize,
        why: Why,
    },
    Warn(String),
    Halt(StopLevel),
    /// The time is over: what runs is ended, though nobody asked for it.
    Overdue,
    Finish(Totals),
}

/// Why a slot is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Budget,
    Deadline,
    FailFast,
    Decided,
    /// The slot that it waited for.
    After(usize),
}
