//! Performs the dispatcher's actions as tasks, and turns what happens into messages.
//!
//! Invariant: each task sends exactly one message, also when the code it calls panics: a lost
//! message would be a run that never ends.

use std::{panic::AssertUnwindSafe, sync::Arc};

use agentv_base::{
    Answer, Answers, Assessor, Failure, FailureKind, Outcome, Request, Stop, StopLevel,
};
use futures_util::FutureExt as _;
use tokio::{runtime::Handle, sync::mpsc};

use crate::{
    agenda::Unit,
    dispatcher::{Input, Settlement, UnitId},
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
    pub assessor: Option<Arc<dyn Assessor>>,
    pub messages: mpsc::Sender<Message>,
    pub stop: Stop,
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

    pub fn settle(&self, unit: UnitId, index: usize, slot: usize, answers: Arc<dyn Answers>) {
        let plan = Arc::clone(&self.plan);
        let (assessor, messages) = (self.assessor.clone(), self.messages.clone());
        let (runtime, stop) = (Handle::current(), self.stop.clone());
        // Graders may compute for seconds. On a thread of their own they hold up no deadline, no
        // stream of a process and no wish to stop.
        let grading = tokio::task::spawn_blocking(move || {
            runtime.block_on(settle(&plan, assessor.as_deref(), slot, &*answers, index))
        });
        tokio::spawn(async move {
            let settlement = tokio::select! {
                settled = grading => settled.unwrap_or_else(|_| {
                    Settlement::NotAnswered(Answer::Failed(Failure::new(
                        FailureKind::Grader,
                        "the grading of this case panicked",
                    )))
                }),
                // Who wants the end at once does not wait for a computation.
                () = stop.reached(StopLevel::Kill) => Settlement::Interrupted(None),
            };
            send(&messages, Message::plain(Input::Settled { unit, index, settlement })).await;
        });
    }
}

async fn settle(
    plan: &Plan,
    assessor: Option<&dyn Assessor>,
    slot: usize,
    answers: &dyn Answers,
    index: usize,
) -> Settlement {
    let response = match answers.settle(index) {
        Answer::Given(response) => response,
        other @ (Answer::Failed(_) | Answer::Unanswered { .. }) => {
            return Settlement::NotAnswered(other);
        }
    };
    let Some(assessor) = assessor else {
        return Settlement::Done(Outcome::Answered { response });
    };
    let slot = plan.slots[slot];
    let target = &plan.targets[slot.target].name;
    match assessor.assess(slot.case, target, slot.repeat, &response).await {
        Some(assessment) => Settlement::Done(Outcome::Assessed { response, assessment }),
        None => Settlement::Interrupted(Some(response)),
    }
}

/// The loop outlives its tasks; a message that finds it gone has no one left to care.
async fn send(messages: &mpsc::Sender<Message>, message: Message) {
    let _ = messages.send(message).await;
}
