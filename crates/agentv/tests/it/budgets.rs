//! `--budget-usd` and `--budget-tokens`: nothing is begun that cannot be paid for, what is left out
//! is named, and who comes back with more has the run to which nothing happened.

use std::fs;

use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{batch_project, column, empty, manifest, project, suite};

const IDS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// A mock whose every answer costs a tenth of a dollar and a hundred tokens.
const MOCK: &str = "targets:
  - name: agent
    provider: mock
    response: {text: ok, cost_usd: 0.1, token_usage: {input: 90, output: 10}}
";

fn mocked() -> Project {
    empty().file(".agentv/targets.yaml", MOCK).file("suite.yaml", suite(&IDS))
}

fn skipped(project: &Project) -> Vec<String> {
    let manifest = manifest(project);
    let list = manifest["skipped"].as_array().cloned().unwrap_or_default();
    list.iter().map(|it| format!("{}: {}", text(&it["eval_id"]), text(&it["reason"]))).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A run that the budget ends after three of six cases, and one that goes on with more.
fn check(project: &Project, small: [&str; 2], large: [&str; 2]) {
    let run = project.run(&[&["eval", "suite.yaml"], &small[..]].concat());
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(project, "eval_id"), ["a", "b", "c"]);
    let counts = json!({"planned": 6, "passed": 3, "failed": 0, "errors": 0, "not_run": 3,
        "skipped": {"budget": 3}});
    assert_eq!(manifest(project)["counts"], counts);
    assert_eq!(skipped(project), ["d: budget", "e: budget", "f: budget"]);
    assert!(run.stdout.contains("6 cases: ✓ 3 passed"), "{}", run.seen());
    assert!(run.stdout.contains("3 not run"), "{}", run.seen());
    assert!(run.stdout.contains("3 (budget): d (agent), e (agent), f (agent)"), "{}", run.seen());

    // The budget is that of the run, and what was spent is spent.
    let rows = project.rows_text();
    let run = project.run(&["eval", "--resume"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!((project.rows_text(), &manifest(project)["counts"]), (rows, &counts));

    let run = project.run(&[&["eval", "--resume"], &large[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(column(project, "eval_id"), IDS);
    let counts = json!({"planned": 6, "passed": 6, "failed": 0, "errors": 0, "not_run": 0});
    assert_eq!(manifest(project)["counts"], counts);
    assert_eq!(skipped(project), Vec::<String>::new());
    assert!(run.stdout.contains("6 cases: ✓ 6 passed"), "{}", run.seen());
}

#[test]
fn dollars_of_a_mock_hold_the_run_back() {
    check(&mocked(), ["--budget-usd", "0.35"], ["--budget-usd", "5"]);
}

#[test]
fn tokens_of_a_mock_hold_the_run_back() {
    check(&mocked(), ["--budget-tokens", "399"], ["--budget-tokens", "5000"]);
}

#[test]
fn what_a_command_says_that_it_costs_counts() {
    let command = r#"echo '{"text": "ok", "cost_usd": 0.1}' > {OUTPUT_FILE}"#;
    check(&project(command, &[], &IDS), ["--budget-usd", "0.35"], ["--budget-usd", "5"]);
}

#[test]
fn judges_are_paid_from_the_same_budget() {
    let targets = "targets:
  - {name: agent, provider: mock, judge_target: judge, response: {text: ok, cost_usd: 0.04}}
  - name: judge
    provider: mock
    response: {text: '{\"score\": 1, \"reasoning\": \"good\"}', cost_usd: 0.06}
";
    let cases: Vec<Value> =
        IDS.iter().map(|id| json!({"id": id, "input": id, "expected_outcome": "ok"})).collect();
    let suite = json!({"execution": {"target": "agent"},
        "evaluators": [{"name": "quality", "type": "llm_judge"}], "evalcases": cases});
    let project = empty()
        .file(".agentv/targets.yaml", targets)
        .file("suite.yaml", serde_json::to_string_pretty(&suite).unwrap());
    check(&project, ["--budget-usd", "0.35"], ["--budget-usd", "5"]);
}

#[test]
fn a_batch_is_cut_to_what_the_rest_can_pay() {
    let script = "wc -l < \"$AGENTV_BATCH_FILE\" | tr -d ' ' >> sizes\n\
        sed 's/,\"attempt.*/,\"text\":\"ok\",\"cost_usd\":0.1}/' \"$AGENTV_BATCH_FILE\" \
        > \"$AGENTV_OUTPUT_FILE\"\n";
    let project = batch_project("sh agent.sh", &[], &IDS).file("agent.sh", script);
    check(&project, ["--budget-usd", "0.35"], ["--budget-usd", "5"]);
    let sizes = fs::read_to_string(project.path("sizes")).unwrap();
    let sizes: Vec<&str> = sizes.lines().collect();
    assert_eq!(sizes, ["1", "2", "3"], "one to learn the price, two more, and the rest");
}

#[test]
fn one_case_is_asked_to_learn_the_price_also_where_it_is_above_the_budget() {
    let project = mocked();
    let run = project.run(&["eval", "suite.yaml", "--budget-usd", "0.05"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(column(&project, "eval_id"), ["a"]);
}

#[test]
fn a_try_that_cannot_be_paid_is_made_when_somebody_comes_back_with_more() {
    // Every first try says what it took and fails; there is no money for a second.
    let script = "sed 's/,\"attempt.*/,\"error\":\"not yet\",\"cost_usd\":0.2}/' \
        \"$AGENTV_BATCH_FILE\" > failing.$$\n\
        sed 's/,\"attempt.*/,\"text\":\"ok\",\"cost_usd\":0.2}/' \"$AGENTV_BATCH_FILE\" > good.$$\n\
        if [ \"$AGENTV_ATTEMPT\" = 0 ]; then cp failing.$$ \"$AGENTV_OUTPUT_FILE\"; \
        else cp good.$$ \"$AGENTV_OUTPUT_FILE\"; fi\n";
    let keys = ["max_retries: 1", "retry_initial_delay_ms: 1"];
    let project = batch_project("sh agent.sh", &keys, &["a", "b"]).file("agent.sh", script);
    let run = project.run(&["eval", "suite.yaml", "--budget-usd", "0.3"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(project.rows_text(), "", "no row says that it is done");
    assert_eq!(manifest(&project)["counts"]["skipped"], json!({"budget": 2}));
    let run = project.run(&["eval", "--resume", "--budget-usd", "9"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(column(&project, "attempts"), [2, 2]);
}
