//! The width as a state machine, and the gate with everyone who passes it.

use std::time::Duration;

use proptest::prelude::*;

use super::*;

/// The widths after each step: `r` refused, `a` answered, both of requests of the current round.
fn check(most: usize, steps: &str) -> Vec<usize> {
    let mut width = Width::new(most);
    let step = |step| {
        let round = width.round;
        match step {
            'r' => width.refused(round),
            _ => width.answered(round),
        }
        width.now
    };
    steps.chars().map(step).collect()
}

#[test]
fn a_gate_halves_and_never_closes() {
    assert_eq!(check(16, "rrrrrr"), [8, 4, 2, 1, 1, 1]);
    assert_eq!(check(1, "r"), [1]);
    assert_eq!(check(0, "ra"), [1, 1]);
}

#[test]
fn a_gate_opens_by_one_after_as_many_answers_as_it_is_wide() {
    assert_eq!(check(4, "raaaaaaaaaaa"), [2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4]);
    // A refusal starts the row anew.
    assert_eq!(check(8, "raaaraaa"), [4, 4, 4, 4, 2, 2, 3, 3]);
}

#[test]
fn a_burst_of_refusals_counts_once_and_late_answers_of_it_do_not_count() {
    let mut width = Width::new(8);
    for _ in 0..8 {
        width.refused(0);
    }
    assert_eq!(width.now, 4);
    for _ in 0..8 {
        width.answered(0);
    }
    assert_eq!(width.now, 4);
    width.refused(1);
    assert_eq!(width.now, 2);
}

proptest! {
    #[test]
    fn whatever_happens_the_places_of_a_gate_are_its_width(
        most in 1..12_usize,
        steps in prop::collection::vec((0..4_u8, 0..12_usize), 0..60),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let gate = Arc::new(Gate::new(most));
            let mut inside: Vec<Place> = Vec::new();
            for (step, which) in steps {
                match step {
                    0 if gate.places.available_permits() > 0 => inside.push(gate.place().await),
                    1 if !inside.is_empty() => drop(inside.remove(which % inside.len())),
                    2 if !inside.is_empty() => inside[which % inside.len()].answered(),
                    3 if !inside.is_empty() => inside[which % inside.len()].refused(None),
                    _ => {}
                }
                let state = gate.state();
                let width = &state.width;
                assert!((1..=most).contains(&width.now));
                let places = gate.places.available_permits() + inside.len() - state.too_many;
                assert_eq!(places, width.now);
            }
        });
    }
}

#[tokio::test]
async fn nobody_passes_a_gate_that_became_narrower_until_enough_have_left() {
    let gate = Arc::new(Gate::new(4));
    let mut inside = Vec::new();
    for _ in 0..4 {
        inside.push(gate.place().await);
    }
    inside[0].refused(None);
    inside.truncate(2);
    assert_eq!(gate.places.available_permits(), 0);
    inside.truncate(1);
    assert_eq!(gate.places.available_permits(), 1);
}

#[tokio::test(start_paused = true)]
async fn everyone_waits_as_long_as_the_service_asked_anyone_to() {
    let gate = Arc::new(Gate::new(4));
    let (one, other) = (gate.place().await, gate.place().await);
    let begun = Instant::now();
    one.refused(Some(begun + Duration::from_secs(30)));
    // A shorter wish does not open it earlier.
    other.refused(Some(begun + Duration::from_secs(10)));
    other.refused(None);
    assert_eq!(gate.closed_until(), Some(begun + Duration::from_secs(30)));
    tokio::time::advance(Duration::from_secs(30)).await;
    assert_eq!(gate.closed_until(), None);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_waited_behind_a_closed_gate_is_of_the_round_in_which_it_is_sent() {
    let gate = Arc::new(Gate::new(8));
    let (one, mut other) = (gate.place().await, gate.place().await);
    one.refused(None);
    other.refused(None);
    assert_eq!(gate.state().width.now, 4);
    other.set_off();
    other.refused(None);
    assert_eq!(gate.state().width.now, 2);
}
