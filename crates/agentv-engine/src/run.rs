//! The loop of a run: messages in, actions out, events to the sinks.

mod desk;

use std::{any::Any, sync::Arc, time::SystemTime};

use agentv_base::{
    Assessor, Outcome, RunEvent, SettledCase, Sink, SinkFault, SkipReason, SkippedCase, Stop,
    StopLevel, Totals,
};
use tokio::sync::mpsc;

use self::desk::Desk;
use crate::{
    agenda::Agenda,
    backoff,
    crew::{Crew, Job, News, Settled},
    dispatcher::{Action, Dispatcher, Input, UnitId, Why},
    executor::{Executor, Message},
    limits::Limits,
    plan::{Plan, Slot},
    timers::{self, Alarm, Timers},
};

/// Messages that may wait for the loop. Small, so that answers do not pile up in memory while rows
/// are being written; large enough that tasks rarely wait.
const MESSAGES: usize = 256;

/// Events that the sinks are told at once.
const MOST_UNTOLD: usize = 256;

/// How a run ended.
#[derive(Debug)]
pub struct RunEnd {
    pub totals: Totals,
    /// The sink that could not go on, if one could not.
    pub fault: Option<SinkFault>,
}

/// Runs the plan to its end. Without an assessor, cases are settled as answered. `signals` brings
/// the user's wish to stop; `stop` carries it to everything that waits.
pub async fn run(
    plan: Arc<Plan>,
    limits: Limits,
    assessor: Option<Arc<dyn Assessor>>,
    stop: Stop,
    mut signals: mpsc::UnboundedReceiver<StopLevel>,
    sinks: Vec<Box<dyn Sink>>,
) -> RunEnd {
    let dispatcher = Dispatcher::new(limits, Agenda::of(&plan));
    let mut timers = Timers::default();
    if let Some(deadline) = limits.deadline {
        timers.set(deadline, Alarm::Deadline);
    }
    let (sender, mut messages) = mpsc::channel(MESSAGES);
    let desk = Desk::of(|report| Run {
        is_graded: assessor.is_some(),
        crew: Crew::new(Arc::clone(&plan), assessor, report, limits.grading),
        jobs: Vec::new(),
        executor: Executor { plan: Arc::clone(&plan), messages: sender },
        plan,
        dispatcher,
        stop,
        sinks,
        timers,
        told_waiting: 0,
        heard_at: None,
        untold: Vec::new(),
        fault: None,
        end: None,
        panic: None,
    });
    desk.begin().await;
    let mut received = Vec::with_capacity(MESSAGES);
    let mut listening = true;
    let mut state = desk.look().await;
    while !state.is_over {
        state = tokio::select! {
            signal = signals.recv(), if listening => match signal {
                Some(level) => desk.stop(level, &mut messages).await,
                None => {
                    listening = false;
                    state
                }
            },
            () = timers::reached(state.alarm) => desk.wake().await,
            () = desk.bell() => desk.look().await,
            _ = messages.recv_many(&mut received, MESSAGES) => desk.receive(&mut received).await,
        };
    }
    desk.end().await
}

/// All that a run is. Only one at a time has it: the loop, or a hand of the crew that hands in.
struct Run {
    plan: Arc<Plan>,
    dispatcher: Dispatcher,
    executor: Executor,
    crew: Crew,
    /// What the crew is to be given.
    jobs: Vec<Job>,
    is_graded: bool,
    stop: Stop,
    sinks: Vec<Box<dyn Sink>>,
    timers: Timers,
    /// How many cases wait for their next attempt, as the sinks know it.
    told_waiting: usize,
    /// When cases were handed in, while they are looked at: those of one dozen at one time.
    heard_at: Option<SystemTime>,
    /// What happened since the sinks were told, in order.
    untold: Vec<RunEvent>,
    fault: Option<SinkFault>,
    end: Option<Totals>,
    /// What a hand ran into that must not be passed over.
    panic: Option<Box<dyn Any + Send>>,
}

impl Run {
    fn receive(&mut self, Message { input, answers }: Message) {
        if let (Input::Answered { unit, .. }, Some(answers)) = (&input, answers) {
            for warning in answers.warnings() {
                self.tell(RunEvent::Warning(warning.clone()));
            }
            self.crew.lay_out(*unit, answers);
        }
        if let Input::Answered { unit, .. } | Input::Failed { unit, .. } = &input {
            self.tell(RunEvent::Invoked { unit: *unit });
        }
        self.feed(input);
    }

    fn hear(&mut self, news: News<'_>) {
        match news {
            News::Grading { unit, index, slot } => {
                if self.is_graded {
                    self.tell_of_grading(unit, index, self.plan.slots[slot]);
                }
            }
            News::Settled(all) => {
                self.heard_at = Some(SystemTime::now());
                for Settled { unit, index, settlement, alone } in all.drain(..) {
                    if alone && self.is_graded {
                        self.tell(RunEvent::Graded { unit, index });
                    }
                    self.feed(Input::Settled { unit, index, settlement });
                }
                self.heard_at = None;
            }
        }
    }

    fn wake(&mut self) {
        while let Some(alarm) = self.timers.take() {
            self.feed(match alarm {
                Alarm::Deadline => Input::Deadline,
                Alarm::Due { token } => Input::Due { token },
            });
        }
    }

    fn feed(&mut self, input: Input) {
        for action in self.dispatcher.handle(input) {
            self.perform(action);
        }
        let (cases, last) = self.dispatcher.waiting();
        if cases != self.told_waiting {
            let last = last.cloned();
            self.told_waiting = cases;
            self.tell(RunEvent::Waiting { cases, last });
        }
    }

    fn perform(&mut self, action: Action) {
        match action {
            Action::Check { target } => self.executor.check(target),
            Action::Invoke { unit, work } => {
                let first = self.plan.slots[work.slots[0]];
                self.tell(RunEvent::Invoking {
                    unit,
                    target: Arc::clone(&self.plan.targets[work.target].name),
                    first_id: Arc::clone(&self.plan.cases[first.case].input.eval_id),
                    repeat: first.repeat,
                    cases: work.slots.len(),
                    attempt: work.attempt,
                    again: self.dispatcher.failed_of(work.slots[0]).cloned(),
                });
                self.executor.invoke(unit, &work);
            }
            Action::Settle { unit, index, slot } => {
                self.jobs.push(Job::new(unit, index, slot));
            }
            Action::Release { unit } => {
                self.crew.put_away(unit);
            }
            Action::Record { slot, attempts, failed_attempts, outcome } => {
                let place = self.plan.slots[slot];
                self.warn_of_dropped(place, &outcome);
                self.tell(RunEvent::Settled(Box::new(SettledCase {
                    slot,
                    case: Arc::clone(&self.plan.cases[place.case]),
                    target: Arc::clone(&self.plan.targets[place.target].name),
                    repeat: place.repeat,
                    attempts,
                    failed_attempts,
                    outcome,
                    settled_at: self.heard_at.unwrap_or_else(SystemTime::now),
                })));
            }
            Action::Wait { token, target, retry } => {
                let policy = self.plan.targets[target].provider.retry_policy();
                let delay = backoff::delay(&policy.backoff, retry, backoff::chance());
                self.timers.set(delay, Alarm::Due { token });
            }
            Action::Skip { slot, why } => self.tell_of_skipped(slot, why),
            Action::Warn(text) => self.tell(RunEvent::Warning(text)),
            Action::Halt(level) => {
                self.stop.raise(level);
                self.tell(RunEvent::Stopping(level));
            }
            Action::Overdue => {
                self.stop.raise(StopLevel::Terminate);
                let words = "the time is over: nothing new is begun, what runs is being ended";
                self.tell(RunEvent::Warning(words.to_owned()));
            }
            Action::Finish(totals) => self.end = Some(totals),
        }
    }

    fn tell_of_grading(&mut self, unit: UnitId, index: usize, place: Slot) {
        self.tell(RunEvent::Grading {
            unit,
            index,
            target: Arc::clone(&self.plan.targets[place.target].name),
            id: Arc::clone(&self.plan.cases[place.case].input.eval_id),
            repeat: place.repeat,
        });
    }

    fn tell_of_skipped(&mut self, slot: usize, why: Why) {
        let place = self.plan.slots[slot];
        let reason = match why {
            Why::Budget => SkipReason::Budget,
            Why::Deadline => SkipReason::Deadline,
            Why::FailFast => SkipReason::FailFast,
            Why::Decided => SkipReason::Decided,
            Why::After(other) => SkipReason::Dependency { on: self.id_of(other) },
        };
        self.tell(RunEvent::Skipped(Box::new(SkippedCase {
            slot,
            case: Arc::clone(&self.plan.cases[place.case]),
            target: Arc::clone(&self.plan.targets[place.target].name),
            repeat: place.repeat,
            reason,
        })));
    }

    /// The id of a slot's case; a plan may name a slot that it does not have.
    fn id_of(&self, slot: usize) -> Arc<str> {
        self.plan.slots.get(slot).map_or_else(
            || Arc::from("a case that is not in the plan"),
            |place| Arc::clone(&self.plan.cases[place.case].input.eval_id),
        )
    }

    /// One text for all cases of a target, so that displays can say it once.
    fn warn_of_dropped(&mut self, place: Slot, outcome: &Outcome) {
        let (Outcome::Assessed { response, .. } | Outcome::Answered { response }) = outcome else {
            return;
        };
        if response.dropped_elements > 0 {
            self.tell(RunEvent::Warning(format!(
                "target `{}` gives messages or trace events that do not fit; those are left out \
                 and counted in the row",
                self.plan.targets[place.target].name
            )));
        }
    }

    /// Before the sinks are told: others may grade while they write.
    fn hand_out(&mut self) {
        if !self.jobs.is_empty() {
            self.crew.take(std::mem::take(&mut self.jobs));
        }
    }

    /// Gives the crew what it has to do, and tells the sinks.
    fn go_on(&mut self) {
        self.hand_out();
        self.tell_all();
    }

    /// Keeps what happened until the sinks are told, which is soon: before anybody waits for more.
    fn tell(&mut self, event: RunEvent) {
        self.untold.push(event);
        if self.untold.len() >= MOST_UNTOLD {
            self.tell_all();
        }
    }

    /// Tells the sinks in order. The first that cannot go on ends the run: what it did not take
    /// is not shown by those after it.
    fn tell_all(&mut self) {
        let events = std::mem::take(&mut self.untold);
        let is_over = matches!(events.last(), Some(RunEvent::Finished(_)));
        let news: Vec<&RunEvent> = match &self.fault {
            None => events.iter().collect(),
            Some(_) => events.iter().filter(|it| matches!(it, RunEvent::Finished(_))).collect(),
        };
        if news.is_empty() {
            return;
        }
        for sink in 0..self.sinks.len() {
            let Err(fault) = self.sinks[sink].hear_all(&news) else {
                continue;
            };
            if self.fault.is_none() {
                self.fault = Some(fault);
                self.feed(Input::Stop(StopLevel::Terminate));
            }
            if !is_over {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
