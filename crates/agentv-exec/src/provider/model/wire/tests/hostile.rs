//! Bodies that no service should send, and the errors that they do send.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn an_error_is_understood_in_the_form_of_every_service() {
    for (body, said) in [
        (
            json!({"error": {"message": "Incorrect API key provided.",
                "type": "invalid_request_error", "param": null, "code": "invalid_api_key"}}),
            Some("Incorrect API key provided. (invalid_api_key)"),
        ),
        (
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"},
                "request_id": "req_1"}),
            Some("Overloaded (overloaded_error)"),
        ),
        (
            json!({"error": {"code": 400, "message": "API key not valid.",
                "status": "INVALID_ARGUMENT", "details": []}}),
            Some("API key not valid. (INVALID_ARGUMENT)"),
        ),
        (
            json!([{"error": {"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED"}}]),
            Some("Slow down. (RESOURCE_EXHAUSTED)"),
        ),
        (
            json!({"error": {"code": "DeploymentNotFound", "message": "No such deployment."}}),
            Some("No such deployment. (DeploymentNotFound)"),
        ),
        (
            json!({"error": {"message": "Provider returned error", "code": 429,
                "metadata": {"raw": "too many", "provider_name": "x"}}}),
            Some("Provider returned error: too many"),
        ),
        (json!({"statusCode": 401, "message": "Access denied"}), Some("Access denied")),
        (
            json!({"object": "error", "message": "bad", "type": "BadRequestError"}),
            Some("bad (BadRequestError)"),
        ),
        (json!({"error": "model 'x' not found"}), Some("model 'x' not found")),
        (json!({"detail": "Not Found"}), Some("Not Found")),
        (json!({"detail": [{"msg": "missing"}]}), Some(r#"[{"msg":"missing"}]"#)),
        (json!({"choices": []}), None),
        (json!({"error": null}), None),
        (json!({"error": {}}), None),
        (json!([]), None),
        (json!("oops"), Some("oops")),
    ] {
        for (name, wire) in all() {
            let read = wire.error_in(body.to_string().as_bytes());
            assert_eq!(read.as_deref(), said, "{name}: {body}");
        }
    }
    for (_, wire) in all() {
        assert_eq!(wire.error_in(b"<html>502 Bad Gateway</html>"), None);
    }
}

#[test]
fn an_error_with_a_status_of_success_is_an_error() {
    for (name, wire) in all() {
        for (body, said) in [
            (json!({"error": {"message": "Out of credits"}}), "is an error: Out of credits"),
            (
                json!({"error": {"odd": 1}, "choices": []}),
                r#"is an error: {"error":{"odd":1},"choices":[]}"#,
            ),
            (json!({"object": "error", "message": "bad"}), "is an error: bad"),
        ] {
            assert_eq!(read(&*wire, &body).unwrap_err(), said, "{name}");
        }
    }
}

#[test]
fn what_is_missing_or_of_another_type_is_named() {
    let check = |wire: &dyn Wire, body: Value, said: &str| {
        assert_eq!(read(wire, &body).unwrap_err(), said, "{body}");
    };
    let chat = &chat(|_| {});
    check(chat, json!({}), "has no `choices`");
    check(chat, json!({"choices": null}), "has no `choices`");
    check(chat, json!({"choices": []}), "has no `choices`");
    check(chat, json!({"choices": "x"}), "has a text where `choices` should be a list");
    check(chat, json!({"choices": [7]}), "has no `message` in its first choice");
    let message = |message: Value| json!({"choices": [{"message": message}]});
    check(chat, message(json!({"content": 5})), "has a number where `content` should be a text");
    check(
        chat,
        message(json!({"tool_calls": {}})),
        "has an object where `tool_calls` should be a list",
    );
    check(chat, message(json!({"tool_calls": [{}]})), "calls a tool without a name");
    check(&responses(|_| {}), json!({}), "has no `output`");
    let nameless = json!({"output": [{"type": "function_call", "arguments": "{}"}]});
    check(&responses(|_| {}), nameless, "calls a tool without a name");
    check(&anthropic(|_| {}), json!({}), "has no `content`");
    check(
        &anthropic(|_| {}),
        json!({"content": "x"}),
        "has a text where `content` should be a list",
    );
    let no_input = json!({"content": [{"type": "tool_use", "name": "answer"}]});
    check(&anthropic(|_| {}), no_input, "has no `input` of its answer");
    check(
        &gemini(|_| {}),
        json!({"candidates": "x"}),
        "has a text where `candidates` should be a list",
    );
    let empty =
        [(message(json!({})), chat as &dyn Wire), (message(json!({"tool_calls": null})), chat)];
    for (body, wire) in empty {
        assert_eq!(read(wire, &body).unwrap(), Reply::default());
    }
    let odd = json!({"output": [1, null, {"type": "message", "content": null}]});
    assert_eq!(read(&responses(|_| {}), &odd).unwrap(), Reply::default());
    let odd = json!({"content": [1, null, {"type": "text"}]});
    assert_eq!(read(&anthropic(|_| {}), &odd).unwrap(), Reply::default());
    for candidate in [json!(null), json!({"content": 7}), json!({"content": {"parts": [7, {}]}})] {
        let odd = json!({"candidates": [candidate]});
        assert_eq!(read(&gemini(|_| {}), &odd).unwrap(), Reply::default());
    }
    for (_, wire) in all() {
        check(&*wire, json!([1]), "is a list instead of a JSON object");
        assert_eq!(wire.read(b" ").unwrap_err(), "is empty");
        let said = wire.read(b"<html>\x1b[31m").unwrap_err();
        assert!(said.starts_with("is not JSON (expected value"), "{said}");
        assert!(said.ends_with(r": `<html>\u{1b}[31m`"), "{said}");
        let deep = "[".repeat(200) + &"]".repeat(200);
        let said = wire.read(deep.as_bytes()).unwrap_err();
        assert!(said.contains("recursion limit"), "{said}");
    }
}

#[test]
fn a_count_that_is_none_is_unknown() {
    for tokens in [json!(-1), json!(1.5), json!("7"), json!(null), json!([]), json!(1e30)] {
        let usages = [
            json!({"prompt_tokens": tokens, "completion_tokens": 1}),
            json!({"prompt_tokens": 1, "completion_tokens": tokens}),
            tokens.clone(),
        ];
        for usage in usages {
            let choice = json!({"message": {"content": "x"}});
            let reply = read(&chat(|_| {}), &json!({"choices": [choice], "usage": usage}));
            assert_eq!(reply.unwrap().token_usage, None, "{usage}");
        }
    }
}

#[test]
fn long_words_of_a_service_are_cut() {
    let long = "x".repeat(100_000);
    let choice = json!({"message": {"content": "x"}, "finish_reason": long});
    let reply = read(&chat(|_| {}), &json!({"choices": [choice], "model": long})).unwrap();
    assert_eq!(reply.model.unwrap().chars().count(), 200);
    assert_eq!(reply.finish_reason.unwrap().chars().count(), 200);
    let error = chat(|_| {}).error_in(json!({ "error": long }).to_string().as_bytes());
    assert_eq!(error.unwrap().chars().count(), 2000);
}

/// The words of every service, and values of every type under them.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z_{}\\[\\]\":]{0,8}".prop_map(Value::from),
        Just(json!("message")),
        Just(json!("function_call")),
        Just(json!("tool_use")),
        Just(json!("text")),
    ];
    let key = prop::sample::select(vec![
        "error",
        "message",
        "choices",
        "content",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "usage",
        "prompt_tokens",
        "completion_tokens",
        "output",
        "type",
        "text",
        "status",
        "input_tokens",
        "output_tokens",
        "candidates",
        "parts",
        "functionCall",
        "args",
        "metadata",
        "raw",
        "usageMetadata",
        "promptTokenCount",
        "thoughtsTokenCount",
        "input",
        "id",
        "refusal",
        "finish_reason",
        "model",
        "function_call",
        "incomplete_details",
        "promptFeedback",
    ]);
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(|entries| {
                entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_read_or_told_to_be_wrong(body in any_json()) {
        for (_, wire) in all() {
            let bytes = body.to_string().into_bytes();
            let _ = wire.error_in(&bytes);
            match wire.read(&bytes) {
                Ok(reply) => {
                    let mut messages = reply.output_messages.iter().flatten();
                    prop_assert!(messages.all(|message| !message.tool_calls.is_empty()));
                }
                Err(said) => prop_assert!(!said.is_empty()),
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_told_to_be_wrong(body in prop::collection::vec(any::<u8>(), 0..200)) {
        for (_, wire) in all() {
            let _ = wire.error_in(&body);
            let _ = wire.read(&body);
        }
    }

    #[test]
    fn any_schema_can_be_asked_for(schema in any_json()) {
        for (_, wire) in all() {
            wire.request(&Ask { chat: &messages(&["U: Hi"]), schema: Some(&schema) });
        }
    }
}
