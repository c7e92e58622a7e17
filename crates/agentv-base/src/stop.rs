//! The one word that ends a run early, heard by everything that waits.

use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// Go on.
    Run,
    /// Start nothing new, end what runs with a grace.
    Terminate,
    /// End what runs now.
    Kill,
}

/// A shared stop sign: one raises it, all copies hear it. It is never lowered.
#[derive(Clone, Debug)]
pub struct Stop {
    level: watch::Sender<StopLevel>,
}

impl Default for Stop {
    fn default() -> Self {
        Self { level: watch::Sender::new(StopLevel::Run) }
    }
}

impl Stop {
    pub fn raise(&self, level: StopLevel) {
        self.level.send_if_modified(|current| {
            let higher = level > *current;
            if higher {
                *current = level;
            }
            higher
        });
    }

    pub fn level(&self) -> StopLevel {
        *self.level.borrow()
    }

    /// Waits until the sign stands at `level` or above.
    pub async fn reached(&self, level: StopLevel) {
        let mut receiver = self.level.subscribe();
        // The sender lives in `self`, so waiting cannot fail; if it could, stopping is right.
        let _ = receiver.wait_for(|current| *current >= level).await;
    }
}
