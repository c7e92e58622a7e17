//! Answers against texts, JSON and the reference answer of their case.

use std::sync::Arc;

use agentv_base::{EvalCase, Messages, Node};
use serde_json::{Value, json};

use crate::testing::{Project, errors_of, eval_case, grade_text, node, response, with_infinities};

/// The one hit or miss of a grader with these keys.
fn said(mut keys: Value, answer: &str) -> Result<String, String> {
    keys["type"] = json!("equals");
    let given = grade_text(&keys, answer);
    let met = agentv_base::reaches(given.score, 1.0);
    match (given.hits.as_slice(), given.misses.as_slice()) {
        ([hit], []) if met => Ok(hit.clone()),
        ([], [miss]) if !met => Err(miss.clone()),
        _ => panic!("{given:?}"),
    }
}

fn check(value: &Value, answer: &str) -> Result<String, String> {
    said(json!({ "value": value }), answer)
}

/// A case whose last expected message says this, or that expects nothing.
fn expecting(content: Option<Value>) -> EvalCase {
    let message = |content| Node::from_json(&json!({"role": "assistant", "content": content}));
    let messages = content.map(message).into_iter().collect();
    EvalCase { expected_messages: Messages::new(messages), ..eval_case() }
}

#[test]
fn white_space_at_the_ends_does_not_count() {
    assert_eq!(check(&json!(" 42\n"), "42\r\n\n"), Ok("equals `42`".to_owned()));
    assert_eq!(check(&json!(42), "42\n"), Ok("equals `42`".to_owned()));
    assert_eq!(check(&json!(""), "\n"), Ok("equals ``".to_owned()));
}

#[test]
fn white_space_inside_and_letter_case_count() {
    for answer in ["a  b", "A b", "a b c"] {
        assert_eq!(
            check(&json!("a b"), answer),
            Err(format!("does not equal `a b`: it is `{answer}`"))
        );
    }
}

#[test]
fn letter_case_can_be_ignored() {
    let keys = json!({"value": "Straße ΟΔΟΣ", "ignore_case": true});
    assert_eq!(
        said(keys.clone(), "STRAßE οδοσ\n"),
        Ok("equals `Straße ΟΔΟΣ` in any case".to_owned())
    );
    // The last sigma of a word is another letter, and the same.
    assert!(said(keys.clone(), "straße οδος").is_ok());
    assert_eq!(
        said(keys, "Strasse"),
        Err("does not equal `Straße ΟΔΟΣ` in any case: it is `Strasse`".to_owned())
    );
}

#[test]
fn what_cannot_be_seen_is_shown_in_a_miss() {
    assert_eq!(
        check(&json!("ok"), "\u{feff}o\u{200b}k\0"),
        Err("does not equal `ok`: it is `\\u{feff}o\\u{200b}k\\u{0}`".to_owned())
    );
    assert_eq!(
        check(&json!("a\nb"), "a\r\nb"),
        Err("does not equal `a\\nb`: it is `a\\r\\nb`".to_owned())
    );
}

#[test]
fn a_map_or_a_list_is_compared_as_json() {
    let wanted = json!({"a": [1, {"b": null}]});
    let shown = r#"`{"a":[1,{"b":null}]}`"#;
    assert_eq!(check(&wanted, r#" {"a": [1.0, {"b": null}]} "#), Ok(format!("equals {shown}")));
    assert_eq!(
        check(&wanted, r#"{"a": [1, {"b": 2}]}"#),
        Err(format!("does not equal {shown}: `/a/1/b` is `2` instead of `null`"))
    );
    assert_eq!(
        check(&json!([1]), "Sure: [1]"),
        Err("does not equal `[1]`: it is not JSON (expected value at line 1 column 1): \
             `Sure: [1]`"
            .to_owned())
    );
    assert_eq!(
        errors_of(&json!({"type": "equals", "value": [1], "ignore_case": true})),
        [(
            "/ignore_case#key".to_owned(),
            "`ignore_case` is for texts, and `value` is a list".to_owned()
        )]
    );
}

#[test]
fn without_a_value_the_reference_answer_is_wanted() {
    let project = Project::new();
    let keys = json!({"type": "exact-match"});
    for (content, answer, met) in [
        (json!("Paris"), "Paris\n", true),
        (json!("Paris"), "paris", false),
        (json!({"city": "Paris"}), r#"{"city":"Paris"}"#, true),
        (json!({"city": "Paris"}), "Paris", false),
        (json!([{"type": "text", "value": "Paris"}]), "Paris", true),
        (
            json!([{"type": "text", "value": "Paris"}]),
            r#"[{"type": "text", "value": "Paris"}]"#,
            false,
        ),
        (
            json!(["In:", {"type": "file", "value": "a", "path": "/a", "text": "Paris\n"}]),
            "In:\n\nParis",
            true,
        ),
        (json!([{"city": "Paris"}]), r#"[{"city":"Paris"}]"#, true),
    ] {
        let case = expecting(Some(content));
        assert_eq!(project.lacks(&keys, &case), None);
        let given = project.try_grade(&keys, &case, &response(&json!({"text": answer}))).unwrap();
        assert_eq!(given.misses.is_empty(), met, "{answer}");
    }
}

#[test]
fn a_case_that_expects_nothing_is_told_before_it_is_run() {
    let project = Project::new();
    let lack = "has no `value`, and the case has no reference answer in `expected_messages`";
    for content in [None, Some(json!(" \n")), Some(Value::Null)] {
        let case = expecting(content);
        for kind in ["equals", "not-equals"] {
            let keys = json!({ "type": kind });
            assert_eq!(project.lacks(&keys, &case).as_deref(), Some(lack));
            let given = project.try_grade(&keys, &case, &response(&json!({"text": "x"})));
            assert_eq!(given.unwrap_err().message, lack);
        }
        assert_eq!(project.lacks(&json!({"type": "equals", "value": "x"}), &case), None);
    }
    let keys = json!({"type": "equals", "ignore_case": true});
    let lack = project.lacks(&keys, &expecting(Some(json!([1]))));
    assert_eq!(
        lack.as_deref(),
        Some("ignores letter case, and the reference answer of the case is no text")
    );
}

#[test]
fn a_grader_can_be_the_name_alone() {
    let keys = json!("equals");
    let case = Arc::new(expecting(Some(json!("Paris"))));
    let given = Project::new().try_grade(&keys, &case, &response(&json!({"text": "Paris"})));
    assert_eq!(given.unwrap().hits, ["equals `Paris`"]);
}

#[test]
fn a_reference_that_json_cannot_hold_is_told_before_it_is_run() {
    let message = node(&json!({"role": "assistant", "content": {"a": 1.5}}));
    let expected_messages = Messages::new(vec![with_infinities(message)]);
    let case = EvalCase { expected_messages, ..eval_case() };
    let project = Project::new();
    let lack = "cannot use the reference answer in `expected_messages`: it has a number that JSON \
                does not know";
    let keys = json!({"type": "equals"});
    assert_eq!(project.lacks(&keys, &case).as_deref(), Some(lack));
    let given = project.try_grade(&keys, &case, &response(&json!({"text": r#"{"a": null}"#})));
    assert_eq!(given.unwrap_err().message, lack);
    let keys = json!({"type": "field_accuracy", "fields": [{"path": "a"}]});
    assert!(project.lacks(&keys, &case).is_some());
    let keys = json!({"type": "similar", "measure": "levenshtein"});
    assert!(project.lacks(&keys, &case).unwrap().ends_with("a number that JSON does not know"));
}

#[test]
fn an_answer_that_is_nested_too_deep_says_so() {
    let answer = "[".repeat(1_000) + &"]".repeat(1_000);
    let miss = check(&json!([1]), &answer).unwrap_err();
    assert!(miss.contains("it is nested deeper than 127 levels"), "{miss}");
}
