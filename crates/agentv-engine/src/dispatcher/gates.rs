//! Slots that wait for others: when they may be asked, and when never.
//!
//! Invariant: nothing here looks at more than the gates of the slot that ended, so a plan of
//! 100,000 gates costs no more than their number.

use std::collections::HashMap;

use super::Why;
use crate::plan::After;

/// How a slot ended, for those that wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Passed,
    /// It has a row that says it failed or could not be evaluated.
    NotPassed,
    Skipped(Why),
}

/// What became of those that waited for one slot.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Opened {
    pub ready: Vec<usize>,
    pub refused: Vec<(usize, Why)>,
}

#[derive(Default)]
struct Wait {
    /// Gates that are still shut.
    shut: usize,
    after: Vec<After>,
}

#[derive(Default)]
pub(super) struct Gates {
    waits: HashMap<usize, Wait>,
    followers: HashMap<usize, Vec<usize>>,
    /// Of those slots only that somebody waited for.
    ends: HashMap<usize, End>,
}

impl Gates {
    /// The slot is asked when the others are settled, and only if they ended well enough.
    pub fn wait_for(&mut self, slot: usize, after: &[After]) {
        for gate in after {
            self.wait_for_end(slot, gate.slot);
        }
        if let Some(wait) = self.waits.get_mut(&slot) {
            wait.after.extend_from_slice(after);
        }
    }

    /// The slot is asked when the other is over, however it ended.
    pub fn wait_for_end(&mut self, slot: usize, other: usize) {
        self.waits.entry(slot).or_default().shut += 1;
        self.followers.entry(other).or_default().push(slot);
    }

    pub fn waits(&self, slot: usize) -> bool {
        self.waits.contains_key(&slot)
    }

    /// The slot waits no longer: it is asked without, or never. Says whether it had waited.
    pub fn forget(&mut self, slot: usize) -> bool {
        !self.waits.is_empty() && self.waits.remove(&slot).is_some()
    }

    pub fn forget_all(&mut self) {
        self.waits.clear();
    }

    /// A slot is over. Those whose last gate that was are ready or refused.
    pub fn end(&mut self, slot: usize, end: End) -> Opened {
        let mut opened = Opened::default();
        if self.followers.is_empty() {
            return opened;
        }
        let Some(followers) = self.followers.remove(&slot) else {
            return opened;
        };
        self.ends.insert(slot, end);
        for follower in followers {
            let Some(wait) = self.waits.get_mut(&follower) else {
                continue;
            };
            wait.shut -= 1;
            if wait.shut > 0 {
                continue;
            }
            // Only now, so that the reason does not depend on which of several ended first.
            match refusal(&wait.after, &self.ends) {
                Some(why) => opened.refused.push((follower, why)),
                None => opened.ready.push(follower),
            }
            self.waits.remove(&follower);
        }
        opened
    }

    /// Slots that can never be asked when nothing is under way any more: they wait in a circle,
    /// or for what is not there.
    pub fn stuck(&self) -> Vec<(usize, Why)> {
        let stuck: Vec<(usize, Why)> = self
            .waits
            .iter()
            .filter_map(|(slot, wait)| Some((*slot, refusal(&wait.after, &self.ends)?)))
            .collect();
        if !stuck.is_empty() {
            return stuck;
        }
        self.waits.keys().map(|slot| (*slot, Why::After(*slot))).collect()
    }
}

/// Why a slot is not asked: the first of its dependencies that did not end well enough. One that
/// was held back for want of money or time holds back for the same reason. Where only the order
/// holds, one that was skipped for the sake of its own dependencies is over like any other.
fn refusal(after: &[After], ends: &HashMap<usize, End>) -> Option<Why> {
    after.iter().find_map(|gate| match ends.get(&gate.slot) {
        Some(End::Passed) => None,
        Some(End::NotPassed | End::Skipped(Why::After(_))) if !gate.must_pass => None,
        Some(End::Skipped(why @ (Why::Budget | Why::Deadline | Why::FailFast))) => Some(*why),
        Some(End::NotPassed | End::Skipped(Why::After(_) | Why::Decided)) | None => {
            Some(Why::After(gate.slot))
        }
    })
}
