//! Cases that depend on others: what is refused before anything runs.

use insta::assert_snapshot;

use crate::project::{empty, project};

#[test]
fn a_dependency_that_is_asked_of_another_target_is_told_before_anything_runs() {
    let targets = "targets:\n  - {name: one, provider: cli, command: echo ok}\n  \
                   - {name: two, provider: cli, command: echo ok}\n";
    let suite = "target: one
assert: [contains: ok]
evalcases:
  - {id: first, input: x}
  - id: second
    input: x
    execution: {targets: [one, two]}
    depends_on: first
";
    let project = empty().file(".agentv/targets.yaml", targets).file("suite.yaml", suite);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert_snapshot!(run.stderr, @"
    error: `second` is asked of the target `two`, but `first`, which it depends on, is not
     --> suite.yaml:8:17
      |
    8 |     depends_on: first
      |                 ^^^^^
      |
      = help: ask both of the same targets

    1 error
    ");
    assert_eq!(project.run(&["validate", "suite.yaml"]).stderr, run.stderr);
    assert!(project.runs().is_empty());
    // Where one target is named for all, there is nothing wrong.
    let run = project.run(&["eval", "suite.yaml", "--target", "two"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
}

const STEPS: &str = "assert: [contains: ok]
evalcases:
  - {id: first, input: x}
  - {id: second, input: x, depends_on: first}
  - {id: third, input: x, depends_on: second}
  - {id: other, input: x}
";

#[test]
fn a_chosen_case_is_run_with_those_that_it_depends_on() {
    let project = project("echo ok", &[], &[]).file("suite.yaml", STEPS);
    let run = project.run(&["eval", "suite.yaml", "--eval-id", "third"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(
        run.stderr.starts_with(
            "warning: 2 more cases are run, which chosen ones depend on: `first`, `second`\n"
        ),
        "{}",
        run.seen()
    );
    assert_eq!(crate::project::column(&project, "eval_id"), ["first", "second", "third"]);
}

#[test]
fn invoke_asks_a_chosen_case_alone() {
    let project = project("echo ok", &[], &[]).file("suite.yaml", STEPS);
    let run = project.run(&["invoke", "suite.yaml", "--target", "agent", "--eval-id", "third"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1), "{}", run.seen());
}
