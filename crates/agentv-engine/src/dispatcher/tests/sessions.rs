//! Rows of an earlier session: they are not asked for again, and they count.

use agentv_base::Spent;

use super::*;

fn past(passed: bool) -> Past {
    let score = if passed { 1.0 } else { 0.0 };
    Past { passed, score: Some(score), threshold: Some(0.8), ..Past::default() }
}

struct Both;

impl StopRule for Both {
    fn is_decided(&self, _: f64, scores: &[f64]) -> bool {
        scores.len() >= 2
    }
}

#[test]
fn what_has_a_row_is_neither_asked_nor_recorded_again() {
    let mut agenda = cases(3, 1, 9);
    agenda.settled = [(1, past(false))].into();
    let (mut story, begun) = Story::fit_of(limits(0), agenda);
    assert_eq!(begun, ["invoke 0: slots [0, 2] attempt 0"]);
    story.then(Input::Answered { unit: 0, kept: false });
    story.settled(0, 0, given());
    assert_eq!(story.settled(0, 1, given()).last().unwrap(), "finish 3/3 settled");
}

#[test]
fn a_plan_that_is_settled_ends_at_once_and_only_targets_with_work_are_looked_at() {
    let mut agenda = agenda(&[1, 1], &[unit(0, &[0]), unit(1, &[1])]);
    agenda.settled = [(0, past(true))].into();
    assert_eq!(Story::of(limits(0), agenda).1, ["check 1"]);
    let mut agenda = cases(2, 1, 1);
    agenda.settled = [(0, past(true)), (1, past(false))].into();
    assert_eq!(Story::of(limits(0), agenda).1, ["finish 2/2 settled"]);
}

#[test]
fn gates_know_what_passed_before() {
    for (passed, first) in
        [(true, vec!["check 0"]), (false, vec!["skip 1: After(0)", "finish 1/2 settled"])]
    {
        let mut agenda = cases(2, 1, 1);
        agenda.settled = [(0, past(passed))].into();
        agenda.after.insert(1, vec![after(0)]);
        assert_eq!(Story::of(limits(0), agenda).1, first);
    }
}

#[test]
fn slots_that_earlier_rows_release_are_grouped_with_those_that_wait_for_nothing() {
    let mut agenda = cases(4, 1, 9);
    agenda.settled = [(0, past(true))].into();
    agenda.after = [(1, vec![after(0)]), (3, vec![after(0)])].into();
    assert_eq!(Story::fit_of(limits(0), agenda).1, ["invoke 0: slots [1, 2, 3] attempt 0"]);
}

#[test]
fn scores_of_before_count_for_the_verdict() {
    let mut agenda = repeated(2, 4, 1);
    agenda.stop_rule = Some(Arc::new(Both));
    agenda.settled = [(0, past(true)), (1, past(true)), (5, past(true))].into();
    let (mut story, first) = Story::of(limits(0), agenda);
    assert_eq!(first, ["skip 2: Decided", "skip 3: Decided", "check 0"]);
    assert_eq!(story.fit(0), ["invoke 0: slots [4] attempt 0"]);
    assert_eq!(
        story.answered(0, scored(0.0))[2..],
        ["skip 6: Decided", "skip 7: Decided", "finish 4/8 settled, 4 decided"]
    );
}

#[test]
fn failures_of_before_count_for_fail_fast() {
    let mut agenda = cases(3, 1, 1);
    agenda.settled = [(0, past(false)), (1, Past::default())].into();
    let limits = Limits { fail_fast: Some(2), ..limits(0) };
    assert_eq!(Story::of(limits, agenda).1, ["skip 2: FailFast", "finish 2/3 settled"]);
}

#[test]
fn money_of_before_is_spent_and_its_price_is_known() {
    for (budget_usd, first) in [
        (0.5, vec!["skip 1: Budget", "skip 2: Budget", "finish 1/3 settled"]),
        (0.7, vec!["check 0"]),
    ] {
        let mut agenda = cases(3, 2, 1);
        let spent = Spent { tokens: None, cost_usd: Some(0.3) };
        agenda.settled = [(0, Past { spent, own: spent, ..past(true) })].into();
        let limits = Limits { budget_usd: Some(budget_usd), ..limits(0) };
        let (mut story, said) = Story::of(limits, agenda);
        assert_eq!(said, first);
        if budget_usd > 0.6 {
            assert_eq!(story.fit(0), ["invoke 0: slots [1] attempt 0"]);
        }
    }
}

fn dollars(cost_usd: f64) -> Spent {
    Spent { tokens: None, cost_usd: Some(cost_usd) }
}

#[test]
fn failed_attempts_and_judges_of_before_are_spent_but_are_not_the_price_of_the_target() {
    // Two failed attempts of 0.2 each, an answer of 0.1, and judges of 0.05.
    let all = Past { own: dollars(0.1), judges: dollars(0.05), spent: dollars(0.55), ..past(true) };
    let mut agenda = cases(6, 9, 1);
    agenda.settled = [(0, all)].into();
    let limits = Limits { budget_usd: Some(1.0), ..limits(0) };
    let (_, begun) = Story::fit_of(limits, agenda);
    assert_eq!(begun.len(), 3, "0.55 are spent, and each is taken to be 0.15: {begun:?}");
}

#[test]
fn judges_of_before_do_not_tell_the_price_of_a_target() {
    let judged = Past { judges: dollars(0.05), spent: dollars(0.05), ..past(true) };
    let mut agenda = cases(6, 9, 1);
    agenda.settled = [(0, judged)].into();
    let limits = Limits { budget_usd: Some(1.0), ..limits(0) };
    let (_, begun) = Story::fit_of(limits, agenda);
    assert_eq!(begun, ["invoke 0: slots [1] attempt 0"], "one is asked to learn its price");
}

#[test]
fn rows_of_another_run_are_neither_its_money_nor_its_failures() {
    let mut agenda = cases(4, 9, 1);
    let failed = Past { own: dollars(5.0), spent: dollars(5.0), carried: true, ..past(false) };
    agenda.settled = [(0, failed)].into();
    agenda.after.insert(3, vec![after(0)]);
    let limits = Limits { budget_usd: Some(1.0), fail_fast: Some(1), ..limits(0) };
    let (mut story, first) = Story::of(limits, agenda);
    assert_eq!(first, ["skip 3: After(0)", "check 0"], "but what they say of their cases holds");
    assert_eq!(story.fit(0), ["invoke 0: slots [1] attempt 0"]);
}
