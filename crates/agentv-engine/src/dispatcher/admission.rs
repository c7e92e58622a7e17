//! What follows when a slot is over: others become ready, or are not asked at all.

use agentv_base::{Outcome, StopLevel, Verdict};

use super::{Action, Dispatcher, Health, Why, gates::End, repeats::Graded};

/// A slot that is over, and that nobody was told of yet.
pub(super) enum Ended {
    Row {
        passed: bool,
        graded: Option<Graded>,
        /// Of this run, and not carried into it from another.
        own: bool,
    },
    Skipped(Why),
}

impl Ended {
    pub fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Assessed { assessment, .. } => {
                let graded = assessment.grade.as_ref().ok().map(|grade| Graded {
                    score: grade.score,
                    threshold: assessment.threshold,
                    passed: grade.verdict == Verdict::Pass,
                });
                let passed = graded.is_some_and(|graded| graded.passed);
                Self::Row { passed, graded, own: true }
            }
            // Nobody grades, so nobody says that it failed.
            Outcome::Answered { .. } => Self::Row { passed: true, graded: None, own: true },
            Outcome::Failed { .. } => Self::Row { passed: false, graded: None, own: true },
        }
    }
}

impl Dispatcher {
    /// Draws every consequence of what is over, and tells what is skipped in the order of the plan.
    pub(super) fn follow_ends(&mut self, actions: &mut Vec<Action>) {
        loop {
            while let Some((slot, ended)) = self.ended.pop_front() {
                self.follow_end(slot, &ended, actions);
            }
            if !self.has_failed_enough() {
                break;
            }
            self.failed_fast = true;
            self.close_all(Why::FailFast);
        }
        self.skipped.sort_unstable_by_key(|(slot, _)| *slot);
        let skipped = self.skipped.drain(..);
        actions.extend(skipped.map(|(slot, why)| Action::Skip { slot, why }));
    }

    fn follow_end(&mut self, slot: usize, ended: &Ended, actions: &mut Vec<Action>) {
        let end = match ended {
            Ended::Row { passed: true, .. } => End::Passed,
            Ended::Row { passed: false, own, .. } => {
                self.failures += usize::from(*own);
                End::NotPassed
            }
            Ended::Skipped(Why::Decided) => self.repeats.end_without(slot),
            Ended::Skipped(why) => End::Skipped(*why),
        };
        if let Ended::Row { graded: Some(graded), .. } = ended {
            let repeat = self.agenda.slots[slot].repeat;
            let repeats = self.repeats.graded(slot, repeat, *graded);
            let needless: Vec<usize> =
                repeats.iter().copied().filter(|slot| !self.begun.contains(*slot)).collect();
            for slot in needless {
                self.skip(slot, Why::Decided);
            }
        }
        let opened = self.gates.end(slot, end);
        for (slot, why) in opened.refused {
            self.skip(slot, why);
        }
        for slot in opened.ready {
            self.make_ready(slot, actions);
        }
    }

    fn has_failed_enough(&self) -> bool {
        !self.failed_fast
            && self.stop == StopLevel::Run
            && self.limits.fail_fast.is_some_and(|most| self.failures >= most)
    }

    fn make_ready(&mut self, slot: usize, actions: &mut Vec<Action>) {
        let target = &mut self.targets[self.agenda.slots[slot].target()];
        match &target.health {
            Health::Unfit(failure) => {
                let failure = failure.clone();
                self.record(slot, 0, Outcome::Failed { failure }, actions);
            }
            Health::Unknown | Health::Checking | Health::Fit => target.ready.push(slot),
        }
    }

    /// The slot will have no row.
    pub(super) fn skip(&mut self, slot: usize, why: Why) {
        if std::mem::replace(&mut self.done[slot], true) {
            return;
        }
        self.gates.forget(slot);
        self.begun.remove(slot);
        self.failed_attempts.remove(&slot);
        if why == Why::Decided {
            self.totals.decided += 1;
        }
        self.skipped.push((slot, why));
        self.ended.push_back((slot, Ended::Skipped(why)));
    }

    pub(super) fn close_all(&mut self, why: Why) {
        for target in 0..self.targets.len() {
            self.close(target, why);
        }
    }

    /// Nothing of this target is begun any more. What waits for its turn is skipped, also what was
    /// asked, failed and would have been tried again: a row would say that it is done, and whoever
    /// comes back to the run would never make the attempts that it still has.
    pub(super) fn close(&mut self, target: usize, why: Why) {
        let state = &mut self.targets[target];
        state.closed.get_or_insert(why);
        state.waiting = 0;
        let queued = state.queue.drain(..).flat_map(|unit| unit.slots);
        let mut left: Vec<usize> = queued.chain(std::mem::take(&mut state.ready)).collect();
        let gated = std::mem::take(&mut state.gated);
        // Of the slots that had to wait for others, those that have been asked since are none of
        // these: they are under way, or among those that wait for another try.
        left.extend(gated.into_iter().filter(|slot| !self.begun.contains(*slot)));
        let waiting = self.waiting.extract_if(.., |_, unit| unit.target == target);
        let waiting: Vec<usize> = waiting.flat_map(|(_, unit)| unit.slots).collect();
        self.waiting_slots -= waiting.len();
        left.extend(waiting);
        for slot in left {
            self.skip(slot, why);
        }
    }
}
