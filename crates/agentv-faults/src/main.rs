//! `scripts/faults [DEATHS] [SEED]`: the long campaign, with a line for every mode.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal of a developer"
)]

use std::{env, time::Instant};

use agentv_faults::{Campaign, Mode, Tally};

const USAGE: &str = "usage: faults [DEATHS] [SEED]: how many runs are to die in all, and the first \
                     of the numbers that decide how";

/// The size of the suite.
const CASES: usize = 300;

fn main() {
    let mut words = env::args().skip(1);
    let mut number = |standard: u64| {
        let word = words.next();
        word.map_or(standard, |word| word.parse().expect(USAGE))
    };
    let deaths = usize::try_from(number(1000)).expect(USAGE);
    let seed = number(1);
    let program = env::current_exe().expect("a program knows its own path");
    let binary = program.with_file_name("agentv");
    let binary = binary.to_str().expect("a path that can be shown");
    println!("{deaths} deaths, seed {seed}");
    let mut all = Tally::default();
    for (mode, deaths) in [(Mode::Single, deaths.div_ceil(2)), (Mode::Batch, deaths / 2)] {
        let start = Instant::now();
        let campaign = Campaign { binary, mode, cases: CASES, deaths, seed };
        let tally = campaign.run(&|tally| {
            if tally.rounds.is_multiple_of(10) {
                eprintln!("{mode:?}: {tally}");
            }
        });
        println!("{mode:?}, {} s: {tally}", start.elapsed().as_secs());
        all = all.plus(&tally);
    }
    println!("in all: {all}");
    println!("every run ended as one to which nothing happened");
}
