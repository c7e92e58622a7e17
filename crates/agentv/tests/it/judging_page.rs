//! What docs/judging.md promises, done in its order: its suites run, its judge fails as it says, and
//! its calibration comes to the numbers that it shows.

use serde_json::json;

use crate::{
    page_examples::{files, project, shown},
    project::rows,
};

const PAGE: &str = "judging.md";

#[test]
fn judges_do_as_the_page_on_judging_says() {
    let project = project(&files(PAGE));
    for suite in ["letters", "own-prompt"] {
        let run = project.run(&["eval", &format!("evals/{suite}.yaml")]);
        assert_eq!(run.code, Some(0), "{}", run.seen());
    }
    let run = project.run(&["eval", "evals/rubrics.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let row = &rows(&project)[0];
    assert_eq!(row["score"], json!(3.0 / 3.5));
    assert_eq!(row["misses"], json!(["[short] Is one sentence: two sentences"]));
}

#[test]
fn a_judge_that_fails_is_an_error_in_the_words_of_the_page() {
    let project = project(&files(PAGE));
    let run = project.run(&["eval", "evals/failing.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let row = &rows(&project)[0];
    assert!(row["score"].is_null(), "{row}");
    assert_eq!(row["error"], shown(PAGE, "grader `llm_judge` failed").replace('\n', " "));
    assert_eq!(row["evaluator_results"][0]["judge"]["asks"], 2);
}

#[test]
fn a_calibration_stands_beside_scores_as_the_page_shows() {
    let project = project(&files(PAGE));
    let run = project.run(&["calibrate", "evals/letters.yaml", "--labels", "labels.jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let run = project.run(&["eval", "evals/letters.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let judges = shown(PAGE, "Judges");
    assert!(run.stdout.contains(&judges), "{judges}\n{}", run.seen());
}
