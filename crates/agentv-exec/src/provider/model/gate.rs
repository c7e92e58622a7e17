//! How many requests one target gets at once. It starts at the `workers` of the target, halves when
//! the service says that this is too many, and opens again while it does not.
//!
//! Everyone who asks a target in a run goes through its one gate: cases and judges alike.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

/// How wide the gate is, without the gate. Pure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Width {
    now: usize,
    most: usize,
    /// Answers in a row since the width last changed.
    successes: usize,
    /// How often it was too wide. Requests of an earlier round say nothing about the width of now:
    /// a burst that is refused was sent at the same width, and counts once.
    round: u64,
}

impl Width {
    pub(super) fn new(most: usize) -> Self {
        let most = most.clamp(1, Semaphore::MAX_PERMITS);
        Self { now: most, most, successes: 0, round: 0 }
    }

    /// A request that was begun in this round was refused because there are too many.
    fn refused(&mut self, round: u64) {
        if round == self.round {
            self.now = (self.now / 2).max(1);
            self.successes = 0;
            self.round += 1;
        }
    }

    /// A request that was begun in this round was answered.
    fn answered(&mut self, round: u64) {
        if round != self.round || self.now == self.most {
            return;
        }
        self.successes += 1;
        if self.successes >= self.now {
            self.now += 1;
            self.successes = 0;
        }
    }
}

/// A gate that requests pass one by one.
pub(in crate::provider) struct Gate {
    places: Arc<Semaphore>,
    state: Mutex<State>,
}

struct State {
    width: Width,
    /// Places that are taken and must not be given to anyone else when they become free.
    too_many: usize,
    /// Until when the service wants to hear from nobody.
    closed_until: Option<Instant>,
}

/// A place of one request. It is free again when this is dropped.
pub(super) struct Place {
    gate: Arc<Gate>,
    permit: Option<OwnedSemaphorePermit>,
    round: u64,
}

impl Gate {
    pub(in crate::provider) fn new(most: usize) -> Self {
        let width = Width::new(most);
        let places = Arc::new(Semaphore::new(width.now));
        Self { places, state: Mutex::new(State { width, too_many: 0, closed_until: None }) }
    }

    /// Waits for a place, in the order of those who ask. Whether the gate is closed for a while is
    /// another question.
    pub(super) async fn place(self: &Arc<Self>) -> Place {
        // It is never closed, so nobody is refused a place.
        let permit = Arc::clone(&self.places).acquire_owned().await.ok();
        Place { gate: Arc::clone(self), permit, round: self.state().width.round }
    }

    /// Until when nobody may ask.
    pub(super) fn closed_until(&self) -> Option<Instant> {
        let mut state = self.state();
        state.closed_until = state.closed_until.filter(|until| *until > Instant::now());
        state.closed_until
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the width, and the places with it.
    fn change(&self, change: impl FnOnce(&mut Width)) {
        let mut state = self.state();
        let before = state.width.now;
        change(&mut state.width);
        let now = state.width.now;
        if now < before {
            let free = self.places.forget_permits(before - now);
            state.too_many += before - now - free;
        }
        let more = now.saturating_sub(before);
        let kept = more.min(state.too_many);
        state.too_many -= kept;
        self.places.add_permits(more - kept);
    }
}

impl Place {
    /// The request of this place is sent now, perhaps after a while behind a closed gate.
    pub(super) fn set_off(&mut self) {
        self.round = self.gate.state().width.round;
    }

    /// The request of this place was answered.
    pub(super) fn answered(&self) {
        self.gate.change(|width| width.answered(self.round));
    }

    /// The request of this place was refused because there are too many, and nobody is to ask until
    /// then.
    pub(super) fn refused(&self, until: Option<Instant>) {
        self.gate.change(|width| width.refused(self.round));
        let mut state = self.gate.state();
        state.closed_until = state.closed_until.max(until);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.gate.state();
        let Some(permit) = self.permit.take() else { return };
        if state.too_many > 0 {
            state.too_many -= 1;
            permit.forget();
        }
    }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
