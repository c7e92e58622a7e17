//! Whole runs by chance: whatever happens, every slot has one end, and no rule is broken on the way.

use std::collections::BTreeSet;

use agentv_base::Spent;
use proptest::{prelude::*, sample::Index};

use super::*;

/// What one attempt takes, by target; the engine has to find it out.
const PRICES: [f64; 2] = [0.1, 0.25];

struct Fickle(usize);

impl StopRule for Fickle {
    fn is_decided(&self, _: f64, scores: &[f64]) -> bool {
        scores.len() >= self.0
    }
}

#[derive(Clone, Debug)]
struct Scene {
    /// The target and the suite of each case.
    cases: Vec<(usize, usize)>,
    repeats: u32,
    most: [usize; 2],
    gates: Vec<(Index, Index, bool)>,
    past: Vec<(Index, bool)>,
    decided_after: Option<usize>,
    limits: Limits,
}

impl Scene {
    fn agenda(&self) -> Agenda {
        let mut agenda = agenda(&[2, 3], &[]);
        for (target, most) in agenda.targets.iter_mut().zip(self.most) {
            target.most = most;
        }
        for (case, (target, suite)) in self.cases.iter().enumerate() {
            let place = |repeat| Place::new(case, *target, repeat, *suite);
            agenda.slots.extend((1..=self.repeats).map(place));
        }
        let count = agenda.slots.len();
        if count > 0 {
            for (slot, other, must_pass) in &self.gates {
                // One more than there are: a plan may be wrong, and the run must end all the same.
                let gate = After { slot: other.index(count + 1), must_pass: *must_pass };
                agenda.after.entry(slot.index(count)).or_default().push(gate);
            }
            for (slot, passed) in &self.past {
                let slot = slot.index(count);
                let cost_usd = Some(PRICES[agenda.slots[slot].target()]);
                let spent = Spent { tokens: None, cost_usd };
                let score = Some(f64::from(u8::from(*passed)));
                let past = Past {
                    passed: *passed,
                    score,
                    threshold: Some(0.8),
                    own: spent,
                    spent,
                    ..Past::default()
                };
                agenda.settled.insert(slot, past);
            }
        }
        if let Some(scores) = self.decided_after {
            agenda.stop_rule = Some(Arc::new(Fickle(scores)));
        }
        agenda
    }
}

fn scenes() -> impl Strategy<Value = Scene> {
    let limits = (
        proptest::option::of(1usize..4),
        1usize..4,
        0u32..3,
        proptest::option::of(0.0f64..3.0),
        proptest::option::of(1usize..6),
    )
        .prop_map(|(workers, grading, max_retries, budget_usd, fail_fast)| Limits {
            workers,
            grading,
            max_retries: Some(max_retries),
            budget_usd,
            fail_fast,
            ..Limits::default()
        });
    (
        proptest::collection::vec((0usize..2, 0usize..2), 0..8),
        1u32..4,
        [1usize..5, 1usize..5],
        proptest::collection::vec(any::<(Index, Index, bool)>(), 0..8),
        proptest::collection::vec(any::<(Index, bool)>(), 0..4),
        proptest::option::of(1usize..4),
        limits,
    )
        .prop_map(|(cases, repeats, most, gates, past, decided_after, limits)| Scene {
            cases,
            repeats,
            most,
            gates,
            past,
            decided_after,
            limits,
        })
}

/// Plays everybody that the dispatcher asks, and watches it.
struct Stage {
    scene: Scene,
    agenda: Agenda,
    /// What somebody still has to answer.
    pending: Vec<Action>,
    /// Whether a slot that ended may release others, also those that need a pass.
    recorded: HashMap<usize, bool>,
    skipped: HashMap<usize, Why>,
    under_way: HashMap<usize, usize>,
    /// Rows of failed cases and errors.
    failures: usize,
    spent: f64,
    known: [bool; 2],
    halted: bool,
    totals: Option<Totals>,
}

impl Stage {
    fn new(scene: Scene) -> Self {
        let agenda = scene.agenda();
        let mut known = [false; 2];
        let mut spent = 0.0;
        for slot in agenda.settled.keys() {
            known[agenda.slots[*slot].target()] = true;
            spent += PRICES[agenda.slots[*slot].target()];
        }
        Self {
            recorded: agenda.settled.iter().map(|(slot, past)| (*slot, past.passed)).collect(),
            scene,
            agenda,
            pending: Vec::new(),
            skipped: HashMap::new(),
            under_way: HashMap::new(),
            failures: 0,
            spent,
            known,
            halted: false,
            totals: None,
        }
    }

    fn take(&mut self, actions: Vec<Action>) {
        for action in actions {
            assert!(self.totals.is_none(), "nothing happens after the end");
            match action {
                Action::Record { slot, outcome, failed_attempts, attempts } => {
                    let passed = match &outcome {
                        Outcome::Assessed { assessment, .. } => {
                            assessment.grade.as_ref().is_ok_and(|all| all.verdict == Verdict::Pass)
                        }
                        Outcome::Answered { .. } => true,
                        Outcome::Failed { .. } => false,
                    };
                    assert!(failed_attempts.len() <= attempts as usize);
                    self.failures += usize::from(!passed);
                    assert!(self.recorded.insert(slot, passed).is_none(), "{slot} has two rows");
                    assert!(!self.skipped.contains_key(&slot), "{slot} was skipped before");
                }
                Action::Skip { slot, why } => {
                    assert!(self.skipped.insert(slot, why).is_none(), "{slot} is skipped twice");
                    assert!(!self.recorded.contains_key(&slot), "{slot} has a row");
                }
                Action::Finish(totals) => self.totals = Some(totals),
                Action::Halt(_) | Action::Overdue => self.halted = true,
                Action::Release { .. } | Action::Warn(_) => {}
                Action::Invoke { unit, work } => {
                    self.watch_begin(&work);
                    self.pending.push(Action::Invoke { unit, work });
                }
                pending @ (Action::Check { .. } | Action::Settle { .. } | Action::Wait { .. }) => {
                    self.pending.push(pending);
                }
            }
        }
    }

    fn watch_begin(&mut self, work: &Unit) {
        assert!(!self.halted, "a unit is begun after the end was near");
        if let Some(most) = self.scene.limits.fail_fast {
            assert!(self.failures < most, "a unit is begun after enough have failed");
        }
        let target = work.target;
        let place = |slot: usize| (self.agenda.slots[slot].suite, self.agenda.slots[slot].repeat);
        let places: BTreeSet<_> = work.slots.iter().map(|slot| place(*slot)).collect();
        assert_eq!(places.len(), 1, "a batch mixes suites or repeats");
        assert!(work.slots.len() <= self.scene.most[target]);
        for slot in &work.slots {
            assert!(!self.recorded.contains_key(slot) && !self.skipped.contains_key(slot));
            self.watch_gates(*slot);
        }
        let under_way = self.under_way.values().filter(|other| **other == target).count();
        self.under_way.extend(work.slots.iter().map(|slot| (*slot, target)));
        let Some(budget) = self.scene.limits.budget_usd else { return };
        if self.known[target] {
            let reserved = self.under_way.values().filter(|target| self.known[**target]);
            let reserved: f64 = reserved.map(|target| PRICES[*target]).sum();
            assert!(self.spent + reserved <= budget + 1e-6, "beyond the budget");
        } else {
            assert_eq!((work.slots.len(), under_way), (1, 0), "nobody knows the price");
            assert!(self.spent < budget);
        }
    }

    fn watch_gates(&self, slot: usize) {
        for gate in self.agenda.after.get(&slot).into_iter().flatten() {
            let over = match self.skipped.get(&gate.slot) {
                Some(Why::Decided) => true,
                Some(Why::After(_)) => !gate.must_pass,
                Some(Why::Budget | Why::Deadline | Why::FailFast) | None => false,
            };
            match self.recorded.get(&gate.slot) {
                Some(passed) => assert!(*passed || !gate.must_pass, "{slot} waits for a pass"),
                None => assert!(over, "{slot} waits for {}", gate.slot),
            }
        }
        if self.agenda.stop_rule.is_none() {
            return;
        }
        let own = self.agenda.slots[slot];
        for (other, place) in self.agenda.slots.iter().enumerate() {
            if place.case() == own.case() && place.repeat < own.repeat {
                let over = self.recorded.contains_key(&other) || self.skipped.contains_key(&other);
                assert!(over, "repeat {} is not over", place.repeat);
            }
        }
    }

    /// What comes back for something that was asked for.
    fn reply(&mut self, action: Action, choice: u8) -> Input {
        match action {
            Action::Check { target } => {
                let unfit = choice == 7 && target == 0;
                let result = if unfit { Err(failure(FailureKind::Healthcheck)) } else { Ok(()) };
                Input::Checked { target, result }
            }
            Action::Wait { token, .. } => Input::Due { token },
            Action::Invoke { unit, work } => {
                if !choice.is_multiple_of(4) {
                    return Input::Answered { unit, kept: false };
                }
                for slot in &work.slots {
                    self.under_way.remove(slot);
                }
                let stopped = self.halted && choice.is_multiple_of(8);
                let kind = if stopped { FailureKind::Interrupted } else { FailureKind::Exit };
                Input::Failed { unit, failure: failure(kind) }
            }
            Action::Settle { unit, index, slot } => {
                Input::Settled { unit, index, settlement: self.settle(slot, choice) }
            }
            Action::Release { .. }
            | Action::Record { .. }
            | Action::Skip { .. }
            | Action::Warn(_)
            | Action::Halt(_)
            | Action::Overdue
            | Action::Finish(_) => unreachable!("nobody answers this"),
        }
    }

    fn settle(&mut self, slot: usize, choice: u8) -> Settlement {
        let target = self.agenda.slots[slot].target();
        self.under_way.remove(&slot);
        if self.halted && choice == 9 {
            return Settlement::Interrupted(None);
        }
        self.spent += PRICES[target];
        self.known[target] = true;
        let mut failed = failure(FailureKind::Target);
        failed.cost_usd = Some(PRICES[target]);
        match choice % 6 {
            0 => Settlement::NotAnswered(Answer::Failed(failed)),
            1 => {
                let ask = AskAgain::Together;
                Settlement::NotAnswered(Answer::Unanswered { ask, failure: failed })
            }
            2 => {
                let ask = AskAgain::Alone;
                Settlement::NotAnswered(Answer::Unanswered { ask, failure: failed })
            }
            other => {
                let mut settlement = scored(if other == 3 { 0.5 } else { 1.0 });
                if let Settlement::Done(Outcome::Assessed { response, .. }) = &mut settlement {
                    response.cost_usd = Some(PRICES[target]);
                }
                settlement
            }
        }
    }
}

fn play(scene: Scene, choices: &[u8]) -> (Stage, bool) {
    let mut stage = Stage::new(scene);
    let mut dispatcher = Dispatcher::new(stage.scene.limits, stage.scene.agenda());
    let mut stopped = false;
    stage.take(dispatcher.handle(Input::Begin));
    // A list of choices that holds nothing but stops would never answer anything.
    let answers = std::iter::once(1);
    for choice in choices.iter().copied().chain(answers).cycle().take(100_000) {
        if stage.totals.is_some() {
            return (stage, stopped);
        }
        let event = match choice {
            40 => Some(Input::Deadline),
            41 => Some(Input::Stop(StopLevel::Terminate)),
            42 => Some(Input::Stop(StopLevel::Kill)),
            _ => None,
        };
        stopped |= matches!(event, Some(Input::Stop(_)));
        let input = event.unwrap_or_else(|| {
            assert!(!stage.pending.is_empty(), "the run waits for nothing");
            let next = stage.pending.swap_remove(usize::from(choice) % stage.pending.len());
            stage.reply(next, choice)
        });
        stage.take(dispatcher.handle(input));
    }
    panic!("the run never finished");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_slot_ends_exactly_once_whatever_happens(
        scene in scenes(),
        choices in proptest::collection::vec(
            prop_oneof![30 => 0u8..40, 1 => 40u8..43],
            1..80,
        ),
    ) {
        let (stage, stopped) = play(scene, &choices);
        let totals = stage.totals.unwrap_or_default();
        let planned = stage.agenda.slots.len();
        let decided = stage.skipped.values().filter(|why| **why == Why::Decided).count();
        prop_assert_eq!(totals.planned, planned);
        prop_assert_eq!(totals.settled, stage.recorded.len());
        prop_assert_eq!(totals.decided, decided);
        prop_assert_eq!(totals.settled + totals.decided + totals.not_run, planned);
        prop_assert_eq!(totals.interrupted, stopped);
        prop_assert!(totals.unfinished <= totals.not_run);
        if !stopped {
            prop_assert_eq!(totals.unfinished, 0);
            prop_assert_eq!(stage.recorded.len() + stage.skipped.len(), planned);
        }
        // Nobody waits for graders when the run is ended at once.
        let killed = choices.contains(&42);
        let left = stage.pending.iter().all(|action| {
            matches!(action, Action::Wait { .. }) || killed && matches!(action, Action::Settle { .. })
        });
        prop_assert!(left, "somebody is still at work");
    }
}
