//! The short form of `scripts/faults`: runs that are killed at random moments, torn and resumed end
//! as one to which nothing happened.

use agentv_faults::{Campaign, Mode, Tally};

/// So many that every kind of case is among them.
const CASES: usize = 64;
const DEATHS: usize = 15;

/// The same choices every time; other ones are for `scripts/faults`.
const SEED: u64 = 6;

fn campaign(mode: Mode) -> Tally {
    let binary = env!("CARGO_BIN_EXE_agentv");
    let tally = Campaign { binary, mode, cases: CASES, deaths: DEATHS, seed: SEED }.run(&|_| ());
    assert_eq!(tally.deaths(), DEATHS, "{tally}");
    tally
}

#[test]
fn runs_of_single_cases_end_as_if_nothing_had_happened() {
    campaign(Mode::Single);
}

#[test]
fn runs_in_batches_end_as_if_nothing_had_happened() {
    campaign(Mode::Batch);
}
