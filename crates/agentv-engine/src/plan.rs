//! What is to be run: cases × targets × repeats as slots, what waits for what, and what an earlier
//! session has settled.

use std::{collections::HashMap, sync::Arc};

use agentv_base::{EvalCase, Provider, Spent, StopRule};

/// A target that is ready to be asked.
pub struct PlannedTarget {
    pub name: Arc<str>,
    pub provider: Arc<dyn Provider>,
    /// Most invocations of this target at once.
    pub workers: usize,
}

/// What is known of a slot that has a row: of an earlier session of the run, or carried into it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Past {
    pub passed: bool,
    /// None where it could not be evaluated.
    pub score: Option<f64>,
    pub threshold: Option<f64>,
    /// What the attempt that counts took of the target, and what its judges took: together the
    /// price of one attempt.
    pub own: Spent,
    pub judges: Spent,
    /// All that was spent on it, also on attempts that failed.
    pub spent: Spent,
    /// It was made by another run, whose rows this one begins with. That run has paid for it, and
    /// it was that run's failure.
    pub carried: bool,
}

/// A slot that must be settled before another is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After {
    pub slot: usize,
    /// Whether it must have passed.
    pub must_pass: bool,
}

/// One case, asked of one target, once: what a row is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub case: usize,
    pub target: usize,
    /// From 1.
    pub repeat: u32,
}

#[derive(Default)]
pub struct Plan {
    pub cases: Arc<[Arc<EvalCase>]>,
    pub targets: Vec<PlannedTarget>,
    /// In the order in which people expect their rows. Others hold them too.
    pub slots: Arc<[Slot]>,
    /// What slots wait for, by slot; those that wait for nothing are not in it.
    pub after: HashMap<usize, Vec<After>>,
    /// Slots that are not asked any more, because they have a row.
    pub settled: HashMap<usize, Past>,
    /// When the repeats of a case end before the last, where they may.
    pub stop_rule: Option<Arc<dyn StopRule>>,
}
