//! What a hand takes at once: answers are read first, then graded, each in one look where that is enough.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Instant,
};

use agentv_base::{Answer, Answers, Assessor, Failure, FailureKind, Outcome};

use super::LATELY;
use crate::{
    dispatcher::{Settlement, UnitId},
    plan::Plan,
};

/// So many are read before anybody looks at the clock, which takes a while of its own.
const READ_UNWATCHED: usize = 8;

/// An answer that is to be taken and graded.
pub(crate) struct Job {
    pub unit: UnitId,
    pub index: usize,
    pub slot: usize,
    /// What was read and could not be graded yet: hardly ever there is one, and there are many jobs.
    read: Option<Box<Answer>>,
}

impl Job {
    pub fn new(unit: UnitId, index: usize, slot: usize) -> Self {
        Self { unit, index, slot, read: None }
    }
}

pub(super) type Grading = Pin<Box<dyn Future<Output = Settlement> + Send>>;

/// What grading takes.
pub(super) struct Tools {
    pub plan: Arc<Plan>,
    pub assessor: Option<Arc<dyn Assessor>>,
}

/// Jobs that a hand has taken, and the answers that they are about.
#[derive(Default)]
pub(super) struct Dozen {
    pub jobs: VecDeque<Job>,
    /// The answers of the first of them.
    read: VecDeque<Answer>,
    /// Few: most of them are of one unit, or there are few jobs.
    pub answers: Vec<(UnitId, Arc<dyn Answers>)>,
}

impl Dozen {
    /// Reads what is to be graded, unless that takes its time.
    pub fn read(&mut self, since: Instant) {
        let Self { jobs, read, answers } = self;
        for (number, job) in jobs.iter_mut().enumerate().skip(read.len()) {
            if number % READ_UNWATCHED == 0 && since.elapsed() > LATELY {
                return;
            }
            read.push_back(answer_to(job, answers));
        }
    }

    pub fn next(&mut self) -> Option<(Job, Answer)> {
        let mut job = self.jobs.pop_front()?;
        let read = self.read.pop_front();
        let answer = read.unwrap_or_else(|| answer_to(&mut job, &self.answers));
        Some((job, answer))
    }

    /// What is left, the last first.
    pub fn give_back(&mut self, mut to: impl FnMut(Job)) {
        while let Some(mut job) = self.jobs.pop_back() {
            if self.read.len() > self.jobs.len() {
                job.read = self.read.pop_back().map(Box::new);
            }
            to(job);
        }
    }
}

fn answer_to(job: &mut Job, answers: &[(UnitId, Arc<dyn Answers>)]) -> Answer {
    if let Some(answer) = job.read.take() {
        return *answer;
    }
    let Some((_, answers)) = answers.iter().find(|(unit, _)| *unit == job.unit) else {
        return Answer::Failed(Failure::new(FailureKind::Output, "the answer is gone"));
    };
    catch_unwind(AssertUnwindSafe(|| answers.settle(job.index))).unwrap_or_else(|_| {
        Answer::Failed(Failure::new(FailureKind::Output, "the reading of the answer panicked"))
    })
}

/// A first look, after which most are done.
pub(super) fn look(grading: &mut Grading) -> Poll<Settlement> {
    let mut context = Context::from_waker(Waker::noop());
    let poll = AssertUnwindSafe(|| grading.as_mut().poll(&mut context));
    catch_unwind(poll).unwrap_or_else(|_| Poll::Ready(panicked()))
}

pub(super) fn panicked() -> Settlement {
    let message = "the grading of this case panicked";
    Settlement::NotAnswered(Answer::Failed(Failure::new(FailureKind::Grader, message)))
}

pub(super) async fn settle(tools: Arc<Tools>, slot: usize, answer: Answer) -> Settlement {
    let response = match answer {
        Answer::Given(response) => response,
        other @ (Answer::Failed(_) | Answer::Unanswered { .. }) => {
            return Settlement::NotAnswered(other);
        }
    };
    let Some(assessor) = &tools.assessor else {
        return Settlement::Done(Outcome::Answered { response });
    };
    let slot = tools.plan.slots[slot];
    let target = &tools.plan.targets[slot.target].name;
    match assessor.assess(slot.case, target, slot.repeat, &response).await {
        Some(assessment) => Settlement::Done(Outcome::Assessed { response, assessment }),
        None => Settlement::Interrupted(Some(response)),
    }
}
