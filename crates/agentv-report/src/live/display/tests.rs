//! The display with its thread, on a terminal in memory.

use agentv_base::Totals;

use super::*;
use crate::{
    live::vt::Vt,
    record::sample::{scored, settled},
};

const STYLE: Style = Style { color: false, width: 80 };

fn display(terminal: &Vt) -> Display {
    Display::on(Box::new(terminal.clone()), STYLE, Budget::default())
}

fn failing(slot: usize, id: &str) -> RunEvent {
    RunEvent::Settled(Box::new(settled(slot, id, scored(0.0, &["it"]))))
}

/// Waits for another thread, which needs no more than a moment.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "not yet: {what}");
        thread::yield_now();
    }
}

#[test]
fn a_picture_is_drawn_while_the_run_goes_on_and_is_gone_at_its_end() {
    let terminal = Vt::new(20, 80);
    let mut display = display(&terminal);
    display.hear(&RunEvent::Started { cases: 2, repeated: true }).unwrap();
    display.hear(&failing(0, "b")).unwrap();
    wait_until("the picture is there", || terminal.shown().contains("1/2 50%"));
    display.hear(&failing(1, "c")).unwrap();
    display.hear(&RunEvent::Finished(Totals::default())).unwrap();
    assert_eq!(terminal.shown(), "FAIL 0.00 b (agent): it\nFAIL 0.00 c (agent): it");
}

#[test]
fn a_display_that_is_dropped_leaves_the_screen_clean() {
    let terminal = Vt::new(20, 80);
    let mut display = display(&terminal);
    display.hear(&RunEvent::Started { cases: 5, repeated: true }).unwrap();
    wait_until("the picture is there", || terminal.shown().contains("0/5"));
    drop(display);
    assert_eq!(terminal.shown(), "");
}

#[test]
fn a_display_that_never_began_says_nothing() {
    let terminal = Vt::new(20, 80);
    drop(display(&terminal));
    assert_eq!(terminal.raw(), "");
}

#[test]
fn a_terminal_that_dies_does_not_end_the_run() {
    let terminal = Vt::new(20, 80);
    let mut display = display(&terminal);
    display.hear(&RunEvent::Started { cases: 3, repeated: true }).unwrap();
    wait_until("the picture is there", || terminal.shown().contains("0/3"));
    terminal.die();
    for slot in 0..3 {
        display.hear(&failing(slot, "x")).unwrap();
    }
    wait_until("it is not drawn any more", || !display.shared.lock().is_drawing);
    display.hear(&RunEvent::Finished(Totals::default())).unwrap();
}
