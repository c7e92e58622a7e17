//! What a list of graders is read as, and what is said of a wrong one.

use serde_json::{Value, json};

use super::*;
use crate::testing::{Project, errors_of, node, place, with_infinities};

/// The graders that a list makes, as `name type weight`, or its problems with their places.
fn check(list: &Value) -> Result<Vec<String>, Vec<(String, String)>> {
    let project = Project::new();
    let node = node(list);
    let mut problems = Problems::default();
    match build(node.as_list().unwrap(), &project.context(), &mut problems) {
        Some(case) => {
            assert!(problems.is_empty(), "{problems:?}");
            Ok(case
                .graders
                .iter()
                .map(|grader| format!("{} {} {}", grader.name, grader.kind, grader.weight))
                .collect())
        }
        None => Err(problems
            .iter()
            .map(|problem| {
                let at = problem.span.map_or_else(String::new, |span| place(&node, span));
                (at, problem.message.clone())
            })
            .collect()),
    }
}

fn fault(at: &str, message: &str) -> Vec<(String, String)> {
    vec![(at.to_owned(), message.to_owned())]
}

#[test]
fn a_grader_is_named_after_its_type_and_weighs_one() {
    assert_eq!(
        check(&json!([
            {"type": "contains", "value": "a"},
            {"type": "not-contains", "value": "b", "weight": 0},
            {"type": "contains", "value": "c", "weight": 2.5},
            {"type": "equals", "value": "d", "name": " whole "},
        ])),
        Ok(vec![
            "contains contains 1".to_owned(),
            "not_contains not_contains 0".to_owned(),
            "contains_2 contains 2.5".to_owned(),
            "whole equals 1".to_owned(),
        ])
    );
}

#[test]
fn every_problem_of_a_list_is_told_at_once_and_at_its_place() {
    assert_eq!(
        check(&json!([
            {"type": "contians", "value": "a"},
            {"type": "contains", "valeu": "a"},
            {"type": "contains", "value": "a", "weight": -1, "min_score": 1.5, "required": "maybe"},
            {"type": "contains", "value": "a", "weight": "heavy", "name": "  "},
            17,
            {"value": "a"},
            {"tpye": "contains", "value": "a"},
            {"type": ["contains"]},
        ])),
        Err(vec![
            ("/0/type".to_owned(), "unknown grader type `contians`".to_owned()),
            ("/1/valeu#key".to_owned(), "unknown key `valeu` in contains".to_owned()),
            ("/2/weight".to_owned(), "`weight` must not be negative".to_owned()),
            ("/2/min_score".to_owned(), "`min_score` must be between 0 and 1".to_owned()),
            (
                "/2/required".to_owned(),
                "`required` must be true, false or a number from 0 to 1, not a string".to_owned()
            ),
            ("/3/name".to_owned(), "`name` of contains is blank".to_owned()),
            ("/3/weight".to_owned(), "`weight` must be a number, not a string".to_owned()),
            ("/4".to_owned(), "a grader must be a map, not a number".to_owned()),
            ("/5".to_owned(), "a grader needs `type`".to_owned()),
            ("/6/tpye#key".to_owned(), "a grader needs `type`".to_owned()),
            ("/7/type".to_owned(), "`type` must be a string, not a list".to_owned()),
        ])
    );
}

#[test]
fn a_name_given_twice_is_an_error_at_the_second() {
    assert_eq!(
        check(&json!([
            {"type": "contains", "value": "a", "name": "x"},
            {"type": "equals", "value": "a", "name": "x"},
        ])),
        Err(fault("/1/name", "two graders of a case are called `x`"))
    );
}

#[test]
fn weights_that_are_all_zero_are_an_error() {
    assert_eq!(
        check(&json!([
            {"type": "contains", "value": "a", "weight": 0},
            {"type": "equals", "value": "a", "weight": 0.0},
        ])),
        Err(fault("/0/weight", "every grader has weight 0, so there would be no score"))
    );
}

#[test]
fn weights_are_not_judged_while_one_of_them_is_unknown() {
    assert_eq!(
        check(&json!([
            {"type": "contians", "value": "a"},
            {"type": "equals", "value": "a", "weight": 0},
        ])),
        Err(fault("/0/type", "unknown grader type `contians`"))
    );
}

#[test]
fn a_list_without_graders_is_an_error() {
    assert_eq!(check(&json!([])), Err(fault("", "there is no grader")));
}

#[test]
fn a_short_form_is_a_grader_like_any_other() {
    assert_eq!(
        check(&json!([
            "contains:hello",
            "not-contains: sorry",
            "is_json",
            "Names the capital",
            "llm-rubric: is polite",
            {"contains": "bye", "weight": 2},
            {"type": "contains", "value": "a"},
        ])),
        Ok(vec![
            "contains contains 1".to_owned(),
            "not_contains not_contains 1".to_owned(),
            "is_json is_json 1".to_owned(),
            "llm_judge llm_judge 1".to_owned(),
            "llm_judge_2 llm_judge 1".to_owned(),
            "contains_2 contains 2".to_owned(),
            "contains_3 contains 1".to_owned(),
        ])
    );
}

#[test]
fn what_is_wrong_with_a_short_form_is_told_at_its_place() {
    assert_eq!(
        check(&json!([
            {"llm-rubric": " "},
            "contians: a",
            "regex: (a",
            "contains",
            "contains-any: a, b",
            "",
            {"contains": ""},
            {"contians": "a"},
        ])),
        Err(vec![
            ("/0/llm-rubric".to_owned(), "a rubric is blank".to_owned()),
            ("/1".to_owned(), "unknown grader type `contians`".to_owned()),
            (
                "/2".to_owned(),
                "`value` is not a regular expression that can be used: unclosed group".to_owned()
            ),
            ("/3".to_owned(), "contains needs `value`".to_owned()),
            ("/4".to_owned(), "`value` must be a list, not a string".to_owned()),
            ("/5".to_owned(), "a grader is blank".to_owned()),
            ("/6/contains".to_owned(), "`value` is empty, so every answer would pass".to_owned()),
            ("/7/contians#key".to_owned(), "unknown grader type `contians`".to_owned()),
        ])
    );
}

#[test]
fn a_criterion_that_yaml_reads_as_a_map_is_told_to_be_quoted() {
    let mut problems = Problems::default();
    let list = [node(&json!({"The answer names the capital": "Paris"}))];
    assert!(build(&list, &Project::new().context(), &mut problems).is_none());
    let problem = problems.iter().next().unwrap();
    assert_eq!(problem.message, "a grader needs `type`");
    assert_eq!(problem.hint.as_deref(), Some("put a criterion that has a colon in it in quotes"));
}

#[test]
fn a_minimum_makes_a_grader_required_unless_it_is_said_not_to_be() {
    for (keys, min_score, required) in [
        (json!({}), None, false),
        (json!({"required": true}), None, true),
        (json!({"min_score": 0.5}), Some(0.5), true),
        (json!({"min_score": 0.5, "required": false}), Some(0.5), false),
    ] {
        let mut entry = json!({"type": "contains", "value": "a"});
        entry.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        let project = Project::new();
        let case = build(&[node(&entry)], &project.context(), &mut Problems::default());
        assert_eq!(case.unwrap().graders[0].bar, Bar { min_score, required });
    }
}

#[test]
fn an_error_found_earlier_elsewhere_does_not_spoil_a_good_list() {
    let project = Project::new();
    let mut problems = Problems::default();
    problems.push(Diagnostic::error("elsewhere"));
    let list = [node(&json!({"type": "contains", "value": "a"}))];
    assert!(build(&list, &project.context(), &mut problems).is_some());
}

#[test]
fn negate_says_the_same_as_not_before_the_type() {
    assert_eq!(
        check(&json!([
            {"type": "contains", "value": "a", "negate": true},
            {"type": "regex", "value": "a", "negate": false},
        ])),
        Ok(vec!["not_contains not_contains 1".to_owned(), "regex regex 1".to_owned()])
    );
    let twice = "`negate: true` and `not-` before the type say the same; give one";
    assert_eq!(
        check(&json!([{"type": "not-equals", "value": "a", "negate": true}])),
        Err(vec![("/0/negate#key".to_owned(), twice.to_owned())])
    );
    assert_eq!(
        check(&json!([{"type": "code_judge", "script": "true", "negate": true}])),
        Err(vec![("/0/negate#key".to_owned(), "`code_judge` cannot be negated".to_owned())])
    );
}

#[test]
fn what_cannot_be_negated_is_told_alike_of_a_key_and_of_a_type() {
    let said = |grader: &Value| {
        let project = Project::new();
        let mut problems = Problems::default();
        build(&[node(grader)], &project.context(), &mut problems);
        let problem = problems.iter().next().unwrap().clone();
        (problem.message, problem.code, problem.hint)
    };
    let key = said(&json!({"type": "code_judge", "script": "true", "negate": true}));
    assert_eq!(key, said(&json!({"type": "not-code-judge", "script": "true"})));
    assert_eq!(key.1, "misplaced-key");
    assert!(key.2.is_some_and(|hint| hint.starts_with("graders that can: contains, ")));
}

#[test]
fn a_number_in_required_is_the_least_score() {
    let bar = |keys: serde_json::Value| {
        let project = Project::new();
        let mut problems = Problems::default();
        build(&[node(&keys)], &project.context(), &mut problems).unwrap().graders[0].bar
    };
    let half = Bar { min_score: Some(0.5), required: true };
    assert_eq!(bar(json!({"type": "contains", "value": "a", "required": 0.5})), half);
    assert_eq!(
        errors_of(&json!({"type": "contains", "value": "a", "required": 1.5})),
        [("/required".to_owned(), "`required` must be between 0 and 1".to_owned())]
    );
    assert_eq!(
        errors_of(&json!({"type": "contains", "value": "a", "required": 0.5, "min_score": 0.4})),
        [(
            "/required#key".to_owned(),
            "`required` and `min_score` both give a score; give one".to_owned()
        )]
    );
}

#[test]
fn a_number_that_json_cannot_hold_is_an_error_at_its_place() {
    for (keys, places) in [
        (
            json!({"type": "code_judge", "script": "a", "config": [[1.5], 2.5, 3]}),
            vec!["/config/0/0", "/config/1"],
        ),
        (json!({"type": "equals", "value": {"a": [1.5]}}), vec!["/value/a/0"]),
        (json!({"type": "json_schema", "value": {"maximum": 1.5}}), vec!["/value/maximum"]),
        (
            json!({"type": "field_accuracy", "fields": [{"path": "a", "value": [1, 1.5]}]}),
            vec!["/fields/0/value/1"],
        ),
        (
            json!({"type": "tool_trajectory", "mode": "in_order", "expected": [
                {"tool": "t", "args": {"a": [1.5]}, "output": 2.5},
            ]}),
            vec!["/expected/0/output", "/expected/0/args/a/0"],
        ),
    ] {
        let errors = Project::new().errors_in(&with_infinities(node(&keys)));
        let said = "JSON knows no such number";
        let expected: Vec<_> =
            places.iter().map(|at| ((*at).to_owned(), said.to_owned())).collect();
        assert_eq!(errors, expected, "{keys}");
    }
}
