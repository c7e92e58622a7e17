//! Plain lines, few and many.

use std::{
    io,
    sync::{Arc, Mutex},
};

use agentv_base::{FailureKind, Outcome, SkipReason, StopLevel, Totals};
use insta::assert_snapshot;

use super::*;
use crate::record::sample::{
    assessed, failed, full_response, grader, response, scored, settled, skipped,
};

#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is shown of these events.
fn shown(events: &[RunEvent]) -> String {
    let paper = Paper::default();
    let style = Style { color: false, width: 80 };
    let mut plain = Plain::new(paper.clone(), style);
    for event in events {
        plain.hear(event).unwrap();
    }
    let bytes = paper.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

fn settle(slot: usize, id: &str, outcome: Outcome) -> RunEvent {
    RunEvent::Settled(Box::new(settled(slot, id, outcome)))
}

#[test]
fn every_case_of_a_short_run_has_its_line() {
    let mut third = settled(2, "third", scored(0.4, &["names the year", "polite"]));
    third.repeat = 2;
    let answered = Outcome::Answered { response: Box::new(response("x")) };
    let text = shown(&[
        RunEvent::Started { cases: 6 },
        settle(0, "first", assessed(full_response(), vec![grader("has", 0.95, &[], &["x"])])),
        settle(1, "second", failed(FailureKind::Exit, "exit code 7:\nno such model")),
        RunEvent::Settled(Box::new(third)),
        settle(3, "fourth", answered),
        settle(4, "fifth", failed(FailureKind::Interrupted, "interrupted")),
        RunEvent::Stopping(StopLevel::Terminate),
        RunEvent::Stopping(StopLevel::Kill),
        RunEvent::Finished(Totals::default()),
    ]);
    assert_snapshot!(text, @"
    PASS 0.95 first (agent) 1.2s
    ERROR second (agent): exit code 7:; no such model
    FAIL 0.40 third #2 (agent): names the year
    DONE fourth (agent)
    STOPPED fifth (agent): interrupted
    stopping: nothing new is started, what runs is being ended; once more to kill it now
    killing what still runs
    ");
}

#[test]
fn of_a_long_run_only_what_went_wrong_and_every_tenth_is_shown() {
    let mut events = vec![RunEvent::Started { cases: 2000 }];
    events.extend((0..2000).map(|slot| match slot {
        500 => settle(slot, "bad", scored(0.0, &["it"])),
        1500.. => settle(slot, "x", failed(FailureKind::Batch, "line 3 is not JSON")),
        _ => settle(slot, "good", scored(1.0, &[])),
    }));
    events.push(RunEvent::Finished(Totals::default()));
    assert_snapshot!(shown(&events));
}

fn skip(id: &str, reason: SkipReason) -> RunEvent {
    RunEvent::Skipped(Box::new(skipped(id, reason)))
}

#[test]
fn what_is_skipped_or_asked_again_has_its_line_in_a_short_run() {
    let invoking = |cases: usize, attempt: u32| RunEvent::Invoking {
        unit: 0,
        target: Arc::from("agent\u{7}"),
        first_id: Arc::from("first"),
        cases,
        attempt,
    };
    let mut third = skipped("third", SkipReason::Decided);
    third.repeat = 3;
    let text = shown(&[
        RunEvent::Started { cases: 6 },
        invoking(1, 0),
        invoking(1, 1),
        invoking(4, 2),
        skip("second", SkipReason::Budget),
        RunEvent::Skipped(Box::new(third)),
        skip("fourth", SkipReason::Dependency { on: Arc::from("log\u{1b}in") }),
        skip("fifth", SkipReason::FailFast),
        skip("sixth", SkipReason::Deadline),
    ]);
    assert_snapshot!(text, @r"
    RETRY first (agent\u{7}), attempt 2
    RETRY first and 3 more (agent\u{7}), attempt 3
    SKIP second (agent) (budget)
    SKIP fourth (agent) (depends on `log\u{1b}in`)
    SKIP fifth (agent) (--fail-fast)
    SKIP sixth (agent) (deadline)
    ");
}

#[test]
fn what_is_skipped_counts_as_done_in_a_long_run_and_never_as_passed() {
    let mut events = vec![RunEvent::Started { cases: 2000 }];
    events.extend((0..2000).map(|slot| match slot {
        0..150 => settle(slot, "good", scored(1.0, &[])),
        150..1000 => skip("x", SkipReason::Budget),
        _ => skip("y", SkipReason::Decided),
    }));
    let text = shown(&events);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 10, "{text}");
    assert_eq!(lines[0], " 10% 200/2000: 150 passed, 0 failed, 0 errors, 50 not run");
    let last = "100% 2000/2000: 150 passed, 0 failed, 0 errors, 850 not run, 1000 not needed";
    assert_eq!(lines[9], last);
}

#[test]
fn a_resumed_run_starts_where_it_ended() {
    let paper = Paper::default();
    let mut plain = Plain::new(paper.clone(), Style { color: false, width: 80 });
    for _ in 0..1000 {
        plain.already(Status::Passed);
    }
    plain.already(Status::Error);
    plain.hear(&RunEvent::Started { cases: 2000 }).unwrap();
    for slot in 0..199 {
        plain.hear(&settle(slot, "good", scored(1.0, &[]))).unwrap();
    }
    let text = String::from_utf8(paper.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text, " 60% 1200/2000: 1199 passed, 0 failed, 1 error\n");
}

#[test]
fn a_warning_is_shown_once_and_then_counted() {
    let warn = |text: &str| RunEvent::Warning(text.to_owned());
    let text = shown(&[
        warn("odd"),
        warn("other"),
        warn("odd"),
        warn("odd"),
        RunEvent::Finished(Totals::default()),
    ]);
    assert_snapshot!(text, @r"
    warning: odd
    warning: other
    warning 2 more times: odd
    ");
}

#[test]
fn control_characters_are_shown_as_text() {
    let text = shown(&[
        settle(0, "a\u{1b}[2Jb", scored(0.0, &["\u{1b}]0;title\u{7}"])),
        RunEvent::Warning("\u{9b}31m\n".to_owned()),
    ]);
    assert_eq!(
        text,
        "FAIL 0.00 a\\u{1b}[2Jb (agent): \\u{1b}]0;title\\u{7}\nwarning: \\u{9b}31m\\n\n"
    );
}

#[test]
fn a_writer_that_is_gone_does_not_end_the_run() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }
    let style = Style { color: true, width: 80 };
    let mut plain = Plain::new(Gone, style);
    for slot in 0..3 {
        plain.hear(&settle(slot, "x", scored(1.0, &[]))).unwrap();
    }
    assert!(plain.out.is_none(), "it is not tried again");
}
