//! What the display is to say above its picture, and how much it keeps.

use std::sync::Arc;

use agentv_base::{FailureKind, Outcome, Totals};

use super::*;
use crate::record::sample::{failed, scored, settled};

const NOW: Duration = Duration::ZERO;

fn board() -> Board {
    Board::new(Course::default(), Style { color: false, width: 80 })
}

fn settle(slot: usize, id: &str, outcome: Outcome) -> RunEvent {
    RunEvent::Settled(Box::new(settled(slot, id, outcome)))
}

#[test]
fn what_went_wrong_is_said_once_and_then_counted() {
    let mut board = board();
    board.hear(&RunEvent::Started { cases: 5, repeated: true }, NOW);
    board.hear(&settle(0, "a", scored(1.0, &[])), NOW);
    board.hear(&settle(1, "b", scored(0.2, &["names it"])), NOW);
    for slot in 2..5 {
        board.hear(&settle(slot, "c", failed(FailureKind::Batch, "line 3 is not JSON")), NOW);
    }
    board.hear(&RunEvent::Warning("odd".to_owned()), NOW);
    board.hear(&RunEvent::Warning("odd".to_owned()), NOW);
    board.hear(&RunEvent::Finished(Totals::default()), NOW);
    assert_eq!(
        board.take_unsaid(),
        [
            "FAIL 0.20 b (agent): names it",
            "ERROR c (agent): batch: line 3 is not JSON",
            "warning: odd",
            "2 more times: batch: line 3 is not JSON",
            "1 more time: odd",
        ]
    );
    assert!(board.take_unsaid().is_empty(), "each line is handed out once");
}

#[test]
fn of_ten_thousand_failed_cases_the_first_are_told_and_the_rest_is_counted() {
    let mut board = board();
    board.hear(&RunEvent::Started { cases: 10_000, repeated: true }, NOW);
    for slot in 0..10_000 {
        board.hear(&settle(slot, "x", scored(0.0, &["it"])), NOW);
    }
    let said = board.take_unsaid();
    assert_eq!(said.len(), MOST_FAILED_LINES + 1);
    assert_eq!(said[MOST_FAILED_LINES], "further failed cases are counted below, and recorded");
    assert_eq!(board.course.tally.failed, 10_000);
}

#[test]
fn a_screen_that_takes_nothing_does_not_fill_the_memory() {
    let mut board = board();
    for number in 0..MOST_UNSAID + 20 {
        board.hear(&RunEvent::Warning(format!("warning {number}")), NOW);
    }
    let said = board.take_unsaid();
    assert_eq!(said.len(), MOST_UNSAID + 1);
    assert_eq!(said[MOST_UNSAID], "20 more lines are left out");
}

#[test]
fn only_what_is_under_way_is_kept() {
    let mut board = board();
    board.hear(&RunEvent::Started { cases: 10_000, repeated: true }, NOW);
    for unit in 0..10_000 {
        let (target, id) = (Arc::<str>::from("agent"), Arc::<str>::from("x"));
        board.hear(
            &RunEvent::Invoking {
                unit,
                target: Arc::clone(&target),
                first_id: Arc::clone(&id),
                repeat: 1,
                cases: 1,
                attempt: 0,
                again: None,
            },
            NOW,
        );
        board.hear(&RunEvent::Invoked { unit }, NOW);
        board.hear(&RunEvent::Grading { unit, index: 0, target, id, repeat: 1 }, NOW);
        assert_eq!(board.under_way.len(), 1);
        board.hear(&RunEvent::Graded { unit, index: 0 }, NOW);
    }
    assert!(board.under_way.is_empty() && board.places.is_empty());
}
