//! One suite, written in three dialects: targets are asked the same, judges are told the same, and
//! the rows are the same.

use std::{fs, path::Path};

use agentv_testkit::Project;
use serde_json::Value;

use crate::project::{empty, rows};

const DIALECTS: [&str; 3] = ["v1", "v4", "v5"];
const CASES: [&str; 4] = ["conversation", "late", "plain", "with-files"];

/// The project of one dialect after its suite was run against `target`.
fn run(dialect: &str, target: &str) -> Project {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/dialects/same").join(dialect);
    let project = empty().copy_of(&folder);
    let run = project.run(&["eval", "suite.yaml", "--target", target]);
    assert_eq!(run.code, Some(1), "{dialect}\n{}", run.seen());
    project
}

/// A file that the run wrote, without the place of the project.
fn written(project: &Project, file: &str) -> String {
    let text = fs::read_to_string(project.path(file)).unwrap();
    text.replace(project.path("").to_str().unwrap(), "[PROJECT]/")
}

/// What the judge was told, by case. Times are each run's own.
fn judged(project: &Project) -> Vec<Value> {
    let files = fs::read_dir(project.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut judged: Vec<Value> = files
        .map(|file| file.into_string().unwrap())
        .filter(|file| file.starts_with("judged-"))
        .map(|file| serde_json::from_str(&written(project, &file)).unwrap())
        .collect();
    assert_eq!(judged.len(), CASES.len());
    judged.sort_by_key(|told| told["eval_id"].as_str().unwrap().to_owned());
    for told in &mut judged {
        told.as_object_mut().unwrap().remove("duration_ms").unwrap();
    }
    judged
}

/// The rows without times and places.
fn grades(project: &Project) -> Vec<Value> {
    let mut rows = rows(project);
    for row in &mut rows {
        let row = row.as_object_mut().unwrap();
        for key in ["timestamp", "line", "fingerprint"] {
            row.remove(key).unwrap();
        }
        row.remove("duration_ms");
        for result in row["evaluator_results"].as_array_mut().unwrap() {
            result.as_object_mut().unwrap().remove("duration_ms").unwrap();
        }
    }
    rows
}

/// One by one, so that a difference can be found.
fn assert_same(found: &[Value], wanted: &[Value], dialect: &str) {
    assert_eq!(found.len(), wanted.len(), "{dialect}");
    for (found, wanted) in found.iter().zip(wanted) {
        for (key, value) in wanted.as_object().unwrap() {
            assert_eq!(found.get(key), Some(value), "{dialect} {} {key}", wanted["eval_id"]);
        }
        assert_eq!(found, wanted, "{dialect}");
    }
}

#[test]
fn a_batch_is_asked_the_same_line_by_line_and_graded_the_same() {
    let runs = DIALECTS.map(|dialect| run(dialect, "batch"));
    let [first, others @ ..] = &runs;
    let requests = written(first, "requests.jsonl");
    assert_eq!(requests.lines().count(), CASES.len());
    assert_eq!(grades(first).len(), CASES.len());
    for (dialect, other) in DIALECTS.iter().skip(1).zip(others) {
        for (line, same) in written(other, "requests.jsonl").lines().zip(requests.lines()) {
            assert_eq!(line, same, "{dialect}");
        }
        assert_same(&grades(other), &grades(first), dialect);
        assert_same(&judged(other), &judged(first), dialect);
    }
    // What is compared is there at all.
    insta::assert_snapshot!("requests_of_one_suite", requests);
    let scores: Vec<String> = grades(first)
        .iter()
        .map(|row| {
            let graders: Vec<String> = row["evaluator_results"]
                .as_array()
                .unwrap()
                .iter()
                .map(|result| format!("{} {}", result["name"].as_str().unwrap(), result["score"]))
                .collect();
            format!("{} {}: {}", row["eval_id"], row["score"], graders.join(", "))
        })
        .collect();
    insta::assert_snapshot!(scores.join("\n"), @r#"
    "conversation" 0.6666666666666666: both 1.0, where 0.0, calls 1.0, judge 0.5
    "late" 0.75: contains 1.0, calls 1.0, judge 0.5
    "plain" 0.75: day 1.0, calls 1.0, judge 0.5
    "with-files" 0.8: hour 1.0, no-excuse 1.0, calls 1.0, judge 0.5
    "#);
}

#[test]
fn single_cases_are_asked_the_same_and_graded_the_same() {
    let runs = DIALECTS.map(|dialect| run(dialect, "single"));
    let [first, others @ ..] = &runs;
    assert_eq!(grades(first).len(), CASES.len());
    for (dialect, other) in DIALECTS.iter().skip(1).zip(others) {
        for case in CASES {
            for file in [format!("prompt-{case}.txt"), format!("arguments-{case}.txt")] {
                assert_eq!(written(other, &file), written(first, &file), "{dialect} {file}");
            }
        }
        assert_same(&grades(other), &grades(first), dialect);
        assert_same(&judged(other), &judged(first), dialect);
    }
    insta::assert_snapshot!(written(first, "prompt-with-files.txt"), @r#"
    @[System]:
    You keep the calendar.

    @[User]:
    <file path="notes.md">
    The team meets on Monday at ten.
    </file>
    <Attached: house.instructions.md>
    When do we meet, and where?
    "#);
    insta::assert_snapshot!(written(first, "arguments-with-files.txt"), @r#"
    <file path="house.instructions.md">
    Answer in one line.
    </file> [PROJECT]/notes.md
    "#);
}

/// One of its cases names a type alone that needs more than that.
const TOO_SHORT: &str = "rubrics";

#[test]
fn every_project_of_the_corpus_is_valid_to_the_last_grader() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/dialects");
    for folder in fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()) {
        let project = empty().copy_of(&folder).env("REGION", "here");
        let run = project.run(&["validate", "."]);
        let right = !folder.ends_with(TOO_SHORT);
        let code = if right { Some(0) } else { Some(2) };
        assert_eq!((run.code, run.stderr.is_empty()), (code, right), "{folder:?}\n{}", run.seen());
        let mut errors = run.stderr.lines().filter(|line| line.starts_with("error:"));
        let others = errors.find(|line| !line.contains("code_judge needs"));
        assert_eq!(others, None, "{}", run.seen());
    }
}
