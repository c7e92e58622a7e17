//! What fields add up to, what is said of them, and what is wrong with settings and cases.

use agentv_base::{EvalCase, Messages, Node};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{Project, errors_of, eval_case, grade_text, response};

/// A case that expects this of the assistant.
fn expecting(content: &Value) -> EvalCase {
    let message = json!({"role": "assistant", "content": content});
    EvalCase { expected_messages: Messages::new(vec![Node::from_json(&message)]), ..eval_case() }
}

fn keys(fields: &Value) -> Value {
    json!({"type": "field-accuracy", "fields": fields})
}

fn try_check(keys: &Value, expected: &Value, answer: &str) -> Result<Score, String> {
    let answer = response(&json!({"text": answer}));
    let given = Project::new().try_grade(keys, &expecting(expected), &answer);
    given.map_err(|fault| fault.message)
}

/// The score with the hits and the misses.
fn check(fields: &Value, expected: &Value, answer: &Value) -> (f64, Vec<String>, Vec<String>) {
    let Score { score, hits, misses, .. } =
        try_check(&keys(fields), expected, &answer.to_string()).unwrap();
    (score, hits, misses)
}

fn lacks(fields: &Value, case: &EvalCase) -> Option<String> {
    Project::new().lacks(&keys(fields), case)
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

#[test]
fn fields_are_compared_with_those_of_the_expected_answer() {
    let fields = json!([
        {"path": "name", "weight": 3},
        {"path": "lines[1].amount", "match": "numeric-tolerance", "tolerance": 0.5},
    ]);
    let expected = json!({"name": "Ada", "lines": [{}, {"amount": 10}]});
    assert_eq!(
        check(&fields, &expected, &json!({"name": "Ada", "lines": [{}, {"amount": 10.5}]})),
        (1.0, texts(&["`name` is \"Ada\"", "`lines[1].amount` is 10.5, within 0.5 of 10"]), vec![])
    );
    assert_eq!(
        check(&fields, &expected, &json!({"name": "Ada", "lines": []})),
        (
            0.75,
            texts(&["`name` is \"Ada\""]),
            texts(&["`lines[1].amount` is absent: `lines` has 0 items"])
        )
    );
}

#[test]
fn a_value_of_its_own_stands_in_for_the_expected_answer() {
    let fields = json!([{"path": "a", "value": {"b": [1]}}, {"path": "$.c[*]", "value": [1, 2]}]);
    let case = eval_case();
    assert_eq!(lacks(&fields, &case), None);
    let answer = response(&json!({"text": r#"{"a": {"b": [1.0]}, "c": [1, 2]}"#}));
    let given = Project::new().try_grade(&keys(&fields), &case, &answer).unwrap();
    assert_eq!(given.hits, ["`a` is {\"b\":[1.0]}", "`$.c[*]` has the 2 values that are expected"]);
}

#[test]
fn several_values_are_right_where_all_are() {
    let fields = json!([{"path": "$.lines[*].sku"}]);
    let expected = json!({"lines": [{"sku": "x"}, {"sku": "y"}, {"sku": "z"}]});
    for (answer, miss) in [
        (json!([{"sku": "x"}]), "`$.lines[*].sku` has 1 value, not 3"),
        (
            json!([{"sku": "x"}, {"sku": "z"}, {"sku": "y"}]),
            "`$.lines[*].sku` value 2 is \"z\", not \"y\" (and 1 more)",
        ),
        (json!([]), "`$.lines[*].sku` is absent: it selects nothing"),
    ] {
        assert_eq!(
            check(&fields, &expected, &json!({ "lines": answer })),
            (0.0, vec![], texts(&[miss]))
        );
    }
}

#[test]
fn a_field_that_is_not_required_is_left_out_where_it_is_absent() {
    let fields = json!([{"path": "a"}, {"path": "b", "required": false, "weight": 9}]);
    let expected = json!({"a": 1, "b": 2});
    assert_eq!(check(&fields, &expected, &json!({"a": 1})).0.to_bits(), 1.0_f64.to_bits());
    assert_eq!(
        check(&fields, &expected, &json!({"a": 1, "b": null})),
        (0.1, texts(&["`a` is 1"]), texts(&["`b` is null, not 2: null, not a number"]))
    );
}

#[test]
fn where_every_field_is_left_out_there_is_no_score() {
    for fields in [
        json!([{"path": "a", "required": false}]),
        json!([{"path": "a", "required": false}, {"path": "b", "weight": 0}]),
    ] {
        let expected = json!({"a": 1, "b": 2});
        let fault = try_check(&keys(&fields), &expected, r#"{"b": 2}"#).unwrap_err();
        assert!(fault.ends_with("so there is no score"), "{fault}");
    }
}

#[test]
fn all_or_nothing_is_one_or_zero_with_every_miss() {
    let keys = json!({
        "type": "field_accuracy",
        "aggregation": "all-or-nothing",
        "fields": [{"path": "a"}, {"path": "b"}, {"path": "c"}, {"path": "d", "required": false}],
    });
    let expected = json!({"a": 1, "b": 2, "c": 3, "d": 4});
    let given = try_check(&keys, &expected, r#"{"a": 1, "b": 0, "c": 0}"#).unwrap();
    assert_eq!((given.score, given.hits.len(), given.misses.len()), (0.0, 1, 2));
    let given = try_check(&keys, &expected, r#"{"a": 1, "b": 2, "c": 3}"#).unwrap();
    assert_eq!((given.score, given.hits.len(), given.misses.len()), (1.0, 3, 0));
}

#[test]
fn an_answer_that_is_no_json_is_wrong_in_one_miss() {
    let fields = keys(&json!([{"path": "a"}, {"path": "b"}]));
    let expected = json!({"a": 1, "b": 2});
    for answer in ["Sure!", "", "{\"a\": 1", "{\"a\": 1} ok"] {
        let given = try_check(&fields, &expected, answer).unwrap();
        assert_eq!((given.score, given.misses.len()), (0.0, 1), "{answer}");
        assert!(given.misses[0].starts_with("is not JSON ("), "{}", given.misses[0]);
    }
    let given = try_check(&fields, &expected, "```json\n{\"a\": 1, \"b\": 2}\n```").unwrap();
    assert_eq!(given.score.to_bits(), 1.0_f64.to_bits());
    let given = try_check(&fields, &expected, "[1, 2]").unwrap();
    assert_eq!(given.misses[0], "`a` is absent: the answer is a list");
}

#[test]
fn ten_thousand_fields_are_told_in_part_and_counted() {
    let names = (0..10_000).map(|number| format!("field{number}"));
    let fields: Vec<Value> = names.clone().map(|name| json!({"path": name})).collect();
    let expected: Value = names.map(|name| (name, json!("x".repeat(1_000)))).collect();
    let (_, _, misses) = check(&json!(fields), &expected, &json!({}));
    assert_eq!((misses.len(), misses[20].as_str()), (21, "and 9980 more"));
    let (_, hits, _) = check(&json!(fields), &expected, &expected);
    assert_eq!((hits.len(), hits[20].as_str()), (21, "and 9980 more"));
    assert!(hits[0].chars().count() < 120, "{}", hits[0]);
}

#[test]
fn what_a_case_lacks_is_told_before_it_is_graded() {
    let fields = json!([
        {"path": "a.b"},
        {"path": "n", "match": "numeric_tolerance"},
        {"path": "d", "match": "date"},
        {"path": "e", "match": "date"},
        {"path": "v", "value": 1},
    ]);
    let data = json!({"a": {"b": 1}, "n": 1, "d": "2025-01-01", "e": "2025-01-01"});
    assert_eq!(lacks(&fields, &expecting(&data)), None);
    assert_eq!(lacks(&fields, &expecting(&json!(data.to_string()))), None);
    assert_eq!(
        lacks(
            &fields,
            &expecting(&json!({"a": {}, "n": "one", "d": "2025-02-30", "e": "1/2/2025"}))
        )
        .unwrap(),
        "needs `a.b` in the expected answer; a number at `n` of the expected answer; a date at \
         `d` of the expected answer; a date at `e` of the expected answer that can be one day \
         only, or `formats` that say which"
    );
    let nothing = "needs an expected answer that is JSON, or `value` in each of its fields";
    assert_eq!(lacks(&fields, &eval_case()).unwrap(), nothing);
    let none = EvalCase { expected_messages: Messages::new(Vec::new()), ..eval_case() };
    assert_eq!(lacks(&fields, &none).unwrap(), nothing);
}

#[test]
fn many_lacks_are_told_in_part_and_counted() {
    let fields: Vec<Value> =
        (0..10_000).map(|number| json!({"path": format!("f[{number}]")})).collect();
    let lack = lacks(&json!(fields), &expecting(&json!({}))).unwrap();
    assert!(lack.ends_with("; `f[4]` in the expected answer; 9995 more"), "{lack}");
}

#[test]
fn a_case_that_lacks_something_has_no_score_even_where_nobody_asked() {
    let fields = keys(&json!([{"path": "a"}]));
    assert_eq!(
        try_check(&fields, &json!({}), "{}").unwrap_err(),
        "it needs `a` in the expected answer"
    );
    assert_eq!(
        try_check(&fields, &json!("Paris"), "{}").unwrap_err(),
        "the expected answer is not JSON"
    );
}

#[test]
fn every_problem_of_every_field_is_told_at_its_place() {
    let errors = errors_of(&json!({
        "type": "field_accuracy",
        "aggregation": "average",
        "fields": [
            {"path": "a..b", "weight": -1, "required": "maybe"},
            {"path": "a", "match": "fuzzy", "tolerance": -1},
            {"match": "exact", "tolerance": 1, "formats": ["YYYY-MM-DD"]},
            {"path": "d", "match": "date", "tolerance": 1, "formats": ["yyyy", 1]},
            {"path": "n", "match": "numeric_tolerance", "value": "1,5", "formats": []},
            {"path": "r", "match": "numeric_tolerance", "relative": true},
            {"path": "s", "match": "date", "value": "03/04/2025"},
            {"path": "t", "match": "date", "value": "soon"},
            {"path": "$.a"},
            {"path": "$.x[*]", "value": 1},
            {"path": "$.y[*]", "value": []},
            {"path": "p", "match": "numeric_tolerance", "value": "many"},
            "q",
        ],
    }));
    let expected = [
        ("/aggregation", "unknown aggregation `average`"),
        ("/fields/0/path", "`path` cannot be read at character 3: a name is missing"),
        ("/fields/0/required", "`required` must be true or false, not a string"),
        ("/fields/0/weight", "`weight` must not be negative"),
        ("/fields/1/tolerance", "`tolerance` must not be negative"),
        ("/fields/1/match", "unknown match `fuzzy`"),
        ("/fields/2", "field needs `path`"),
        (
            "/fields/2/tolerance#key",
            "`tolerance` belongs to `match: numeric_tolerance`, not to `exact`",
        ),
        ("/fields/2/formats#key", "`formats` belongs to `match: date`, not to `exact`"),
        ("/fields/3/formats/0", "this format of dates cannot be used: `y` is no part of a date"),
        ("/fields/3/formats/1", "a format of `formats` must be a text, not a number"),
        (
            "/fields/3/tolerance#key",
            "`tolerance` belongs to `match: numeric_tolerance`, not to `date`",
        ),
        ("/fields/4/formats", "`formats` is an empty list, so no text would be a date"),
        ("/fields/4/formats#key", "`formats` belongs to `match: date`, not to `numeric_tolerance`"),
        ("/fields/5/relative#key", "`relative` needs `tolerance`"),
        ("/fields/6/value", "`value` could be 2025-03-04 or 2025-04-03"),
        ("/fields/7/value", "`value` is no date in any of the formats"),
        ("/fields/8/path", "the path `$.a` is given twice"),
        ("/fields/9/value", "`value` must be a list, as `path` may select several values"),
        ("/fields/10/value", "`value` must be a list, as `path` may select several values"),
        (
            "/fields/11/value",
            "`value` must be a number (or a text that is one) to be compared with a tolerance",
        ),
        ("/fields/12", "field must be a map, not a string"),
    ];
    let expected: Vec<_> =
        expected.iter().map(|(at, said)| ((*at).to_owned(), (*said).to_owned())).collect();
    assert_eq!(errors, expected);
}

#[test]
fn fields_that_say_nothing_are_an_error() {
    let errors = |fields: &Value| errors_of(&keys(fields)).remove(0).1;
    assert_eq!(errors(&json!([])), "`fields` is empty, so every answer would pass");
    assert_eq!(errors(&json!("a")), "`fields` must be a list, not a string");
    assert_eq!(
        errors(&json!([{"path": "a", "weight": 0}])),
        "every field has weight 0, so there would be no score"
    );
    assert_eq!(errors_of(&json!({"type": "field_accuracy"}))[0].1, "field_accuracy needs `fields`");
}

#[test]
fn weights_that_cannot_be_added_up_are_a_fault_and_not_a_score() {
    let fields = json!([{"path": "a", "weight": 1e308}, {"path": "b", "weight": 1e308}]);
    let data = json!({"a": 1, "b": 1});
    let fault = try_check(&keys(&fields), &data, &data.to_string()).unwrap_err();
    assert_eq!(fault, "the weights of its fields are too large to be added up");
}

proptest! {
    #[test]
    fn no_answer_can_upset_it(answer in any::<String>()) {
        let fields = keys(&json!([{"path": "a", "value": 1}, {"path": "$..b", "value": ["x"]}]));
        let given = try_check(&fields, &json!({}), &answer).unwrap();
        prop_assert!((0.0..=1.0).contains(&given.score));
    }

    #[test]
    fn the_score_is_the_share_of_the_weights_that_are_right(
        fields in proptest::collection::vec((0.0_f64..100.0, any::<bool>()), 1..20)
    ) {
        prop_assume!(fields.iter().any(|(weight, _)| *weight > 0.0));
        let listed: Vec<Value> = fields.iter().enumerate()
            .map(|(number, (weight, _))| json!({"path": format!("[{number}]"), "weight": weight, "value": 1}))
            .collect();
        let answer: Vec<u8> = fields.iter().map(|(_, right)| u8::from(*right)).collect();
        let (score, hits, misses) = check(&json!(listed), &json!({}), &json!(answer));
        let all: f64 = fields.iter().map(|(weight, _)| weight).sum();
        let right: f64 = fields.iter().filter(|(_, right)| *right).map(|(weight, _)| weight).sum();
        prop_assert!((score - right / all).abs() < 1e-12);
        prop_assert_eq!(hits.len() + misses.len(), fields.len());
    }
}

#[test]
fn a_null_that_is_written_is_wanted() {
    let keys = json!({"type": "field_accuracy", "fields": [{"path": "a", "value": null}]});
    assert_eq!(grade_text(&keys, r#"{"a": null}"#).misses, [""; 0]);
    assert_eq!(grade_text(&keys, r#"{"a": 5}"#).misses.len(), 1);
}
