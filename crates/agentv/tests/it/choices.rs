//! Which cases are asked of which targets: paths, ids, names.

use agentv_testkit::{Project, Run};

use crate::project::{empty, rows, suite};

/// Targets that answer with their own name, one of them called `default`.
fn named_targets() -> Project {
    let mut targets = String::from("targets:\n");
    for name in ["one", "two", "default"] {
        targets
            .push_str(&format!("  - {{name: {name}, provider: cli, command: 'echo ok {name}'}}\n"));
    }
    empty().file(".agentv/targets.yaml", targets)
}

/// `suite id target` of every row, sorted.
fn asked(project: &Project) -> Vec<String> {
    let mut asked: Vec<String> = rows(project)
        .iter()
        .map(|row| {
            let word = |key: &str| row[key].as_str().unwrap().to_owned();
            assert_eq!(word("candidate_answer"), format!("ok {}\n", word("target")));
            format!("{} {} {}", word("suite"), word("eval_id"), word("target"))
        })
        .collect();
    asked.sort();
    asked
}

fn passing(project: &Project, args: &[&str]) -> Run {
    let run = project.run(&[&["eval"], args].concat());
    assert_eq!(run.code, Some(0), "{}", run.seen());
    run
}

#[test]
fn ids_are_chosen_by_name_and_by_glob() {
    let ids = ["math-1", "math-2", "text-1", "text-2", "odd[1]"];
    let project = named_targets().file("s.yaml", suite(&ids));
    for (globs, wanted) in [
        (&["math-*"][..], &["math-1", "math-2"][..]),
        (&["math-1", "text-?"], &["math-1", "text-1", "text-2"]),
        (&["*-2"], &["math-2", "text-2"]),
        (&["{math,text}-1"], &["math-1", "text-1"]),
        (&["odd[1]"], &["odd[1]"]),
        (&["*"], &["math-1", "math-2", "odd[1]", "text-1", "text-2"]),
    ] {
        let flags: Vec<&str> = globs.iter().flat_map(|glob| ["--eval-id", glob]).collect();
        passing(&project, &[&["s.yaml"], &flags[..]].concat());
        let ids: Vec<String> =
            rows(&project).iter().map(|row| row["eval_id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(ids, wanted, "{globs:?}");
    }
}

#[test]
fn an_id_that_matches_nothing_is_refused_although_others_match() {
    let project = named_targets().file("s.yaml", suite(&["a", "b"]));
    let run = project.run(&["eval", "s.yaml", "--eval-id", "a", "--eval-id", "nobody"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stderr.contains("no eval case matches `nobody`"), "{}", run.seen());
    assert!(project.runs().is_empty());
}

#[test]
fn without_a_name_the_target_called_default_is_asked() {
    let project = named_targets().file("s.yaml", suite(&["a"]));
    passing(&project, &["s.yaml"]);
    assert_eq!(asked(&project), ["s.yaml a default"]);
}

/// One case names its target, the other takes the suite's.
fn suite_with_targets() -> String {
    suite(&["own", "suites"])
        .replace("evaluators:", "execution: {target: one}\nevaluators:")
        .replace("- id: \"own\"", "- id: \"own\"\n    execution: {target: two}")
}

#[test]
fn a_case_asks_its_own_target_else_the_suites() {
    let project = named_targets().file("s.yaml", suite_with_targets());
    passing(&project, &["s.yaml"]);
    assert_eq!(asked(&project), ["s.yaml own two", "s.yaml suites one"]);
}

#[test]
fn targets_of_the_command_line_override_those_of_suite_and_case_and_each_is_run() {
    let project = named_targets().file("s.yaml", suite_with_targets());
    passing(&project, &["s.yaml", "--target", "one", "--target", "two", "--target", "one"]);
    let wanted = ["s.yaml own one", "s.yaml own two", "s.yaml suites one", "s.yaml suites two"];
    assert_eq!(asked(&project), wanted);
}

#[test]
fn the_name_default_overrides_nothing() {
    let project = named_targets().file("s.yaml", suite_with_targets());
    passing(&project, &["s.yaml", "--target", "default"]);
    assert_eq!(asked(&project), ["s.yaml own two", "s.yaml suites one"]);
}

#[test]
fn the_only_target_needs_no_name() {
    let only = "targets:\n  - {name: lonely, provider: cli, command: echo ok lonely}\n";
    let project = empty().file(".agentv/targets.yaml", only).file("s.yaml", suite(&["a"]));
    passing(&project, &["s.yaml"]);
    assert_eq!(asked(&project), ["s.yaml a lonely"]);
}

#[test]
fn targets_can_come_from_another_file_or_folder() {
    let other = "targets:\n  - {name: other, provider: cli, command: echo ok other}\n";
    let project =
        named_targets().file("s.yaml", suite(&["a"])).file("elsewhere/targets.yaml", other);
    for typed in ["elsewhere/targets.yaml", "elsewhere"] {
        passing(&project, &["s.yaml", "--targets", typed]);
        assert_eq!(asked(&project), ["s.yaml a other"], "{typed}");
    }
}

#[test]
fn suites_are_found_by_file_folder_and_glob() {
    let project = named_targets()
        .file("evals/x.yaml", suite(&["a"]))
        .file("evals/deep/y.yaml", suite(&["b"]))
        .file("z.yaml", suite(&["c"]));
    let (x, y, z) = ("evals/x.yaml a default", "evals/deep/y.yaml b default", "z.yaml c default");
    for (paths, wanted) in [
        (&["evals/x.yaml", "z.yaml"][..], &[x, z][..]),
        (&["evals"], &[y, x]),
        (&["evals/**/*.yaml"], &[y, x]),
        (&["evals/*.yaml", "z.yaml"], &[x, z]),
        (&["evals", "evals/x.yaml", "./evals/x.yaml"], &[y, x]),
        (&["."], &[y, x, z]),
    ] {
        passing(&project, paths);
        assert_eq!(asked(&project), wanted, "{paths:?}");
    }
}

#[test]
fn a_run_from_another_folder_is_recorded_at_the_root_of_the_repository() {
    let project = named_targets().file("evals/x.yaml", suite(&["a"]));
    let mut command = project.command(&["eval", "x.yaml"]);
    assert!(command.current_dir(project.path("evals")).output().unwrap().status.success());
    assert_eq!(asked(&project), ["evals/x.yaml a default"]);
    assert!(!project.path("evals/.agentv").exists());
}
