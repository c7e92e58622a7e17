//! The seam between the engine and whatever answers questions.

use std::{num::NonZeroUsize, sync::Arc};

use crate::{
    failure::Failure, future::BoxFuture, request::Request, response::Response, retry::RetryPolicy,
};

/// How many requests one invocation carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batching {
    /// One, always.
    Single,
    /// All that belong together, up to a limit.
    Batch { most: Option<NonZeroUsize> },
}

/// Something that can be asked.
pub trait Provider: Send + Sync {
    fn batching(&self) -> Batching;

    /// What the target says of asking again after a failure.
    fn retry_policy(&self) -> RetryPolicy {
        RetryPolicy::default()
    }

    /// Whether the target is fit to be asked; run once, before the first invocation.
    fn check(&self) -> BoxFuture<'_, Result<(), Failure>>;

    /// Asks once for all `requests`. A failure is that of every one of them.
    fn invoke(&self, requests: Vec<Request>) -> BoxFuture<'_, Result<Arc<dyn Answers>, Failure>>;
}

/// What one invocation brought. Answers stay outside memory until they are taken, and whatever
/// holds them is released with the last reference.
pub trait Answers: Send + Sync {
    /// The answer to the request at this place of the invocation.
    fn settle(&self, index: usize) -> Answer;

    /// Whether all of them were kept from before, so that nobody was asked and nothing was paid.
    fn are_kept(&self) -> bool {
        false
    }

    /// What was odd about the invocation as a whole.
    fn warnings(&self) -> &[String] {
        &[]
    }
}

/// How one request of an invocation ended.
#[derive(Clone, Debug)]
pub enum Answer {
    Given(Box<Response>),
    Failed(Failure),
    /// There was none, and the target wants it asked for again.
    Unanswered {
        ask: AskAgain,
        failure: Failure,
    },
}

/// How to ask for what a batch left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskAgain {
    /// In one new batch.
    Together,
    /// In batches of one.
    Alone,
}
