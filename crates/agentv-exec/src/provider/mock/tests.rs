//! What a mock answers, and what is wrong with its settings.

use agentv_base::{Input, Messages, Node, NodeValue, Raw, RecordRaw, Redactor, Span};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn request(id: &str, question: &str, attempt: u32) -> Request {
    let message = Node::from_json(&json!({"role": "user", "content": question}));
    let input = Input {
        eval_id: id.into(),
        suite_file: std::path::Path::new("suite.yaml").into(),
        messages: Messages::new(vec![message]),
        files: Vec::new(),
        guideline_files: Vec::new(),
        conversation_id: None,
    };
    Request { input: Arc::new(input), attempt, repeat: 1, output_schema: None }
}

fn spec(settings: &Value) -> TargetSpec {
    let mut map = json!({"name": "m", "provider": "mock"});
    map.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    TargetSpec {
        name: "m".into(),
        name_span: Span::default(),
        provider: "mock".into(),
        provider_span: Span::default(),
        workers: None,
        judge_target: None,
        node: Node::from_json(&map),
        definition: Value::Null,
        prices: Arc::default(),
        file: "targets.yaml".into(),
    }
}

/// The settings, or what is said of them: every message with its code.
fn settings(given: &Value) -> Result<MockSettings, Vec<(String, &'static str)>> {
    let mut problems = Problems::default();
    let read = settings::read(&spec(given), &mut problems);
    let said = problems.iter().map(|problem| (problem.message.clone(), problem.code)).collect();
    read.ok_or(said)
}

/// What the answer to a case is, where it is `response`.
fn played(response: &Value, asked: &Request) -> Answer {
    let settings = settings(&json!({ "response": response })).ok().unwrap();
    settings.response.unwrap().play(asked, 7.0, &Redactor::default())
}

fn given(answer: Answer) -> agentv_base::Response {
    match answer {
        Answer::Given(response) => *response,
        other @ (Answer::Failed(_) | Answer::Unanswered { .. }) => panic!("{other:?}"),
    }
}

#[test]
fn a_text_has_blanks_for_what_is_known_of_the_case() {
    let asked = request("c {{ id }}", "Why {{ attempt }}?", 2);
    let text = "{{ Prompt }}|{{input}}|{{ question }}|{{eval_id}}|{{ id }}|{{ attempt }}|\
                {{ guidelines }}|{\"a\": {\"b\": 1}}";
    let response = given(played(&json!(text), &asked));
    let why = "Why {{ attempt }}?";
    let wanted =
        format!("{why}|{why}|{why}|c {{{{ id }}}}|c {{{{ id }}}}|2||{{\"a\": {{\"b\": 1}}}}");
    assert_eq!(response.text, wanted);
    assert_eq!((response.duration_ms, response.cost_usd), (Some(7.0), None));
    let told = Raw::Record(RecordRaw { file: None, line: None });
    assert_eq!(response.raw, told);
}

#[test]
fn a_map_is_an_answer_as_a_command_writes_it() {
    let asked = request("a", "hi", 0);
    let response = given(played(
        &json!({
            "text": "{{ question }}!", "trace": [{"type": "tool_call", "name": "x"}],
            "output_messages": [{"role": "assistant", "content": "{{ question }}"}],
            "token_usage": {"input": 1, "output": 2}, "cost_usd": "0.5", "duration_ms": 9,
        }),
        &asked,
    ));
    assert_eq!(response.text, "hi!");
    let said = response.output_messages.unwrap().remove(0);
    assert_eq!(said.content, Some(json!("{{ question }}")));
    assert_eq!(response.trace.unwrap().len(), 1);
    assert_eq!(response.token_usage.unwrap().total(), 3);
    assert_eq!((response.cost_usd, response.duration_ms), (Some(0.5), Some(9.0)));
    let by_message = json!({"output_messages": [{"role": "assistant", "content": "said"}]});
    assert_eq!(given(played(&by_message, &asked)).text, "said");
    assert_eq!(given(played(&json!({"text": {"a": [1]}}), &asked)).text, r#"{"a":[1]}"#);
}

#[test]
fn an_error_is_the_targets_own_word_with_what_it_cost() {
    let answer = json!({"error": "out of luck", "cost_usd": 0.25});
    let Answer::Failed(failure) = played(&answer, &request("a", "hi", 0)) else { panic!() };
    assert_eq!((failure.kind, &*failure.message), (FailureKind::Target, "out of luck"));
    assert_eq!((failure.cost_usd, failure.duration_ms), (Some(0.25), Some(7.0)));
}

#[test]
fn without_settings_it_says_that_it_is_a_mock() {
    let settings = settings(&json!({})).ok().unwrap();
    let answer = settings.response.unwrap().play(&request("a", "", 0), 0.0, &Redactor::default());
    assert!(given(answer).text.contains("mock"));
}

#[test]
fn everything_that_is_wrong_is_told() {
    let messages = "`output_messages` must be a list of messages, each with a `role`; calls have a \
                    `tool`";
    for (given, said) in [
        (
            json!({"response": "{{ questoin }}"}),
            vec![("a mock knows no `{{ questoin }}`", "bad-placeholder")],
        ),
        (
            json!({"response": 5}),
            vec![(
                "`response` must be a text, or a map as a command answers with, not a number",
                "wrong-type",
            )],
        ),
        (json!({"response": {}}), vec![("this answer says nothing", "missing-key")]),
        (json!({"response": {"text": null}}), vec![("this answer says nothing", "missing-key")]),
        (json!({"response": {"txt": "x"}}), vec![("unknown key `txt` in answer", "unknown-key")]),
        (
            json!({"response": {"text": "{{ x }}", "cost_usd": -1}}),
            vec![
                ("`cost_usd` must not be negative", "bad-value"),
                ("a mock knows no `{{ x }}`", "bad-placeholder"),
            ],
        ),
        (
            json!({"response": {"text": "a", "error": "b"}}),
            vec![("an answer has either `text` or `error`", "misplaced-key")],
        ),
        (json!({"response": {"error": " "}}), vec![("`error` of answer is blank", "bad-value")]),
        (
            json!({"response": {"text": "a", "output_messages": [{"content": "b"}]}}),
            vec![(messages, "wrong-type")],
        ),
        (
            json!({"response": {"text": "a", "trace": "b"}}),
            vec![(
                "`trace` must be a list of events, each with a `type` such as `tool_call`",
                "wrong-type",
            )],
        ),
        (
            json!({"response": {"text": "a", "token_usage": {"input": 1}}}),
            vec![(
                "`token_usage` must be a map with whole numbers as `input` and `output`",
                "wrong-type",
            )],
        ),
        (json!({"responses": {}}), vec![("`responses` is empty", "bad-value")]),
        (
            json!({"responses": ["a"]}),
            vec![("`responses` must be a map, not a list", "wrong-type")],
        ),
        (
            json!({"responses": {" ": "a", "b": [1]}}),
            vec![
                ("the id of a case is blank", "bad-value"),
                (
                    "`responses.b` must be a text, or a map as a command answers with, not a list",
                    "wrong-type",
                ),
            ],
        ),
        (json!({"delay_ms": -1}), vec![("`delay_ms` must not be negative", "bad-value")]),
        (
            json!({"delay_ms": 1, "delay_max_ms": 2}),
            vec![("`delay_max_ms` and `delay_ms` both say how long it takes", "misplaced-key")],
        ),
        (json!({"delayMinMs": 1}), vec![("`delayMinMs` needs `delay_max_ms`", "missing-key")]),
        (
            json!({"delay_min_ms": 3, "delay_max_ms": 2}),
            vec![("`delay_max_ms` is less than `delay_min_ms`", "bad-value")],
        ),
        (
            json!({"timeout_seconds": 0}),
            vec![("`timeout_seconds` must be greater than 0", "bad-value")],
        ),
        (json!({"model": "x"}), vec![("unknown key `model` in target", "unknown-key")]),
    ] {
        let told = settings(&given).err().unwrap();
        let told: Vec<(&str, &str)> =
            told.iter().map(|(text, code)| (text.as_str(), *code)).collect();
        assert_eq!(told, said, "{given}");
    }
    // A number that JSON has no word for.
    let mut spec = spec(&json!({"response": {"text": "x"}}));
    if let NodeValue::Map(entries) = &mut spec.node.value {
        Arc::make_mut(entries).last_mut().unwrap().value =
            Node::new(Span::default(), NodeValue::Float(f64::NAN));
    }
    let mut problems = Problems::default();
    assert!(settings::read(&spec, &mut problems).is_none() && problems.has_errors());
}

proptest! {
    #[test]
    fn delays_stay_between_their_limits_and_are_the_same_in_every_run(
        id in any::<String>(), attempt in any::<u32>(), least in 0.0..1e6, more in 0.0..1e6,
    ) {
        let delay = Delay { least_ms: least, most_ms: least + more };
        let taken = delay.of(&id, attempt);
        prop_assert_eq!(taken, delay.of(&id, attempt));
        let taken = taken.as_secs_f64() * 1000.0;
        prop_assert!(taken >= least - 1e-3 && taken <= least + more + 1e-3, "{}", taken);
    }
}
