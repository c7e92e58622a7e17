//! How a run ends: because all is done, because the time is over, or because somebody wants it to.

use agentv_base::StopLevel;

use super::{Action, Dispatcher, Health, UnitId, Why};

impl Dispatcher {
    /// What runs is ended as by a wish to stop; the run itself was not interrupted by anybody.
    pub(super) fn time_is_over(&mut self, actions: &mut Vec<Action>) {
        if self.stop > StopLevel::Run {
            return;
        }
        self.overdue = true;
        self.stop = StopLevel::Terminate;
        self.close_all(Why::Deadline);
        actions.push(Action::Overdue);
    }

    pub(super) fn stop(&mut self, level: StopLevel, actions: &mut Vec<Action>) {
        self.totals.interrupted |= level > StopLevel::Run;
        if level <= self.stop {
            return;
        }
        self.stop = level;
        for target in &mut self.targets {
            target.queue.clear();
            target.ready.clear();
            target.waiting = 0;
        }
        self.waiting.clear();
        self.waiting_slots = 0;
        self.gates.forget_all();
        actions.push(Action::Halt(level));
        if level < StopLevel::Kill {
            // What is answered is still graded, as far as that starts nothing.
            return;
        }
        // Nobody waits for graders either: what they come to is not heard any more.
        self.answered.clear();
        let graded: Vec<UnitId> =
            self.open.iter().filter(|(_, open)| open.answered).map(|(unit, _)| *unit).collect();
        for unit in graded {
            self.close_unit(unit);
            actions.push(Action::Release { unit });
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.open.is_empty()
            && self.waiting.is_empty()
            && self.targets.iter().all(|target| {
                target.queue.is_empty()
                    && target.ready.is_empty()
                    && !matches!(target.health, Health::Checking)
            })
    }

    /// Nothing is under way that could open a gate. Says whether that ended anything.
    pub(super) fn skip_what_is_stuck(&mut self) -> bool {
        let stuck = self.gates.stuck();
        for (slot, why) in &stuck {
            self.skip(*slot, *why);
        }
        !stuck.is_empty()
    }

    pub(super) fn finish(&mut self, actions: &mut Vec<Action>) {
        if self.overdue {
            let unfinished: Vec<usize> = self.begun.iter().collect();
            for slot in unfinished {
                self.skip(slot, Why::Deadline);
            }
            self.follow_ends(actions);
        }
        self.finished = true;
        self.totals.not_run = self.totals.planned - self.totals.settled - self.totals.decided;
        self.totals.unfinished = self.begun.len();
        actions.push(Action::Finish(self.totals));
    }
}
