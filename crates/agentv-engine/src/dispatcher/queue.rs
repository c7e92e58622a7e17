//! What waits to be begun, in what bundles, and whose turn it is.

use std::collections::VecDeque;

use agentv_base::{Failure, StopLevel};

use super::{Action, Dispatcher, Open, Why, budget::Admission};
use crate::agenda::{Asked, Unit};

pub(super) enum Health {
    Unknown,
    Checking,
    Fit,
    Unfit(Failure),
}

pub(super) struct TargetState {
    pub health: Health,
    pub queue: VecDeque<Unit>,
    /// Slots that may be asked and are in no unit yet.
    pub ready: Vec<usize>,
    /// All slots that had to wait for others when the run began.
    pub gated: Vec<usize>,
    pub running: usize,
    /// Units that were begun and are not settled.
    pub open: usize,
    /// Units that wait for their next attempt.
    pub waiting: usize,
    pub workers: usize,
    batches: bool,
    /// Why nothing of it is begun any more, where that is so.
    pub closed: Option<Why>,
}

impl TargetState {
    pub fn new(target: &Asked) -> Self {
        Self {
            health: Health::Unknown,
            queue: VecDeque::new(),
            ready: Vec::new(),
            gated: Vec::new(),
            running: 0,
            open: 0,
            waiting: 0,
            workers: target.workers.max(1),
            batches: target.most > 1,
            closed: None,
        }
    }

    fn is_under_way(&self) -> bool {
        self.open > 0 || self.waiting > 0 || !self.queue.is_empty()
    }
}

/// Whose turn it is.
enum Turn {
    Begin {
        target: usize,
        slots: usize,
    },
    /// What is left cannot pay for this target.
    Unpaid(usize),
    Nobody,
}

impl Dispatcher {
    /// Makes units of the slots that may be asked. A target that takes batches gets no new ones
    /// while it is at work, because what it does may release more: waves, not drips.
    pub(super) fn form_units(&mut self) {
        for (target, state) in self.targets.iter_mut().enumerate() {
            if state.ready.is_empty() || (state.batches && state.is_under_way()) {
                continue;
            }
            let mut slots = std::mem::take(&mut state.ready);
            slots.retain(|slot| !self.done[*slot]);
            slots.sort_unstable();
            state.queue.extend(self.agenda.units(target, slots));
        }
    }

    /// Gives a target that cannot be paid for, where there is one: that has consequences first.
    pub(super) fn start_what_can_start(&mut self, actions: &mut Vec<Action>) -> Option<usize> {
        self.settle_what_is_answered(actions);
        // Answers wait in memory until they are graded: when graders lag, targets wait.
        while self.answered.len() < self.limits.grading && self.has_room() {
            match self.next_turn() {
                Turn::Begin { target, slots } => self.invoke(target, slots, actions),
                Turn::Unpaid(target) => return Some(target),
                Turn::Nobody => break,
            }
        }
        None
    }

    fn settle_what_is_answered(&mut self, actions: &mut Vec<Action>) {
        while let Some(unit) = self.answered.front().copied() {
            let Some(open) = self.open.get_mut(&unit) else {
                self.answered.pop_front();
                continue;
            };
            let ahead = if open.work.slots.len() > 1 { self.limits.ahead } else { 0 };
            if self.grading >= self.limits.grading + ahead {
                break;
            }
            let index = open.next;
            actions.push(Action::Settle { unit, index, slot: open.work.slots[index] });
            open.next += 1;
            self.grading += 1;
            if open.next == open.work.slots.len() {
                self.answered.pop_front();
            }
        }
    }

    fn invoke(&mut self, target: usize, slots: usize, actions: &mut Vec<Action>) {
        let state = &mut self.targets[target];
        let Some(mut work) = state.queue.pop_front() else {
            return;
        };
        if slots < work.slots.len() {
            state.queue.push_front(work.split_off(slots));
        }
        state.running += 1;
        state.open += 1;
        self.running += 1;
        self.budget.begin(target, work.slots.len());
        let unit = self.next_unit;
        self.next_unit += 1;
        actions.push(Action::Invoke { unit, work: work.clone() });
        work.slots.iter().for_each(|slot| self.begun.add(*slot));
        let unsettled = work.slots.len();
        self.open.insert(
            unit,
            Open {
                work,
                next: 0,
                unsettled,
                answered: false,
                kept: false,
                retry: Vec::new(),
                ask_again: Vec::new(),
            },
        );
    }

    fn has_room(&self) -> bool {
        // Where enough failures end the run, an answer that is not graded yet may be the last of
        // them: until that is known its unit keeps its place.
        let taken = if self.limits.fail_fast.is_some() { self.open.len() } else { self.running };
        self.stop == StopLevel::Run && self.limits.workers.is_none_or(|most| taken < most.max(1))
    }

    /// The fit target with work, a free place and the means that has the fewest places taken, so
    /// that several targets share them evenly.
    fn next_turn(&self) -> Turn {
        let mut next: Option<(usize, usize)> = None;
        let mut fewest = usize::MAX;
        for (target, state) in self.targets.iter().enumerate() {
            let Some(work) = state.queue.front() else { continue };
            let taken = if self.limits.fail_fast.is_some() { state.open } else { state.running };
            if !matches!(state.health, Health::Fit) || taken >= state.workers || taken >= fewest {
                continue;
            }
            let wanted = work.slots.len();
            match self.budget.admit(target, wanted) {
                Admission::Never => return Turn::Unpaid(target),
                // What is under way gives back what it did not need, slot by slot: a batch cut to
                // that would be a batch of one.
                Admission::Begin(slots) if slots < wanted && self.budget.is_under_way(target) => {}
                Admission::Begin(slots) => {
                    fewest = taken;
                    next = Some((target, slots));
                }
                Admission::Wait => {}
            }
        }
        next.map_or(Turn::Nobody, |(target, slots)| Turn::Begin { target, slots })
    }
}
