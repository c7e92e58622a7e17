//! What is told at the end of a run, and that the commands which it gives do what they say.

use std::{path::Path, process::Command};

use agentv_testkit::Project;
use insta::assert_snapshot;

use crate::project::{column, empty, manifest, project, rows, suite, targets};

/// What the binary prints on standard output, as it is, to a user who stands in a folder of the
/// project.
fn told(project: &Project, folder: &str, args: &[&str]) -> String {
    let mut command = project.command(args);
    command.env("COLUMNS", "100").current_dir(project.path(folder));
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

/// The commands that a summary gives to run one case again.
fn commands(told: &str) -> Vec<String> {
    told.lines().filter_map(|line| line.trim().strip_prefix("$ ")).map(str::to_owned).collect()
}

/// Runs a command as a user does who copies it into a shell.
fn paste(project: &Project, folder: &str, command: &str) {
    let binary = Path::new(env!("CARGO_BIN_EXE_agentv"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    // Only what cannot be shown otherwise asks for more than any shell understands.
    let shell = if command.contains("$'") { "bash" } else { "sh" };
    let output = Command::new(shell)
        .args(["-c", command])
        .current_dir(project.path(folder))
        .env_clear()
        .env("PATH", path)
        .env("HOME", project.path(""))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{command}\n{said}");
}

#[test]
fn each_failed_case_comes_with_a_command_that_runs_it_alone() {
    let ids = [
        "a*b",
        "axb",
        "it's",
        "[x]",
        "x",
        "--help",
        "-a",
        "{a,b}",
        "a",
        "b",
        "a\\b",
        "two words",
        "$HOME",
        "\"q\"",
        "über?",
        "~",
        "tab\there",
        "#no",
        "a;b&c",
    ];
    let project = project("echo no", &[], &ids);
    let commands = commands(&told(&project, ".", &["eval", "suite.yaml"]));
    assert_eq!(commands.len(), ids.len(), "{commands:#?}");
    assert_eq!(commands[0], r"agentv eval suite.yaml --eval-id 'a\*b'");
    assert_eq!(commands[5], "agentv eval suite.yaml --eval-id=--help");
    for (id, command) in ids.iter().zip(&commands) {
        paste(&project, ".", command);
        assert_eq!(column(&project, "eval_id"), [*id], "{command}");
    }
}

#[test]
fn it_names_the_target_and_the_flags_that_matter_from_where_one_stands() {
    let both = targets("echo no", &[])
        + "  - name: other agent\n    provider: cli\n    command_template: echo no\n";
    let project = empty().file("my targets.yaml", both).file("evals/a.yaml", suite(&["a", "b"]));
    project.write("evals/deep/note.txt", "");
    let flags = ["--targets", "../../my targets.yaml", "--threshold", "0.6"];
    let asked = ["eval", "../a.yaml", "--target", "agent", "--target", "other agent"];
    let commands = commands(&told(&project, "evals/deep", &[&asked[..], &flags].concat()));
    assert_eq!(
        commands[1],
        "agentv eval ../a.yaml --eval-id a --target 'other agent' \
         --targets '../../my targets.yaml' --threshold 0.6"
    );
    assert_eq!(commands.len(), 4);
    paste(&project, "evals/deep", &commands[1]);
    assert_eq!(rows(&project).len(), 1);
    assert_eq!(column(&project, "target"), ["other agent"]);
    assert_eq!(manifest(&project)["options"]["threshold"], 0.6);
}

#[test]
fn what_failed_is_run_again_by_one_command() {
    let project = project("test {EVAL_ID} = a && echo ok || echo no", &[], &["a", "b", "c"]);
    let told = told(&project, ".", &["eval", "suite.yaml"]);
    let line = told.lines().find_map(|line| line.strip_prefix("  to run all of them again: "));
    paste(&project, ".", line.unwrap_or_else(|| panic!("{told}")));
    assert_eq!(manifest(&project)["sessions"][0]["rows_before"], 1, "one is carried over");
    assert_eq!(column(&project, "eval_id"), ["a", "b", "c"]);
}

#[test]
fn graded_runs_are_graded_again_and_joined_ones_asked() {
    let project = project("echo no", &[], &["a", "b"]);
    for shard in ["1/2", "2/2"] {
        project.run(&["eval", "suite.yaml", "--shard", shard]);
    }
    let parts: Vec<String> =
        project.runs().iter().map(|run| run.to_string_lossy().into_owned()).collect();
    let merge: Vec<&str> =
        ["results", "merge"].into_iter().chain(parts.iter().map(String::as_str)).collect();
    let merged = told(&project, ".", &merge);
    assert_eq!(commands(&merged)[0], "agentv eval suite.yaml --eval-id a");
    assert!(merged.contains("pass rate 0 % [0–66 %] (Wilson)"), "{merged}");
    let run_id = project.newest_run();
    let run_id = run_id.file_name().unwrap().to_string_lossy();
    let graded = told(&project, ".", &["grade", &run_id, "--threshold", "0.5"]);
    assert!(graded.contains("pass rate 0 % [0–66 %] (Wilson)"), "{graded}");
    let new = project.newest_run();
    let new = new.file_name().unwrap().to_string_lossy();
    assert_eq!(commands(&graded)[1], format!("agentv grade {new} --eval-id b"));
    paste(&project, ".", &commands(&graded)[1]);
    assert_eq!(manifest(&project)["kind"], "grade");
}

#[test]
fn a_whole_summary_has_tables_differences_and_intervals() {
    let suite = "
execution: {evaluators: [{type: equals}]}
evalcases:
  - {id: france, tags: [europe], input: Capital of France?, expected_output: The capital is Paris.}
  - {id: peru, tags: [america], input: Capital of Peru?, expected_output: The capital is Lima.}
  - {id: chile, input: Capital of Chile?, expected_output: \"{\\\"capital\\\": \\\"Santiago\\\"}\"}
";
    let answers = "case $1 in france) echo 'The capital is Paris.';; peru) echo 'The capital is Cusco.';; \
                   *) echo '{\"capital\":\"Valdivia\"}';; esac";
    let project = project("sh agent.sh {EVAL_ID}", &[], &[])
        .file("agent.sh", answers)
        .file("suite.yaml", suite);
    let text = told(&project, ".", &["eval", "suite.yaml"]);
    // Times and the names of runs are others each time.
    let calm = text
        .lines()
        .filter(|line| !line.ends_with("ms"))
        .map(|line| line.split("RUN").next().unwrap_or(line))
        .map(|line| {
            let at = [" 20", "results/20"].iter().find_map(|it| line.find(it));
            at.and_then(|at| line.get(..at)).unwrap_or(line)
        })
        .filter(|line| !line.contains("ms ") && !line.starts_with("Tags"));
    let calm: Vec<&str> = calm.collect();
    assert_snapshot!(calm.join("\n"));
}
