//! Those who take answers and grade them, beside the loop: graders may compute for seconds, and hold
//! up no deadline, no stream of a process and no wish to stop.
//!
//! Most answers are graded in microseconds, so to hand over one is dearer than to grade it. A hand
//! therefore takes and hands in a dozen at a time, and one hand is enough, until it meets something
//! that takes its time: then it calls another. What has to wait for something (a judge, a process)
//! goes on alone and is in nobody's way.
//!
//! Invariant: every job comes back exactly once, also where its grader panics: a lost one would be
//! a run that never ends. Who wants the end at once does not wait for that: the dispatcher then
//! knows nothing of it any more.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use agentv_base::{Answer, Answers, Assessor, Failure, FailureKind, Outcome};
use tokio::{runtime::Handle, sync::mpsc};

use crate::{
    dispatcher::{Settlement, UnitId},
    executor::Message,
    plan::Plan,
};

/// So many are taken and handed in at once: few enough that the loop can give out new ones meanwhile.
const DOZEN: usize = 32;

/// Whatever takes longer takes its time: nothing done is kept back that long, and nobody waits for
/// it who need not.
const LATELY: Duration = Duration::from_millis(2);

/// How often somebody looks whether a hand is held up.
const WATCH: Duration = Duration::from_millis(10);

/// An answer that is to be taken and graded.
pub(crate) struct Job {
    pub unit: UnitId,
    pub index: usize,
    pub slot: usize,
    pub answers: Arc<dyn Answers>,
}

/// A job that is done.
pub(crate) struct Settled {
    pub unit: UnitId,
    pub index: usize,
    pub settlement: Settlement,
    /// It was told that this one takes its time.
    pub alone: bool,
}

type Grading = Pin<Box<dyn Future<Output = Settlement> + Send>>;

#[derive(Clone)]
pub(crate) struct Crew(Arc<Shared>);

struct Shared {
    plan: Arc<Plan>,
    assessor: Option<Arc<dyn Assessor>>,
    messages: mpsc::Sender<Message>,
    runtime: Handle,
    /// Most that are graded at once.
    most: usize,
    /// Those that are begun and not done.
    under_way: AtomicUsize,
    /// Counts what is begun, so that one can see that nothing is.
    beats: AtomicUsize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    hands: usize,
    /// Somebody looks whether they are held up.
    watched: bool,
}

impl Crew {
    /// Must be called within a runtime.
    pub fn new(
        plan: Arc<Plan>,
        assessor: Option<Arc<dyn Assessor>>,
        messages: mpsc::Sender<Message>,
        most: usize,
    ) -> Self {
        Self(Arc::new(Shared {
            plan,
            assessor,
            messages,
            runtime: Handle::current(),
            most: most.max(1),
            under_way: AtomicUsize::new(0),
            beats: AtomicUsize::new(0),
            state: Mutex::default(),
        }))
    }

    pub fn take(&self, jobs: Vec<Job>) {
        self.0.state().waiting.extend(jobs);
        self.call_a_hand(1);
    }

    /// Where there is something to do, and fewer than so many do it.
    fn call_a_hand(&self, enough: usize) {
        let mut state = self.0.state();
        if state.hands >= enough || !self.0.has_next(&state) {
            return;
        }
        state.hands += 1;
        let is_watched = std::mem::replace(&mut state.watched, true);
        drop(state);
        let crew = self.clone();
        self.0.runtime.spawn_blocking(move || crew.work());
        if !is_watched {
            self.0.runtime.spawn(self.clone().watch());
        }
    }

    /// Calls another hand where those that are there get nowhere.
    async fn watch(self) {
        loop {
            let seen = self.0.beats.load(Ordering::Relaxed);
            tokio::time::sleep(WATCH).await;
            {
                let mut state = self.0.state();
                if state.hands == 0 {
                    state.watched = false;
                    return;
                }
            }
            if self.0.beats.load(Ordering::Relaxed) == seen {
                self.call_a_hand(self.most_hands());
            }
        }
    }

    /// More hands than processors would only get into each other's way.
    fn most_hands(&self) -> usize {
        self.0.runtime.metrics().num_workers().max(2)
    }

    fn work(&self) {
        let (mut taken, mut done) = (VecDeque::new(), Vec::new());
        let mut since = Instant::now();
        loop {
            if taken.is_empty() {
                self.0.hand_in(&mut done);
                if !self.0.take_some(&mut taken) {
                    return;
                }
            }
            // Where as many as may be are under way, somebody will call when one of them is done.
            if self.0.under_way.fetch_add(1, Ordering::AcqRel) >= self.0.most {
                self.0.under_way.fetch_sub(1, Ordering::AcqRel);
                self.0.give_back(&mut taken);
                continue;
            }
            let Some(job) = taken.pop_front() else { continue };
            self.0.beats.fetch_add(1, Ordering::Relaxed);
            let (unit, index, slot) = (job.unit, job.index, job.slot);
            let mut grading: Grading =
                Box::pin(settle(Arc::clone(&self.0.plan), self.0.assessor.clone(), job));
            match look(&mut grading) {
                Poll::Ready(settlement) => {
                    self.0.under_way.fetch_sub(1, Ordering::AcqRel);
                    done.push(Settled { unit, index, settlement, alone: false });
                }
                Poll::Pending => {
                    self.0.tell(Message::Grading { unit, index, slot });
                    self.go_on_alone(unit, index, grading);
                }
            }
            if since.elapsed() > LATELY {
                self.0.hand_in(&mut done);
                self.0.give_back(&mut taken);
                self.call_a_hand(self.most_hands());
                since = Instant::now();
            } else if taken.is_empty() {
                since = Instant::now();
            }
        }
    }

    /// On a thread of its own: what is computed after the wait may take long as well.
    fn go_on_alone(&self, unit: UnitId, index: usize, grading: Grading) {
        let crew = self.clone();
        self.0.runtime.spawn_blocking(move || {
            let on = AssertUnwindSafe(|| crew.0.runtime.block_on(grading));
            let settlement = catch_unwind(on).unwrap_or_else(|_| panicked());
            crew.0.under_way.fetch_sub(1, Ordering::AcqRel);
            crew.0.hand_in(&mut vec![Settled { unit, index, settlement, alone: true }]);
            crew.call_a_hand(1);
        });
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_next(&self, state: &State) -> bool {
        !state.waiting.is_empty() && self.under_way.load(Ordering::Acquire) < self.most
    }

    /// The next few; where there is none, the hand that asks has left.
    fn take_some(&self, taken: &mut VecDeque<Job>) -> bool {
        let mut state = self.state();
        if !self.has_next(&state) {
            state.hands -= 1;
            return false;
        }
        let count = state.waiting.len().min(DOZEN);
        taken.extend(state.waiting.drain(..count));
        true
    }

    fn give_back(&self, taken: &mut VecDeque<Job>) {
        if !taken.is_empty() {
            let mut state = self.state();
            for job in taken.drain(..).rev() {
                state.waiting.push_front(job);
            }
        }
    }

    fn hand_in(&self, done: &mut Vec<Settled>) {
        if !done.is_empty() {
            self.tell(Message::Settled(std::mem::take(done)));
        }
    }

    fn tell(&self, message: Message) {
        // The loop outlives its crew; where it is gone, no one is left to care.
        let _ = self.messages.blocking_send(message);
    }
}

/// A first look, after which most are done.
fn look(grading: &mut Grading) -> Poll<Settlement> {
    let mut context = Context::from_waker(Waker::noop());
    let poll = AssertUnwindSafe(|| grading.as_mut().poll(&mut context));
    catch_unwind(poll).unwrap_or_else(|_| Poll::Ready(panicked()))
}

fn panicked() -> Settlement {
    let message = "the grading of this case panicked";
    Settlement::NotAnswered(Answer::Failed(Failure::new(FailureKind::Grader, message)))
}

async fn settle(plan: Arc<Plan>, assessor: Option<Arc<dyn Assessor>>, job: Job) -> Settlement {
    let response = match job.answers.settle(job.index) {
        Answer::Given(response) => response,
        other @ (Answer::Failed(_) | Answer::Unanswered { .. }) => {
            return Settlement::NotAnswered(other);
        }
    };
    let Some(assessor) = assessor else {
        return Settlement::Done(Outcome::Answered { response });
    };
    let slot = plan.slots[job.slot];
    let target = &plan.targets[slot.target].name;
    match assessor.assess(slot.case, target, slot.repeat, &response).await {
        Some(assessment) => Settlement::Done(Outcome::Assessed { response, assessment }),
        None => Settlement::Interrupted(Some(response)),
    }
}

#[cfg(test)]
mod tests;
