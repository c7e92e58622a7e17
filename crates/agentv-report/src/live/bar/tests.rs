//! The live display on a terminal in memory.

use std::io;

use agentv_base::{FailureKind, Outcome, SkipReason, Totals};
use indicatif::InMemoryTerm;

use super::*;
use crate::record::sample::{failed, scored, settled, skipped};

const STYLE: Style = Style { color: false, width: 80 };

fn terminal(columns: u16) -> (InMemoryTerm, Bar) {
    let terminal = InMemoryTerm::new(20, columns);
    let shared: Arc<dyn TermLike> = Arc::new(terminal.clone());
    let bar = Bar::on(&shared, STYLE);
    (terminal, bar)
}

fn settle(slot: usize, id: &str, outcome: Outcome) -> RunEvent {
    RunEvent::Settled(Box::new(settled(slot, id, outcome)))
}

fn invoking(unit: usize, id: &str, cases: usize) -> RunEvent {
    RunEvent::Invoking {
        unit,
        target: Arc::from("agent"),
        first_id: Arc::from(id),
        cases,
        attempt: 0,
    }
}

/// What stands on the screen, drawn anew whatever the pace of drawing is.
fn picture_of(terminal: &InMemoryTerm, bar: &Bar) -> String {
    bar.drawing.force_draw();
    terminal.contents()
}

#[test]
fn the_bar_shows_how_far_the_run_is_and_what_runs_longest_first() {
    let (terminal, mut bar) = terminal(100);
    bar.hear(&RunEvent::Started { cases: 4 }).unwrap();
    bar.hear(&invoking(0, "slow", 1)).unwrap();
    bar.hear(&invoking(1, "batch", 3)).unwrap();
    bar.hear(&invoking(2, "done", 1)).unwrap();
    bar.hear(&RunEvent::Invoked { unit: 2 }).unwrap();
    bar.hear(&settle(0, "done", scored(1.0, &[]))).unwrap();
    let picture = picture_of(&terminal, &bar);
    let lines: Vec<&str> = picture.lines().collect();
    assert_eq!(lines.len(), 2, "{picture}");
    assert!(
        lines[0].starts_with("█████░░░░░░░░░░░░░░░ 1/4 1 passed, 0 failed, 0 errors "),
        "{picture}"
    );
    assert!(lines[1].starts_with("running 2: slow (agent) "), "{picture}");
    assert!(lines[1].contains(", batch and 2 more (agent) "), "{picture}");
}

#[test]
fn the_bar_starts_behind_what_is_settled_already_and_moves_over_what_is_skipped() {
    let (terminal, mut bar) = terminal(100);
    bar.already(Status::Passed);
    bar.already(Status::Failed);
    bar.hear(&RunEvent::Started { cases: 8 }).unwrap();
    let picture = picture_of(&terminal, &bar);
    assert!(
        picture.contains("█████░░░░░░░░░░░░░░░ 2/8 1 passed, 1 failed, 0 errors "),
        "{picture}"
    );
    for reason in [SkipReason::Budget, SkipReason::Decided] {
        bar.hear(&RunEvent::Skipped(Box::new(skipped("x", reason)))).unwrap();
    }
    let picture = picture_of(&terminal, &bar);
    let words = "██████████░░░░░░░░░░ 4/8 1 passed, 1 failed, 0 errors, 1 not run, 1 not needed ";
    assert!(picture.contains(words), "{picture}");
}

#[test]
fn what_is_graded_is_shown_as_long_as_it_takes() {
    let (terminal, mut bar) = terminal(100);
    let grading = |unit, index, id: &str| RunEvent::Grading {
        unit,
        index,
        target: Arc::from("agent"),
        id: Arc::from(id),
    };
    let mut line_after = |event: &RunEvent| {
        bar.hear(event).unwrap();
        let picture = picture_of(&terminal, &bar);
        picture.lines().nth(1).unwrap_or_default().to_owned()
    };
    line_after(&RunEvent::Started { cases: 3 });
    line_after(&invoking(0, "batch", 2));
    line_after(&invoking(1, "slow", 1));
    line_after(&RunEvent::Invoked { unit: 0 });
    line_after(&grading(0, 0, "capital"));
    let line = line_after(&grading(0, 1, "hello"));
    assert!(line.starts_with("running 1: slow (agent) "), "{line}");
    assert!(line.contains("; grading 2: capital (agent) "), "{line}");
    line_after(&RunEvent::Invoked { unit: 1 });
    let line = line_after(&RunEvent::Graded { unit: 0, index: 0 });
    assert!(line.starts_with("grading 1: hello (agent) "), "{line}");
    let line = line_after(&RunEvent::Graded { unit: 0, index: 1 });
    assert_eq!(line, "nothing is running");
}

#[test]
fn what_went_wrong_stays_above_the_bar_which_is_gone_at_the_end() {
    let (terminal, mut bar) = terminal(100);
    bar.hear(&RunEvent::Started { cases: 5 }).unwrap();
    bar.hear(&settle(0, "a", scored(1.0, &[]))).unwrap();
    bar.hear(&settle(1, "b", scored(0.2, &["names it"]))).unwrap();
    for slot in 2..5 {
        let outcome = failed(FailureKind::Batch, "line 3 is not JSON");
        bar.hear(&settle(slot, "c", outcome)).unwrap();
    }
    bar.hear(&RunEvent::Warning("odd".to_owned())).unwrap();
    bar.hear(&RunEvent::Warning("odd".to_owned())).unwrap();
    bar.hear(&RunEvent::Finished(Totals::default())).unwrap();
    assert_eq!(
        terminal.contents(),
        "FAIL 0.20 b (agent): names it\n\
         ERROR c (agent): batch: line 3 is not JSON\n\
         warning: odd\n\
         2 more times: batch: line 3 is not JSON\n\
         1 more time: odd"
    );
}

#[test]
fn a_bar_that_is_dropped_leaves_the_screen_clean() {
    let (terminal, mut bar) = terminal(100);
    bar.hear(&RunEvent::Started { cases: 5 }).unwrap();
    assert_ne!(picture_of(&terminal, &bar), "");
    drop(bar);
    assert_eq!(terminal.contents(), "");
}

#[test]
fn a_narrow_window_cuts_the_lines_and_never_breaks_them() {
    for columns in [1, 2, 10, 30] {
        let (terminal, mut bar) = terminal(columns);
        bar.hear(&RunEvent::Started { cases: 5 }).unwrap();
        bar.hear(&invoking(0, "a-case-with-quite-a-long-name-全角文字", 1)).unwrap();
        let picture = picture_of(&terminal, &bar);
        assert!(picture.lines().count() <= 2, "{columns}: {picture:?}");
    }
}

#[test]
fn times_of_what_runs_go_on_in_tenths_of_a_second() {
    for (milliseconds, text) in
        [(0, "0.0s"), (540, "0.5s"), (999, "0.9s"), (1290, "1.2s"), (75_900, "1m16s")]
    {
        assert_eq!(time_text(Duration::from_millis(milliseconds)), text);
    }
}

#[test]
fn names_from_outside_cannot_move_the_cursor() {
    let name = running_name("\u{1b}[2J", "\u{7}", 1);
    assert_eq!(name, "\\u{1b}[2J (\\u{7})");
}

#[test]
fn a_terminal_that_dies_does_not_end_the_run() {
    #[derive(Debug)]
    struct Dead;
    fn gone() -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
    impl TermLike for Dead {
        fn width(&self) -> u16 {
            0
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            gone()
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            gone()
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            gone()
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            gone()
        }
        fn write_line(&self, _: &str) -> io::Result<()> {
            gone()
        }
        fn write_str(&self, _: &str) -> io::Result<()> {
            gone()
        }
        fn clear_line(&self) -> io::Result<()> {
            gone()
        }
        fn flush(&self) -> io::Result<()> {
            gone()
        }
    }
    let dead: Arc<dyn TermLike> = Arc::new(Dead);
    let mut bar = Bar::on(&dead, STYLE);
    bar.hear(&RunEvent::Started { cases: 2 }).unwrap();
    bar.hear(&invoking(0, "a", 1)).unwrap();
    bar.hear(&settle(0, "a", scored(0.0, &["x"]))).unwrap();
    bar.hear(&RunEvent::Finished(Totals::default())).unwrap();
}
