//! Examples of pages, run as they stand: those of the pages on targets that ask nobody and on
//! rubrics here, others where they are named.

use std::{fs, path::Path};

use agentv_testkit::Project;

use crate::project::empty;

fn text(page: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    fs::read_to_string(path).unwrap()
}

/// The block of output on a page that starts with these words.
pub fn shown(page: &str, start: &str) -> String {
    let text = text(page);
    let (_, block) = text.split_once(&format!("```text\n{start}")).expect("the block");
    format!("{start}{}", block.split("\n```").next().unwrap())
}

/// The files that a page shows, in its order: a YAML example says its file in its first line, any
/// other one in the line before it. What is typed and what is printed is no file.
pub fn files(page: &str) -> Vec<(String, String)> {
    let text = text(page);
    let mut found = Vec::new();
    let mut said = "";
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            said = if line.trim().is_empty() { said } else { line };
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if matches!(language, "console" | "text") {
            continue;
        }
        let name = match language {
            "yaml" => block[0].strip_prefix("# "),
            _ => said.strip_prefix('`').and_then(|it| it.strip_suffix("`:")),
        };
        found.push((name.expect("a name of the file").to_owned(), block.join("\n") + "\n"));
    }
    assert!(found.len() >= 3, "the examples were found");
    found
}

pub fn project(files: &[(String, String)]) -> Project {
    let project = empty();
    for (name, text) in files {
        project.write(name, text);
    }
    project
}

#[test]
fn answers_are_kept_as_their_page_says() {
    let project = project(&files("answers-kept.md"));
    let run = |args: &[&str]| {
        let run = project.run(args);
        assert_eq!(run.code, Some(1), "{}", run.seen());
        run
    };
    let first = run(&["eval", "evals/", "--cache", "-v"]).stderr;
    let told = "cache: miss for evals/capitals.yaml italy (default): no answer is kept";
    assert!(first.contains(told), "{first}");
    let second = run(&["eval", "evals/", "--cache", "-v"]).stderr;
    assert!(second.contains("cache: hit for evals/capitals.yaml france (default), kept 2"));
    run(&["eval", "evals/", "--record", "run.jsonl", "--out", "results.jsonl"]);
    run(&["eval", "evals/", "--replay", "run.jsonl"]);
    run(&["eval", "evals/", "--dry-run"]);
    run(&["grade", "results.jsonl", "--threshold", "0.6"]);
}

#[test]
fn mocks_and_recordings_answer_as_their_page_says() {
    let project = project(&files("mock-and-replay.md"));
    for target in ["default", "recorded"] {
        let run = project.run(&["eval", "evals", "--target", target]);
        assert_eq!(run.code, Some(0), "{}", run.seen());
        assert!(run.stdout.contains("3 passed"), "{}", run.seen());
    }
}

#[test]
fn rubrics_are_written_as_their_page_shows() {
    let mut files = files("generate.md");
    let (suite, after) = files.pop().unwrap();
    let project = project(&files);
    let run = project.run(&["generate", "rubrics", &suite]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert_eq!(fs::read_to_string(project.path(&suite)).unwrap(), after);
}
