//! Several targets for one suite, named or described on the spot.

use agentv_testkit::Project;
use insta::assert_snapshot;

use super::{graded, passing, refused, told};
use crate::project::{empty, manifest};

fn two_targets() -> Project {
    empty().file(
        ".agentv/targets.yaml",
        "targets:
  - {name: one, provider: cli, command: echo one}
  - {name: two, provider: cli, command: echo two}
",
    )
}

#[test]
fn each_case_is_asked_of_each_target() {
    let cases = "tests:\n  - {id: a, input: x}\n  - {id: b, input: y, execution: {target: two}}\n";
    let wanted = ["a one one\n", "a two two\n", "b two two\n"];
    for targets in [
        "execution: {targets: [one, two]}",
        "execution: {providers: [one, two, one]}",
        "providers: [one, two]",
        "targets: [one, two]",
    ] {
        let project = two_targets().file("suite.yaml", graded(&format!("{targets}\n{cases}")));
        passing(&project, &[]);
        let fields = ["eval_id", "target", "candidate_answer"];
        assert_eq!(told(&project, &fields), wanted, "{targets}");
    }
}

#[test]
fn a_case_may_ask_several_targets_and_the_command_line_wins() {
    let suite = "execution: {target: one}
tests:
  - {id: a, input: x}
  - {id: b, input: y, execution: {targets: [one, two]}}
";
    let project = two_targets().file("suite.yaml", graded(suite));
    passing(&project, &[]);
    assert_eq!(told(&project, &["eval_id", "target"]), ["a one", "b one", "b two"]);
    passing(&project, &["--target", "two"]);
    assert_eq!(told(&project, &["eval_id", "target"]), ["a two", "b two"]);
}

/// A suite that brings its only targets along.
const DESCRIBED: &str = "providers:
  - id: cli
    label: quick
    config:
      command: 'echo \"${{ WORD }}\"'
  - name: slow
    provider: cli
    command: 'echo \"{{ env.WORD }}\" slow'
    workers: 1
tests:
  - {id: a, input: x}
";

#[test]
fn targets_that_a_suite_describes_need_no_targets_file() {
    let project = empty().file("suite.yaml", graded(DESCRIBED)).env("WORD", "hello");
    passing(&project, &[]);
    let fields = ["eval_id", "target", "candidate_answer"];
    assert_eq!(told(&project, &fields), ["a quick hello\n", "a slow hello slow\n"]);
    passing(&project, &["--target", "slow"]);
    assert_eq!(told(&project, &fields), ["a slow hello slow\n"]);
    let targets = manifest(&project)["targets"].to_string();
    assert!(targets.contains("slow") && !targets.contains("hello"), "{targets}");
}

#[test]
fn described_targets_stand_beside_those_of_the_file() {
    let suite = DESCRIBED.replace("tests:", "  - two\ntests:");
    let project = two_targets().file("suite.yaml", graded(&suite)).env("WORD", "hello");
    passing(&project, &[]);
    assert_eq!(told(&project, &["eval_id", "target"]), ["a quick", "a slow", "a two"]);
    // Those that the suite does not name can still be asked for.
    passing(&project, &["--target", "one"]);
    assert_eq!(told(&project, &["eval_id", "target"]), ["a one"]);
}

#[test]
fn mistakes_of_described_targets_are_told_at_their_place() {
    let project = two_targets().file(
        "suite.yaml",
        "providers:
  - id: cli
    config: {comand: echo}
  - {name: two, provider: cli, command: echo}
  - {label: nothing, config: {command: 'echo ${{ WROD }}'}}
  - three
tests: [{id: a, input: x}]
",
    );
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @"
    error: unknown key `comand` in target
     --> suite.yaml:3:14
      |
    3 |     config: {comand: echo}
      |              ^^^^^^
      |
      = help: did you mean `command`?

    error: a target called `two` exists already
     --> suite.yaml:4:12
      |
    4 |   - {name: two, provider: cli, command: echo}
      |            ^^^ named again here
      |
     ::: .agentv/targets.yaml:3:12
      |
    3 |   - {name: two, provider: cli, command: echo two}
      |            --- first named here

    error: target needs `provider`
     --> suite.yaml:5:5
      |
    5 |   - {label: nothing, config: {command: 'echo ${{ WROD }}'}}
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: add `provider: …`

    error: target `nothing` does not exist in `.agentv/targets.yaml`
     --> suite.yaml:5:13
      |
    5 |   - {label: nothing, config: {command: 'echo ${{ WROD }}'}}
      |             ^^^^^^^
      |
      = help: there are: one, two, cli

    error: target `three` does not exist in `.agentv/targets.yaml`
     --> suite.yaml:6:5
      |
    6 |   - three
      |     ^^^^^
      |
      = help: there are: one, two, cli

    error: case `a` has no grader
     --> suite.yaml:7:14
      |
    7 | tests: [{id: a, input: x}]
      |              ^
      |
      = help: add `evaluators` to the case or to the suite

    6 errors
    ");
    let project = empty().file("suite.yaml", graded(DESCRIBED));
    assert_snapshot!(refused(&project, &["eval", "suite.yaml"]), @r#"
    error: environment variable `WORD`, needed for `command`, is not set
     --> suite.yaml:5:23
      |
    5 |       command: 'echo "${{ WORD }}"'
      |                       ^^^^^^^^^^^
      |
      = help: set `WORD` in the environment or in a `.env` file

    error: environment variable `WORD`, needed for `command`, is not set
     --> suite.yaml:8:21
      |
    8 |     command: 'echo "{{ env.WORD }}" slow'
      |                     ^^^^^^^^^^^^^^
      |
      = help: set `WORD` in the environment or in a `.env` file

    2 errors
    "#);
}

/// Waits until so many of it have been started, and answers how many run at that moment.
const COUNTING: &str = "#!/bin/sh
mkdir -p started running
touch running/$AGENTV_EVAL_ID started/$AGENTV_EVAL_ID
while [ $(ls started | wc -l) -lt $1 ]; do sleep 0.01; done
sleep 0.2 # Time for one too many to show itself.
ls running | wc -l
rm running/$AGENTV_EVAL_ID
";

#[test]
fn a_suite_says_how_many_invocations_run_at_once() {
    for (settings, most) in [
        ("execution: {workers: 1}", 1),
        ("evaluate_options: {max_concurrency: 2}", 2),
        ("evaluateOptions: {maxConcurrency: '${{ MOST }}'}", 2),
    ] {
        let command = format!("./count.sh {most}");
        let targets = format!("targets: [{{name: agent, provider: cli, command: {command}}}]\n");
        let cases = "tests: [{id: a, input: a}, {id: b, input: b}, {id: c, input: c}]\n";
        let project = empty()
            .file(".agentv/targets.yaml", targets)
            .file("count.sh", COUNTING)
            .file("suite.yaml", graded(&format!("{settings}\n{cases}")))
            .env("MOST", "2");
        passing(&project, &[]);
        let answers = told(&project, &["candidate_answer"]);
        let seen = answers.iter().map(|answer| answer.trim().parse::<usize>().unwrap());
        assert_eq!(seen.max(), Some(most), "{settings}: {answers:?}");
    }
}
