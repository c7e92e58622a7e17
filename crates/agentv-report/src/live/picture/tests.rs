//! What stands in windows of all sizes, by a clock that is turned by hand.

use std::sync::Arc;

use agentv_base::{Failure, FailureKind, Outcome, Response, RunEvent, SkipReason, TokenUsage};
use insta::assert_snapshot;

use super::*;
use crate::{
    live::{canvas::Canvas, course::Course, screen::Screen as _, spend::Budget, vt::Vt},
    record::sample::{assessed, failed, grader, response, scored, settled, skipped},
};

const PLAIN: Style = Style { color: false, width: 80 };
const WIDE: Size = Size { rows: 24, columns: 100 };

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn board(cases: usize, budget: Budget) -> Board {
    let mut board = Board::new(Course::new(budget), PLAIN);
    board.hear(&RunEvent::Started { cases, repeated: true }, at(0));
    board
}

fn invoking(unit: usize, id: &str, repeat: u32, cases: usize, attempt: u32) -> RunEvent {
    RunEvent::Invoking {
        unit,
        target: Arc::from("agent"),
        first_id: Arc::from(id),
        repeat,
        cases,
        attempt,
        again: None,
    }
}

fn grading(unit: usize, index: usize, id: &str) -> RunEvent {
    RunEvent::Grading { unit, index, target: Arc::from("agent"), id: Arc::from(id), repeat: 1 }
}

fn settle(slot: usize, id: &str, outcome: Outcome) -> RunEvent {
    RunEvent::Settled(Box::new(settled(slot, id, outcome)))
}

fn paid(score: f64) -> Outcome {
    let token_usage = Some(TokenUsage { input: 900, output: 100, cached: None });
    let response = Response { cost_usd: Some(0.01), token_usage, ..response("An answer.") };
    assessed(response, vec![grader("has", score, &[], &[])])
}

/// A run in its middle: 42 of 120 are settled after 84 seconds, four at a time.
fn middle() -> Board {
    let mut board = board(120, Budget { usd: Some(2.5), tokens: None });
    for unit in 0..42 {
        let now = at(unit as u64 * 2);
        board.hear(&invoking(unit, "x", 1, 1, 0), now);
        board.hear(&RunEvent::Invoked { unit }, now + at(2));
        let outcome = match unit {
            5 | 6 | 7 | 20 => paid(0.0),
            9 => failed(FailureKind::Timeout, "no answer within 5s"),
            _ => paid(1.0),
        };
        board.hear(&settle(unit, &format!("case-{unit}"), outcome), now + at(2));
    }
    board.hear(&invoking(100, "slow-one", 1, 1, 0), at(60));
    board.hear(&invoking(101, "again-全角文字", 2, 1, 1), at(75));
    board.hear(&invoking(102, "batch", 1, 8, 0), at(80));
    board.hear(&grading(90, 0, "judged"), at(82));
    board
}

/// What a terminal of this size shows of the picture.
fn shown(board: &mut Board, size: Size, now: Duration) -> String {
    let mut terminal =
        Vt::new(u16::try_from(size.rows).unwrap(), u16::try_from(size.columns).unwrap());
    let picture = picture(board, size, now);
    assert!(picture.len() < size.rows.max(2), "a row stays free: {picture:?}");
    let text = Canvas::default().draw(&[], picture.clone(), size).unwrap();
    terminal.write(&text).unwrap();
    let shown = terminal.shown();
    assert_eq!(shown.lines().count(), picture.len(), "no line is broken: {shown}");
    shown
}

#[test]
fn a_run_in_its_middle() {
    assert_snapshot!(shown(&mut middle(), WIDE, at(84)), @"
    ██████████░░░░░░░░░░░░░░░░░░░░ 42/120 35% · 1m24s, about 2m30s left · $0.41 of $2.50 · 41.0k tokens
    37 passed, 4 failed, 1 error · pass rate 90 % [77–96 %] of 41 graded
       24s  slow-one (agent)
        9s  again-全角文字 #2 (agent), attempt 2
        4s  batch and 7 more (agent)
        2s  grading judged (agent)
    ");
}

#[test]
fn a_window_of_forty_columns() {
    assert_snapshot!(shown(&mut middle(), Size { rows: 24, columns: 40 }, at(84)), @"
    42/120 35% · 1m24s · about 2m30s left
    $0.41 of $2.50 · 41.0k tokens
    37 passed · 4 failed · 1 error
    pass 90 % [77–96 %]
       24s  slow-one (agent)
        9s  again-全角文字 #2 (agent), att…
        4s  batch and 7 more (agent)
        2s  grading judged (agent)
    ");
}

#[test]
fn a_window_of_twenty_columns() {
    assert_snapshot!(shown(&mut middle(), Size { rows: 24, columns: 20 }, at(84)), @"
    42/120 35% · 1m24s
    about 2m30s left
    $0.41 of $2.50
    41.0k tokens
    37 passed
    4 failed · 1 error
    pass 90 % [77–96 %]
       24s  slow… (age…
        9s  agai… #2 (…
        4s  batch and …
        2s  grading … …
    ");
}

#[test]
fn a_window_of_five_rows() {
    assert_snapshot!(shown(&mut middle(), Size { rows: 5, columns: 100 }, at(84)), @"
    ██████████░░░░░░░░░░░░░░░░░░░░ 42/120 35% · 1m24s, about 2m30s left · $0.41 of $2.50 · 41.0k tokens
    37 passed, 4 failed, 1 error · pass rate 90 % [77–96 %] of 41 graded
       24s  slow-one (agent) +3 more
    ");
}

#[test]
fn no_window_is_too_small() {
    for rows in [1, 2, 3, 4] {
        for columns in [1, 2, 3, 5, 10] {
            shown(&mut middle(), Size { rows, columns }, at(84));
        }
    }
    picture(&mut middle(), Size { rows: 0, columns: 0 }, at(84));
}

#[test]
fn many_workers_are_shown_as_far_as_there_is_room() {
    let mut board = board(1000, Budget::default());
    for unit in 0..50 {
        board.hear(&invoking(unit, &format!("case-{unit}"), 1, 1, 0), at(unit as u64));
    }
    let lines = picture(&mut board, Size { rows: 60, columns: 100 }, at(60));
    let listed: Vec<&str> = lines.iter().map(|line| line.trim()).skip(2).collect();
    assert_eq!(listed.len(), MOST_LISTED);
    assert_eq!(listed[0], "1m00s  case-0 (agent)", "longest first");
    assert_eq!(listed[7], "+43 more");
    let lines = picture(&mut board, Size { rows: 12, columns: 100 }, at(60));
    assert_eq!(lines.len(), 2 + 4, "a third of the window");
    let lines = picture(&mut board, Size { rows: 4, columns: 100 }, at(60));
    assert_eq!(lines[2].trim(), "1m00s  case-0 (agent) +49 more");
}

#[test]
fn what_waits_for_another_attempt_is_told_with_its_reason() {
    let mut board = board(10, Budget::default());
    let last = Some(Failure::new(FailureKind::Timeout, "no answer\u{1b}[2J within 5s"));
    board.hear(&RunEvent::Waiting { cases: 3, last }, at(1));
    let lines = picture(&mut board, WIDE, at(2));
    assert_eq!(
        lines[2],
        "3 waiting for another attempt, the last after: timeout: no answer\\u{1b}[2J within 5s"
    );
    board.hear(&RunEvent::Waiting { cases: 0, last: None }, at(3));
    assert_eq!(picture(&mut board, WIDE, at(3))[2], "nothing is running");
}

#[test]
fn what_is_skipped_moves_the_bar_and_is_never_passed() {
    let mut board = board(8, Budget::default());
    for reason in [SkipReason::Budget, SkipReason::Decided] {
        board.hear(&RunEvent::Skipped(Box::new(skipped("x", reason))), at(1));
    }
    board.hear(&settle(0, "a", scored(1.0, &[])), at(1));
    let lines = picture(&mut board, WIDE, at(1));
    assert_eq!(lines[0], "███████████░░░░░░░░░░░░░░░░░░░ 3/8 37% · 1s");
    assert!(lines[1].starts_with("1 passed, 0 failed, 0 errors, 1 not run, 1 not needed"));
}

#[test]
fn a_run_that_is_stopping_promises_no_end() {
    let mut board = middle();
    board.hear(&RunEvent::Stopping(StopLevel::Terminate), at(84));
    assert!(picture(&mut board, WIDE, at(84))[0].contains(" · 1m24s, stopping · "));
}

#[test]
fn a_run_without_cases_divides_nothing() {
    let lines = picture(&mut board(0, Budget::default()), WIDE, at(0));
    assert!(lines[0].ends_with(" 0/0 100% · 0s"), "{lines:?}");
}

#[test]
fn names_from_outside_cannot_move_the_cursor_or_turn_the_line() {
    let mut board = board(1, Budget::default());
    let id = "a\u{1b}[2J\r\u{9b}31m\u{202e}b\u{200b}";
    board.hear(&invoking(0, id, 1, 1, 0), at(0));
    let line = picture(&mut board, WIDE, at(0)).pop().unwrap();
    assert_eq!(line.trim(), "0s  a\\u{1b}[2J\\r\\u{9b}31m\\u{202e}b\\u{200b} (agent)");
}

#[test]
fn colour_only_repeats_what_words_say() {
    let mut plain = middle();
    let mut colored = middle();
    colored.style = Style { color: true, width: 80 };
    let colored = picture(&mut colored, WIDE, at(84));
    assert!(colored[0].contains('\u{1b}'));
    let bare: Vec<_> = colored.iter().map(|line| console::strip_ansi_codes(line)).collect();
    assert_eq!(bare, picture(&mut plain, WIDE, at(84)));
}
