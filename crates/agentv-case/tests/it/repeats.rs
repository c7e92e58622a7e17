//! `repeat` and its other names: how often a case is asked, and what is said of wrong numbers.

use insta::assert_snapshot;

use crate::project::Project;

/// How often each case is asked, or what is said.
fn check(suite: &str) -> String {
    let project = Project::new().file("s.yaml", suite);
    let loaded = project.load(&["s.yaml"]);
    let said = project.describe(&loaded);
    if loaded.problems.has_errors() {
        return said;
    }
    let cases = loaded.suites.iter().flat_map(|suite| &suite.suite.cases);
    let told = cases.map(|case| format!("{} {:?}", case.id(), case.repeat));
    told.chain((!said.is_empty()).then_some(said)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_case_wins_over_its_suite_and_execution_over_what_stands_beside() {
    assert_snapshot!(check("repeat: 2
tests:
  - {id: a, input: x}
  - {id: b, input: x, repeat: 3}
  - {id: c, input: x, execution: {repeat: 4}}
  - {id: d, input: x, execution: {trials: 5}}
  - {id: e, input: x, execution: {trials: {count: 6, strategy: confidence-interval}}}
  - {id: f, input: x, repeat: 10000}
"), @"
    a Some(2)
    b Some(3)
    c Some(4)
    d Some(5)
    e Some(6)
    f Some(10000)
    ");
    assert_snapshot!(check("tests: [{id: a, input: x}]\n"), @"a None");
    assert_snapshot!(check("execution: {repeat: 7}\ntests: [{id: a, input: x}]\n"), @"a Some(7)");
    assert_snapshot!(check("evaluate_options: {repeat: 8}\ntests: [{id: a, input: x}]\n"), @"a Some(8)");
}

#[test]
fn of_two_numbers_the_one_that_is_not_used_is_told() {
    assert_snapshot!(check("repeat: 2
evaluate_options: {repeat: 3}
tests:
  - {id: a, input: x, repeat: 4, execution: {repeat: 5}}
  - {id: b, input: x, repeat: 4, execution: {trials: 6}}
"), @"
    a Some(5)
    b Some(6)
    s.yaml:2:20 warning: `repeat` is not used
      hint: the suite's own `repeat` wins
    s.yaml:4:23 warning: `repeat` is not used
      s.yaml:4:46 this one, in `execution`, wins
    s.yaml:5:23 warning: `repeat` is not used
      s.yaml:5:46 this one, in `execution`, wins
    ");
}

#[test]
fn what_is_no_number_of_repeats_is_told_at_its_place() {
    assert_snapshot!(check("repeat: 0
execution: {trials: {strategy: pass_at_k}}
evaluate_options: {repeat: [1]}
tests:
  - {id: a, input: x, repeat: -1}
  - {id: b, input: x, repeat: 1.5}
  - {id: c, input: x, repeat: often}
  - {id: d, input: x, repeat: 10001}
  - {id: e, input: x, execution: {repeat: true}}
  - {id: f, input: x, execution: {trials: {count: 0, strategy: median}}}
  - {id: g, input: x, execution: {trials: [3]}}
  - {id: h, input: x, execution: {trials: {count: 2, cost_limit_usd: 1, often: 1}}}
  - {id: i, input: x, execution: {trials: 2, repeat: 2}}
  - {id: j, input: x, repeat: {count: 2}}
"), @"
    s.yaml:1:1 warning: `repeat` is not used
      s.yaml:2:13 this one, in `execution`, wins
    s.yaml:1:9 error: `repeat` must be a whole number of at least 1
    s.yaml:2:21 error: trials needs `count`
      hint: add `count: …`
    s.yaml:3:28 error: `repeat` must be a whole number of at least 1, not a list
    s.yaml:5:31 error: `repeat` must be a whole number of at least 1
    s.yaml:6:31 error: `repeat` must be a whole number of at least 1
    s.yaml:7:31 error: `repeat` must be a whole number of at least 1, not a string
    s.yaml:8:31 error: `repeat` must be at most 10,000
    s.yaml:9:43 error: `repeat` must be a whole number of at least 1, not a boolean
    s.yaml:10:51 error: `count` must be a whole number of at least 1
    s.yaml:10:64 error: unknown strategy `median`
      hint: did you mean `mean`? known: pass_at_k, mean, confidence_interval
    s.yaml:11:43 error: `trials` must be a whole number of at least 1, not a list
    s.yaml:12:54 error: `cost_limit_usd` of trials is known, but not supported yet
      hint: it is the run's: pass `--budget-usd X` to `agentv eval`
    s.yaml:12:73 error: unknown key `often` in trials
      hint: known keys: count, strategy; keys of your own start with `x-`
    s.yaml:13:35 error: `repeat` and `trials` say the same of execution
      s.yaml:13:46 given here too
      hint: keep `repeat`
    s.yaml:14:31 error: `repeat` must be a whole number of at least 1, not a map
    ");
}

#[test]
fn budgets_and_the_cache_are_the_runs() {
    assert_snapshot!(check("execution: {budget_usd: 1, total_budget_usd: 1, cost_limit_usd: 1, cache: true}
evaluate_options: {budget_usd: 1, cache: true}
tests: [{id: a, input: x}]
"), @"
    s.yaml:1:13 error: `budget_usd` of execution is known, but not supported yet
      hint: it is the run's: pass `--budget-usd X` to `agentv eval`
    s.yaml:1:28 error: `total_budget_usd` of execution is known, but not supported yet
      hint: it is the run's: pass `--budget-usd X` to `agentv eval`
    s.yaml:1:49 error: `cost_limit_usd` of execution is known, but not supported yet
      hint: it is the run's: pass `--budget-usd X` to `agentv eval`
    s.yaml:1:68 error: `cache` of execution is known, but not supported yet
      hint: it is the run's: pass `--cache` to `agentv eval`
    s.yaml:2:20 error: `budget_usd` of evaluate_options is known, but not supported yet
      hint: it is the run's: pass `--budget-usd X` to `agentv eval`
    s.yaml:2:35 error: `cache` of evaluate_options is known, but not supported yet
      hint: it is the run's: pass `--cache` to `agentv eval`
    ");
}
