//! What is to happen later: one clock that never goes back, one sleep for the earliest.

use std::{cmp::Reverse, collections::BinaryHeap, future, time::Duration};

use tokio::time::{Instant, sleep_until};

/// As far ahead as clocks can tell for certain: 30 years.
const FAR: Duration = Duration::from_hours(30 * 365 * 24);

/// What the run is woken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Alarm {
    Deadline,
    /// A unit that waits for its next attempt.
    Due {
        token: usize,
    },
}

/// Waiting units are entries of a few bytes here, not tasks: a hundred thousand may wait at once.
#[derive(Default)]
pub(crate) struct Timers {
    set: BinaryHeap<Reverse<(Instant, Alarm)>>,
}

impl Timers {
    pub fn set(&mut self, after: Duration, alarm: Alarm) {
        let now = Instant::now();
        let at = now.checked_add(after.min(FAR)).unwrap_or(now);
        self.set.push(Reverse((at, alarm)));
    }

    pub fn earliest(&self) -> Option<Instant> {
        self.set.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes one whose time has come.
    pub fn take(&mut self) -> Option<Alarm> {
        let Reverse((at, _)) = self.set.peek()?;
        if *at > Instant::now() {
            return None;
        }
        self.set.pop().map(|Reverse((_, alarm))| alarm)
    }
}

/// Waits for a time; forever where there is none.
pub(crate) async fn reached(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => future::pending().await,
    }
}
