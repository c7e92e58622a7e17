//! What was spent, known and unknown, with a budget and without.

use agentv_base::{FailedAttempt, Failure, FailureKind, Response, TokenUsage};

use super::*;
use crate::record::sample::{assessed, response, settled};

fn answer(cost_usd: Option<f64>, tokens: Option<u64>) -> SettledCase {
    let token_usage = tokens.map(|input| TokenUsage { input, output: 0, cached: None });
    settled(0, "a", assessed(Response { cost_usd, token_usage, ..response("x") }, Vec::new()))
}

fn words(budget: Budget, cases: &[SettledCase]) -> Vec<String> {
    let mut spend = Spend::new(budget);
    for case in cases {
        spend.add(case);
    }
    spend.words()
}

const NONE: Budget = Budget { usd: None, tokens: None };
const BOTH: Budget = Budget { usd: Some(2.5), tokens: Some(100_000) };

#[test]
fn what_is_known_is_told_beside_its_limit() {
    let cases = [answer(Some(0.25), Some(12_000)), answer(Some(0.17), Some(400))];
    assert_eq!(words(NONE, &cases), ["$0.42", "12.4k tokens"]);
    assert_eq!(words(BOTH, &cases), ["$0.42 of $2.50", "12.4k of 100k tokens"]);
}

#[test]
fn what_some_do_not_tell_makes_it_at_least_so_much() {
    let cases = [answer(Some(0.25), Some(10)), answer(None, Some(10)), answer(Some(0.25), None)];
    assert_eq!(words(NONE, &cases), ["≥$0.50", "≥20 tokens"]);
}

#[test]
fn what_nobody_tells_is_unknown_and_not_nothing() {
    let cases = [answer(None, None)];
    assert_eq!(words(NONE, &cases), [""; 0]);
    assert_eq!(words(BOTH, &cases), ["cost unknown, budget $2.50", "tokens unknown, budget 100k"]);
    assert_eq!(words(BOTH, &[]), ["$0 of $2.50", "0 of 100k tokens"], "nobody was asked yet");
}

#[test]
fn failed_attempts_are_paid_and_kept_answers_are_not() {
    let mut tried = answer(Some(0.25), Some(100));
    let failure = Failure { cost_usd: Some(0.5), ..Failure::new(FailureKind::Exit, "x") };
    tried.failed_attempts = vec![FailedAttempt { failure }];
    assert_eq!(words(NONE, &[tried]), ["$0.75", "100 tokens"]);
    let kept = Response { provenance: Provenance::Cache, cost_usd: Some(9.0), ..response("x") };
    let kept = settled(0, "a", assessed(kept, Vec::new()));
    assert_eq!(words(NONE, &[kept, answer(Some(0.25), Some(1))]), ["$0.25", "1 tokens"]);
}

#[test]
fn what_is_no_amount_is_not_counted() {
    for cost in [f64::NAN, f64::INFINITY, -1.0] {
        assert_eq!(words(NONE, &[answer(Some(cost), Some(1))]), ["1 tokens"], "{cost}");
    }
}

#[test]
fn amounts_are_as_exact_as_anybody_reads_them() {
    for (amount, text) in [(0.0, "$0"), (0.0042, "$0.0042"), (0.425, "$0.42"), (1250.4, "$1250")] {
        assert_eq!(dollars(amount), text);
    }
    for (count, text) in
        [(0, "0"), (999, "999"), (12_400, "12.4k"), (999_400, "999k"), (999_600, "1.0M")]
    {
        assert_eq!(short(count), text);
    }
}
