//! One run from its start to its end, through several deaths.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
    thread,
    time::Duration,
};

use agentv_testkit::{Run, Running, Signal, assert_no_process_with};

use crate::{
    chance::Chance,
    record::{Finished, Slot, names_beside, slots_so_far},
    scene::{REPEATS, Scene},
    tally::Tally,
    tear::tear,
};

/// Milliseconds after which a session is taken for one that asks nobody any more.
const MOST_WAITS: usize = 3000;

/// Most deaths of one run.
const MOST_DEATHS: usize = 5;

/// How a session is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Death {
    Kill,
    Terminate,
    Interrupt,
    InterruptTwice,
    HangUp,
}

impl Death {
    /// Most deaths are those that nobody can prepare for.
    fn any(chance: &mut Chance) -> Self {
        match chance.below(20) {
            0 => Self::Terminate,
            1 => Self::Interrupt,
            2 => Self::InterruptTwice,
            3 => Self::HangUp,
            _ => Self::Kill,
        }
    }
}

pub(crate) struct Round<'a> {
    scene: &'a Scene,
    reference: &'a Finished,
    /// How long an undisturbed run takes.
    usual: Duration,
    /// What it is never taken to be shorter than.
    shortest: Duration,
    seed: u64,
    sessions: usize,
    /// Pieces of rows that must have been kept.
    pieces: Vec<Vec<u8>>,
    tally: Tally,
}

impl<'a> Round<'a> {
    /// How long an undisturbed run seems to take by now.
    pub(crate) fn usual(&self) -> Duration {
        self.usual
    }

    pub(crate) fn new(
        scene: &'a Scene,
        reference: &'a Finished,
        usual: Duration,
        seed: u64,
    ) -> Self {
        let tally = Tally { rounds: 1, ..Tally::default() };
        let shortest = Duration::from_millis(200).min(usual);
        Self { scene, reference, usual, shortest, seed, sessions: 0, pieces: Vec::new(), tally }
    }

    /// At most so many deaths, then a session that is left alone.
    pub(crate) fn play(&mut self, most: usize, chance: &mut Chance) -> Tally {
        self.scene.clear();
        let deaths = (1 + chance.below(MOST_DEATHS)).min(most);
        for _ in 0..deaths {
            let before = self.rows_so_far();
            let running = self.start();
            if !chance.one_in(8) {
                self.wait_until_somebody_is_asked();
            }
            let moment = self.moment(before.len(), chance);
            thread::sleep(moment);
            let death = Death::any(chance);
            let run = end(running, death, chance);
            self.check_session(&before, &run);
            // A run that ended by itself has a code of its own.
            if !matches!(run.code, None | Some(130)) {
                self.tally.too_late += 1;
                // It took longer when it was measured; but not that much longer.
                self.usual = (self.usual * 3 / 4).max(self.shortest);
                continue;
            }
            // Who dies before there is a run has lost nothing, and proves nothing.
            if self.run_folder().is_some() {
                self.count(death);
            }
            self.after_death(death, chance);
        }
        let before = self.rows_so_far();
        let run = self.start().finish();
        self.check_session(&before, &run);
        self.check_end(&run);
        self.tally.clone()
    }

    /// How long it takes to start differs from machine to machine, and nothing can be lost by then.
    fn wait_until_somebody_is_asked(&self) {
        let log = self.scene.log(self.sessions);
        for _ in 0..MOST_WAITS {
            if log.exists() {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The moment of death: within what is left to be done, and sometimes while it starts.
    fn moment(&self, rows: usize, chance: &mut Chance) -> Duration {
        if chance.one_in(8) {
            return chance.moment(self.usual / 20);
        }
        let left = self.scene.slots().saturating_sub(rows);
        let share = |part: usize| u32::try_from(part).unwrap_or(u32::MAX);
        let left = self.usual * share(left) / share(self.scene.slots());
        chance.moment(left.max(self.usual / 20))
    }

    fn run_folder(&self) -> Option<PathBuf> {
        let mut runs = self.scene.project.runs();
        assert!(runs.len() <= 1, "{}: one run became {runs:?}", self.name());
        runs.pop()
    }

    fn rows_so_far(&self) -> BTreeSet<Slot> {
        self.run_folder().map(|folder| slots_so_far(&folder).0).unwrap_or_default()
    }

    /// Begins the run, or goes on with it where there is one.
    fn start(&mut self) -> Running {
        let words = match self.run_folder() {
            None => Scene::fresh(),
            Some(folder) => {
                self.tally.resumes += 1;
                Scene::resume(&folder.file_name().unwrap().to_string_lossy())
            }
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.sessions += 1;
        let (name, log) = self.scene.log_variable(self.sessions);
        self.scene.project.start_with(&words, |command| command.env(name, log))
    }

    fn count(&mut self, death: Death) {
        let counter = match death {
            Death::Kill => &mut self.tally.kills,
            Death::Terminate => &mut self.tally.terminations,
            Death::Interrupt => &mut self.tally.interrupts,
            Death::InterruptTwice => &mut self.tally.double_interrupts,
            Death::HangUp => &mut self.tally.hangups,
        };
        *counter += 1;
    }

    /// What is found after a death, and what is done to it.
    fn after_death(&mut self, death: Death, chance: &mut Chance) {
        let Some(folder) = self.run_folder() else {
            self.tally.unborn += 1;
            return;
        };
        if death != Death::Kill {
            let place = self.scene.project.path("");
            assert_no_process_with(&place.to_string_lossy());
        }
        let (_, rest) = slots_so_far(&folder);
        if self.pieces.contains(&rest) {
            // It died before it came to set that right.
            return;
        }
        if !rest.is_empty() {
            assert_eq!(death, Death::Kill, "{}: only a kill may tear a row", self.name());
            self.tally.torn += 1;
            self.pieces.push(rest);
        } else if chance.one_in(3)
            && let Some(piece) = tear(&folder, chance)
        {
            self.tally.torn_afterwards += 1;
            self.pieces.push(piece);
        }
    }

    /// Nobody was asked for what had a row before.
    fn check_session(&self, before: &BTreeSet<Slot>, run: &Run) {
        let log = fs::read_to_string(self.scene.log(self.sessions)).unwrap_or_default();
        let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
        for line in log.lines() {
            let (id, attempt) = line.split_once(' ').expect("an id and an attempt");
            let first = usize::from(attempt == "0");
            *asked.entry(id).or_default() += first;
            let settled = before.iter().filter(|(settled, _)| settled == id).count();
            assert!(settled < REPEATS, "{}: {id} was asked again\n{}", self.name(), run.seen());
        }
        for (id, times) in asked {
            let settled = before.iter().filter(|(settled, _)| settled == id).count();
            assert!(
                times + settled <= REPEATS,
                "{}: {id} had {settled} rows and was asked {times} times\n{}",
                self.name(),
                run.seen()
            );
        }
    }

    /// The end is that of a run to which nothing happened.
    fn check_end(&self, run: &Run) {
        let name = self.name();
        let folder = self.run_folder().unwrap_or_else(|| panic!("{name}: no run\n{}", run.seen()));
        let finished = Finished::read(run, &folder, &self.scene.out());
        for (slot, row) in &self.reference.rows {
            assert_eq!(finished.rows.get(slot), Some(row), "{name}: {slot:?}\n{}", run.seen());
        }
        assert_eq!(&finished, self.reference, "{name}\n{}", run.seen());
        let mut kept = Vec::new();
        for beside in names_beside(&folder) {
            assert!(beside.starts_with('.'), "{name}: {beside} is left beside the run");
            if beside.contains("torn") {
                kept.push(fs::read(folder.join(beside)).unwrap());
            }
        }
        for piece in &self.pieces {
            // A row that lacked its end of line alone was no piece.
            let is_row = serde_json::from_slice::<serde_json::Value>(piece).is_ok();
            assert!(is_row || kept.contains(piece), "{name}: a piece of a row is lost");
        }
        self.scene.clean_up();
        self.scene.project.assert_nothing_is_left();
    }

    fn name(&self) -> String {
        format!("round with seed {}", self.seed)
    }
}

/// Ends a session in one of the ways, and waits for it.
fn end(running: Running, death: Death, chance: &mut Chance) -> Run {
    match death {
        Death::Kill => running.signal(Signal::SIGKILL),
        Death::Terminate => running.signal(Signal::SIGTERM),
        Death::Interrupt => running.signal(Signal::SIGINT),
        Death::HangUp => running.signal(Signal::SIGHUP),
        Death::InterruptTwice => {
            running.signal(Signal::SIGINT);
            thread::sleep(chance.moment(Duration::from_millis(5)));
            running.signal(Signal::SIGINT);
        }
    }
    running.finish()
}
