//! What the README promises: its commands run, the examples pass, the help is as shown.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use agentv_testkit::{Project, Run};

use crate::project::{empty, lines, printed, rows};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A project that holds the examples where the README says they are.
fn examples() -> Project {
    empty().copy_to("examples", &root().join("examples"))
}

/// The commands in the shell blocks of the README, one a line.
fn commands_of_the_readme() -> Vec<String> {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut commands = Vec::new();
    let mut in_shell_block = false;
    for line in readme.lines() {
        match line.trim() {
            "```sh" => in_shell_block = true,
            "```" => in_shell_block = false,
            "" => {}
            command if in_shell_block => commands.push(command.to_owned()),
            _ => {}
        }
    }
    commands
}

/// Runs a line in a shell that finds the binary under its name.
fn run_in_shell(project: &Project, line: &str) -> Output {
    let folder = Path::new(env!("CARGO_BIN_EXE_agentv")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    std::process::Command::new("sh")
        .args(["-e", "-c", line])
        .current_dir(project.path(""))
        .env("PATH", path)
        .env("TMPDIR", project.path("tmp"))
        .output()
        .unwrap()
}

#[test]
fn every_command_of_the_readme_works() {
    let commands = commands_of_the_readme();
    let of_ours: Vec<&String> =
        commands.iter().filter(|command| !command.starts_with("cargo ")).collect();
    assert!(of_ours.len() >= 4, "the tour was found: {commands:?}");
    let project = examples();
    for command in of_ours {
        let output = run_in_shell(&project, command);
        let run = Run::of(&output, &project.path(""));
        assert_eq!(run.code, Some(0), "{command}\n{}", run.seen());
        assert!(!run.stdout.is_empty(), "{command} says nothing");
    }
    project.assert_nothing_is_left();
}

#[test]
fn the_readmes_run_command_screens_five_payments_in_one_process() {
    let command = "cargo run --release -- eval examples/screening";
    assert!(commands_of_the_readme().iter().any(|line| line == command));
    let project = examples();
    let args: Vec<&str> = command.split_once(" -- ").unwrap().1.split(' ').collect();
    let run = project.run(&[&args[..], &["-v"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(run.stderr.matches("running `").count(), 1, "{}", run.seen());
    let rows = rows(&project);
    assert_eq!(rows.len(), 5);
    for row in rows {
        let kinds: Vec<&str> = row["evaluator_results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| result["type"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["code_judge", "tool_trajectory"], "{row}");
    }
}

#[test]
fn the_rows_of_the_tour_are_kept_where_it_says() {
    let project = examples();
    let command = commands_of_the_readme()
        .into_iter()
        .find(|command| command.contains("--out"))
        .expect("the tour shows --out");
    assert!(run_in_shell(&project, &command).status.success());
    let out = fs::read_to_string(project.path("rows.jsonl")).unwrap();
    assert_eq!(lines(&out).len(), rows(&project).len());
}

/// Suites below a folder: YAML that is no setting of AgentV's.
fn suites(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') {
                suites(&path, found);
            }
        } else if path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") {
            found.push(path);
        }
    }
}

#[test]
fn every_suite_of_the_examples_passes_alone_and_all_of_them_together() {
    let project = examples();
    let mut found = Vec::new();
    suites(&project.path("examples"), &mut found);
    assert!(found.len() >= 2, "{found:?}");
    for suite in &found {
        let run = project.run(&["eval", &suite.display().to_string()]);
        assert_eq!(run.code, Some(0), "{}\n{}", suite.display(), run.seen());
        assert!(!rows(&project).is_empty());
    }
    let run = project.run(&["eval", "examples"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let asked: BTreeSet<String> =
        rows(&project).iter().map(|row| row["suite"].as_str().unwrap().to_owned()).collect();
    let all: BTreeSet<String> = found
        .iter()
        .map(|suite| suite.strip_prefix(project.path("")).unwrap().display().to_string())
        .collect();
    assert_eq!(asked, all);
    project.assert_nothing_is_left();
}

#[test]
fn every_target_of_the_examples_passes_its_suite() {
    let project = examples();
    for target in ["greeter", "greeter-by-file"] {
        let run = project.run(&["eval", "examples/hello/hello.yaml", "--target", target]);
        assert_eq!(run.code, Some(0), "{}", run.seen());
    }
}

#[test]
fn the_help_is_as_it_was_agreed() {
    insta::assert_snapshot!("help", printed(&["--help"]));
    insta::assert_snapshot!("help_of_eval", printed(&["eval", "--help"]));
    insta::assert_snapshot!("help_of_invoke", printed(&["invoke", "--help"]));
    insta::assert_snapshot!("help_of_init", printed(&["init", "--help"]));
}

#[test]
fn the_version_is_that_of_the_workspace() {
    assert_eq!(printed(&["--version"]), format!("agentv {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn without_a_command_the_help_is_shown_and_nothing_is_run() {
    let run = empty().run(&[]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("Usage: agentv"), "{}", run.seen());
}
