//! What becomes of slots that failed or were left out: another try, or the end.

use agentv_base::{AskAgain, FailedAttempt, Failure, FailureKind, Outcome, StopLevel};

use super::{Action, Dispatcher, Open};
use crate::plan::Unit;

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
        let again = self.stop == StopLevel::Run
            && failure.kind.is_worth_another_attempt()
            && open.work.retries < self.limits.max_retries;
        if again {
            open.retry.push((slot, failure));
        } else if failure.kind != FailureKind::Interrupted {
            self.record(slot, open.work.attempt + 1, Outcome::Failed { failure }, actions);
        }
    }

    /// Everything of a unit is settled: what failed or was left out goes back into the queue,
    /// grouped again.
    pub(super) fn follow_up(&mut self, open: Open, actions: &mut Vec<Action>) {
        if self.stop > StopLevel::Run {
            return;
        }
        let Open { work, retry, ask_again, .. } = open;
        if !retry.is_empty() {
            let slots = self.keep_evidence(retry);
            self.targets[work.target].queue.push_back(Unit {
                slots,
                attempt: work.attempt + 1,
                retries: work.retries + 1,
                ..work.clone()
            });
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
                ..work.clone()
            });
        }
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
