//! What is said of the time that is left, by a clock that is turned by hand.

use super::*;

fn at(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// A pace after workers asked one case after the other, each of which took so long.
fn steady(workers: usize, seconds: f64, waves: usize) -> Pace {
    let mut pace = Pace::default();
    for wave in 0..waves {
        let from = wave as f64 * seconds;
        for _ in 0..workers {
            pace.begin(1, at(from));
        }
        for _ in 0..workers {
            pace.end(1, at(from + seconds));
            pace.settle(at(from + seconds));
        }
    }
    pace
}

#[test]
fn nothing_is_said_before_a_whole_wave_is_back() {
    let mut pace = Pace::default();
    assert_eq!(pace.left(100, at(5.0)), None, "nothing was begun");
    for _ in 0..4 {
        pace.begin(1, at(0.0));
    }
    for settled in 0..3 {
        pace.settle(at(10.0 + f64::from(settled)));
        assert_eq!(pace.left(100, at(13.0)), None);
    }
    pace.settle(at(14.0));
    assert_eq!(pace.left(100, at(14.0)).map(|left| left.as_secs()), Some(350));
}

#[test]
fn the_rest_takes_as_long_as_its_pace_says() {
    for (workers, seconds, waves, remaining, expected) in
        [(1, 3.0, 2, 10, 30), (4, 3.0, 5, 40, 30), (8, 60.0, 2, 800, 6000)]
    {
        let now = at(seconds * waves as f64);
        let left = steady(workers, seconds, waves).left(remaining, now).unwrap();
        assert_eq!(left.as_secs(), expected, "{workers} workers, {seconds} s");
    }
}

#[test]
fn a_batch_that_settles_at_once_says_nothing_of_its_own_and_of_the_next_all() {
    let mut pace = Pace::default();
    pace.begin(100, at(0.0));
    assert_eq!(pace.left(400, at(59.0)), None);
    pace.end(100, at(60.0));
    pace.begin(100, at(60.0));
    for _ in 0..99 {
        pace.settle(at(60.0));
    }
    assert_eq!(pace.left(301, at(60.0)), None);
    pace.settle(at(60.0));
    assert_eq!(pace.left(300, at(60.0)).map(|left| left.as_secs()), Some(180));
}

#[test]
fn a_batch_that_is_back_is_graded_at_its_own_pace() {
    let mut pace = Pace::default();
    pace.begin(1000, at(0.0));
    pace.end(1000, at(600.0));
    for settled in 1..=10 {
        pace.settle(at(600.0 + f64::from(settled)));
    }
    // Ten in ten seconds, and not ten in ten minutes.
    assert_eq!(pace.left(990, at(610.0)).map(|left| left.as_secs()), Some(990));
}

#[test]
fn what_is_said_is_held_and_goes_down_as_time_goes_on() {
    let mut pace = steady(4, 2.0, 10);
    let left = |pace: &mut Pace, now: f64| pace.left(60, at(now)).unwrap().as_secs_f64();
    assert!((left(&mut pace, 20.0) - 30.0).abs() < 0.01);
    assert!((left(&mut pace, 20.5) - 29.5).abs() < 0.01);
    // Later it is a mixture: it moves to the new estimate and does not jump to it.
    let later = left(&mut pace, 21.5);
    assert!((28.5..30.0).contains(&later), "{later}");
}

#[test]
fn a_silence_that_is_longer_than_any_before_makes_the_rest_longer() {
    let mut pace = steady(1, 2.0, 10);
    let before = pace.left(10, at(20.0)).unwrap();
    let after = pace.left(10, at(60.0)).unwrap();
    assert!(after > 2 * before, "{before:?} {after:?}");
}

#[test]
fn a_long_run_follows_a_pace_that_changes() {
    let mut pace = Pace::default();
    pace.begin(1, at(0.0));
    for settled in 1..=1000 {
        pace.settle(at(f64::from(settled)));
    }
    for settled in 1..=100 {
        pace.settle(at(1000.0 + 10.0 * f64::from(settled)));
    }
    assert_eq!(pace.moments.len(), MOST_MOMENTS, "no more is kept");
    assert_eq!(pace.left(10, at(2000.0)).map(|left| left.as_secs()), Some(100));
}

#[test]
fn when_nothing_is_left_nothing_is_said() {
    assert_eq!(steady(2, 2.0, 4).left(0, at(8.0)), None);
}

#[test]
fn what_takes_longer_than_clocks_can_tell_is_no_fault() {
    let mut pace = steady(1, 1e9, 2);
    assert_eq!(pace.left(usize::MAX, at(2e9)), None);
}

#[test]
fn estimates_are_told_coarsely() {
    for (seconds, text) in [
        (0.2, "less than 5s"),
        (7.0, "about 5s"),
        (58.0, "about 1m"),
        (62.0, "about 1m"),
        (98.0, "about 1m45s"),
        (1234.0, "about 21m"),
        (3500.0, "about 58m"),
        (4000.0, "about 1h10m"),
        (1e6, "more than a day"),
    ] {
        assert_eq!(about(at(seconds)), text, "{seconds}");
    }
}

#[test]
fn times_are_told_in_whole_seconds() {
    for (seconds, text) in [(0.9, "0s"), (59.9, "59s"), (76.0, "1m16s"), (3725.0, "1h02m")] {
        assert_eq!(whole_seconds(at(seconds)), text);
    }
}
