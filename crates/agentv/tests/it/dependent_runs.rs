//! Cases that depend on others, while they run: what is asked when, and what is not asked at all.

use std::fs;

use agentv_testkit::Project;

use crate::project::{batch_project, column, manifest, project, rows};

/// The last case stands first: only what it depends on brings it to its place.
const STEPS: &str = "assert: [contains: ok]
evalcases:
  - {id: third, input: x, depends_on: [second, first]}
  - {id: second, input: x, depends_on: first}
  - {id: first, input: x}
  - {id: other, input: x}
";

/// Notes which case it is asked, and answers `ok`, but not to the case that `BAD` names: there it
/// says or does this.
fn steps(bad: &str, does: &str) -> Project {
    let script =
        format!("echo \"$1\" >> log\n[ \"$1\" = {bad} ] && {{ {does}; exit; }}\necho ok\n");
    project("sh agent.sh {EVAL_ID}", &["workers: 4"], &[])
        .file("agent.sh", script)
        .file("suite.yaml", STEPS)
}

/// The cases in the order in which they were asked, without `other`, which may be anywhere.
fn asked(project: &Project) -> Vec<String> {
    let log = fs::read_to_string(project.path("log")).unwrap();
    log.lines().filter(|id| *id != "other").map(str::to_owned).collect()
}

#[test]
fn a_case_is_asked_after_those_that_it_depends_on() {
    let project = steps("nobody", "true");
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(asked(&project), ["first", "second", "third"]);
    assert_eq!(rows(&project).len(), 4);
}

#[test]
fn dependents_of_a_case_that_did_not_pass_are_not_asked_and_are_counted() {
    for (bad, does, left, not_run) in [
        ("first", "echo no", &["first", "other"][..], 2),
        ("first", "exit 7", &["first", "other"], 2),
        ("second", "echo no", &["first", "other", "second"], 1),
    ] {
        let project = steps(bad, does);
        let run = project.run(&["eval", "suite.yaml"]);
        assert_eq!(run.code, Some(3), "{bad} {does}\n{}", run.seen());
        assert_eq!(column(&project, "eval_id"), left, "{bad} {does}");
        let counts = &manifest(&project)["counts"];
        assert_eq!(counts["not_run"], not_run, "{counts}");
        assert_eq!(counts["planned"], 4, "{counts}");
    }
}

#[test]
fn where_only_the_order_holds_dependents_are_asked_all_the_same() {
    for does in ["echo no", "exit 7"] {
        let project = steps("first", does);
        project.write("suite.yaml", format!("on_dependency_failure: run\n{STEPS}"));
        let run = project.run(&["eval", "suite.yaml"]);
        let code = if does == "exit 7" { 3 } else { 1 };
        assert_eq!(run.code, Some(code), "{}", run.seen());
        assert_eq!(asked(&project), ["first", "second", "third"]);
        assert_eq!(rows(&project).len(), 4);
    }
}

#[test]
fn each_repeat_waits_for_its_own() {
    let project = steps("nobody", "true");
    let run = project.run(&["eval", "suite.yaml", "--repeat", "3"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(rows(&project).len(), 12);
    let asked = asked(&project);
    for number in 0..3 {
        let place = |id: &str| {
            let mut all = asked.iter().enumerate().filter(|(_, asked)| *asked == id);
            all.nth(number).unwrap().0
        };
        assert!(place("first") < place("second") && place("second") < place("third"), "{asked:?}");
    }
}

#[test]
fn a_batch_holds_what_is_ready_and_the_next_one_what_depends_on_it() {
    let script = "sed 's/^{\"id\":\"\\([^\"]*\\)\".*/\\1/' \"$AGENTV_BATCH_FILE\" | sort \
                  | tr '\\n' ' ' >> log\necho >> log\n\
                  sed 's/,\"attempt.*/,\"text\":\"ok\"}/' \"$AGENTV_BATCH_FILE\" \
                  > \"$AGENTV_OUTPUT_FILE\"\n";
    let project =
        batch_project("sh agent.sh", &[], &[]).file("agent.sh", script).file("suite.yaml", STEPS);
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let log = fs::read_to_string(project.path("log")).unwrap();
    let batches: Vec<&str> = log.lines().map(str::trim).collect();
    assert_eq!(batches, ["first other", "second", "third"]);
    assert_eq!(rows(&project).len(), 4);
}

#[test]
fn invoke_keeps_the_order_and_asks_everything() {
    let project = steps("first", "exit 7");
    let run = project.run(&["invoke", "suite.yaml", "--target", "agent"]);
    assert_eq!(run.stdout.lines().count(), 4, "{}", run.seen());
    assert_eq!(asked(&project), ["first", "second", "third"]);
}
