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

mod dozen;

use std::{
    collections::{HashMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
    time::{Duration, Instant},
};

use agentv_base::{Answers, Assessor};
use tokio::runtime::Handle;

pub(crate) use self::dozen::Job;
use self::dozen::{Dozen, Grading, Tools, look, panicked, settle};
use crate::{
    dispatcher::{Settlement, UnitId},
    plan::Plan,
};

/// So many are taken and handed in at once: many enough that the code of each step stays in the
/// processor for a while, few enough that their answers do.
const DOZEN: usize = 64;

/// Whatever takes longer takes its time: nothing done is kept back that long, and nobody waits for
/// it who need not.
const LATELY: Duration = Duration::from_millis(2);

/// How often somebody looks whether a hand is held up.
const WATCH: Duration = Duration::from_millis(10);

/// A job that is done.
pub(crate) struct Settled {
    pub unit: UnitId,
    pub index: usize,
    pub settlement: Settlement,
    /// It was told that this one takes its time.
    pub alone: bool,
}

/// What a hand has to say.
pub(crate) enum News<'n> {
    /// The grading of this one takes its time.
    Grading { unit: UnitId, index: usize, slot: usize },
    /// These are done; they are taken out of the list.
    Settled(&'n mut Vec<Settled>),
}

/// Whom it is said to, on the hand's own thread.
pub(crate) type Report = Box<dyn Fn(News<'_>) + Send + Sync>;

#[derive(Clone)]
pub(crate) struct Crew(Arc<Shared>);

struct Shared {
    /// What each grading holds on to, by a count that nobody else changes.
    tools: Arc<Tools>,
    report: Report,
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
    /// Those of every unit that has jobs.
    answers: HashMap<UnitId, Arc<dyn Answers>>,
    /// Each with its number, and when it took what it has.
    hands: Vec<(usize, Instant)>,
    next_hand: usize,
    /// Somebody looks whether they are held up.
    watched: bool,
}

impl Crew {
    /// Must be called within a runtime.
    pub fn new(
        plan: Arc<Plan>,
        assessor: Option<Arc<dyn Assessor>>,
        report: Report,
        most: usize,
    ) -> Self {
        Self(Arc::new(Shared {
            tools: Arc::new(Tools { plan, assessor }),
            report,
            runtime: Handle::current(),
            most: most.max(1),
            under_way: AtomicUsize::new(0),
            beats: AtomicUsize::new(0),
            state: Mutex::default(),
        }))
    }

    /// Jobs of this unit are about these answers.
    pub fn lay_out(&self, unit: UnitId, answers: Arc<dyn Answers>) {
        self.0.state().answers.insert(unit, answers);
    }

    /// There are no more jobs of this unit.
    pub fn put_away(&self, unit: UnitId) {
        let answers = self.0.state().answers.remove(&unit);
        drop(answers);
    }

    pub fn take(&self, jobs: Vec<Job>) {
        self.0.state().waiting.extend(jobs);
        self.call_a_hand(1);
    }

    /// Where there is something to do, and fewer than so many do it.
    fn call_a_hand(&self, enough: usize) {
        let mut state = self.0.state();
        if state.hands.len() >= enough || !self.0.has_next(&state) {
            return;
        }
        let hand = state.next_hand;
        state.next_hand += 1;
        state.hands.push((hand, Instant::now()));
        let is_watched = std::mem::replace(&mut state.watched, true);
        drop(state);
        let crew = self.clone();
        self.0.runtime.spawn_blocking(move || crew.work(hand));
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
                if state.hands.is_empty() {
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

    fn work(&self, hand: usize) {
        let (mut taken, mut done) = (Dozen::default(), Vec::new());
        let mut since = Instant::now();
        loop {
            if taken.jobs.is_empty() {
                self.0.hand_in(&mut done);
                if !self.0.take_some(hand, &mut taken) {
                    return;
                }
                since = Instant::now();
                // First all are read, then all are graded: one thing after the other for each of
                // them would push the one's code out of the processor for the other's.
                taken.read(since);
            }
            // Where as many as may be are under way, somebody will call when one of them is done.
            if self.0.under_way.fetch_add(1, Ordering::AcqRel) >= self.0.most {
                self.0.under_way.fetch_sub(1, Ordering::AcqRel);
                self.0.give_back(&mut taken);
                continue;
            }
            let Some((Job { unit, index, slot, .. }, answer)) = taken.next() else { continue };
            self.0.beats.fetch_add(1, Ordering::Relaxed);
            let mut grading: Grading = Box::pin(settle(Arc::clone(&self.0.tools), slot, answer));
            match look(&mut grading) {
                Poll::Ready(settlement) => {
                    self.0.under_way.fetch_sub(1, Ordering::AcqRel);
                    done.push(Settled { unit, index, settlement, alone: false });
                }
                Poll::Pending => {
                    (self.0.report)(News::Grading { unit, index, slot });
                    self.go_on_alone(unit, index, grading);
                }
            }
            if since.elapsed() > LATELY {
                self.0.hand_in(&mut done);
                self.0.give_back(&mut taken);
                self.call_a_hand(self.most_hands());
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
    fn take_some(&self, hand: usize, taken: &mut Dozen) -> bool {
        let mut state = self.state();
        // Where all get on, one is enough: more would only take each other's time.
        let get_on = state.hands.iter().all(|(_, since)| since.elapsed() < LATELY);
        if !self.has_next(&state) || state.hands.len() > 1 && get_on {
            state.hands.retain(|(other, _)| *other != hand);
            return false;
        }
        if let Some((_, since)) = state.hands.iter_mut().find(|(other, _)| *other == hand) {
            *since = Instant::now();
        }
        let count = state.waiting.len().min(DOZEN);
        taken.answers.clear();
        taken.jobs.extend(state.waiting.drain(..count));
        for job in &taken.jobs {
            if taken.answers.last().is_none_or(|(unit, _)| *unit != job.unit)
                && let Some(answers) = state.answers.get(&job.unit)
            {
                taken.answers.push((job.unit, Arc::clone(answers)));
            }
        }
        true
    }

    fn give_back(&self, taken: &mut Dozen) {
        if !taken.jobs.is_empty() {
            let mut state = self.state();
            taken.give_back(|job| state.waiting.push_front(job));
        }
    }

    fn hand_in(&self, done: &mut Vec<Settled>) {
        if !done.is_empty() {
            (self.report)(News::Settled(done));
            done.clear();
        }
    }
}

#[cfg(test)]
mod tests;
