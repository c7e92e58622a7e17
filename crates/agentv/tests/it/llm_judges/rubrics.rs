//! Rubrics of graders, cases and files, and what becomes of them.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{eval, judge, judged_by, said, says};
use crate::project::{column, rows};

#[test]
fn rubrics_are_checked_one_by_one() {
    let rubrics = json!([{"name": "quality", "type": "llm_judge", "rubrics": [
        "Names Paris", {"id": "river", "description": "Names the Seine", "required": false}]}]);
    let reply = json!({"checks": [{"id": "rubric-1", "satisfied": true, "reasoning": "it does"},
                                  {"id": "river", "satisfied": false}], "overall_reasoning": "half"});
    let project = judged_by(&says(&reply), &rubrics);
    eval(&project, 1, &[]);
    let result = &rows(&project)[0]["evaluator_results"][0];
    assert_eq!((&result["score"], &result["reasoning"]), (&json!(0.5), &json!("half")));
    assert_eq!(result["hits"], json!(["[rubric-1] Names Paris: it does"]));
    assert_eq!(result["misses"], json!(["[river] Names the Seine"]));
    assert_eq!(
        judge(&project)["checks"],
        json!([{"id": "rubric-1", "score": 1.0, "reasoning": "it does"}, {"id": "river", "score": 0.0}])
    );
    // One that is left out is an error, and does not make the sum smaller.
    let reply = json!({"checks": [{"id": "rubric-1", "satisfied": true}]});
    let project = judged_by(&says(&reply), &rubrics);
    assert_eq!(
        said(&project),
        "the judge gave no score, nor when it was asked again: it has no check of `river`"
    );
}

#[test]
fn a_required_rubric_that_is_not_met_fails_the_case_whatever_the_score() {
    let rubrics = json!([{"name": "quality", "type": "llm_judge", "rubrics": [
        {"id": "tone", "description": "Is polite"}, {"id": "city", "description": "Names it", "weight": 9}]}]);
    let reply = json!({"checks": [{"id": "tone", "satisfied": false, "reasoning": "curt"},
                                  {"id": "city", "satisfied": true}]});
    let project = judged_by(&says(&reply), &rubrics);
    let run = eval(&project, 1, &[]);
    let row = rows(&project).remove(0);
    assert_eq!((&row["score"], &row["verdict"]), (&json!(0.9), &json!("fail")));
    assert_eq!(row["evaluator_results"][0]["barred"], true);
    assert_snapshot!(crate::bad_input::without_times(&run.stdout), @"
    1 case: ✓ 0 passed, ✗ 1 failed, ! 0 errors

    Scores
      pass rate 0 % [0–79 %] (Wilson), mean 0.900, median 0.900
      over 1 graded case; in brackets: 95 % intervals

    Judges
      quality (judge): 1 score; not calibrated

    Slowest
      [TIME] + judge [TIME] capital (default)

    Failed
      ✗ 0.90 suite.yaml:4 capital (default)
          - [tone] Is polite: curt
          - the answer fails, whatever its score: the rubric `tone` is required
          $ agentv eval suite.yaml --eval-id capital
    ");
}

#[test]
fn rubrics_stand_in_files_of_graders_and_of_cases() {
    let checks =
        json!({"checks": [{"id": "a", "satisfied": true}, {"id": "rubric-2", "satisfied": true}]});
    let lists = [
        ("rubrics.yaml", "- {id: a, outcome: Names Paris}\n- Is polite\n"),
        ("rubrics.yml", "rubrics:\n  - {id: a, outcome: Names Paris}\n  - Is polite\n"),
        ("rubrics.json", r#"[{"id": "a", "text": "Names Paris"}, "Is polite"]"#),
    ];
    for (name, list) in lists {
        for written in [name.to_owned(), format!("file://{name}")] {
            let graders = json!([{"name": "quality", "type": "composite", "evaluators": [
                {"type": "llm_judge", "rubrics": written}]}]);
            let project = judged_by(&says(&checks), &graders).file(name, list);
            eval(&project, 0, &[]);
            let text = fs::read_to_string(project.path("suite.yaml")).unwrap();
            let mut suite: Value = serde_json::from_str(&text).unwrap();
            suite["evalcases"][0]["rubrics"] = json!(written);
            suite["evalcases"][0]["evaluators"] = json!([]);
            let project = project.file("suite.yaml", suite.to_string());
            eval(&project, 0, &[]);
            assert_eq!(rows(&project)[0]["evaluator_results"][0]["name"], "rubric");
        }
    }
}

#[test]
fn a_rubric_file_that_holds_none_is_told_before_anything_is_run() {
    for (list, told) in [
        ("", "there are no rubrics in `rubrics.yaml`: it is empty"),
        ("# none yet\n", "there are no rubrics in `rubrics.yaml`: it is empty"),
        ("[]", "there are no rubrics in `rubrics.yaml`: it is empty"),
        ("rubrics: []", "there are no rubrics in `rubrics.yaml`: it is empty"),
        ("criteria: [a]", "`rubrics.yaml` has no `rubrics`"),
        ("just a text", "`rubrics.yaml` must hold a list of rubrics, not a string"),
    ] {
        let graders = json!([{"type": "llm_judge", "rubrics": "file://rubrics.yaml"}]);
        let project = judged_by("echo", &graders).file("rubrics.yaml", list);
        let run = eval(&project, 2, &[]);
        assert!(run.stderr.contains(&format!("error: {told}\n")), "{}", run.seen());
        assert!(run.stderr.contains("1 error\n"), "{}", run.seen());
    }
    let graders = json!([{"type": "llm_judge", "rubrics": "file://absent.yaml"}]);
    let run = eval(&judged_by("echo", &graders), 2, &[]);
    assert!(run.stderr.contains("file `absent.yaml` was not found"), "{}", run.seen());
}

#[test]
fn what_is_wrong_in_a_rubric_file_is_told_at_its_place_there() {
    let graders = json!([{"type": "llm_judge", "rubrics": "file://rubrics.yaml"}]);
    let project = judged_by("echo", &graders).file(
        "rubrics.yaml",
        "- Names Paris\n- {id: a, descripton: x}\n- {id: a, outcome: y}\n- ''\n",
    );
    assert_snapshot!(eval(&project, 2, &[]).stderr, @"
    error: unknown key `descripton` in rubric
     --> rubrics.yaml:2:11
      |
    2 | - {id: a, descripton: x}
      |           ^^^^^^^^^^
      |
      = help: did you mean `description`?

    error: a rubric with the id `a` exists already
     --> rubrics.yaml:3:8
      |
    3 | - {id: a, outcome: y}
      |        ^ used again here
      |
     ::: rubrics.yaml:2:8
      |
    2 | - {id: a, descripton: x}
      |        - first used here

    error: a rubric is blank
     --> rubrics.yaml:4:3
      |
    4 | - ''
      |   ^^

    3 errors
    ");
}

#[test]
fn sentences_and_short_forms_are_rubrics() {
    let reply = json!({"checks": [{"id": "rubric-1", "satisfied": true}]});
    let graders = json!(["Names the capital", "llm-rubric: is polite", {"llm-rubric": "is short"}]);
    let project = judged_by(&says(&reply), &graders);
    eval(&project, 0, &[]);
    let hits = ["[rubric-1] Names the capital", "[rubric-1] is polite", "[rubric-1] is short"];
    assert_eq!(column(&project, "hits")[0], json!(hits));
}
