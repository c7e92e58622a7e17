//! When a case is asked again after a failed attempt, and how long to wait before.

use std::{sync::Arc, time::Duration};

use crate::failure::FailureKind;

/// What a target says of further attempts. The command line wins over `max_retries`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RetryPolicy {
    /// Further attempts after a failed one; none where the target does not say.
    pub max_retries: Option<u32>,
    /// The kinds of failures that are worth another attempt; none: those that usually are.
    pub on: Option<Arc<[FailureKind]>>,
    pub backoff: Backoff,
}

impl RetryPolicy {
    pub fn retries(&self, kind: FailureKind) -> bool {
        match &self.on {
            Some(kinds) => kinds.contains(&kind),
            None => kind.is_worth_another_attempt(),
        }
    }
}

/// How the wait before a further attempt grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    pub initial: Duration,
    pub most: Duration,
    pub factor: f64,
}

impl Default for Backoff {
    /// A local command is worth another try at once, a crowd of them is not.
    fn default() -> Self {
        Self { initial: Duration::from_millis(250), most: Duration::from_mins(1), factor: 2.0 }
    }
}
