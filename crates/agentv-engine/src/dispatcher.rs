//! The state of a run, and what follows from each thing that happens: `(state, input) → actions`.
//!
//! Deliberately absent: processes, tasks, clocks, channels. Everything here can be tested by
//! feeding inputs and looking at the actions.
//!
//! Invariant: every planned slot ends in exactly one of two ways: one `Record` action, or being
//! counted as not run when the run was stopped.

mod follow_up;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use agentv_base::{
    Answer, AskAgain, FailedAttempt, Failure, FailureKind, Outcome, StopLevel, Totals,
};

use crate::plan::Unit;

/// How many things may happen at once, and how often something is tried.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most invocations at once over all targets; none: only the targets' own limits hold.
    pub workers: Option<usize>,
    /// Most cases being graded at once.
    pub grading: usize,
    /// Further attempts after a failed one.
    pub max_retries: u32,
}

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
    Stop(StopLevel),
}

/// What came of one answer.
pub(crate) enum Settlement {
    Done(Outcome),
    NotAnswered(Answer),
    /// The run was stopped while the answer was being graded.
    Interrupted,
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
    Record {
        slot: usize,
        attempts: u32,
        failed_attempts: Vec<FailedAttempt>,
        outcome: Outcome,
    },
    Warn(String),
    Halt(StopLevel),
    Finish(Totals),
}

enum Health {
    Unknown,
    Checking,
    Fit,
}

struct TargetState {
    health: Health,
    queue: VecDeque<Unit>,
    running: usize,
    workers: usize,
}

/// A unit whose invocation was started and that has slots to be settled.
struct Open {
    work: Unit,
    /// The next place to be taken.
    next: usize,
    unsettled: usize,
    /// Slots that failed and may be tried again once the whole unit is settled.
    retry: Vec<(usize, Failure)>,
    ask_again: Vec<(usize, AskAgain, Failure)>,
}

pub(crate) struct Dispatcher {
    limits: Limits,
    targets: Vec<TargetState>,
    open: BTreeMap<UnitId, Open>,
    /// Units with answers to be taken, first come first served.
    answered: VecDeque<UnitId>,
    failed_attempts: HashMap<usize, Vec<FailedAttempt>>,
    /// Slots whose target was asked and that have no row.
    begun: HashSet<usize>,
    next_unit: UnitId,
    running: usize,
    grading: usize,
    stop: StopLevel,
    totals: Totals,
    finished: bool,
}

impl Dispatcher {
    /// `workers` of each target, by its place.
    pub fn new(limits: Limits, workers: &[usize], units: Vec<Unit>) -> Self {
        let mut targets: Vec<TargetState> = workers
            .iter()
            .map(|workers| TargetState {
                health: Health::Unknown,
                queue: VecDeque::new(),
                running: 0,
                workers: (*workers).max(1),
            })
            .collect();
        let planned = units.iter().map(|unit| unit.slots.len()).sum();
        for unit in units {
            targets[unit.target].queue.push_back(unit);
        }
        Self {
            limits,
            targets,
            open: BTreeMap::new(),
            answered: VecDeque::new(),
            failed_attempts: HashMap::new(),
            begun: HashSet::new(),
            next_unit: 0,
            running: 0,
            grading: 0,
            stop: StopLevel::Run,
            totals: Totals { planned, ..Totals::default() },
            finished: false,
        }
    }

    pub fn handle(&mut self, input: Input) -> Vec<Action> {
        let mut actions = Vec::new();
        match input {
            Input::Begin => self.begin(&mut actions),
            Input::Checked { target, result } => self.checked(target, result, &mut actions),
            Input::Answered { unit } => self.answered(unit, &mut actions),
            Input::Failed { unit, failure } => self.failed(unit, &failure, &mut actions),
            Input::Settled { unit, index, settlement } => {
                self.settled(unit, index, settlement, &mut actions);
            }
            Input::Stop(level) => self.stop(level, &mut actions),
        }
        self.start_what_can_start(&mut actions);
        if !self.finished && self.is_idle() {
            self.finished = true;
            self.totals.not_run = self.totals.planned - self.totals.settled;
            self.totals.unfinished = self.begun.len();
            self.totals.interrupted = self.stop > StopLevel::Run;
            actions.push(Action::Finish(self.totals));
        }
        actions
    }

    fn begin(&mut self, actions: &mut Vec<Action>) {
        if self.stop > StopLevel::Run {
            return;
        }
        for (target, state) in self.targets.iter_mut().enumerate() {
            if !state.queue.is_empty() {
                state.health = Health::Checking;
                actions.push(Action::Check { target });
            }
        }
    }

    fn checked(&mut self, target: usize, result: Result<(), Failure>, actions: &mut Vec<Action>) {
        self.targets[target].health = Health::Fit;
        let Err(failure) = result else { return };
        let refused: Vec<Unit> = self.targets[target].queue.drain(..).collect();
        if failure.kind == FailureKind::Interrupted {
            return;
        }
        for slot in refused.into_iter().flat_map(|unit| unit.slots) {
            self.record(slot, 0, Outcome::Failed { failure: failure.clone() }, actions);
        }
    }

    fn answered(&mut self, unit: UnitId, actions: &mut Vec<Action>) {
        self.invocation_ended(unit);
        if self.stop < StopLevel::Kill {
            self.answered.push_back(unit);
        } else {
            self.open.remove(&unit);
            actions.push(Action::Release { unit });
        }
    }

    /// The whole invocation failed: so did each of its slots.
    fn failed(&mut self, unit: UnitId, failure: &Failure, actions: &mut Vec<Action>) {
        self.invocation_ended(unit);
        let Some(mut open) = self.open.remove(&unit) else {
            return;
        };
        for slot in std::mem::take(&mut open.work.slots) {
            self.fail_slot(&mut open, slot, failure.clone(), actions);
        }
        self.follow_up(open, actions);
    }

    fn invocation_ended(&mut self, unit: UnitId) {
        if let Some(open) = self.open.get(&unit) {
            self.targets[open.work.target].running -= 1;
            self.running -= 1;
        }
    }

    fn settled(
        &mut self,
        unit: UnitId,
        index: usize,
        settlement: Settlement,
        actions: &mut Vec<Action>,
    ) {
        self.grading -= 1;
        let Some(mut open) = self.open.remove(&unit) else {
            return;
        };
        let slot = open.work.slots[index];
        match settlement {
            Settlement::Done(outcome) => {
                self.record(slot, open.work.attempt + 1, outcome, actions);
            }
            // An answer that was given is settled as done; it cannot come back as not answered.
            Settlement::Interrupted | Settlement::NotAnswered(Answer::Given(_)) => {}
            Settlement::NotAnswered(Answer::Failed(failure)) => {
                self.fail_slot(&mut open, slot, failure, actions);
            }
            Settlement::NotAnswered(Answer::Unanswered { ask, failure }) => {
                self.leave_out_slot(&mut open, slot, ask, failure, actions);
            }
        }
        open.unsettled -= 1;
        if open.unsettled > 0 {
            self.open.insert(unit, open);
            return;
        }
        actions.push(Action::Release { unit });
        self.follow_up(open, actions);
    }

    fn record(&mut self, slot: usize, attempts: u32, outcome: Outcome, actions: &mut Vec<Action>) {
        self.totals.settled += 1;
        self.begun.remove(&slot);
        let failed_attempts = self.failed_attempts.remove(&slot).unwrap_or_default();
        actions.push(Action::Record { slot, attempts, failed_attempts, outcome });
    }

    fn stop(&mut self, level: StopLevel, actions: &mut Vec<Action>) {
        if level <= self.stop || self.finished {
            return;
        }
        self.stop = level;
        for target in &mut self.targets {
            target.queue.clear();
        }
        actions.push(Action::Halt(level));
        if level < StopLevel::Kill {
            // What is answered is still graded, as far as that starts nothing.
            return;
        }
        for unit in self.answered.drain(..) {
            if let Some(open) = self.open.get_mut(&unit) {
                open.unsettled -= open.work.slots.len() - open.next;
                open.next = open.work.slots.len();
                if open.unsettled == 0 {
                    self.open.remove(&unit);
                    actions.push(Action::Release { unit });
                }
            }
        }
    }

    fn start_what_can_start(&mut self, actions: &mut Vec<Action>) {
        while self.grading < self.limits.grading {
            let Some(unit) = self.answered.front().copied() else {
                break;
            };
            let Some(open) = self.open.get_mut(&unit) else {
                self.answered.pop_front();
                continue;
            };
            let index = open.next;
            actions.push(Action::Settle { unit, index, slot: open.work.slots[index] });
            open.next += 1;
            self.grading += 1;
            if open.next == open.work.slots.len() {
                self.answered.pop_front();
            }
        }
        // Answers wait in memory until they are graded: when graders lag, targets wait.
        while self.answered.len() < self.limits.grading && self.has_room() {
            let Some(target) = self.next_target() else {
                break;
            };
            let state = &mut self.targets[target];
            let Some(work) = state.queue.pop_front() else {
                break;
            };
            state.running += 1;
            self.running += 1;
            let unit = self.next_unit;
            self.next_unit += 1;
            actions.push(Action::Invoke { unit, work: work.clone() });
            self.begun.extend(&work.slots);
            let unsettled = work.slots.len();
            self.open.insert(
                unit,
                Open { work, next: 0, unsettled, retry: Vec::new(), ask_again: Vec::new() },
            );
        }
    }

    fn has_room(&self) -> bool {
        self.limits.workers.is_none_or(|most| self.running < most.max(1))
    }

    /// The fit target with work and a free place that has the fewest invocations running, so that
    /// several targets share the places evenly.
    fn next_target(&self) -> Option<usize> {
        self.targets
            .iter()
            .enumerate()
            .filter(|(_, state)| {
                matches!(state.health, Health::Fit)
                    && !state.queue.is_empty()
                    && state.running < state.workers
            })
            .min_by_key(|(_, state)| state.running)
            .map(|(target, _)| target)
    }

    fn is_idle(&self) -> bool {
        self.open.is_empty()
            && self
                .targets
                .iter()
                .all(|target| target.queue.is_empty() && !matches!(target.health, Health::Checking))
    }
}

#[cfg(test)]
mod tests;
