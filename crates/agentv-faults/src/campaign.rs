//! Rounds until there were enough deaths.

use std::time::{Duration, Instant};

use crate::{
    chance::Chance,
    record::Finished,
    round::Round,
    scene::{Mode, REPEATS, SKIPPED, Scene},
    tally::Tally,
};

pub struct Campaign<'a> {
    /// The binary under test.
    pub binary: &'a str,
    pub mode: Mode,
    pub cases: usize,
    /// How many runs must die.
    pub deaths: usize,
    /// The same seed makes the same choices; what the machine makes of them differs.
    pub seed: u64,
}

impl Campaign<'_> {
    /// Panics with the seed of the round where something does not hold. `tell` hears of progress.
    pub fn run(&self, tell: &dyn Fn(&Tally)) -> Tally {
        let scene = Scene::new(self.binary, self.mode, self.cases);
        let (reference, mut usual) = undisturbed(&scene);
        let mut tally = Tally::default();
        let mut seed = self.seed;
        while tally.deaths() < self.deaths {
            let most = self.deaths - tally.deaths();
            let mut chance = Chance::new(seed);
            let mut round = Round::new(&scene, &reference, usual, seed);
            tally = tally.plus(&round.play(most, &mut chance));
            usual = round.usual();
            tell(&tally);
            seed += 1;
        }
        scene.project.assert_nothing_is_left();
        tally
    }
}

/// What comes out where nobody interferes, and how long it takes.
fn undisturbed(scene: &Scene) -> (Finished, Duration) {
    let words = Scene::fresh();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let start = Instant::now();
    let (name, log) = scene.log_variable(0);
    let run = scene.project.start_with(&words, |command| command.env(name, log)).finish();
    let usual = start.elapsed();
    let finished = Finished::read(&run, &scene.project.newest_run(), &scene.out());
    assert_eq!(finished.rows.len(), scene.slots(), "{}", run.seen());
    assert_eq!(finished.out.len(), scene.slots(), "{}", run.seen());
    assert_eq!(finished.skipped.len(), SKIPPED * REPEATS, "{}", run.seen());
    assert!(finished.repeats.is_object(), "{}", run.seen());
    assert_eq!(finished.code, Some(3), "some cases cannot be evaluated\n{}", run.seen());
    let some = |field: &str, value: &str| finished.rows.values().any(|row| row[field] == value);
    for status in ["passed", "failed", "error"] {
        assert!(some("status", status), "no case is {status}");
    }
    let asked_again = finished.rows.values().any(|row| row["attempts"].as_u64() > Some(1));
    assert!(asked_again, "no case is asked again");
    (finished, usual)
}
