//! Performs the dispatcher's actions as tasks, and turns what happens into messages.
//!
//! Invariant: each task sends exactly one message, also when the code it calls panics: a lost
//! message would be a run that never ends.

use std::{panic::AssertUnwindSafe, sync::Arc};

use agentv_base::{Answers, Failure, FailureKind, Request};
use futures_util::FutureExt as _;
use tokio::sync::mpsc;

use crate::{
    agenda::Unit,
    dispatcher::{Input, UnitId},
    plan::Plan,
};

/// What a task tells the loop: an input for the dispatcher, and the answers that came with it.
pub(crate) struct Message {
    pub input: Input,
    pub answers: Option<Arc<dyn Answers>>,
}

impl Message {
    fn plain(input: Input) -> Self {
        Self { input, answers: None }
    }
}

pub(crate) struct Executor {
    pub plan: Arc<Plan>,
    pub messages: mpsc::Sender<Message>,
}

impl Executor {
    pub fn check(&self, target: usize) {
        let (plan, messages) = (Arc::clone(&self.plan), self.messages.clone());
        tokio::spawn(async move {
            let check = AssertUnwindSafe(plan.targets[target].provider.check()).catch_unwind();
            let result = check.await.unwrap_or_else(|_| {
                Err(Failure::new(FailureKind::Healthcheck, "the healthcheck panicked"))
            });
            send(&messages, Message::plain(Input::Checked { target, result })).await;
        });
    }

    pub fn invoke(&self, unit: UnitId, work: &Unit) {
        let (plan, messages) = (Arc::clone(&self.plan), self.messages.clone());
        let target = work.target;
        let requests: Vec<Request> = work
            .slots
            .iter()
            .map(|slot| Request {
                input: Arc::clone(&plan.cases[plan.slots[*slot].case].input),
                attempt: work.attempt,
                repeat: plan.slots[*slot].repeat,
                output_schema: None,
            })
            .collect();
        tokio::spawn(async move {
            let invoke =
                AssertUnwindSafe(plan.targets[target].provider.invoke(requests)).catch_unwind();
            let message = match invoke.await {
                Ok(Ok(answers)) => {
                    let input = Input::Answered { unit, kept: answers.are_kept() };
                    Message { input, answers: Some(answers) }
                }
                Ok(Err(failure)) => Message::plain(Input::Failed { unit, failure }),
                Err(_) => Message::plain(Input::Failed {
                    unit,
                    failure: Failure::new(FailureKind::Spawn, "the provider panicked"),
                }),
            };
            send(&messages, message).await;
        });
    }
}

/// The loop outlives its tasks; a message that finds it gone has no one left to care.
async fn send(messages: &mpsc::Sender<Message>, message: Message) {
    let _ = messages.send(message).await;
}
