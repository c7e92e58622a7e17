//! From which score a case passes: the command line, the case, the suite.

use super::{suite, told};

/// Every case scores 0.5: the other grader of every suite here is content.
const HALF: &str = "evaluators: ['contains: never']\n";
const CASES: &str = "tests:
  - {id: suites, input: x}
  - {id: own, input: x, threshold: 0.4}
  - {id: inside, input: x, execution: {threshold: 0.6}}
";

#[test]
fn the_case_wins_over_its_suite_and_the_command_line_over_both() {
    for (settings, args, wanted) in [
        ("", &[][..], ["inside 0.6 failed", "own 0.4 passed", "suites 0.8 failed"]),
        ("threshold: 0.5\n", &[], ["inside 0.6 failed", "own 0.4 passed", "suites 0.5 passed"]),
        (
            "execution: {threshold: '${{ CUT }}'}\n",
            &[],
            ["inside 0.6 failed", "own 0.4 passed", "suites 0.3 passed"],
        ),
        (
            "default_test: {threshold: 0.2}\n",
            &[],
            ["inside 0.6 failed", "own 0.4 passed", "suites 0.2 passed"],
        ),
        (
            "threshold: 0.9\n",
            &["--threshold", "0.5"],
            ["inside 0.5 passed", "own 0.5 passed", "suites 0.5 passed"],
        ),
        (
            "threshold: 0.1\n",
            &["--threshold", "1"],
            ["inside 1.0 failed", "own 1.0 failed", "suites 1.0 failed"],
        ),
    ] {
        let project = suite(&format!("{settings}{HALF}{CASES}")).env("CUT", "0.3");
        let run = project.run(&[&["eval", "suite.yaml"], args].concat());
        let failed = wanted.iter().any(|row| row.ends_with("failed"));
        assert_eq!(run.code, Some(i32::from(failed)), "{settings}\n{}", run.seen());
        let found = told(&project, &["eval_id", "threshold", "status"]);
        assert_eq!(found, wanted, "{settings} {args:?}");
    }
}
