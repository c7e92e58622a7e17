//! What is said.

use serde_json::json;

use super::*;

const SAID: &[&str] = &["S: Be brief.", "U: Hi", "A: Hello!", "U: Bye"];

#[test]
fn each_service_is_told_system_message_and_turns_in_its_own_form() {
    let [chat, responses, anthropic, gemini] = all().map(|(_, wire)| body(&*wire, SAID, None));
    assert_eq!(
        chat,
        json!({"model": "a-model", "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello!"},
            {"role": "user", "content": "Bye"},
        ]})
    );
    assert_eq!(
        responses,
        json!({"model": "a-model", "instructions": "Be brief.", "input": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello!"},
            {"role": "user", "content": "Bye"},
        ]})
    );
    assert_eq!(
        anthropic,
        json!({"model": "a-model", "max_tokens": 4096, "system": "Be brief.", "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello!"},
            {"role": "user", "content": "Bye"},
        ]})
    );
    assert_eq!(
        gemini,
        json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "Hi"}]},
                {"role": "model", "parts": [{"text": "Hello!"}]},
                {"role": "user", "parts": [{"text": "Bye"}]},
            ],
        })
    );
}

#[test]
fn nothing_is_said_that_the_author_did_not_write() {
    for (name, wire) in all() {
        let said = body(&*wire, &["U: Hi"], None).to_string();
        for word in ["system", "instructions", "temperature", "tool", "format", "Config"] {
            assert!(!said.contains(word), "{name}: {said}");
        }
    }
}

#[test]
fn temperature_and_limit_go_where_each_service_looks_for_them() {
    let set = |manner: &mut Manner| {
        manner.temperature = Some(0.0);
        manner.max_output_tokens = Some(50);
    };
    let said = body(&chat(set), &["U: Hi"], None);
    assert_eq!((&said["temperature"], &said["max_completion_tokens"]), (&json!(0.0), &json!(50)));
    let older = OpenaiChat { limit: LimitName::MaxTokens, names_model: false, ..chat(set) };
    let said = body(&older, &["U: Hi"], None);
    assert_eq!((&said["max_tokens"], said.get("model")), (&json!(50), None));
    assert_eq!(said.get("max_completion_tokens"), None);
    let said = body(&responses(set), &["U: Hi"], None);
    assert_eq!((&said["temperature"], &said["max_output_tokens"]), (&json!(0.0), &json!(50)));
    let said = body(&anthropic(set), &["U: Hi"], None);
    assert_eq!((&said["temperature"], &said["max_tokens"]), (&json!(0.0), &json!(50)));
    let said = body(&gemini(set), &["U: Hi"], None);
    assert_eq!(said["generationConfig"], json!({"temperature": 0.0, "maxOutputTokens": 50}));
}

#[test]
fn thoughts_come_on_top_of_a_limit_that_nobody_chose() {
    let wire = Anthropic { thinking_budget: Some(2000), ..anthropic(|_| {}) };
    let said = body(&wire, &["U: Hi"], None);
    assert_eq!(said["max_tokens"], 6096);
    assert_eq!(said["thinking"], json!({"type": "enabled", "budget_tokens": 2000}));
}

#[test]
fn the_user_begins_where_a_service_demands_it_and_no_word_is_invented() {
    let check = |said: &[&str], system: Value, contents: Value| {
        let anthropic = body(&anthropic(|_| {}), said, None);
        assert_eq!(anthropic.get("system").cloned().unwrap_or_default(), system, "{said:?}");
        let gemini = body(&gemini(|_| {}), said, None);
        assert_eq!(gemini["contents"], contents, "{said:?}");
        let roles = |messages: &Value| -> Vec<String> {
            let role =
                |message: &Value| message["role"].as_str().unwrap().replace("model", "assistant");
            messages.as_array().unwrap().iter().map(role).collect()
        };
        assert_eq!(roles(&anthropic["messages"]), roles(&gemini["contents"]), "{said:?}");
    };
    check(
        &["S: s", "A: Hello!", "U: Hi", "A: So?"],
        json!("s"),
        json!([
            {"role": "user", "parts": [{"text": "@[Assistant]:\nHello!"}, {"text": "@[User]:\nHi"}]},
            {"role": "model", "parts": [{"text": "So?"}]},
        ]),
    );
    check(&["S: s"], json!(null), json!([{"role": "user", "parts": [{"text": "s"}]}]));
    check(
        &["A: Hello!"],
        json!(null),
        json!([{"role": "user", "parts": [{"text": "@[Assistant]:\nHello!"}]}]),
    );
    check(
        &["U: a", "U: b", "A: c", "A: d"],
        json!(null),
        json!([
            {"role": "user", "parts": [{"text": "a"}, {"text": "b"}]},
            {"role": "model", "parts": [{"text": "c"}, {"text": "d"}]},
        ]),
    );
    let several = body(&anthropic(|_| {}), &["U: a", "U: b"], None);
    let blocks = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    assert_eq!(several["messages"], json!([{"role": "user", "content": blocks}]));
    let alone = body(&responses(|_| {}), &["S: s"], None);
    assert_eq!(alone["input"], json!([{"role": "system", "content": "s"}]));
    assert_eq!(alone.get("instructions"), None);
}

#[test]
fn each_service_is_told_what_an_answer_must_look_like() {
    let schema = score_schema();
    let mut plain = schema.clone();
    plain.as_object_mut().unwrap().shift_remove("$schema");
    let [chat, responses, anthropic, gemini] =
        all().map(|(_, wire)| body(&*wire, &["U: Hi"], Some(&schema)));
    assert_eq!(
        chat["response_format"],
        json!({"type": "json_schema", "json_schema":
            {"name": "answer", "strict": true, "schema": plain}})
    );
    assert_eq!(
        responses["text"],
        json!({"format":
            {"type": "json_schema", "name": "answer", "strict": true, "schema": plain}})
    );
    assert_eq!(anthropic["tools"], json!([{"name": "answer", "input_schema": plain}]));
    assert_eq!(anthropic["tool_choice"], json!({"type": "tool", "name": "answer"}));
    assert_eq!(
        gemini["generationConfig"],
        json!({"responseMimeType": "application/json", "responseSchema": {
            "type": "object",
            "properties": {"score": {"type": "number"}},
            "required": ["score"],
            "propertyOrdering": ["score"],
        }})
    );
}

#[test]
fn a_server_that_knows_no_schemas_is_told_none() {
    let schema = score_schema();
    let off = |manner: &mut Manner| manner.structured_output = false;
    let wires: [Box<dyn Wire>; 4] = [
        Box::new(chat(off)),
        Box::new(responses(off)),
        Box::new(anthropic(off)),
        Box::new(gemini(off)),
    ];
    for wire in wires {
        assert_eq!(body(&*wire, &["U: Hi"], Some(&schema)), body(&*wire, &["U: Hi"], None));
    }
}

#[test]
fn a_model_that_thinks_is_offered_the_tool_and_one_with_other_tools_is_not() {
    let schema = score_schema();
    let thinking = Anthropic { thinking_budget: Some(1024), ..anthropic(|_| {}) };
    let said = body(&thinking, &["U: Hi"], Some(&schema));
    assert_eq!(said["tool_choice"], json!({"type": "auto"}));
    let own = anthropic(|manner| {
        manner.extra_body.insert("tools".to_owned(), json!([{"name": "search"}]));
    });
    let said = body(&own, &["U: Hi"], Some(&schema));
    assert_eq!(said["tools"], json!([{"name": "search"}]));
    assert_eq!(said.get("tool_choice"), None);
}

#[test]
fn what_the_author_adds_is_put_over_the_body_map_by_map() {
    let extra = json!({
        "generationConfig": {"topP": 0.5, "thinkingConfig": {"thinkingBudget": 0}},
        "safetySettings": [],
        "contents": null,
    });
    let wire = gemini(|manner| {
        manner.temperature = Some(1.0);
        manner.extra_body = extra.as_object().unwrap().clone();
    });
    assert_eq!(
        body(&wire, &["U: Hi"], None),
        json!({
            "contents": null,
            "generationConfig":
                {"temperature": 1.0, "topP": 0.5, "thinkingConfig": {"thinkingBudget": 0}},
            "safetySettings": [],
        })
    );
}

#[test]
fn a_key_is_in_the_headers_only_and_never_shown() {
    for (name, wire) in all() {
        let outgoing = wire.request(&Ask { chat: &messages(SAID), schema: None });
        assert_eq!(outgoing.headers, manner().headers, "{name}");
        assert!(!outgoing.url.contains("sk-canary"), "{name}");
        assert!(!outgoing.body.to_string().contains("sk-canary"), "{name}");
        let shown = format!("{outgoing:?}");
        assert!(shown.contains("authorization"), "{shown}");
        for secret in ["sk-canary", "Be brief."] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}
