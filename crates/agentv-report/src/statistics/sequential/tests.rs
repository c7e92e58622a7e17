//! How soon the rule decides, how often it errs, and where nothing is left to chance.

use agentv_base::StopRule as _;

use super::*;

/// How many equal scores decide, and what; nothing where ten thousand do not.
fn deciding(threshold: f64, score: f64) -> Option<(usize, Decision)> {
    let mut wager = Wager::on(threshold);
    (1..=10_000).find_map(|count| wager.add(score).map(|decision| (count, decision)))
}

#[test]
fn the_tables_of_the_manual_are_what_the_rule_does() {
    let count = |threshold: f64, score: f64, expected: Decision| match deciding(threshold, score) {
        Some((count, decision)) => {
            assert_eq!(decision, expected, "{threshold} {score}");
            count.to_string()
        }
        None => "never".to_owned(),
    };
    let row = |threshold: f64| {
        let ones = count(threshold, 1.0, Decision::Reaches);
        let zeros = count(threshold, 0.0, Decision::FallsShort);
        format!("| {threshold:.1} | {ones} | {zeros} |")
    };
    let rows = [0.5, 0.8, 0.9, 1.0].map(row).join("\n");
    for (name, page) in [
        ("docs/repeats.md", include_str!("../../../../../docs/repeats.md")),
        ("011-repeats.md", include_str!("../../../../../docs/design/011-repeats.md")),
    ] {
        assert!(page.contains(&rows), "{name} lacks\n{rows}");
    }
}

#[test]
fn at_the_usual_threshold_perfect_answers_take_sixteen_repeats_and_wrong_ones_three() {
    assert_eq!(deciding(0.8, 1.0), Some((16, Decision::Reaches)));
    assert_eq!(deciding(0.8, 0.0), Some((3, Decision::FallsShort)));
}

#[test]
fn what_is_certain_is_decided_at_once_and_what_can_never_be_known_never() {
    for score in [0.0, 0.5, 1.0] {
        assert_eq!(deciding(0.0, score), Some((1, Decision::Reaches)), "every score reaches 0");
    }
    assert_eq!(deciding(1.0, 1.0), None, "the next one may be less");
    assert_eq!(deciding(1.0, 0.99), Some((1, Decision::FallsShort)));
    let tenths = (0..10).fold(0.0, |sum, _| sum + 0.1);
    assert_eq!(deciding(1.0, tenths), None, "ten tenths are 1: {tenths}");
    assert!(!UntilDecided.is_decided(0.0, &[]), "nothing was graded");
    let mut wager = Wager::on(1.0);
    assert!((0..50).all(|_| wager.add(1.0).is_none()));
    assert_eq!(wager.add(0.5), Some(Decision::FallsShort));
}

#[test]
fn scores_at_the_threshold_are_never_decided() {
    for threshold in [0.2, 0.5, 0.8, 0.95] {
        assert_eq!(deciding(threshold, threshold), None, "{threshold}");
    }
}

#[test]
fn what_is_decided_stays_decided() {
    let mut scores = vec![1.0; 16];
    assert!(!UntilDecided.is_decided(0.8, &scores[..15]));
    assert!(UntilDecided.is_decided(0.8, &scores));
    scores.extend([0.0; 100]);
    assert!(UntilDecided.is_decided(0.8, &scores), "a look in between would have ended it");
}

#[test]
fn a_slip_makes_it_later_and_not_impossible() {
    let mut wager = Wager::on(0.8);
    wager.add(0.0);
    let later = (2..1000).find(|_| wager.add(1.0).is_some());
    assert!(later.is_some_and(|count| count > 16), "{later:?}");
}

#[test]
fn very_long_and_very_odd_lists_do_no_harm() {
    let mixed: Vec<f64> =
        (0..100_000).map(|place| if place % 5 == 4 { 0.0 } else { 1.0 }).collect();
    assert!(!UntilDecided.is_decided(0.8, &mixed), "exactly the threshold, and never an overflow");
    for odd in [f64::NAN, f64::INFINITY, -1.0, 2.0] {
        UntilDecided.is_decided(0.8, &[odd, 0.5, odd]);
        UntilDecided.is_decided(odd, &[0.5, 1.0, 0.0]);
    }
    assert!(!UntilDecided.is_decided(0.8, &[f64::NAN; 100]));
    assert!(!UntilDecided.is_decided(f64::NAN, &[1.0; 100]));
    assert!(UntilDecided.is_decided(1e-300, &[1.0]), "1 is far more than that");
}

/// Numbers from 0 to 1, the same in every run of the test.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        // Knuth's constants for a linear congruential generator; its high bits are the good ones.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Draws a score with a mean.
type Scores = fn(&mut Draw, f64) -> f64;

#[test]
fn at_the_threshold_each_side_is_decided_in_at_most_one_of_twenty_cases() {
    const CASES: u32 = 2000;
    const LOOKS: usize = 200;
    // Three standard errors of a share of so many cases.
    let most = ERROR_LEVEL + 3.0 * (ERROR_LEVEL * (1.0 - ERROR_LEVEL) / f64::from(CASES)).sqrt();
    let kinds: [(&str, Scores); 3] = [
        ("right or wrong", |draw, mean| f64::from(u8::from(draw.next() < mean))),
        ("anything around the mean", |draw, mean| {
            let reach = mean.min(1.0 - mean);
            mean + reach * (2.0 * draw.next() - 1.0)
        }),
        // Mostly a little too good, and now and then nothing at all.
        ("a rare zero", |draw, mean| {
            let good = f64::midpoint(mean, 1.0);
            if draw.next() < mean / good { good } else { 0.0 }
        }),
    ];
    let mut draw = Draw(20_250_105);
    for threshold in [0.5, 0.8, 0.9] {
        for (kind, score) in kinds {
            let (mut reaching, mut short) = (0_u32, 0_u32);
            for _ in 0..CASES {
                let mut wager = Wager::on(threshold);
                let decision = (0..LOOKS).find_map(|_| wager.add(score(&mut draw, threshold)));
                reaching += u32::from(decision == Some(Decision::Reaches));
                short += u32::from(decision == Some(Decision::FallsShort));
            }
            for (side, count) in [("reaches", reaching), ("falls short", short)] {
                let share = f64::from(count) / f64::from(CASES);
                assert!(share <= most, "{kind} at {threshold}: {side} in {share}");
            }
        }
    }
}
