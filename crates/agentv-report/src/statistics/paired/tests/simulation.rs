//! How often the gate cries wolf, and how often it misses one: thousands of comparisons drawn where
//! the truth is known. `cargo test -p agentv-report simulation -- --nocapture` prints the table that
//! stands in `docs/statistics.md`.
//!
//! Verdicts are those of `compare/verdict.rs`, on the same statistics; only that a comparison whose
//! test has not rejected is not given an interval, because its verdict is known without, and that
//! intervals are of fewer resamples. `AGENTV_SIMULATE=10` draws ten times as many comparisons.

use rand::{Rng, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::super::*;
use crate::{
    compare::{Finding, LEVEL, PairedStatistics, correct},
    statistics::Confidence,
};

/// Resamples of an interval.
const RESAMPLES: u32 = 1_000;

/// How many comparisons are drawn, where this many take a moment.
fn drawn(usual: u32) -> u32 {
    let times = std::env::var("AGENTV_SIMULATE").ok().and_then(|times| times.parse().ok());
    usual * times.unwrap_or(1).max(1)
}

type Draw = ChaCha8Rng;

fn uniform(draw: &mut Draw) -> f64 {
    f64::from(draw.next_u32()) / 4_294_967_296.0
}

fn coin(draw: &mut Draw, p: f64) -> f64 {
    f64::from(u8::from(uniform(draw) < p))
}

/// Near 1 mostly, with a long tail down: the largest of five, to two digits.
fn skewed(draw: &mut Draw) -> f64 {
    let largest = (0..5).map(|_| uniform(draw)).fold(0.0, f64::max);
    (largest * 100.0).round() / 100.0
}

/// Any number of digits.
fn fine(draw: &mut Draw) -> f64 {
    uniform(draw).powi(3)
}

fn single(deltas: impl Iterator<Item = f64>) -> PairedSample {
    PairedSample::new(deltas.map(|sum| ClusterDelta { sum, pairs: 1 }))
}

/// One case at a time.
fn cases(count: u32, draw: &mut Draw, delta: impl Fn(&mut Draw) -> f64) -> PairedSample {
    let deltas: Vec<f64> = (0..count).map(|_| delta(draw)).collect();
    single(deltas.into_iter())
}

/// Repeats of a case are like each other: the case has become easier or harder as a whole, by
/// chance, and its repeats show it again and again.
fn repeats_of(count: u32, repeats: u32, draw: &mut Draw, loss: f64) -> Vec<Vec<f64>> {
    let case = |draw: &mut Draw| {
        let (before, after) = (uniform(draw), (uniform(draw) - loss).max(0.0));
        (0..repeats).map(|_| coin(draw, after) - coin(draw, before)).collect()
    };
    (0..count).map(|_| case(draw)).collect()
}

fn clustered(cases: &[Vec<f64>]) -> PairedSample {
    let cluster = |case: &Vec<f64>| ClusterDelta {
        sum: case.iter().sum(),
        pairs: u32::try_from(case.len()).unwrap(),
    };
    PairedSample::new(cases.iter().map(cluster))
}

/// The verdicts of comparisons that are made at once.
fn findings(family: &[PairedSample], margin: f64) -> Vec<Finding> {
    let statistics: Vec<PairedStatistics> =
        family.iter().map(|sample| PairedStatistics::tests_only(sample, margin)).collect();
    let corrected = correct(&statistics);
    let all = family.iter().zip(statistics).zip(&corrected).map(|((sample, tested), corrected)| {
        let least = corrected.permutation.min(corrected.shifted.unwrap_or(1.0));
        if least > LEVEL {
            return Finding::Inconclusive;
        }
        let whole = tested.with_interval(sample, RESAMPLES);
        whole.finding(corrected.permutation, corrected.shifted)
    });
    all.collect()
}

/// The share of drawn families in which any comparison has each finding.
fn shares(
    findings_of: [Finding; 2],
    margin: f64,
    count: u32,
    mut family: impl FnMut(&mut Draw) -> Vec<PairedSample>,
) -> [f64; 2] {
    let mut draw = ChaCha8Rng::seed_from_u64(7);
    let mut found = [0_u32; 2];
    for _ in 0..count {
        let all = findings(&family(&mut draw), margin);
        for (found, finding) in found.iter_mut().zip(findings_of) {
            *found += u32::from(all.contains(&finding));
        }
    }
    found.map(|found| f64::from(found) / f64::from(count))
}

/// What a share may come to by chance where it is at most `level`: more happens in one of a thousand
/// simulations.
fn bound(level: f64, count: u32) -> f64 {
    level + 3.1 * (level * (1.0 - level) / f64::from(count)).sqrt()
}

/// Neither of two findings is made more often than its level.
#[track_caller]
fn check_false_alarms(
    what: &str,
    findings_of: [Finding; 2],
    level: f64,
    margin: f64,
    count: u32,
    family: impl FnMut(&mut Draw) -> Vec<PairedSample>,
) {
    let shares = shares(findings_of, margin, count, family);
    let told = |share: f64| format!("{:.2} %", 100.0 * share);
    let [one, other] = findings_of;
    println!("| {what} | {count} | {one:?} {} | {other:?} {} |", told(shares[0]), told(shares[1]));
    assert!(shares.into_iter().all(|share| share <= bound(level, count)), "{what}: {shares:?}");
}

/// Where nothing has changed, these are wrong.
const CHANGED: [Finding; 2] = [Finding::Worse, Finding::Better];

/// To one side, of a two-sided test.
const ONE_SIDE: f64 = LEVEL / 2.0;

#[test]
fn false_alarms_stay_at_their_level_where_nothing_has_changed() {
    let check = |what: &str, cases_of: u32, usual: u32, delta: fn(&mut Draw) -> f64| {
        let name = format!("{what}, {cases_of} cases");
        check_false_alarms(&name, CHANGED, ONE_SIDE, 0.0, drawn(usual), |draw| {
            vec![cases(cases_of, draw, delta)]
        });
    };
    for (count, usual) in [(8, 2_000), (20, 1_500), (100, 300)] {
        check("coins, p = 0.5", count, usual, |draw| coin(draw, 0.5) - coin(draw, 0.5));
        check("coins, p = 0.9", count, usual, |draw| coin(draw, 0.9) - coin(draw, 0.9));
        check("coins, p = 0.99", count, usual, |draw| coin(draw, 0.99) - coin(draw, 0.99));
        check("nine of ten tie", count, usual, |draw| {
            if uniform(draw) < 0.9 { 0.0 } else { skewed(draw) - skewed(draw) }
        });
    }
    for (count, usual) in [(8, 1_000), (20, 500), (60, 100)] {
        check("skewed scores", count, usual, |draw| skewed(draw) - skewed(draw));
    }
    check("scores of many digits", 12, 500, |draw| fine(draw) - fine(draw));
    check("scores of many digits", 40, 20, |draw| fine(draw) - fine(draw));
}

#[test]
fn repeats_of_a_case_are_no_cases() {
    let family = |draw: &mut Draw| repeats_of(20, 10, draw, 0.0);
    let count = drawn(500);
    let name = "20 cases of 10 repeats, by case";
    check_false_alarms(name, CHANGED, ONE_SIDE, 0.0, count, |draw| vec![clustered(&family(draw))]);
    // Taken for two hundred cases they cry wolf, so this simulation does find what it looks for.
    let naive = shares(CHANGED, 0.0, 100, |draw| vec![single(family(draw).into_iter().flatten())]);
    println!("| the same, taken for 200 cases | 100 | Worse {:.0} % | |", 100.0 * naive[0]);
    assert!(naive[0] > 4.0 * ONE_SIDE, "{naive:?}");
}

#[test]
fn a_loss_of_exactly_the_margin_is_neither_worse_nor_safe() {
    // Nothing has changed but for one case in twenty, which fails.
    let rare: fn(&mut Draw) -> f64 = |draw| -coin(draw, 0.05);
    // As many are won as by chance, and a twentieth more are lost.
    let coins: fn(&mut Draw) -> f64 = |draw| coin(draw, 0.75) - coin(draw, 0.8);
    // All scores are a little lower.
    let scores: fn(&mut Draw) -> f64 = |draw| skewed(draw) - skewed(draw) - 0.05;
    for (what, delta, sizes) in [
        ("1 in 20 fails", rare, [(20, 1_000), (60, 500), (200, 200)]),
        ("coins", coins, [(20, 1_000), (60, 400), (200, 60)]),
        ("skewed scores", scores, [(8, 500), (20, 200), (60, 60)]),
    ] {
        for (count, usual) in sizes {
            let name = format!("margin 0.05 lost: {what}, {count} cases");
            let wrong = [Finding::Worse, Finding::NoWorse];
            check_false_alarms(&name, wrong, ONE_SIDE, 0.05, drawn(usual), |draw| {
                vec![cases(count, draw, delta)]
            });
        }
    }
}

#[test]
fn of_several_comparisons_at_once_none_is_a_false_alarm_more_often() {
    for (comparisons, usual) in [(3, 600), (10, 200)] {
        let name = format!("{comparisons} comparisons of 30 coins, p = 0.8");
        check_false_alarms(&name, CHANGED, LEVEL, 0.0, drawn(usual), |draw| {
            let one = |draw: &mut Draw| cases(30, draw, |draw| coin(draw, 0.8) - coin(draw, 0.8));
            (0..comparisons).map(|_| one(draw)).collect()
        });
    }
}

#[test]
fn a_real_loss_is_found() {
    let found =
        |what: &str, finding, margin, least: f64, one: &dyn Fn(&mut Draw) -> PairedSample| {
            let count = drawn(60);
            let [share, _] =
                shares([finding, Finding::Inconclusive], margin, count, |draw| vec![one(draw)]);
            println!("| {what} | {count} | {finding:?} {:.0} % | |", 100.0 * share);
            assert!(share >= least, "{what}: {share}");
        };
    found("coins 0.9 → 0.7, 100 cases", Finding::Worse, 0.0, 0.75, &|draw| {
        cases(100, draw, |draw| coin(draw, 0.7) - coin(draw, 0.9))
    });
    found("skewed scores, 0.15 lower, 40 cases", Finding::Worse, 0.0, 0.75, &|draw| {
        cases(40, draw, |draw| skewed(draw) - skewed(draw) - 0.15)
    });
    found("20 cases of 10 repeats, 0.4 lower", Finding::Worse, 0.0, 0.5, &|draw| {
        clustered(&repeats_of(20, 10, draw, 0.4))
    });
    found("margin 0.05, 0.2 lower, 40 cases", Finding::Worse, 0.05, 0.7, &|draw| {
        cases(40, draw, |draw| skewed(draw) - skewed(draw) - 0.2)
    });
    found("margin 0.05, 200 cases, 1 in 50 differs", Finding::NoWorse, 0.05, 0.5, &|draw| {
        cases(200, draw, |draw| coin(draw, 0.01) - coin(draw, 0.01))
    });
    found("coins 0.7 → 0.9, 100 cases", Finding::Better, 0.0, 0.75, &|draw| {
        cases(100, draw, |draw| coin(draw, 0.9) - coin(draw, 0.7))
    });
}

#[test]
fn intervals_hold_the_mean_about_as_often_as_they_say() {
    let covered =
        |what: &str, cases_of: u32, mean: f64, least: f64, delta: &dyn Fn(&mut Draw) -> f64| {
            let mut draw = ChaCha8Rng::seed_from_u64(11);
            let count = drawn(200);
            let hits = (0..count).filter(|_| {
                let sample = cases(cases_of, &mut draw, delta);
                let found = sample.bootstrap_of(Confidence::default(), RESAMPLES).unwrap();
                found.interval.low <= mean + 1e-9 && mean <= found.interval.high + 1e-9
            });
            let share = hits.count() as f64 / f64::from(count);
            println!(
                "| interval: {what}, {cases_of} cases | {count} | holds {:.1} % | |",
                100.0 * share
            );
            assert!(share >= least, "{what}: {share}");
        };
    covered("coins", 10, 0.0, 0.89, &|draw| coin(draw, 0.8) - coin(draw, 0.8));
    covered("skewed scores", 10, 0.0, 0.89, &|draw| skewed(draw) - skewed(draw));
    covered("1 in 10 fails", 30, -0.1, 0.85, &|draw| -coin(draw, 0.1));
}
