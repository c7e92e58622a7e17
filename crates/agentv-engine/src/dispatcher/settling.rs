//! What comes back from targets and graders: slots are settled, and what they took is paid.

use agentv_base::{Answer, Failure, StopLevel};

use super::{Action, Dispatcher, Open, Settlement, UnitId, budget::Bill};

impl Dispatcher {
    pub(super) fn answered(&mut self, unit: UnitId, kept: bool, actions: &mut Vec<Action>) {
        self.invocation_ended(unit);
        if let Some(open) = self.open.get_mut(&unit) {
            (open.answered, open.kept) = (true, kept);
            if kept {
                self.budget.asked(open.work.target, open.work.slots.len());
            }
        }
        if self.stop < StopLevel::Kill {
            self.answered.push_back(unit);
        } else {
            self.close_unit(unit);
            actions.push(Action::Release { unit });
        }
    }

    /// The whole invocation failed: so did each of its slots.
    pub(super) fn failed(&mut self, unit: UnitId, failure: &Failure, actions: &mut Vec<Action>) {
        self.invocation_ended(unit);
        let Some(mut open) = self.close_unit(unit) else {
            return;
        };
        let bill = Bill::of_failure(failure);
        self.budget.asked(open.work.target, open.work.slots.len());
        self.pay(open.work.target, open.work.slots.len(), &bill, actions);
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

    pub(super) fn settled(
        &mut self,
        unit: UnitId,
        index: usize,
        settlement: Settlement,
        actions: &mut Vec<Action>,
    ) {
        self.grading -= 1;
        let Some(open) = self.open.get_mut(&unit) else {
            return;
        };
        let (slot, target, kept) = (open.work.slots[index], open.work.target, open.kept);
        let attempts = open.work.attempt + 1;
        let bill = match &settlement {
            Settlement::Done(outcome) => Bill::of(outcome),
            Settlement::NotAnswered(
                Answer::Failed(failure) | Answer::Unanswered { failure, .. },
            ) => Bill::of_failure(failure),
            Settlement::Interrupted(Some(response))
            | Settlement::NotAnswered(Answer::Given(response)) => Bill::of_response(response),
            Settlement::Interrupted(None) => Bill::default(),
        };
        if !kept {
            self.budget.asked(target, 1);
        }
        self.pay(target, 1, &bill, actions);
        match settlement {
            Settlement::Done(outcome) => self.record(slot, attempts, outcome, actions),
            // An answer that was given is settled as done; it cannot come back as not answered.
            Settlement::Interrupted(_) | Settlement::NotAnswered(Answer::Given(_)) => {}
            Settlement::NotAnswered(Answer::Failed(failure)) => {
                self.with_open(unit, |all, open| all.fail_slot(open, slot, failure, actions));
            }
            Settlement::NotAnswered(Answer::Unanswered { ask, failure }) => {
                self.with_open(unit, |all, open| {
                    all.leave_out_slot(open, slot, ask, failure, actions);
                });
            }
        }
        let Some(open) = self.open.get_mut(&unit) else {
            return;
        };
        open.unsettled -= 1;
        if open.unsettled == 0
            && let Some(open) = self.close_unit(unit)
        {
            actions.push(Action::Release { unit });
            self.follow_up(open, actions);
        }
    }

    /// Takes a unit out of those that are open while something is done with it and with all else.
    fn with_open(&mut self, unit: UnitId, act: impl FnOnce(&mut Self, &mut Open)) {
        if let Some(mut open) = self.open.remove(&unit) {
            act(self, &mut open);
            self.open.insert(unit, open);
        }
    }

    /// An attempt for so many slots is over: what it took is counted.
    fn pay(&mut self, target: usize, slots: usize, bill: &Bill<'_>, actions: &mut Vec<Action>) {
        actions.extend(self.budget.end(target, slots, bill).into_iter().map(Action::Warn));
    }

    pub(super) fn close_unit(&mut self, unit: UnitId) -> Option<Open> {
        let open = self.open.remove(&unit)?;
        self.targets[open.work.target].open -= 1;
        Some(open)
    }
}
