//! What judges are asked, and what a case must have for it.

use agentv_base::{Messages, Text};
use serde_json::{Value, json};

use super::*;
use crate::testing::{Project, eval_case, node};

/// The prompt that a judge with these keys is given.
fn prompt(keys: &Value, case: &EvalCase) -> String {
    let answer = r#"{"score": 1, "checks": [{"id": "rubric-1", "satisfied": true}]}"#;
    let said = judge_case(&Project::new(), keys, case, &[Ok(answer)]);
    said.score.unwrap();
    said.asked[0].prompt.clone()
}

fn with_vars(vars: &Value) -> EvalCase {
    let vars = vars.as_object().unwrap().clone();
    EvalCase { vars: Some(Arc::new(vars)), ..eval_case() }
}

#[test]
fn a_prompt_file_must_have_a_place_for_the_answer() {
    let project = Project::new();
    project.write("prompt.md", "Is {{ question }} answered?\n");
    project.write("empty.md", "\n");
    for (file, told) in [
        (
            "prompt.md",
            "the judge would not see the answer: the prompt in `prompt.md` has no place for it",
        ),
        (
            "file://prompt.md",
            "the judge would not see the answer: the prompt in `prompt.md` has no place for it",
        ),
        ("empty.md", "the prompt in `empty.md` is empty"),
    ] {
        let errors = project.errors_of(&json!({"type": "llm_judge", "prompt": file}));
        assert_eq!(errors, [("/prompt".to_owned(), told.to_owned())]);
    }
    for path in ["absent.md", "prompts/absent.txt", "prompts/absent.html"] {
        for written in [path.to_owned(), format!(" {path}\n"), format!("file://{path}")] {
            let judge = json!({"type": "llm_judge", "prompt": written});
            let whole = json!({"type": "composite", "evaluators": [{"type": "contains", "value": "a"}],
                               "aggregator": {"type": "llm_judge", "prompt": written}});
            for (grader, place) in [(judge, "/prompt"), (whole, "/aggregator/prompt")] {
                let told = format!("file `{path}` was not found");
                assert_eq!(project.errors_of(&grader), [(place.to_owned(), told)]);
            }
        }
    }
}

#[test]
fn every_name_of_every_dialect_is_filled_in() {
    let case = with_vars(&json!({"city": "Paris", "list": [1, {"a": true}]}));
    for (written, filled) in [
        (
            "{{ question }}|{{ input }}|{{input_text}}",
            "What is the capital of France?|What is the capital of France?|What is the capital of France?",
        ),
        ("{{ Expected_Outcome }}|{{ criteria }}", "Names Paris|Names Paris"),
        ("{{ reference_answer }}|{{ expected_output }}", "Paris|Paris"),
        (
            "{{ candidate_answer_text }}|{{ output }}|{{ output_text }}",
            "It is Paris.|It is Paris.|It is Paris.",
        ),
        (
            "{{ cost_usd }} {{ duration_ms }} {{ trace }} {{ tool_calls }}",
            "0.25 unknown unknown unknown",
        ),
        ("{{ eval_id }} {{ target }}", "capital agent"),
        (
            "{{ city }} {{ vars.city }} {{ list }} {{ list.1.a }}",
            "Paris Paris [1,{\"a\":true}] true",
        ),
        (
            "{{ input_messages }}",
            "[\n  {\n    \"role\": \"user\",\n    \"content\": \"What is the capital of France?\"\n  }\n]",
        ),
        (
            "{{ output_messages }}",
            "[\n  {\n    \"role\": \"assistant\",\n    \"content\": \"It is Paris.\"\n  }\n]",
        ),
        ("${{ NOTHING }} {{ 'x' }} {% if %}", "${{ NOTHING }} {{ 'x' }} {% if %}"),
    ] {
        let keys = json!({"prompt": format!("{written} — {{{{ answer }}}}")});
        assert_eq!(prompt(&keys, &case), format!("{filled} — It is Paris."));
    }
    for (name, _) in super::super::prompt::KNOWN {
        let keys =
            json!({"prompt": format!("{{{{ {name} }}}} {{{{ answer }}}}"), "rubrics": ["x"]});
        assert!(!prompt(&keys, &case).contains("{{"), "{name}");
    }
}

#[test]
fn rubrics_that_a_prompt_does_not_mention_follow_it() {
    let case = eval_case();
    let keys = json!({"prompt": "Judge {{ answer }}", "rubrics": ["Names Paris"]});
    assert_eq!(
        prompt(&keys, &case),
        "Judge It is Paris.\n\nCheck the answer against each of these rubrics:\n\n- [rubric-1] Names Paris"
    );
    let keys = json!({"prompt": "{{ answer }}\n{{ rubrics }}", "rubrics": ["Names Paris"]});
    assert_eq!(prompt(&keys, &case), "It is Paris.\n- [rubric-1] Names Paris");
    let keys = json!({"prompt": "{{ answer }} {{ rubrics_json }}", "rubrics": ["Names Paris"]});
    assert!(prompt(&keys, &case).contains("\"description\": \"Names Paris\""));
}

#[test]
fn our_own_prompt_has_sections_for_what_the_case_has() {
    insta::assert_snapshot!(prompt(&json!({}), &eval_case()));
    insta::assert_snapshot!(prompt(
        &json!({"rubrics": ["Names Paris"]}),
        &EvalCase {
            expected_outcome: None,
            expected_messages: Messages::new(Vec::new()),
            ..eval_case()
        }
    ));
}

#[test]
fn the_form_of_the_answer_is_told_in_words_and_as_a_schema() {
    let keys =
        json!({"rubrics": ["a", {"text": "b", "id": "b", "score_ranges": {"1": "x", "5": "y"}}]});
    let answer = r#"{"checks": [{"id": "rubric-1", "satisfied": true}, {"id": "b", "score": 5}]}"#;
    let said = judge(&keys, &[answer]);
    insta::assert_snapshot!(said.asked[0].instructions);
    insta::assert_json_snapshot!(said.asked[0].schema.as_deref().unwrap());
    let said = judge(&json!({}), &["{\"score\": 1}"]);
    insta::assert_snapshot!(said.asked[0].instructions);
    insta::assert_json_snapshot!(said.asked[0].schema.as_deref().unwrap());
}

#[test]
fn a_case_must_have_what_the_judge_judges_by() {
    let project = Project::new();
    let bare = EvalCase {
        expected_outcome: None,
        expected_messages: Messages::new(Vec::new()),
        ..with_vars(&json!({"city": "Paris"}))
    };
    let lacks = |keys: &Value, case: &EvalCase| {
        let mut all = json!({"type": "llm_judge"});
        all.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        project.lacks(&all, case)
    };
    let outcome = EvalCase { expected_outcome: Some(Text::from("x")), ..bare.clone() };
    let neither = "judges by `expected_outcome` or by a reference answer, and the case has neither";
    assert_eq!(lacks(&json!({}), &bare).as_deref(), Some(neither));
    assert_eq!(lacks(&json!({}), &outcome), None);
    assert_eq!(lacks(&json!({"rubrics": ["x"]}), &bare), None);
    assert_eq!(lacks(&json!({"prompt": "{{ answer }} {{ city }}"}), &bare), None);
    assert_eq!(
        lacks(&json!({"prompt": "{{ answer }} {{ citty }}"}), &bare).as_deref(),
        Some(
            "has `{{ citty }}` in its prompt, which nothing is known as; did you mean `{{ city }}`?"
        )
    );
    assert_eq!(
        lacks(&json!({"prompt": "{{ answer }} {{ candidate_answr }}"}), &bare).as_deref(),
        Some(
            "has `{{ candidate_answr }}` in its prompt, which nothing is known as; did you mean \
             `{{ candidate_answer }}`?"
        )
    );
    let keys = json!({"prompt": "{{ answer }} {{ expected_output }} {{ criteria }}"});
    assert_eq!(
        lacks(&keys, &bare).as_deref(),
        Some(
            "compares with `{{ expected_outcome }}` and `{{ reference_answer }}` in its prompt, and \
             the case has nothing of the kind"
        )
    );
    assert_eq!(lacks(&keys, &outcome), None);
}

#[test]
fn what_makes_a_judge_does_not_depend_on_the_texts_of_its_rubrics() {
    let project = Project::new();
    let wish = |keys: &Value| {
        let mut all = json!({"type": "llm_judge"});
        all.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        let built = build(&[node(&all)], &project.context(), &mut Problems::default()).unwrap();
        built.judge_wishes().next().unwrap().1.clone()
    };
    let instrument = |keys: &Value| wish(keys).instrument;
    let rubrics = instrument(&json!({"rubrics": ["a"]}));
    assert_eq!(rubrics, instrument(&json!({"rubrics": ["b", "c"], "judge_target": "other"})));
    for other in [
        json!({}),
        json!({"rubrics": ["a"], "samples": 3}),
        json!({"rubrics": ["a"], "aggregate": "majority"}),
        json!({"rubrics": ["a"], "prompt": "{{ answer }}"}),
    ] {
        assert_ne!(rubrics, instrument(&other), "{other}");
    }
    let named = wish(&json!({"grader_target": " big "}));
    assert_eq!(named.target.as_deref(), Some("big"));
}
