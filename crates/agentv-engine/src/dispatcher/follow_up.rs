//! What becomes of slots that failed or were left out: another try, or the end.

use agentv_base::{AskAgain, FailedAttempt, Failure, FailureKind, Outcome, StopLevel};

use super::{Action, Dispatcher, Open};
use crate::agenda::Unit;

/// How often a batch is asked again for what it left out.
const MOST_ASKED_TOGETHER: u32 = 3;
/// A batch of one that leaves out its only case has answered the question.
const MOST_ASKED_ALONE: u32 = 1;

impl Dispatcher {
    /// A slot was left out: it is asked for again as its target wants it, or that is its end.
    pub(super) fn leave_out_slot(
        &mut self,
        open: &mut Open,
        slot: usize,
        ask: AskAgain,
        failure: Failure,
        actions: &mut Vec<Action>,
    ) {
        let most = match ask {
            AskAgain::Together => MOST_ASKED_TOGETHER,
            AskAgain::Alone => MOST_ASKED_ALONE,
        };
        if open.work.asked_again < most {
            open.ask_again.push((slot, ask, failure));
        } else {
            self.fail_slot(open, slot, failure, actions);
        }
    }

    /// A slot failed: it is tried again with the others of its unit, or that is its end.
    pub(super) fn fail_slot(
        &mut self,
        open: &mut Open,
        slot: usize,
        failure: Failure,
        actions: &mut Vec<Action>,
    ) {
        // Whether there is time and money for another try is decided when the unit is over: a slot
        // that would have had one is not finished where somebody wants the run to stop.
        if self.tries_again(&open.work, failure.kind) {
            open.retry.push((slot, failure));
        } else if failure.kind != FailureKind::Interrupted {
            self.record(slot, open.work.attempt + 1, Outcome::Failed { failure }, actions);
        }
    }

    fn tries_again(&self, work: &Unit, kind: FailureKind) -> bool {
        let policy = &self.agenda.targets[work.target].policy;
        let most = self.limits.max_retries.or(policy.max_retries).unwrap_or(0);
        kind != FailureKind::Interrupted && work.retries < most && policy.retries(kind)
    }

    /// Everything of a unit is settled: what failed or was left out goes back into the queue,
    /// grouped again.
    pub(super) fn follow_up(&mut self, open: Open, actions: &mut Vec<Action>) {
        let Open { work, retry, ask_again, .. } = open;
        if let Some(why) = self.targets[work.target].closed {
            let left_out = ask_again.iter().map(|(slot, ..)| *slot);
            for slot in retry.iter().map(|(slot, _)| *slot).chain(left_out) {
                self.skip(slot, why);
            }
            return;
        }
        if self.stop > StopLevel::Run {
            return;
        }
        if !retry.is_empty() {
            let slots = self.keep_evidence(retry);
            let unit = Unit {
                slots,
                attempt: work.attempt + 1,
                retries: work.retries + 1,
                ..work.clone()
            };
            self.wait(unit, actions);
        }
        if ask_again.is_empty() {
            return;
        }
        let alone = ask_again.iter().any(|(_, ask, _)| *ask == AskAgain::Alone);
        actions.push(Action::Warn(asking_again(&work, ask_again.len(), alone)));
        let slots =
            self.keep_evidence(ask_again.into_iter().map(|(slot, _, failure)| (slot, failure)));
        let groups =
            if alone { slots.into_iter().map(|slot| vec![slot]).collect() } else { vec![slots] };
        for slots in groups {
            self.targets[work.target].queue.push_back(Unit {
                slots,
                attempt: work.attempt + 1,
                asked_again: work.asked_again + 1,
                alone: work.alone || alone,
                ..work.clone()
            });
        }
    }

    /// A crowd that failed together is not tried again at once. What can be asked together waits
    /// together: batches that each lose one case would come back as batches of one.
    fn wait(&mut self, unit: Unit, actions: &mut Vec<Action>) {
        self.waiting_slots += unit.slots.len();
        let last = unit.slots.last().and_then(|slot| self.failed_of(*slot));
        self.last_to_wait = last.cloned();
        let kind = self.agenda.kind(&unit);
        let gathering = kind.and_then(|kind| self.gathering.get(&kind));
        if let Some(other) = gathering.and_then(|token| self.waiting.get_mut(token)) {
            other.slots.extend(unit.slots);
            return;
        }
        let token = self.next_token;
        self.next_token += 1;
        if let Some(kind) = kind {
            self.gathering.insert(kind, token);
        }
        self.targets[unit.target].waiting += 1;
        actions.push(Action::Wait { token, target: unit.target, retry: unit.retries });
        self.waiting.insert(token, unit);
    }

    /// The wait of a unit is over. What can be asked with it and has not been begun since its own
    /// wait was over is asked with it.
    pub(super) fn due(&mut self, token: usize) {
        // A wait that nobody needs any more may still end.
        let Some(mut unit) = self.waiting.remove(&token) else { return };
        self.waiting_slots -= unit.slots.len();
        let state = &mut self.targets[unit.target];
        state.waiting -= 1;
        let Some(kind) = self.agenda.kind(&unit) else {
            state.queue.push_back(unit);
            return;
        };
        self.gathering.remove(&kind);
        let agenda = &self.agenda;
        state.queue.retain_mut(|queued| {
            let joins = agenda.kind(queued) == Some(kind);
            if joins {
                unit.slots.append(&mut queued.slots);
            }
            !joins
        });
        state.queue.extend(agenda.cut(unit));
    }

    /// Remembers why, and gives the slots in the order of the plan: which of them settled first
    /// is chance, and a bundle should not depend on it.
    fn keep_evidence(&mut self, failed: impl IntoIterator<Item = (usize, Failure)>) -> Vec<usize> {
        let mut slots: Vec<usize> = failed
            .into_iter()
            .map(|(slot, failure)| {
                self.failed_attempts.entry(slot).or_default().push(FailedAttempt { failure });
                slot
            })
            .collect();
        slots.sort_unstable();
        slots
    }
}

fn asking_again(work: &Unit, missing: usize, alone: bool) -> String {
    let asked = work.slots.len();
    if alone {
        format!("a batch left out {missing} of {asked} ids: asking for each of them alone")
    } else {
        format!(
            "a batch left out {missing} of {asked} ids: asking again for those (try {} of \
             {MOST_ASKED_TOGETHER})",
            work.asked_again + 1
        )
    }
}
