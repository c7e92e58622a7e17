//! A judge that says what it was told to, and what becomes of that.

use std::sync::Mutex;

use agentv_base::{BoxFuture, Judge};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    build,
    grader::composite::tests::{letter, letters},
    testing::{Project, block_on, errors_of, eval_case, node, response},
};

/// Says one thing after the other, and remembers what it was asked.
struct Scripted {
    answers: Vec<Result<&'static str, GraderFault>>,
    asked: Mutex<Vec<JudgeQuestion>>,
}

impl Judge for Scripted {
    fn ask<'a>(
        &'a self,
        question: &'a JudgeQuestion,
        _: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<String, GraderFault>> {
        let mut asked = self.asked.lock().unwrap();
        let answer = self.answers[asked.len()].clone().map(str::to_owned);
        asked.push(question.clone());
        Box::pin(async { answer })
    }
}

/// What a composite says that a model adds up, and what the model was asked.
fn by_model(
    project: &Project,
    settings: &Value,
    answers: &[Result<&'static str, GraderFault>],
) -> (Result<Score, GraderFault>, Vec<JudgeQuestion>) {
    let mut aggregator = json!({"type": "llm_judge"});
    aggregator.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let keys = letters(&[letter("a"), letter("b")], &json!({ "aggregator": aggregator }));
    let mut problems = Problems::default();
    let built = build(&[node(&keys)], &project.context(), &mut problems);
    let built = built.unwrap_or_else(|| panic!("{problems:?}"));
    let judge = Scripted { answers: answers.to_vec(), asked: Mutex::default() };
    let (case, response) = (eval_case(), response(&json!({"text": "a"})));
    let context = GradeContext {
        case: &case,
        target: "agent",
        response: &response,
        trace_summary: None,
        threshold: 0.8,
        judge: (!answers.is_empty()).then_some(&judge),
    };
    let said = block_on(built.graders[0].grader.grade(&context));
    (said, judge.asked.into_inner().unwrap())
}

#[test]
fn a_model_is_asked_with_the_results_in_place() {
    let project = Project::new();
    project.write("prompt.md", "From a file: {{evaluator_results_json}}\n");
    for (prompt, start, end) in [
        (json!({}), "Several graders have looked", "on the whole?"),
        (json!({"prompt": "<{{EVALUATOR_RESULTS_JSON}}> {{ 'x' }}"}), "<{", "}> {{ 'x' }}"),
        (
            json!({"prompt": "{{ question }} {{evaluator_results_json}} {{ candidate_answer }}, {{ reference_answer }}"}),
            "What is the capital of France? {",
            "} a, Paris",
        ),
        (json!({"prompt": "{{ Evaluator_Results_Json }}"}), "{", "}"),
        (json!({"prompt": "file://prompt.md"}), "From a file: {", "}"),
        (json!({"prompt": "prompt.md"}), "From a file: {", "}"),
    ] {
        let answer = "```json\n{\"score\": 0.5, \"reasoning\": \"half\"}\n```";
        let (said, asked) = by_model(&project, &prompt, &[Ok(answer)]);
        let score = said.unwrap();
        assert_eq!((score.score, score.reasoning.as_deref()), (0.5, Some("half")));
        assert_eq!(score.parts.len(), 2);
        let [question] = asked.as_slice() else { panic!("{asked:?}") };
        assert!(question.instructions.contains("one JSON object"));
        let text = &question.prompt;
        assert!(text.starts_with(start) && text.ends_with(end), "{text}");
        let json = text.get(text.find('{').unwrap()..=text.rfind("\n}").unwrap() + 1).unwrap();
        let results: Value = serde_json::from_str(json).unwrap();
        assert_eq!(results["b"]["misses"], json!(["does not contain `b`"]));
    }
}

#[test]
fn the_only_object_of_an_answer_counts_whatever_is_around_it() {
    for answer in [
        "{\"score\": 1}",
        "\n```json\n{\"score\": 1}\n```\n",
        "Weighed {all} of it: {\"score\": 1, \"hits\": [\"{\\\"score\\\": 0}\"]} Done.",
    ] {
        let (said, asked) = by_model(&Project::new(), &json!({}), &[Ok(answer)]);
        assert_eq!((said.unwrap().score, asked.len()), (1.0, 1), "{answer}");
    }
}

#[test]
fn what_stands_inside_of_an_object_that_cannot_be_read_is_no_score() {
    for answer in [
        r#"{"score": 0.1, "parts": {"score": 0.9},}"#,
        r#"{"score": 0.2, "details": {"score": 1}"#,
        r#"{'score': 0.1, 'x': {"score": 1}}"#,
        r#"{"score": 0.0 /* see {"score": 1} */ }"#,
        r#"[{"score": 1}]"#,
    ] {
        let fault = only_object(answer).unwrap_err();
        assert!(fault.contains("no JSON, or more than an object"), "{fault}");
    }
}

#[test]
fn a_name_in_braces_that_nobody_knows_is_an_error_of_the_prompt() {
    let keys = |prompt: &str| {
        let aggregator = json!({"type": "llm_judge", "prompt": prompt});
        letters(&[letter("a")], &json!({ "aggregator": aggregator }))
    };
    assert_eq!(
        errors_of(&keys("{{ evaluator_results_json }} {{ candidate }}")),
        [(
            "/aggregator/prompt".to_owned(),
            "nothing is known as `{{ candidate }}` in this prompt".to_owned()
        )]
    );
}

#[test]
fn braces_that_never_close_are_not_searched_for_ever() {
    let open = "{\"a\":".repeat(200_000);
    let fault = only_object(&open).unwrap_err();
    assert!(fault.contains("opens so many brackets"), "{fault}");
    // An object before them may not be the only one.
    assert!(only_object(&format!("{{\"score\": 1}}{open}")).is_err());
    assert!(only_object(&format!("{} {{\"a\": 1}}", "{".repeat(100_000))).is_err());
}

#[test]
fn a_model_that_gives_no_score_is_asked_again() {
    let answers = [Ok("Good."), Ok("{\"score\": 2}"), Ok("{\"score\": 1}")];
    let (said, asked) = by_model(&Project::new(), &json!({}), &answers);
    assert_eq!((said.unwrap().score, asked.len()), (1.0, 3));
    assert!(asked.windows(2).all(|two| two[0] == two[1]));
}

#[test]
fn a_model_that_never_gives_a_score_is_a_fault_with_an_excerpt_and_no_zero() {
    for (answer, reason) in [
        ("Good.", "it gave no JSON object: `Good.`"),
        ("", "it gave no JSON object: ``"),
        (
            "{\"score\": 1} or {\"score\": 0}",
            "it gave more than one JSON object: `{\"score\": 1} or {\"score\": 0}`",
        ),
        ("{\"points\": 1}", "its output has no `score`"),
    ] {
        let answers = [Ok(answer), Ok(answer), Ok(answer)];
        let (said, _) = by_model(&Project::new(), &json!({}), &answers);
        let fault = said.unwrap_err();
        assert_eq!(
            fault.message,
            format!("the model was asked 3 times and gave no score; the last time {reason}")
        );
        assert_eq!(fault.parts.len(), 2);
    }
}

#[test]
fn a_judge_that_fails_is_not_asked_again() {
    let answers = [Err(GraderFault::new("no connection"))];
    let (said, _) = by_model(&Project::new(), &json!({}), &answers);
    assert_eq!(said.unwrap_err().message, "no connection");
    let (said, _) = by_model(&Project::new(), &json!({}), &[Err(GraderFault::interrupted())]);
    assert!(said.unwrap_err().interrupted);
    let (said, _) = by_model(&Project::new(), &json!({}), &[]);
    assert_eq!(
        said.unwrap_err().message,
        "a model must add up, but the target names no `judge_target`"
    );
}

proptest! {
    #[test]
    fn a_score_is_found_among_any_words_without_brackets(
        before in "[^{}\\[\\]]*", score in 0.0..=1.0, after in "[^{}\\[\\]]*",
    ) {
        let answer = format!("{before}{}{after}", json!({ "score": score }));
        let read = only_object(&answer).and_then(code_judge::read_score).unwrap();
        prop_assert_eq!(read.score.to_bits(), f64::to_bits(score));
    }

    #[test]
    fn no_answer_can_upset_reading(answer in "[{}\\[\\]:,\"a-z0-9 `]*") {
        if let Ok(object) = only_object(&answer) {
            let whole = object.starts_with('{') && object.ends_with('}');
            prop_assert!(whole);
        }
    }

    #[test]
    fn a_prompt_keeps_every_word_around_its_place(before in "[^{]*", after in "[^{]*") {
        let prompt = format!("{before}{{{{ evaluator_results_json }}}}{after}");
        let text = |text: String| Piece::Text(text);
        prop_assert_eq!(pieces(&prompt), Ok(vec![text(before), Piece::Known(RESULTS), text(after)]));
    }

    #[test]
    fn a_prompt_without_names_in_braces_is_one_piece(prompt in "[{} !]*") {
        prop_assert_eq!(pieces(&prompt), Ok(vec![Piece::Text(prompt)]));
    }
}
