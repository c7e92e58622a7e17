//! The arithmetic of budgets: what is admitted at what price.

use agentv_base::{GraderResult, JudgeRecord};

use super::{
    super::budget::{Bill, Budget},
    *,
};

fn budget(budget_usd: Option<f64>, budget_tokens: Option<u64>) -> Budget {
    let limits = Limits { budget_usd, budget_tokens, ..limits(0) };
    Budget::new(&limits, &agenda(&[1, 1], &[]))
}

/// Begins and ends one slot.
fn pay(budget: &mut Budget, target: usize, outcome: &Outcome) -> Vec<String> {
    budget.begin(target, 1);
    budget.asked(target, 1);
    budget.end(target, 1, &Bill::of(outcome))
}

fn answered(cost_usd: Option<f64>, tokens: Option<u64>) -> Outcome {
    Outcome::Answered { response: answer(cost_usd, tokens) }
}

#[test]
fn without_a_budget_everything_is_admitted() {
    assert_eq!(budget(None, None).admit(0, 1000), Admission::Begin(1000));
}

#[test]
fn sums_of_decimals_pay_for_what_they_should() {
    let mut budget = budget(Some(0.3), None);
    pay(&mut budget, 0, &answered(Some(0.1), None));
    assert_eq!(budget.admit(0, 9), Admission::Begin(2));
    pay(&mut budget, 0, &answered(Some(0.1), None));
    assert_eq!(budget.admit(0, 9), Admission::Begin(1));
    pay(&mut budget, 0, &answered(Some(0.1), None));
    assert_eq!(budget.admit(0, 9), Admission::Never);
}

#[test]
fn what_is_under_way_is_reserved_at_the_highest_price_so_far() {
    let mut budget = budget(Some(10.0), None);
    pay(&mut budget, 0, &answered(Some(2.0), None));
    pay(&mut budget, 0, &answered(Some(1.0), None));
    budget.begin(0, 3);
    assert_eq!(budget.admit(0, 9), Admission::Wait, "3 spent, 6 under way");
    budget.end(0, 1, &Bill::of(&answered(Some(0.5), None)));
    assert_eq!(budget.admit(0, 9), Admission::Begin(1), "3.5 spent, 4 under way");
}

#[test]
fn both_budgets_hold() {
    let mut budget = budget(Some(10.0), Some(100));
    pay(&mut budget, 0, &answered(Some(1.0), Some(40)));
    assert_eq!(budget.admit(0, 9), Admission::Begin(1));
    assert_eq!(budget.admit(1, 9), Admission::Begin(1), "of this one nothing is known");
    budget.begin(1, 1);
    assert_eq!(budget.admit(1, 9), Admission::Wait);
}

#[test]
fn a_budget_of_nothing_pays_for_nothing_not_even_for_what_is_free() {
    let mut budget = budget(Some(0.0), None);
    pay(&mut budget, 0, &answered(Some(0.0), None));
    assert_eq!(budget.admit(0, 1), Admission::Never);
}

#[test]
fn a_target_that_says_nothing_goes_on_when_others_have_spent_everything() {
    let mut budget = budget(Some(1.0), None);
    pay(&mut budget, 0, &answered(None, None));
    pay(&mut budget, 1, &answered(Some(2.0), None));
    assert_eq!(budget.admit(1, 9), Admission::Never);
    assert_eq!(budget.admit(0, 9), Admission::Begin(9));
}

#[test]
fn of_an_unknown_target_nothing_is_begun_when_nothing_is_left() {
    let mut budget = budget(None, Some(100));
    pay(&mut budget, 0, &answered(None, Some(100)));
    assert_eq!(budget.admit(1, 1), Admission::Never);
}

#[test]
fn answers_that_nobody_was_asked_for_cost_nothing_and_teach_nothing() {
    let mut budget = budget(Some(1.0), None);
    let mut response = answer(Some(0.9), None);
    response.provenance = Provenance::Cache;
    assert!(pay(&mut budget, 0, &Outcome::Answered { response }).is_empty());
    assert_eq!(budget.admit(0, 9), Admission::Begin(1));
    pay(&mut budget, 0, &answered(Some(0.5), None));
    assert_eq!(budget.admit(0, 9), Admission::Begin(1), "only the second was paid");
}

#[test]
fn a_price_that_gives_money_back_is_not_believed() {
    let mut budget = budget(Some(1.0), None);
    pay(&mut budget, 0, &answered(Some(0.5), None));
    pay(&mut budget, 0, &answered(Some(-100.0), None));
    pay(&mut budget, 0, &answered(Some(f64::NAN), None));
    assert_eq!(budget.admit(0, 9), Admission::Begin(1));
}

#[test]
fn a_batch_that_failed_as_a_whole_is_paid_once_and_sets_no_price() {
    let mut budget = budget(Some(1.0), None);
    pay(&mut budget, 0, &answered(Some(0.1), None));
    budget.begin(0, 5);
    let mut failed = failure(FailureKind::Batch);
    failed.cost_usd = Some(0.5);
    budget.end(0, 5, &Bill::of_failure(&failed));
    assert_eq!(budget.admit(0, 9), Admission::Begin(4));
}

fn judged(cost_usd: Option<f64>) -> Outcome {
    let judge = JudgeRecord { target: "j".to_owned(), cost_usd, ..JudgeRecord::default() };
    let result = GraderResult {
        name: "".into(),
        kind: "".into(),
        score: Some(1.0),
        weight: 1.0,
        required_score: None,
        verdict: None,
        barred: false,
        hits: Vec::new(),
        misses: Vec::new(),
        reasoning: None,
        duration_ms: 0.0,
        stderr: None,
        judge: Some(Box::new(judge)),
        error: None,
        evaluator_results: Vec::new(),
    };
    let grade = Ok(Grade { score: 1.0, verdict: Verdict::Pass });
    let assessment = Assessment { results: vec![result], grade, threshold: 0.8 };
    Outcome::Assessed { response: answer(None, None), assessment }
}

#[test]
fn judges_are_paid_too_also_for_a_target_that_says_nothing() {
    let mut budget = budget(Some(1.0), None);
    pay(&mut budget, 0, &judged(Some(0.3)));
    assert_eq!(budget.admit(0, 9), Admission::Begin(2));
}

#[test]
fn a_judge_that_does_not_say_what_it_takes_is_named_once() {
    let mut budget = budget(Some(1.0), None);
    let judge = "judge `j` does not say what it costs: --budget-usd does not count it";
    assert_eq!(
        pay(&mut budget, 0, &judged(None)),
        ["target `t0` does not say what it costs: --budget-usd cannot hold it back", judge]
    );
    assert!(pay(&mut budget, 0, &judged(None)).is_empty());
}

#[test]
fn tokens_are_named_as_tokens() {
    let mut budget = budget(None, Some(10));
    assert_eq!(
        pay(&mut budget, 1, &answered(Some(1.0), None)),
        ["target `t1` does not say how many tokens it takes: --budget-tokens cannot hold it back"]
    );
}
