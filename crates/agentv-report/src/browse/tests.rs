//! What people see of recorded runs, in windows of several widths.

use std::{borrow::Cow, time::Duration};

use agentv_base::FailureKind;
use serde_json::json;

use super::*;
use crate::{
    index::{Fared, Rate, RunEntry},
    record::{
        Keeping, Row, RunCounts, RunSession, RunStatus, Timestamp,
        sample::{
            assessed, failed, failed_attempt, full_response, grader, manifest, moment, response,
            settled,
        },
    },
    style::Style,
    summary::{Again, AgainHow},
};

fn now() -> std::time::SystemTime {
    moment(3 * 3_600_000 + 5000)
}

fn style(width: usize) -> Style {
    Style { color: false, width }
}

fn listed(id: &str, passed: usize, wrong: usize) -> ListedRun {
    let counts =
        RunCounts { planned: 12, passed, failed: wrong, errors: 1, ..RunCounts::default() };
    let rate = Rate { value: 0.8, low: Some(0.49), high: Some(0.94), cases: 10 };
    ListedRun {
        entry: RunEntry {
            run_id: id.to_owned(),
            kind: Some("eval".to_owned()),
            status: Some("finished".to_owned()),
            started_at: Some(Timestamp::of(moment(0))),
            suites: vec!["evals/quite/long/name-of-a-suite.yaml".to_owned(), "b.yaml".to_owned()],
            targets: vec!["agent".to_owned()],
            counts: Some(counts),
            pass_rate: Some(rate),
            ..RunEntry::default()
        },
        is_abandoned: false,
        cost_usd: None,
    }
}

fn runs() -> Vec<ListedRun> {
    let mut shard = listed("20250102T030405678Z-bbbb", 8, 2);
    shard.entry.shard = Some("2/3".to_owned());
    shard.entry.status = Some("running".to_owned());
    shard.is_abandoned = true;
    shard.cost_usd = Some(0.25);
    let mut child = listed("20250102T030405678Z-aaaa", 10, 0);
    child.entry.parent = Some("20250101T000000000Z-0000".to_owned());
    let broken = ListedRun {
        entry: RunEntry {
            run_id: "bad\u{1b}[2J".to_owned(),
            fault: Some("run.json cannot be read: Permission denied".to_owned()),
            ..RunEntry::default()
        },
        is_abandoned: false,
        cost_usd: None,
    };
    vec![shard, child, broken]
}

#[test]
fn a_list_fits_its_window() {
    for width in [40, 60, 80, 100, 120, 160, 200] {
        let text = runs_text(&runs(), now(), style(width));
        for line in text.lines() {
            // Texts are broken no shorter than forty columns after their sign.
            assert!(console::measure_text_width(line) <= width.max(42), "{width}: {line}");
        }
        assert!(text.contains("80 % [49–94 %]"), "{width}: {text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
    insta::assert_snapshot!("list_narrow", runs_text(&runs(), now(), style(40)));
    insta::assert_snapshot!("list_usual", runs_text(&runs(), now(), style(100)));
    insta::assert_snapshot!("list_of_80", runs_text(&runs(), now(), style(80)));
    insta::assert_snapshot!("list_wide", runs_text(&runs(), now(), style(200)));
}

#[test]
fn what_tells_nothing_apart_makes_room_and_suites_and_targets_stay() {
    let plain = |id: &str| {
        let mut run = listed(id, 10, 0);
        run.entry.counts.as_mut().unwrap().errors = 0;
        run
    };
    let mut runs = vec![plain("20250102T030405678Z-bbbb"), plain("20250102T030405678Z-aaaa")];
    insta::assert_snapshot!("list_plain", runs_text(&runs, now(), style(80)));
    runs[0].entry.dry_run = true;
    runs[0].cost_usd = Some(0.25);
    insta::assert_snapshot!("list_dry", runs_text(&runs, now(), style(100)));
    for width in [80, 90, 100] {
        let text = runs_text(&runs, now(), style(width));
        for words in ["suite.yaml +1", "agent", "$0.2500", "dry run"] {
            assert!(text.contains(words), "{width} {words}: {text}");
        }
    }
    let json: serde_json::Value = serde_json::from_str(&runs_json(&runs).unwrap()).unwrap();
    assert_eq!((&json[0]["dry_run"], &json[1]["dry_run"]), (&json!(true), &json!(false)));
}

#[test]
fn lists_for_programs_say_what_is_unknown() {
    let json: serde_json::Value = serde_json::from_str(&runs_json(&runs()).unwrap()).unwrap();
    assert_eq!(json[2]["counts"], json!(null));
    assert_eq!(json[0]["is_abandoned"], true);
    let csv = runs_csv(&runs()).unwrap();
    assert!(csv.lines().nth(3).unwrap().contains("unreadable,,,"), "{csv}");
}

/// A row with everything that a row can say.
fn full_row() -> Row<'static> {
    let mut judged = grader("judge", 0.25, &["is polite"], &["names no source"]);
    judged.reasoning = Some("It is polite,\nand that is all.".to_owned());
    judged.judge = serde_json::from_value(json!({
        "target": "judge", "asks": 3, "samples": [0.2, 0.3], "spread": 0.05,
        "checks": [{"id": "source", "score": 0.0, "reasoning": "there is none"}],
        "token_usage": {"input": 10, "output": 5}, "cost_usd": 0.002
    }))
    .unwrap();
    let mut both = grader("both", 0.25, &[], &[]);
    both.kind = "composite".into();
    both.weight = 2.0;
    both.evaluator_results = vec![judged];
    let mut case = settled(0, "capital\u{7}", assessed(full_response(), vec![both]));
    case.attempts = 2;
    case.failed_attempts = vec![failed_attempt(FailureKind::Timeout, "too slow", 1500.0)];
    let row = Row::of(&case, Keeping { trace: true, question: true, prompts: true }).unwrap();
    let mut row: Row<'static> =
        serde_json::from_str(&serde_json::to_string(&row).unwrap()).unwrap();
    row.question = Some(Cow::Borrowed("What is\tthe capital?\n\u{1b}[31mNow."));
    row.question_omitted = 12;
    row.reference_answer = Some(Cow::Borrowed("Paris"));
    row.tags = vec![Cow::Borrowed("smoke")];
    row
}

fn error_row(id: &str) -> Row<'static> {
    let outcome = failed(FailureKind::Timeout, "no answer after 30 s\nstderr: no route to host");
    let case = settled(1, id, outcome);
    let row = Row::of(&case, Keeping::default()).unwrap();
    serde_json::from_str(&serde_json::to_string(&row).unwrap()).unwrap()
}

#[test]
fn a_case_is_shown_with_everything_that_was_recorded() {
    let text = case_text(&full_row(), style(80));
    assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
    insta::assert_snapshot!("case", text);
    insta::assert_snapshot!("case_error", case_text(&error_row("dead"), style(80)));
}

#[test]
fn an_empty_answer_is_told_as_nothing() {
    let case =
        settled(0, "a", assessed(response(" "), vec![grader("has", 0.0, &[], &["no Paris"])]));
    let row = Row::of(&case, Keeping::default()).unwrap();
    assert!(case_text(&row, style(80)).contains("Answer\n  (nothing)\n"));
}

#[test]
fn what_failed_is_told_with_its_reasons_and_errors_that_are_alike_once() {
    let mut wrong = Wrong::new(1, Some(again()));
    for _ in 0..2 {
        wrong.add(&full_row());
    }
    for id in ["a", "b", "c", "d", "e"] {
        wrong.add(&error_row(id));
    }
    insta::assert_snapshot!("failures", wrong.text(20, style(80)));
    assert_eq!(Wrong::new(0, None).text(1, style(80)), "1 case: nothing failed\n");
}

fn again() -> Again {
    Again {
        run_id: "20250102T030405678Z-aaaa".to_owned(),
        current_dir: "/home/project".into(),
        root: "/home/project".into(),
        how: AgainHow::Ask { with_target: true },
        flags: Vec::new(),
    }
}

#[test]
fn a_reason_of_several_lines_keeps_them_and_cannot_pass_for_a_command() {
    let miss = "not the same:\n\t- Paris\n    + Lyon\n$ rm -rf ~\u{1b}[2J";
    let case = settled(0, "it's", assessed(response("x"), vec![grader("has", 0.0, &[], &[miss])]));
    let row = Row::of(&case, Keeping::default()).unwrap();
    let mut wrong = Wrong::new(0, Some(again()));
    wrong.add(&row);
    insta::assert_snapshot!("failure_in_lines", wrong.text(1, style(80)));
    let long = "line\n".repeat(20);
    let case = settled(0, "a", assessed(response("x"), vec![grader("has", 0.0, &[], &[&long])]));
    let mut wrong = Wrong::new(0, None);
    wrong.add(&Row::of(&case, Keeping::default()).unwrap());
    let text = wrong.text(1, style(80));
    assert!(text.contains("      … 8 more lines\n") && !text.contains("$ "), "{text}");
}

#[test]
fn rows_for_programs_are_a_list_and_lines() {
    let rows = || [full_row(), error_row("dead")].into_iter().map(Ok);
    let mut json = Vec::new();
    write_rows_json(rows(), &mut json).unwrap();
    let read: Vec<Row<'static>> = serde_json::from_slice(&json).unwrap();
    assert_eq!(read, [full_row(), error_row("dead")]);
    let mut none = Vec::new();
    write_rows_json(std::iter::empty(), &mut none).unwrap();
    assert_eq!(serde_json::from_slice::<Vec<serde_json::Value>>(&none).unwrap().len(), 0);
    let mut csv = Vec::new();
    write_rows_csv(rows(), &mut csv).unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_slice());
    let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!((&lines[0][6], &lines[1][6], &lines[1][7]), ("failed", "error", ""));
}

#[test]
fn a_run_is_shown_with_what_was_run() {
    let mut run = manifest();
    run.status = RunStatus::Running;
    run.options.insert("fail_fast".to_owned(), json!(false));
    run.options.insert("dry_run".to_owned(), json!(true));
    run.options.insert("eval_ids".to_owned(), json!(["a*", "b"]));
    let session = RunSession {
        agentv_version: "0.1.0".to_owned(),
        started_at: run.started_at,
        finished_at: None,
        command: vec!["agentv".to_owned(), "eval".to_owned(), "with space".to_owned()],
        rows_before: 1,
        exit_code: None,
    };
    run.sessions = vec![session.clone(), session];
    insta::assert_snapshot!(
        "run",
        run_text("20250102T030405678Z-aaaa", &run, true, now(), style(80))
    );
}

#[test]
fn a_history_has_a_line_a_run() {
    let fared = |run: &str, passed, failed, errors, mean_score| Fared {
        run_id: run.to_owned(),
        started_at: Some(Timestamp::of(moment(0))),
        suite: "evals/demo.yaml".to_owned(),
        eval_id: "capital".to_owned(),
        target: "agent".to_owned(),
        passed,
        failed,
        errors,
        mean_score,
    };
    let history = [
        fared("20250102T030405678Z-cccc", 1, 0, 0, Some(1.0)),
        fared("20250102T030405678Z-bbbb", 2, 1, 1, Some(0.7)),
        fared("20250102T030405678Z-aaaa", 0, 0, 1, None),
    ];
    let text = history_text(&history, "20250102T030405678Z-bbbb", now(), style(100));
    insta::assert_snapshot!("history", text);
}

#[test]
fn ages_and_sizes_are_told_in_the_unit_people_use() {
    let at = Timestamp::of(moment(0));
    for (seconds, text) in [
        (5, "just now"),
        (300, "5 min ago"),
        (3 * 3600, "3 h ago"),
        (3 * 86_400, "3 days ago"),
        (200 * 86_400, "6 months ago"),
        (800 * 86_400, "2 years ago"),
    ] {
        assert_eq!(age_text(at, moment(0) + Duration::from_secs(seconds)), text);
    }
    assert_eq!(age_text(at, moment(0) - Duration::from_hours(2)), "in 2 h");
    for (bytes, text) in [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (83_000, "83 kB")] {
        assert_eq!(bytes_text(bytes), text);
    }
    assert_eq!(bytes_text(784_000_000), "784 MB");
    assert_eq!(bytes_text(u64::MAX), "18447 PB");
}
