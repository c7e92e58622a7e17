//! Code judges that give no score: the case is an error, never a zero.

use agentv_testkit::Project;
use insta::assert_snapshot;

use super::{assert_clean, unevaluated, without_times};
use crate::project::{column, empty, suite, targets};

/// A project whose target answers `ok` and whose judge is this script.
fn judged_by(script: &str) -> Project {
    let script = serde_json::to_string(script).unwrap();
    let grader = format!("  - type: code_judge\n    name: quality\n    script: {script}\n");
    let text = suite(&["a"]).replace("  - type: contains\n    value: ok\n", &grader);
    // The target has all the time it needs, whatever deadline a test sets for the judge.
    let targets = targets("echo ok", &["timeout_seconds: 60"]);
    empty().file(".agentv/targets.yaml", targets).file("suite.yaml", text)
}

#[test]
fn a_judge_that_crashes_is_told_with_its_last_words() {
    let project = judged_by("printf 'Traceback:\\n  judge.py, line 3\\nKeyError\\n' >&2; exit 3");
    assert_snapshot!(unevaluated(&project), @r"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader: grader `quality` failed: it exited with code 3
          stderr: Traceback:
            judge.py, line 3
          KeyError
    --- stderr
    ERROR a (agent) [TIME]: grader: grader `quality` failed: it exited with code 3\nstderr: Traceback:\n  judge.py, line 3\nKeyError
    ");
    let results = column(&project, "evaluator_results");
    assert_eq!(results[0][0]["name"], "quality");
    assert!(results[0][0]["error"].as_str().unwrap().contains("code 3"), "{results:?}");
    assert!(results[0][0]["score"].is_null(), "{results:?}");
}

#[test]
fn a_judge_that_prints_nonsense_is_quoted() {
    assert_snapshot!(unevaluated(&judged_by("echo what a nice answer")), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader: grader `quality` failed: it printed what is not a JSON object (expected value at line
          1 column 1): `what a nice answer`
    --- stderr
    ERROR a (agent) [TIME]: grader: grader `quality` failed: it printed what is not a JSON object (expected value at line 1 column 1): `what a nice answer`
    ");
}

#[test]
fn a_judge_that_prints_nothing_is_told() {
    assert_snapshot!(unevaluated(&judged_by("true")), @r#"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader: grader `quality` failed: it printed nothing; a judge prints `{"score": …}`
    --- stderr
    ERROR a (agent) [TIME]: grader: grader `quality` failed: it printed nothing; a judge prints `{"score": …}`
    "#);
}

#[test]
fn a_score_above_one_is_no_score() {
    assert_snapshot!(unevaluated(&judged_by(r#"echo '{"score": 7}'"#)), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader: grader `quality` failed: its `score` is 7, which is not between 0 and 1
    --- stderr
    ERROR a (agent) [TIME]: grader: grader `quality` failed: its `score` is 7, which is not between 0 and 1
    ");
}

#[test]
fn a_verdict_without_a_score_is_no_verdict() {
    assert_snapshot!(unevaluated(&judged_by(r#"echo '{"hits": ["all of it"]}'"#)), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader: grader `quality` failed: its output has no `score`
    --- stderr
    ERROR a (agent) [TIME]: grader: grader `quality` failed: its output has no `score`
    ");
}

#[test]
fn two_verdicts_are_none() {
    let script = r#"echo '{"score": 1}'; echo '{"score": 0}'"#;
    assert_snapshot!(unevaluated(&judged_by(script)), @r#"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader: grader `quality` failed: it printed more than one JSON value: `{"score": 1}\n{"score":
          0}`
    --- stderr
    ERROR a (agent) [TIME]: grader: grader `quality` failed: it printed more than one JSON value: `{"score": 1}\n{"score": 0}`
    "#);
}

#[test]
fn a_judge_that_hangs_is_ended_at_its_deadline() {
    let project = judged_by("sleep 600");
    let run = project.run(&["eval", "suite.yaml", "--agent-timeout", "0.3"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_clean(&project);
    assert_snapshot!(without_times(&run.seen()), @"
    exit: 3
    --- stdout
    1 case: ✓ 0 passed, ✗ 0 failed, ! 1 error

    Slowest
      [TIME] a (agent)

    Errors
      ! suite.yaml:6 a (agent)
          grader: grader `quality` failed: timed out after 0.3 s
    --- stderr
    ERROR a (agent) [TIME]: grader: grader `quality` failed: timed out after 0.3 s
    ");
}

#[test]
fn the_other_graders_of_the_case_are_kept_beside_the_one_that_failed() {
    let project = judged_by("exit 1");
    let text = std::fs::read_to_string(project.path("suite.yaml")).unwrap();
    let text = text.replace("evalcases:", "  - type: contains\n    value: ok\nevalcases:");
    project.write("suite.yaml", text);
    unevaluated(&project);
    let results = column(&project, "evaluator_results");
    assert_eq!(results[0][1]["name"], "contains");
    assert_eq!(results[0][1]["score"], 1.0);
}
