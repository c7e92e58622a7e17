//! `--cache`: what is answered from the cache, what is asked for anew, and how it is explained.

use std::{fs, os::unix::fs::PermissionsExt as _};

use agentv_testkit::Project;
use serde_json::json;

use crate::project::{batch_project, column, empty, project, suite};

/// A target whose script writes down each time that it is asked.
fn counting() -> Project {
    let targets = json!({"targets": [{
        "name": "default", "provider": "cli", "cwd": "..",
        "command": "sh agent.sh {EVAL_ID} $MOOD",
    }]});
    empty()
        .file(".agentv/targets.yaml", targets.to_string())
        .file("agent.sh", "echo $1 >> asked; echo ok $1")
        .file("evals/a.yaml", suite(&["one", "two"]))
}

/// Who was asked since the last look.
fn asked(project: &Project) -> Vec<String> {
    let file = project.path("asked");
    let text = fs::read_to_string(&file).unwrap_or_default();
    let _ = fs::remove_file(file);
    let mut ids: Vec<String> = text.lines().map(str::to_owned).collect();
    ids.sort_unstable();
    ids
}

/// Runs with the cache; what was said of it, in the order of the ids.
fn run(project: &Project) -> Vec<String> {
    let run = project.run(&["eval", "evals/a.yaml", "--cache", "-v"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let said = run.stderr.lines().filter(|line| line.starts_with("cache: "));
    let mut said: Vec<String> = said.map(str::to_owned).collect();
    said.sort_unstable();
    said
}

#[test]
fn an_answer_is_asked_for_once_and_hits_are_explained() {
    let project = counting();
    assert_eq!(
        run(&project),
        [
            "cache: miss for evals/a.yaml one (default): no answer is kept",
            "cache: miss for evals/a.yaml two (default): no answer is kept",
        ]
    );
    assert_eq!(asked(&project), ["one", "two"]);
    let first = column(&project, "candidate_answer");
    let said = run(&project);
    assert!(said[0].starts_with("cache: hit for evals/a.yaml one (default), kept 2"), "{said:?}");
    assert_eq!(asked(&project), [""; 0]);
    assert_eq!(column(&project, "candidate_answer"), first);
    assert_eq!(column(&project, "cached"), [json!(true), json!(true)]);
    let without = project.run(&["eval", "evals/a.yaml"]);
    assert_eq!(without.code, Some(0), "{}", without.seen());
    assert_eq!(asked(&project), ["one", "two"]);
}

#[test]
fn whatever_produced_an_answer_makes_another_when_it_changes() {
    let project = counting();
    run(&project);
    asked(&project);
    let why = |said: &[String]| said[0].rsplit_once("(default): ").unwrap().1.to_owned();
    let targets = fs::read_to_string(project.path(".agentv/targets.yaml")).unwrap();
    let changes = [
        ("agent.sh", "echo $1 >> asked; echo ok, $1".to_owned(), "file agent.sh changed"),
        (
            ".agentv/targets.yaml",
            targets.replace("{EVAL_ID}", "{EVAL_ID} 2"),
            "the command changed",
        ),
        (
            ".agentv/targets.yaml",
            targets.replace("\"cwd\"", "\"env\": {\"X\": \"1\"}, \"cwd\""),
            "`env` is new, the command changed",
        ),
        ("evals/a.yaml", suite(&["one", "two"]).replace("content: ", "content: hey "), ""),
    ];
    for (file, content, told) in changes {
        project.write(file, content);
        let said = run(&project);
        if told.is_empty() {
            assert_eq!(why(&said), "the question changed");
        } else {
            let mut parts: Vec<&str> = told.split(", ").collect();
            let why = why(&said);
            let mut heard: Vec<&str> = why.split(", ").collect();
            parts.sort_unstable();
            heard.sort_unstable();
            assert_eq!(heard, parts);
        }
        assert_eq!(asked(&project), ["one", "two"], "{file}");
        run(&project);
        assert_eq!(asked(&project), [""; 0], "{file}");
    }
}

#[test]
fn a_variable_that_the_command_mentions_counts_and_a_secret_does_not() {
    let project = counting();
    run(&project);
    asked(&project);
    let project = project.env("MOOD", "good").env("OTHER", "x").env("MOOD_KEY", "x");
    let said = run(&project);
    assert!(said[0].ends_with("(default): variable MOOD is new"), "{said:?}");
    assert_eq!(asked(&project), ["one", "two"]);
    let project = project.env("OTHER", "y");
    run(&project);
    assert_eq!(asked(&project), [""; 0]);
}

#[test]
fn how_a_target_is_reached_changes_nothing() {
    let project = counting();
    run(&project);
    asked(&project);
    let targets = fs::read_to_string(project.path(".agentv/targets.yaml")).unwrap();
    let other = "\"timeout_seconds\": 50, \"healthcheck\": {\"command\": \"true\"}, \"cwd\"";
    project.write(".agentv/targets.yaml", targets.replace("\"cwd\"", other));
    run(&project);
    assert_eq!(asked(&project), [""; 0]);
}

#[test]
fn only_what_is_not_kept_is_in_a_batch() {
    let command = "cat {PROMPT_FILE} >> bundles; grep -o '\"id\":\"[a-z]*\"' {PROMPT_FILE} | \
                   sed 's/.*:\\(.*\\)/{\"id\":\\1,\"text\":\"ok\"}/' > {OUTPUT_FILE}";
    let project = batch_project(command, &[], &["a", "b"]);
    let first = project.run(&["eval", "suite.yaml", "--cache"]);
    assert_eq!(first.code, Some(0), "{}", first.seen());
    project.write("suite.yaml", suite(&["a", "b", "c"]));
    project.write("bundles", "");
    let second = project.run(&["eval", "suite.yaml", "--cache"]);
    assert_eq!(second.code, Some(0), "{}", second.seen());
    let bundle = fs::read_to_string(project.path("bundles")).unwrap();
    assert!(bundle.contains("\"c\"") && !bundle.contains("\"a\""), "{bundle}");
    project.write("bundles", "");
    project.run(&["eval", "suite.yaml", "--cache"]);
    assert_eq!(fs::read_to_string(project.path("bundles")).unwrap(), "");
}

#[test]
fn failures_are_not_kept() {
    let project = project("echo {EVAL_ID} >> asked; exit 3", &[], &["a"]);
    for _ in 0..2 {
        let run = project.run(&["eval", "suite.yaml", "--cache"]);
        assert_eq!(run.code, Some(3), "{}", run.seen());
    }
    assert_eq!(asked(&project), ["a", "a"]);
    assert!(!project.path(".agentv/cache").exists());
}

#[test]
fn what_is_kept_is_private_and_of_no_use_when_broken() {
    let project = counting();
    run(&project);
    asked(&project);
    let cache = project.path(".agentv/cache");
    assert_eq!(fs::metadata(&cache).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_to_string(cache.join(".gitignore")).unwrap(), "*\n");
    for folder in fs::read_dir(&cache).unwrap().map(|it| it.unwrap()) {
        if folder.file_name().len() == 2 {
            for file in fs::read_dir(folder.path()).unwrap() {
                fs::write(file.unwrap().path(), "not an answer").unwrap();
            }
        }
    }
    let again = project.run(&["eval", "evals/a.yaml", "--cache"]);
    assert_eq!(again.code, Some(0), "{}", again.seen());
    assert_eq!(again.stderr.matches("cannot be used, and is asked for again").count(), 1);
    assert_eq!(asked(&project), ["one", "two"]);
}

#[test]
fn what_failed_is_asked_again_and_not_taken_from_the_cache() {
    let project = counting();
    project.write("agent.sh", "echo $1 >> asked; test -e fixed && echo ok || echo no");
    let first = project.run(&["eval", "evals/a.yaml", "--cache"]);
    assert_eq!(first.code, Some(1), "{}", first.seen());
    asked(&project);
    project.write("fixed", "");
    let again = project.run(&["eval", "--rerun-failed", "-v"]);
    assert_eq!(again.code, Some(0), "{}", again.seen());
    assert_eq!(asked(&project), ["one", "two"]);
    assert!(again.stderr.contains("cache: not looked at for evals/a.yaml one"), "{}", again.seen());
    let hit = project.run(&["eval", "evals/a.yaml", "--cache"]);
    assert_eq!((hit.code, asked(&project)), (Some(0), Vec::new()), "{}", hit.seen());
}

#[test]
fn a_target_that_reads_the_suite_depends_on_it() {
    let project = counting();
    let targets = json!({"targets": [{"name": "default", "provider": "cli", "cwd": "..",
        "command": "sh agent.sh {EVAL_ID} {EVAL_FILE}"}]});
    project.write(".agentv/targets.yaml", targets.to_string());
    run(&project);
    project.write("evals/a.yaml", format!("# other words\n{}", suite(&["one", "two"])));
    let said = run(&project);
    assert!(said[0].ends_with("suite evals/a.yaml changed"), "{said:?}");
}
