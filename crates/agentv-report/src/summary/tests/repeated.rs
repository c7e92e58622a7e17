//! Summaries of runs in which cases are repeated: rows are no cases there.

use super::*;

/// Repeats of one case, from the first on.
fn repeated(id: &str, outcomes: Vec<Outcome>) -> Vec<SettledCase> {
    let numbered = (1..).zip(outcomes);
    numbered.map(|(repeat, it)| SettledCase { repeat, ..settled(0, id, it) }).collect()
}

#[test]
fn repeats_are_never_told_as_cases_and_a_case_fails_in_one_entry() {
    let down = || failed(FailureKind::Timeout, "timed out");
    let slow = |score: f64| {
        let response = Response { duration_ms: Some(500.0), ..response("x") };
        assessed(response, vec![grader("has", score, &[], &[])])
    };
    let flaky = || {
        let first = vec![slow(1.0), scored(0.2, &["the year"])];
        let later = (0..38).map(|at| scored(if at % 4 == 0 { 0.0 } else { 1.0 }, &["other"]));
        repeated("flaky", first.into_iter().chain(later).collect())
    };
    let down = repeated("down", vec![down(), down(), down()]);
    let bad = repeated("bad", vec![scored(0.5, &["it"]), scored(1.0, &[])]);
    let mut all = summary(flaky().into_iter().chain(down).chain(bad));
    let text = render(&all);
    assert!(
        text.starts_with("45 repeats of 3 cases: ✓ 30 passed, ✗ 12 failed, ! 3 errors\n"),
        "{text}"
    );
    assert_eq!(
        section(&text, "Errors"),
        [
            "  ! evals/demo.yaml:10 down #1 (agent)",
            "      timeout: timed out",
            "      and the same for 2 more repeats of this target",
        ]
    );
    assert_eq!(
        section(&text, "Failed"),
        [
            "  ✗ 0.50 evals/demo.yaml:10 bad #1 (agent); 1 of 2 failed",
            "      - it",
            "  ✗ 0.20 evals/demo.yaml:10 flaky #2 (agent); 11 of 40 failed",
            "      - the year",
        ]
    );
    assert_eq!(section(&text, "Slowest"), ["   500ms flaky #1 (agent)"]);
    // Of how many cases they are is not known where some have no row.
    all.set_not_run(2, 0);
    assert!(render(&all).starts_with("47 repeats: ✓ 30 passed, "), "{}", render(&all));
}

#[test]
fn of_many_cases_that_fail_in_repeats_those_that_are_not_told_are_counted_as_cases() {
    let bad = || scored(0.0, &[]);
    let cases = (0..30).flat_map(|it| repeated(&format!("case-{it}"), vec![bad(), bad()]));
    let text = render(&summary(cases));
    let failed = section(&text, "Failed");
    let told = failed.iter().filter(|line| line.contains('✗')).count();
    assert_eq!((told, failed.last()), (20, Some(&"  … and 10 more")), "{text}");
}
