//! The grader `similar` in a run: what it scores, what it lacks, and what is too much for it.

use agentv_testkit::Project;
use serde_json::json;

use crate::project::{empty, rows, targets};

/// One case that is asked of a target with this command. What it runs leaves a trace in `ran`.
fn project(command: &str, case: &str) -> Project {
    let suite =
        format!("evalcases:\n  - id: a\n    input_messages: [{{role: user, content: x}}]\n{case}");
    empty()
        .file(".agentv/targets.yaml", targets(&format!("touch ran; {command}"), &[]))
        .file("suite.yaml", suite)
}

#[test]
fn the_score_is_the_similarity_to_what_the_case_expects() {
    let project = project(
        "echo the cat sat",
        "    expected_messages: [{role: assistant, content: the cat sat down}]\n    evaluators:\n      \
         - {type: similar, measure: rouge_l}\n      - {type: similar, measure: levenshtein, \
         min_score: 0.5, value: [the dog sat, no]}\n      - {type: not-similar, measure: token_f1, \
         value: dogs bark}\n",
    );
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let row = &rows(&project)[0];
    let said = ["rouge_l 0.8571 to `the cat sat down`", "token_f1 0 to `dogs bark`"];
    let near = "levenshtein 0.7273 to `the dog sat`, the nearest of 2";
    assert_eq!(row["hits"], json!([said[0], near, said[1]]), "{row:#}");
    assert_eq!(row["misses"], json!([]));
    let score = row["evaluator_results"][0]["score"].as_f64().unwrap();
    assert!((score - 6.0 / 7.0).abs() < 1e-12, "{score}");
}

#[test]
fn too_little_is_a_miss_that_names_what_was_measured() {
    let project = project(
        "echo no idea",
        "    evaluators:\n      - {type: similar, measure: chrf, value: Paris}\n",
    );
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    assert!(run.seen().contains("chrf 0.0"), "{}", run.seen());
}

#[test]
fn a_case_without_a_reference_is_refused_before_anything_runs() {
    let project =
        project("echo ok", "    evaluators:\n      - {type: similar, measure: bleu, name: near}\n");
    for command in ["validate", "eval"] {
        let run = project.run(&[command, "suite.yaml"]);
        assert_eq!(run.code, Some(2), "{}", run.seen());
        assert!(
            run.stderr.contains(
                "grader `near` has nothing to compare with: give it `value`, or the case an \
                 expected answer"
            ),
            "{}",
            run.seen()
        );
    }
    assert!(!project.path("ran").exists() && project.runs().is_empty());
}

#[test]
fn texts_too_long_to_compare_make_the_case_an_error_without_a_score() {
    let project = project(
        "head -c 200000 /dev/zero | tr '\\0' a",
        "    evaluators:\n      - {type: similar, measure: levenshtein, value: file://long.txt}\n      \
         - {type: similar, measure: chrf, value: file://long.txt}\n",
    )
    .file("long.txt", "b".repeat(100_000));
    let run = project.run(&["eval", "suite.yaml"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    let row = &rows(&project)[0];
    assert_eq!(row["score"], json!(null));
    let error = row["evaluator_results"][0]["error"].as_str().unwrap();
    assert!(error.contains("200000 characters against 100000 of the reference"), "{error}");
    assert_eq!(row["evaluator_results"][1]["score"], json!(0.0));
}

#[test]
fn a_type_that_is_a_measure_says_what_to_write() {
    let project = project("echo ok", "    evaluators:\n      - {type: bleu, value: ok}\n");
    let run = project.run(&["validate", "suite.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    for said in
        ["grader type `bleu` is a measure of `similar`", "`type: similar` with `measure: bleu`"]
    {
        assert!(run.stderr.contains(said), "{}", run.seen());
    }
}
