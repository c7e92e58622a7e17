//! Rows of every outcome, as they stand in the file.

use agentv_base::{Failure, FailureKind, LeakedProcess};
use insta::assert_snapshot;
use serde_json::Value;

use super::*;
use crate::record::sample::{
    assessed, failed, failed_attempt, full_response, grader, response, scored, settled,
};

fn json(settled: &SettledCase, include_trace: bool) -> String {
    let row = Row::of(
        settled,
        crate::record::Keeping { trace: include_trace, question: true, prompts: false },
    )
    .unwrap();
    let json = serde_json::to_string(&row).unwrap();
    assert_eq!(
        serde_json::from_str::<Row<'static>>(&json).unwrap(),
        row,
        "a row is read as it was written"
    );
    let value: Value = serde_json::from_str(&json).unwrap();
    serde_json::to_string_pretty(&value).unwrap()
}

#[test]
fn a_passed_case_has_the_keys_of_the_contract_in_their_order() {
    let mut judge = grader("judge", 0.9, &["polite"], &["short"]);
    judge.reasoning = Some("It is polite.".to_owned());
    let graders = vec![grader("has", 1.0, &["names it"], &[]), judge];
    let mut settled = settled(0, "first", assessed(full_response(), graders));
    settled.attempts = 2;
    settled.failed_attempts =
        vec![failed_attempt(FailureKind::Timeout, "timed out after 5 s", 5e3)];
    assert_snapshot!(json(&settled, true));
}

#[test]
fn messages_are_left_out_unless_they_are_asked_for() {
    let settled =
        settled(0, "first", assessed(full_response(), vec![grader("has", 1.0, &[], &[])]));
    let row = Row::of(&settled, crate::record::Keeping::default()).unwrap();
    assert_eq!(row.output_messages, None);
    assert_eq!(row.trace_summary.unwrap().tool_names, ["search"]);
}

#[test]
fn a_failed_invocation_is_an_error_without_score_or_graders() {
    let outcome = failed(FailureKind::Exit, "exit code 7: no such model");
    assert_snapshot!(json(&settled(1, "second", outcome), true));
}

#[test]
fn a_failed_grader_is_an_error_with_the_results_of_all_graders() {
    let mut broken = grader("judge", 0.0, &[], &[]);
    broken.score = None;
    broken.verdict = None;
    broken.error = Some("judge: exit code 1".to_owned());
    let graders = vec![grader("has", 1.0, &["names it"], &[]), broken];
    let settled = settled(2, "third", assessed(response("It."), graders));
    assert_snapshot!(json(&settled, false));
}

#[test]
fn a_score_below_the_threshold_is_a_failure() {
    for (score, status, verdict) in [
        (0.8, Status::Passed, Verdict::Pass),
        (0.7, Status::Failed, Verdict::Borderline),
        (0.1, Status::Failed, Verdict::Fail),
    ] {
        let settled = settled(0, "x", scored(score, &[]));
        let row = Row::of(&settled, crate::record::Keeping::default()).unwrap();
        assert_eq!((row.status, row.verdict), (status, Some(verdict)));
        assert_eq!(row.score, Some(score));
    }
}

#[test]
fn the_only_graders_reasoning_stands_without_its_name() {
    let mut judge = grader("judge", 1.0, &[], &[]);
    judge.reasoning = Some("Good.".to_owned());
    let one = settled(0, "x", assessed(response("a"), vec![judge.clone()]));
    assert_eq!(
        Row::of(&one, crate::record::Keeping::default()).unwrap().reasoning.unwrap(),
        "Good."
    );

    let mut second = judge.clone();
    second.name = "style".into();
    second.reasoning = Some("Fine.".to_owned());
    let two = settled(0, "x", assessed(response("a"), vec![judge, second]));
    assert_eq!(
        Row::of(&two, crate::record::Keeping::default()).unwrap().reasoning.unwrap(),
        "judge: Good. | style: Fine."
    );
}

#[test]
fn what_leaves_no_row_gives_none() {
    let answered = Outcome::Answered { response: Box::new(response("a")) };
    assert!(Row::of(&settled(0, "x", answered), crate::record::Keeping::default()).is_none());
    let interrupted = failed(FailureKind::Interrupted, "interrupted");
    assert!(Row::of(&settled(0, "x", interrupted), crate::record::Keeping::default()).is_none());
}

#[test]
fn processes_left_by_an_earlier_attempt_are_named_too() {
    let leaked = |pid| std::sync::Arc::from([LeakedProcess { pid, command: "tail -f".to_owned() }]);
    let mut settled = settled(0, "x", failed(FailureKind::Exit, "exit code 1"));
    settled.outcome = Outcome::Failed {
        failure: Failure { leaked: leaked(2), ..Failure::new(FailureKind::Exit, "exit code 1") },
    };
    let mut attempt = failed_attempt(FailureKind::Timeout, "timed out", 1.0);
    attempt.failure.leaked = leaked(1);
    settled.failed_attempts = vec![attempt];
    assert_eq!(
        Row::of(&settled, crate::record::Keeping::default()).unwrap().leaked_processes,
        ["1 tail -f", "2 tail -f"]
    );
}
