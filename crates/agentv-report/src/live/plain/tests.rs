//! Plain lines, few and many.

use std::{
    io,
    sync::{Arc, Mutex},
};

use agentv_base::{Failure, FailureKind, Outcome, SkipReason, Spent, StopLevel, Totals};
use insta::assert_snapshot;

use super::*;
use crate::record::{
    SlotName, Timestamp,
    sample::{assessed, failed, full_response, grader, moment, response, scored, settled, skipped},
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

/// For whom no time goes by.
fn stopped_clock(paper: Paper) -> Plain<Paper> {
    let style = Style { color: false, width: 80 };
    Plain::with_clock(paper, style, Budget::default(), Box::new(|| Duration::from_secs(75)))
}

/// What is shown of these events.
fn shown(events: &[RunEvent]) -> String {
    let paper = Paper::default();
    let mut plain = stopped_clock(paper.clone());
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
        RunEvent::Started { cases: 6, repeated: true },
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
    let mut events = vec![RunEvent::Started { cases: 2000, repeated: true }];
    events.extend((0..2000).map(|slot| match slot {
        500 => settle(slot, "bad", scored(0.0, &["it"])),
        1500.. => settle(slot, "x", failed(FailureKind::Batch, "line 3 is not JSON")),
        _ => settle(slot, &format!("good-{slot}"), scored(1.0, &[])),
    }));
    events.push(RunEvent::Finished(Totals::default()));
    assert_snapshot!(shown(&events));
}

fn skip(id: &str, reason: SkipReason) -> RunEvent {
    RunEvent::Skipped(Box::new(skipped(id, reason)))
}

#[test]
fn what_is_skipped_or_asked_again_has_its_line_in_a_short_run() {
    let invoking = |repeat: u32, cases: usize, attempt: u32| RunEvent::Invoking {
        unit: 0,
        target: Arc::from("agent\u{7}"),
        first_id: Arc::from("first"),
        repeat,
        cases,
        attempt,
        again: (attempt > 0).then(|| Failure::new(FailureKind::Exit, "exit code 7:\nbusy\u{1b}")),
    };
    let mut third = skipped("third", SkipReason::Decided);
    third.repeat = 3;
    let text = shown(&[
        RunEvent::Started { cases: 6, repeated: true },
        invoking(1, 1, 0),
        invoking(2, 1, 1),
        invoking(1, 4, 2),
        skip("second", SkipReason::Budget),
        RunEvent::Skipped(Box::new(third)),
        skip("fourth", SkipReason::Dependency { on: Arc::from("log\u{1b}in") }),
        skip("fifth", SkipReason::FailFast),
        skip("sixth", SkipReason::Deadline),
    ]);
    assert_snapshot!(text, @r"
    RETRY first #2 (agent\u{7}), attempt 2: exit code 7:; busy\u{1b}
    RETRY first and 3 more (agent\u{7}), attempt 3: exit code 7:; busy\u{1b}
    SKIP second (agent) (budget)
    SKIP fourth (agent) (depends on `log\u{1b}in`)
    SKIP fifth (agent) (--fail-fast)
    SKIP sixth (agent) (deadline)
    ");
}

#[test]
fn what_is_skipped_counts_as_done_in_a_long_run_and_never_as_passed() {
    let mut events = vec![RunEvent::Started { cases: 2000, repeated: true }];
    events.extend((0..2000).map(|slot| match slot {
        0..150 => settle(slot, &format!("good-{slot}"), scored(1.0, &[])),
        150..1000 => skip("x", SkipReason::Budget),
        _ => skip("y", SkipReason::Decided),
    }));
    let text = shown(&events);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 10, "{text}");
    let rate = "pass rate 100 % [98–100 %] of 150 graded; 1m15s";
    let first = format!(" 10% 200/2000: 150 passed, 0 failed, 0 errors, 50 not run; {rate}");
    assert_eq!(lines[0], first);
    let last = format!(
        "100% 2000/2000: 150 passed, 0 failed, 0 errors, 850 not run, 1000 not needed; {rate}"
    );
    assert_eq!(lines[9], last);
}

#[test]
fn a_resumed_run_starts_where_it_ended() {
    let paper = Paper::default();
    let mut plain = stopped_clock(paper.clone());
    for number in 0..1000 {
        plain.already(&kept_row(&format!("case-{number}"), Status::Passed), true);
    }
    plain.already(&kept_row("bad", Status::Error), true);
    plain.hear(&RunEvent::Started { cases: 2000, repeated: true }).unwrap();
    for slot in 0..199 {
        plain.hear(&settle(slot, &format!("new-{slot}"), scored(1.0, &[]))).unwrap();
    }
    let text = String::from_utf8(paper.0.lock().unwrap().clone()).unwrap();
    assert_eq!(
        text,
        " 60% 1200/2000: 1199 passed, 0 failed, 1 error; pass rate 100.0 % [99.7–100.0 %] of 1199 \
         graded; ≥$2.00; 1m15s\n"
    );
}

/// A row of an earlier session.
fn kept_row(id: &str, status: Status) -> KeptRow {
    let cost_usd = (id == "bad").then_some(2.0);
    KeptRow {
        slot: SlotName {
            suite: "evals/demo.yaml".into(),
            eval_id: id.into(),
            target: "agent".into(),
            repeat: 1,
        },
        offset: 0,
        length: 1,
        place: None,
        timestamp: Timestamp::of(moment(0)),
        status,
        score: None,
        threshold: None,
        has_answer: true,
        own: Spent::default(),
        judges: Spent::default(),
        spent: Spent { tokens: None, cost_usd },
        fingerprint: None,
    }
}

#[test]
fn each_tenth_of_many_cases_says_how_it_goes_and_how_long_it_will_take() {
    let paper = Paper::default();
    let seconds = Arc::new(Mutex::new(0));
    let clock = Arc::clone(&seconds);
    let clock = Box::new(move || Duration::from_secs(*clock.lock().unwrap()));
    let style = Style { color: false, width: 80 };
    let mut plain = Plain::with_clock(paper.clone(), style, Budget::default(), clock);
    plain.hear(&RunEvent::Started { cases: 100, repeated: true }).unwrap();
    for slot in 0..20 {
        plain.hear(&asking(slot, 0)).unwrap();
        *seconds.lock().unwrap() += 3;
        plain.hear(&RunEvent::Invoked { unit: slot }).unwrap();
        let score = if slot == 0 { 0.0 } else { 1.0 };
        plain.hear(&settle(slot, &format!("case-{slot}"), scored(score, &[]))).unwrap();
    }
    let text = String::from_utf8(paper.0.lock().unwrap().clone()).unwrap();
    let tenths: Vec<&str> = text.lines().filter(|line| line.contains('%')).collect();
    assert_eq!(
        tenths,
        [
            " 10% 10/100: 9 passed, 1 failed, 0 errors; pass rate 90 % [60–98 %] of 10 graded; \
             30s, about 4m30s left",
            " 20% 20/100: 19 passed, 1 failed, 0 errors; pass rate 95 % [76–99 %] of 20 graded; \
             1m00s, about 4m left",
        ]
    );
}

fn asking(unit: usize, attempt: u32) -> RunEvent {
    RunEvent::Invoking {
        unit,
        target: Arc::from("agent"),
        first_id: Arc::from("x"),
        repeat: 1,
        cases: 1,
        attempt,
        again: (attempt > 0).then(|| Failure::new(FailureKind::Timeout, "no answer within 5s")),
    }
}

#[test]
fn in_a_long_run_each_reason_to_ask_again_is_told_once_and_then_counted() {
    let mut events = vec![RunEvent::Started { cases: 5000, repeated: true }];
    events.extend((0..40).map(|unit| asking(unit, 1)));
    events.push(RunEvent::Finished(Totals::default()));
    assert_eq!(
        shown(&events),
        "RETRY x (agent), attempt 2: timeout: no answer within 5s\n\
         RETRY 39 more times: timeout: no answer within 5s\n"
    );
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
    let mut plain = Plain::new(Gone, style, Budget::default());
    for slot in 0..3 {
        plain.hear(&settle(slot, "x", scored(1.0, &[]))).unwrap();
    }
    assert!(plain.out.is_none(), "it is not tried again");
}
