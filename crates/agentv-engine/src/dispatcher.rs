//! The state of a run, and what follows from each thing that happens: `(state, input) → actions`.
//!
//! Deliberately absent: processes, tasks, clocks, chance, channels. Everything here can be tested by
//! feeding inputs and looking at the actions.
//!
//! Invariant: every planned slot that has no row from before ends in exactly one of three ways: one
//! `Record` action, one `Skip` action, or being counted as not run when the run was stopped.

mod admission;
mod budget;
mod ending;
mod follow_up;
mod gates;
mod marks;
mod messages;
mod queue;
mod repeats;
mod settling;

use std::collections::{BTreeMap, HashMap, VecDeque};

use agentv_base::{AskAgain, FailedAttempt, Failure, FailureKind, Outcome, StopLevel, Totals};

use self::{
    admission::Ended,
    budget::{Admission, Budget},
    gates::Gates,
    marks::Marks,
    queue::{Health, TargetState},
    repeats::{Graded, Repeats},
};
use crate::{
    agenda::{Agenda, Kind, Unit},
    limits::Limits,
    plan::Past,
};

pub(crate) use messages::{Action, Input, Settlement, UnitId, Why};

/// A unit whose invocation was started and that has slots to be settled.
struct Open {
    work: Unit,
    /// The next place to be taken.
    next: usize,
    unsettled: usize,
    /// Its invocation is over, and came to answers.
    answered: bool,
    /// Its answers were kept from before: nobody is at work for them.
    kept: bool,
    /// Slots that failed and may be tried again once the whole unit is settled.
    retry: Vec<(usize, Failure)>,
    ask_again: Vec<(usize, AskAgain, Failure)>,
}

pub(crate) struct Dispatcher {
    limits: Limits,
    agenda: Agenda,
    targets: Vec<TargetState>,
    gates: Gates,
    repeats: Repeats,
    budget: Budget,
    open: BTreeMap<UnitId, Open>,
    /// Units with answers to be taken, first come first served.
    answered: VecDeque<UnitId>,
    /// Units that wait for their next attempt, by the token that wakes them.
    waiting: BTreeMap<usize, Unit>,
    /// How many slots those have, and what the last of them failed of.
    waiting_slots: usize,
    last_to_wait: Option<Failure>,
    /// Which of them takes in what fails later and can be asked together with it. It may name one
    /// that waits no more.
    gathering: HashMap<Kind, usize>,
    failed_attempts: HashMap<usize, Vec<FailedAttempt>>,
    /// Slots whose target was asked and that have no row.
    begun: Marks,
    /// Slots that have a row or are skipped.
    done: Vec<bool>,
    /// Slots that are over and whose consequences are not drawn yet.
    ended: VecDeque<(usize, Ended)>,
    /// Slots that are skipped and not told yet.
    skipped: Vec<(usize, Why)>,
    /// Rows of failed cases and errors.
    failures: usize,
    failed_fast: bool,
    next_unit: UnitId,
    next_token: usize,
    running: usize,
    grading: usize,
    stop: StopLevel,
    /// The time was over before anybody asked to stop.
    overdue: bool,
    totals: Totals,
    finished: bool,
}

impl Dispatcher {
    pub fn new(limits: Limits, agenda: Agenda) -> Self {
        let planned = agenda.slots.len();
        let mut gates = Gates::default();
        let repeats = Repeats::new(&agenda, &mut gates);
        let mut targets: Vec<TargetState> = agenda.targets.iter().map(TargetState::new).collect();
        let mut done = vec![false; planned];
        let mut ended = VecDeque::new();
        for (slot, place) in agenda.slots.iter().enumerate() {
            if let Some(past) = agenda.settled.get(&slot) {
                done[slot] = true;
                ended.push_back((slot, ended_before(past)));
                continue;
            }
            if let Some(after) = agenda.after.get(&slot) {
                gates.wait_for(slot, after);
            }
            let target = &mut targets[place.target()];
            let list = if gates.waits(slot) { &mut target.gated } else { &mut target.ready };
            list.push(slot);
        }
        Self {
            limits,
            budget: Budget::new(&limits, &agenda),
            agenda,
            targets,
            gates,
            repeats,
            open: BTreeMap::new(),
            answered: VecDeque::new(),
            waiting: BTreeMap::new(),
            waiting_slots: 0,
            last_to_wait: None,
            gathering: HashMap::new(),
            failed_attempts: HashMap::new(),
            begun: Marks::none(planned),
            done,
            totals: Totals { planned, settled: ended.len(), ..Totals::default() },
            ended,
            skipped: Vec::new(),
            failures: 0,
            failed_fast: false,
            next_unit: 0,
            next_token: 0,
            running: 0,
            grading: 0,
            stop: StopLevel::Run,
            overdue: false,
            finished: false,
        }
    }

    pub fn handle(&mut self, input: Input) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.finished {
            return actions;
        }
        match input {
            Input::Begin => self.begin(&mut actions),
            Input::Checked { target, result } => self.checked(target, result, &mut actions),
            Input::Answered { unit, kept } => self.answered(unit, kept, &mut actions),
            Input::Failed { unit, failure } => self.failed(unit, &failure, &mut actions),
            Input::Settled { unit, index, settlement } => {
                self.settled(unit, index, settlement, &mut actions);
            }
            Input::Due { token } => self.due(token),
            Input::Deadline => self.time_is_over(&mut actions),
            Input::Stop(level) => self.stop(level, &mut actions),
        }
        self.go_on(&mut actions);
        while self.is_idle() && self.skip_what_is_stuck() {
            self.go_on(&mut actions);
        }
        if self.is_idle() {
            self.finish(&mut actions);
        }
        actions
    }

    /// How many slots wait for their next attempt, and what the last of them failed of.
    pub fn waiting(&self) -> (usize, Option<&Failure>) {
        (self.waiting_slots, self.last_to_wait.as_ref().filter(|_| self.waiting_slots > 0))
    }

    /// What the last attempt at a slot failed of.
    pub fn failed_of(&self, slot: usize) -> Option<&Failure> {
        self.failed_attempts.get(&slot)?.last().map(|attempt| &attempt.failure)
    }

    fn go_on(&mut self, actions: &mut Vec<Action>) {
        loop {
            self.follow_ends(actions);
            self.form_units();
            match self.start_what_can_start(actions) {
                Some(unpaid) => self.close(unpaid, Why::Budget),
                None => break,
            }
        }
    }

    fn begin(&mut self, actions: &mut Vec<Action>) {
        self.follow_ends(actions);
        if self.stop > StopLevel::Run {
            return;
        }
        let mut to_ask = vec![false; self.targets.len()];
        for (place, _) in self.agenda.slots.iter().zip(&self.done).filter(|(_, done)| !**done) {
            to_ask[place.target()] = true;
        }
        for target in (0..self.targets.len()).filter(|target| to_ask[*target]) {
            if self.budget.admit(target, 1) == Admission::Never {
                self.close(target, Why::Budget);
            } else {
                self.targets[target].health = Health::Checking;
                actions.push(Action::Check { target });
            }
        }
    }

    fn checked(&mut self, target: usize, result: Result<(), Failure>, actions: &mut Vec<Action>) {
        let Err(failure) = result else {
            self.targets[target].health = Health::Fit;
            return;
        };
        let state = &mut self.targets[target];
        let refused = state.queue.drain(..).flat_map(|unit| unit.slots);
        let refused: Vec<usize> = refused.chain(std::mem::take(&mut state.ready)).collect();
        if failure.kind == FailureKind::Interrupted {
            state.health = Health::Fit;
            return;
        }
        state.health = Health::Unfit(failure.clone());
        for slot in refused {
            self.record(slot, 0, Outcome::Failed { failure: failure.clone() }, actions);
        }
    }

    fn record(&mut self, slot: usize, attempts: u32, outcome: Outcome, actions: &mut Vec<Action>) {
        if std::mem::replace(&mut self.done[slot], true) {
            return;
        }
        self.totals.settled += 1;
        self.begun.remove(slot);
        self.gates.forget(slot);
        self.ended.push_back((slot, Ended::of(&outcome)));
        // There are hardly ever any: then nobody looks for them.
        let failed_attempts = if self.failed_attempts.is_empty() {
            Vec::new()
        } else {
            self.failed_attempts.remove(&slot).unwrap_or_default()
        };
        actions.push(Action::Record { slot, attempts, failed_attempts, outcome });
    }
}

fn ended_before(past: &Past) -> Ended {
    let graded = past.score.zip(past.threshold);
    let graded = graded.map(|(score, threshold)| Graded { score, threshold, passed: past.passed });
    Ended::Row { passed: past.passed, graded, own: !past.carried }
}

#[cfg(test)]
mod tests;
