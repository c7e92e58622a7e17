//! Where a run lies. The loop brings what happens outside, hands of the crew what they have graded, and
//! whoever brings something does all that follows from it, down to the rows.
//!
//! To hand an answer to another thread for its row costs more than the row: all of it has to come from
//! the other processor's cache, and to be given back there.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Weak},
};

use agentv_base::{RunEvent, StopLevel};
use tokio::{
    sync::{Mutex, MutexGuard, Notify, mpsc},
    time::Instant,
};

use super::{Run, RunEnd};
use crate::{
    crew::{News, Report},
    dispatcher::Input,
    executor::Message,
};

pub(super) struct Desk {
    /// Fair to those who wait: a hand that is always quick must not keep the loop away.
    run: Mutex<Run>,
    /// Rung when the loop should look again.
    bell: Notify,
}

/// What the loop has to know of the run while it waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    pub is_over: bool,
    /// When it is to be woken.
    pub alarm: Option<Instant>,
}

impl State {
    fn of(run: &Run) -> Self {
        Self { is_over: run.end.is_some(), alarm: run.timers.earliest() }
    }
}

impl Desk {
    pub fn of(run: impl FnOnce(Report) -> Run) -> Arc<Self> {
        Arc::new_cyclic(|desk: &Weak<Self>| {
            let desk = Weak::clone(desk);
            let report: Report = Box::new(move |news| {
                // Where the run is over and gone, no one is left to care.
                if let Some(desk) = desk.upgrade() {
                    desk.hear(news);
                }
            });
            Self { run: Mutex::new(run(report)), bell: Notify::new() }
        })
    }

    pub async fn begin(&self) {
        let mut run = self.run.lock().await;
        let repeated = run.plan.slots.iter().any(|slot| slot.repeat > 1);
        let cases = run.plan.slots.len();
        run.tell(RunEvent::Started { cases, repeated });
        run.feed(Input::Begin);
        run.go_on();
    }

    pub async fn look(&self) -> State {
        State::of(&*self.take().await)
    }

    /// When a hand has brought something that the loop should know.
    pub async fn bell(&self) {
        self.bell.notified().await;
    }

    pub async fn wake(&self) -> State {
        self.change(Run::wake).await
    }

    pub async fn receive(&self, messages: &mut Vec<Message>) -> State {
        self.change(|run| messages.drain(..).for_each(|message| run.receive(message))).await
    }

    pub async fn stop(&self, level: StopLevel, messages: &mut mpsc::Receiver<Message>) -> State {
        let stop = |run: &mut Run| {
            // What is done is done, also for those who want the end at once.
            while let Ok(message) = messages.try_recv() {
                run.receive(message);
            }
            run.feed(Input::Stop(level));
        };
        self.change(stop).await
    }

    pub async fn end(&self) -> RunEnd {
        let mut run = self.take().await;
        let totals = run.end.unwrap_or_default();
        run.tell(RunEvent::Finished(totals));
        run.tell_all();
        // Whoever still grades will not be heard any more.
        let (sinks, fault) = (std::mem::take(&mut run.sinks), run.fault.take());
        drop(run);
        drop(sinks);
        RunEnd { totals, fault }
    }

    async fn change(&self, change: impl FnOnce(&mut Run)) -> State {
        let mut run = self.take().await;
        change(&mut run);
        run.go_on();
        State::of(&run)
    }

    /// On a hand's own thread.
    fn hear(&self, news: News<'_>) {
        let mut run = self.run.blocking_lock();
        if run.end.is_some() || run.panic.is_some() {
            return;
        }
        let before = State::of(&run);
        let heard = catch_unwind(AssertUnwindSafe(|| {
            run.hear(news);
            run.go_on();
        }));
        run.panic = heard.err();
        if State::of(&run) != before || run.panic.is_some() {
            self.bell.notify_one();
        }
    }

    /// For the loop. A fault of ours on a hand's thread ends the program as it would have on this one.
    async fn take(&self) -> MutexGuard<'_, Run> {
        let mut run = self.run.lock().await;
        if let Some(payload) = run.panic.take() {
            drop(run);
            resume_unwind(payload);
        }
        run
    }
}
