//! What the keys of `similar` mean, what it says, and what it lacks.

use agentv_base::Messages;
use serde_json::{Value, json};

use super::*;
use crate::testing::{Project, errors_of, eval_case, grade_text, response};

/// What is said of an answer, and the score.
fn check(keys: &Value, answer: &str) -> (f64, String) {
    let mut all = json!({"type": "similar"});
    all.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    let score = grade_text(&all, answer);
    assert!(score.hits.is_empty() && score.misses.is_empty(), "{score:?}");
    (score.score, score.measured.unwrap())
}

#[test]
fn the_names_of_the_key_are_those_of_the_measures() {
    assert_eq!(Measure::ALL.map(Measure::name), MEASURES);
}

#[test]
fn the_score_is_the_similarity_and_what_was_measured_is_said() {
    for (keys, answer, score, said) in [
        (
            json!({"measure": "levenshtein", "value": "abcd"}),
            " abce\n",
            0.75,
            "levenshtein 0.75 to `abcd`",
        ),
        (
            json!({"measure": "levenshtein", "value": "ABCD"}),
            "abcd",
            0.0,
            "levenshtein 0 to `ABCD`",
        ),
        (
            json!({"measure": "levenshtein", "value": "ABCD", "ignore_case": true}),
            "abcd",
            1.0,
            "levenshtein 1 to `ABCD`",
        ),
        (
            json!({"measure": "rouge-l", "value": ["x y", "a b c"]}),
            "a c",
            0.8,
            "rouge_l 0.8 to `a b c`, the nearest of 2",
        ),
        (
            json!({"measure": "bleu", "value": ["a b", "a b c d"]}),
            "a b c d",
            1.0,
            "bleu 1 to 2 references together",
        ),
        (json!({"measure": "token_f1", "value": 42}), "the 42", 1.0, "token_f1 1 to `42`"),
    ] {
        let (found, text) = check(&keys, answer);
        assert!((found - score).abs() < 1e-9, "{keys}: {found}");
        assert_eq!(text, said);
    }
}

#[test]
fn what_is_not_the_same_never_looks_the_same() {
    let value = "a".repeat(99_999);
    let keys = json!({"measure": "levenshtein", "value": format!("{value}b")});
    let (_, said) = check(&keys, &value);
    assert!(said.starts_with("levenshtein 0.9999 to `aaa"), "{said}");
    assert!(said.chars().count() < 120, "{said}");
}

#[test]
fn without_a_value_what_the_case_expects_is_the_reference() {
    let keys = json!({"type": "similar", "measure": "levenshtein"});
    assert!((grade_text(&keys, "Paris").score - 1.0).abs() < 1e-9);
    for content in [
        json!([{"type": "text", "value": "Paris"}]),
        json!([{"type": "file", "value": "a", "path": "/a", "text": "Paris\n"}]),
    ] {
        let message = json!({"role": "assistant", "content": content});
        let expected_messages = Messages::new(vec![Node::from_json(&message)]);
        let case = EvalCase { expected_messages, ..eval_case() };
        let answer = response(&json!({"text": "Paris"}));
        let given = Project::new().try_grade(&keys, &case, &answer).unwrap();
        assert_eq!(given.measured.as_deref(), Some("levenshtein 1 to `Paris`"));
    }
}

#[test]
fn a_case_that_expects_nothing_comparable_is_told_before_anything_runs() {
    let expecting = |content: Value| {
        let message = json!({"role": "assistant", "content": content});
        EvalCase {
            expected_messages: Messages::new(vec![Node::from_json(&message)]),
            ..eval_case()
        }
    };
    let project = Project::new();
    let keys = json!({"type": "not-similar", "measure": "rouge_l"});
    let silent = EvalCase { expected_messages: Messages::default(), ..eval_case() };
    for (case, lack) in [
        (expecting(json!("Paris")), None),
        (silent, Some(NO_REFERENCE)),
        (expecting(json!(" \n")), Some(NO_REFERENCE)),
        (
            expecting(json!("東京")),
            Some(
                "cannot use the expected answer: it has nothing that `rouge_l` compares: words of \
                 the letters a-z and digits",
            ),
        ),
    ] {
        assert_eq!(project.lacks(&keys, &case).as_deref(), lack);
        let graded = project.try_grade(&keys, &case, &response(&json!({"text": "Paris"})));
        assert_eq!(graded.map_err(|fault| fault.message).err().as_deref(), lack);
    }
    let own = json!({"type": "similar", "measure": "rouge_l", "value": "Paris"});
    assert_eq!(project.lacks(&own, &expecting(json!(""))), None);
}

#[test]
fn an_answer_that_is_too_long_is_a_fault_with_both_lengths() {
    let keys = json!({"type": "similar", "measure": "levenshtein", "value": "b".repeat(200_000)});
    let answer = response(&json!({"text": "a".repeat(100_000)}));
    let fault = Project::new().try_grade(&keys, &eval_case(), &answer).unwrap_err();
    assert_eq!(
        fault.message,
        "the answer is too long for `levenshtein`: 100000 characters against 200000 of the \
         reference, and at most 17179869184 pairs are compared for an answer; use `chrf`, `bleu` \
         or `token_f1`, which take texts of any length"
    );
}

#[test]
fn every_problem_is_told_at_its_place() {
    for (keys, problems) in [
        (json!({"value": "a"}), vec![("", "similar needs `measure`")]),
        (
            json!({"measure": "rogue_l", "value": [], "ignore_case": "maybe"}),
            vec![
                ("/measure", "unknown measure `rogue_l`"),
                ("/ignore_case", "`ignore_case` must be true or false, not a string"),
                ("/value", "`value` is an empty list, so there is nothing to compare with"),
            ],
        ),
        (
            json!({"measure": "cosine", "value": "a"}),
            vec![("/measure", "measure `cosine` needs a model, and is not supported yet")],
        ),
        (
            json!({"measure": "token_f1", "value": ["A", "b", ["c"]], "ignore_case": false}),
            vec![
                ("/ignore_case#key", "`token_f1` never tells upper from lower case"),
                (
                    "/value/0",
                    "this text has nothing that `token_f1` compares: words other than articles \
                     and punctuation",
                ),
                ("/value/2", "a text of `value` must be a text, not a list"),
            ],
        ),
        (
            json!({"measure": "levenshtein", "value": " "}),
            vec![(
                "/value",
                "this text has nothing that `levenshtein` compares: characters other than white \
                 space",
            )],
        ),
        (
            json!({"measure": "rouge_2", "value": "Paris"}),
            vec![(
                "/value",
                "this text has nothing that `rouge_2` compares: two words of the letters a-z and \
                 digits",
            )],
        ),
        (
            json!({"measure": "bleu", "value": "a", "threshold": 0.5}),
            vec![("/threshold#key", "`threshold` of similar is known, but not supported yet")],
        ),
    ] {
        let mut all = json!({"type": "similar"});
        all.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        let told = errors_of(&all);
        let told: Vec<_> = told.iter().map(|(at, text)| (at.as_str(), text.as_str())).collect();
        assert_eq!(told, problems, "{keys}");
    }
}
