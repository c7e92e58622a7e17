//! What is understood.

use agentv_base::{TokenUsage, ToolCall};
use serde_json::json;

use super::*;

/// Text, tools with their inputs and ids, tokens (input, output, cached), model, reason.
type Seen = (
    String,
    Vec<(String, Value, Option<String>)>,
    Option<(u64, u64, Option<u64>)>,
    Option<String>,
    Option<String>,
);

fn seen(reply: Reply) -> Seen {
    let Reply { text, output_messages, token_usage, model, finish_reason, .. } = reply;
    let call = |call: ToolCall| (call.tool, call.input.unwrap_or_default(), call.id);
    let calls = output_messages.map_or(Vec::new(), |messages| {
        let [message] = <[Message; 1]>::try_from(messages).unwrap();
        assert_eq!(message.role, "assistant");
        assert_eq!(message.text().unwrap_or_default(), text);
        assert!(!message.tool_calls.is_empty());
        message.tool_calls.into_iter().map(call).collect()
    });
    let usage = |usage: TokenUsage| (usage.input, usage.output, usage.cached);
    (text, calls, token_usage.map(usage), model, finish_reason)
}

#[test]
fn a_chat_completion_is_read() {
    let reply = read(
        &chat(|_| {}),
        &json!({
            "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
            "object": "chat.completion",
            "created": 1_741_569_952,
            "model": "gpt-4.1-2025-04-14",
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": "Hello!", "refusal": null,
                    "annotations": []},
                "logprobs": null,
                "finish_reason": "stop",
            }],
            "usage": {
                "prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29,
                "prompt_tokens_details": {"cached_tokens": 3, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 4, "audio_tokens": 0},
            },
            "service_tier": "default",
        }),
    );
    let expected = (
        "Hello!".to_owned(),
        vec![],
        Some((19, 10, Some(3))),
        Some("gpt-4.1-2025-04-14".to_owned()),
        Some("stop".to_owned()),
    );
    assert_eq!(seen(reply.unwrap()), expected);
}

fn chat_message(message: &Value) -> Result<Reply, String> {
    let choice = json!({"message": message, "finish_reason": "tool_calls"});
    read(&chat(|_| {}), &json!({"choices": [choice]}))
}

#[test]
fn calls_of_a_chat_completion_become_a_message() {
    let reply = chat_message(&json!({
        "role": "assistant",
        "content": "Let me see.",
        "tool_calls": [
            {"id": "call_1", "type": "function",
                "function": {"name": "weather", "arguments": "{\"city\": \"Paris\"}"}},
            {"id": "call_2", "type": "function", "function": {"name": "now", "arguments": ""}},
            {"id": "call_3", "type": "function", "function": {"name": "raw", "arguments": "{oops"}},
            {"function": {"name": "object", "arguments": {"a": 1}}},
            {"id": "call_5", "type": "custom", "custom": {"name": "shell", "input": "ls"}},
        ],
    }));
    let (text, calls, usage, model, _) = seen(reply.unwrap());
    assert_eq!((text.as_str(), usage, model), ("Let me see.", None, None));
    assert_eq!(
        calls,
        [
            ("weather".to_owned(), json!({"city": "Paris"}), Some("call_1".to_owned())),
            ("now".to_owned(), json!(null), Some("call_2".to_owned())),
            ("raw".to_owned(), json!("{oops"), Some("call_3".to_owned())),
            ("object".to_owned(), json!({"a": 1}), None),
            ("shell".to_owned(), json!("ls"), Some("call_5".to_owned())),
        ]
    );
    let reply = chat_message(&json!({
        "content": null, "tool_calls": null,
        "function_call": {"name": "old", "arguments": "[1]"},
    }));
    let (text, calls, ..) = seen(reply.unwrap());
    assert_eq!((text.as_str(), calls), ("", vec![("old".to_owned(), json!([1]), None)]));
}

#[test]
fn parts_are_one_text_and_a_refusal_is_the_answer() {
    let text = |message: Value| chat_message(&message).map(|reply| reply.text);
    let parts = json!([{"type": "text", "text": "a"}, {"type": "thinking", "thinking": []},
        {"type": "text", "text": "b"}, "c"]);
    assert_eq!(text(json!({ "content": parts })).unwrap(), "abc");
    assert_eq!(text(json!({"content": null, "refusal": "I won't."})).unwrap(), "I won't.");
    assert_eq!(text(json!({"content": "But", "refusal": "No."})).unwrap(), "But");
    let refused = json!([{"type": "refusal", "refusal": "No."}]);
    assert_eq!(text(json!({ "content": refused })).unwrap(), "No.");
}

#[test]
fn a_response_is_read() {
    let reply = read(
        &responses(|_| {}),
        &json!({
            "id": "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
            "object": "response",
            "created_at": 1_741_476_542,
            "status": "completed",
            "error": null,
            "incomplete_details": null,
            "model": "gpt-4.1-2025-04-14",
            "output": [
                {"type": "reasoning", "id": "rs_1", "summary": []},
                {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
                    "content": [{"type": "output_text", "text": "In a", "annotations": []},
                        {"type": "output_text", "text": " grove", "annotations": []}]},
                {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "weather",
                    "arguments": "{\"city\":\"Paris\"}", "status": "completed"},
                {"type": "web_search_call", "id": "ws_1", "status": "completed",
                    "action": {"type": "search", "query": "x"}},
            ],
            "usage": {
                "input_tokens": 36, "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 87, "output_tokens_details": {"reasoning_tokens": 7},
                "total_tokens": 123,
            },
        }),
    );
    let expected = (
        "In a grove".to_owned(),
        vec![
            ("weather".to_owned(), json!({"city": "Paris"}), Some("call_1".to_owned())),
            (
                "web_search".to_owned(),
                json!({"type": "search", "query": "x"}),
                Some("ws_1".to_owned()),
            ),
        ],
        Some((36, 87, Some(0))),
        Some("gpt-4.1-2025-04-14".to_owned()),
        Some("completed".to_owned()),
    );
    assert_eq!(seen(reply.unwrap()), expected);
}

#[test]
fn a_response_that_failed_is_told_in_words_and_half_of_one_is_an_answer() {
    let check = |response: Value, said: Result<&str, &str>| {
        let read = read(&responses(|_| {}), &response).map(|reply| reply.text);
        assert_eq!(read.as_deref().map_err(String::as_str), said);
    };
    check(
        json!({"status": "failed", "error": {"code": "server_error", "message": "Try later."}}),
        Err("is an error: Try later. (server_error)"),
    );
    check(json!({"status": "failed", "error": null}), Err("is that it failed, and not why"));
    check(json!({"status": "queued"}), Err("is not finished: its status is `queued`"));
    let cut = json!({"reason": "max_output_tokens"});
    check(json!({"status": "incomplete", "incomplete_details": cut, "output": []}), Ok(""));
    let half = json!([{"type": "message", "content": [{"type": "output_text", "text": "Hal"}]}]);
    check(json!({"status": "incomplete", "incomplete_details": cut, "output": half}), Ok("Hal"));
    let refused = json!([{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]);
    check(json!({"status": "completed", "output": refused}), Ok("No."));
}

#[test]
fn a_message_of_anthropic_is_read() {
    let reply = read(
        &anthropic(|_| {}),
        &json!({
            "id": "msg_013Zva2CMHLNnXjNJJKqJ2EF",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5-20250929",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "x"},
                {"type": "text", "text": "I'll look"},
                {"type": "text", "text": " it up."},
                {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Paris"}},
            ],
            "stop_reason": "tool_use",
            "stop_sequence": null,
            "usage": {"input_tokens": 2095, "cache_creation_input_tokens": 100,
                "cache_read_input_tokens": 50, "output_tokens": 503},
        }),
    );
    assert_eq!(reply.as_ref().unwrap().cache_written, 100);
    let expected = (
        "I'll look it up.".to_owned(),
        vec![("weather".to_owned(), json!({"city": "Paris"}), Some("toolu_1".to_owned()))],
        Some((2245, 503, Some(50))),
        Some("claude-sonnet-4-5-20250929".to_owned()),
        Some("tool_use".to_owned()),
    );
    assert_eq!(seen(reply.unwrap()), expected);
}

#[test]
fn the_input_of_the_answering_tool_is_the_text_and_no_call() {
    let answer = json!({
        "content": [
            {"type": "text", "text": "Here:"},
            {"type": "tool_use", "id": "t", "name": "answer", "input": {"score": 0.5, "hits": []}},
        ],
        "usage": {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": null},
    });
    let reply = read(&anthropic(|_| {}), &answer).unwrap();
    let text = r#"{"score":0.5,"hits":[]}"#;
    assert_eq!(seen(reply), (text.to_owned(), vec![], Some((1, 2, None)), None, None));
    // Where the author has a tool of that name, it is theirs.
    let own = anthropic(|manner| {
        manner.extra_body.insert("tools".to_owned(), json!([{"name": "answer"}]));
    });
    let (text, calls, ..) = seen(read(&own, &answer).unwrap());
    assert_eq!((text.as_str(), calls.len()), ("Here:", 1));
}

#[test]
fn content_of_gemini_is_read() {
    let reply = read(
        &gemini(|_| {}),
        &json!({
            "candidates": [{
                "content": {"role": "model", "parts": [
                    {"text": "Thinking…", "thought": true},
                    {"text": "Let me "},
                    {"text": "look.", "thoughtSignature": "x"},
                    {"functionCall": {"name": "weather", "args": {"city": "Paris"}}},
                ]},
                "finishReason": "STOP",
                "index": 0,
            }],
            "usageMetadata": {"promptTokenCount": 8, "candidatesTokenCount": 5,
                "thoughtsTokenCount": 20, "cachedContentTokenCount": 4, "totalTokenCount": 33},
            "modelVersion": "gemini-2.5-flash",
            "responseId": "x",
        }),
    );
    let expected = (
        "Let me look.".to_owned(),
        vec![("weather".to_owned(), json!({"city": "Paris"}), None)],
        Some((8, 25, Some(4))),
        Some("gemini-2.5-flash".to_owned()),
        Some("STOP".to_owned()),
    );
    assert_eq!(seen(reply.unwrap()), expected);
}

#[test]
fn an_answer_that_says_nothing_says_why_it_stopped_and_what_it_took() {
    let usage = |names: [&str; 2]| json!({names[0]: 7, names[1]: 1});
    let bodies = [
        json!({"choices": [{"message": {"content": null}, "finish_reason": "length"}],
            "usage": usage(["prompt_tokens", "completion_tokens"])}),
        json!({"status": "incomplete", "incomplete_details": {"reason": "length"}, "output": [],
            "usage": usage(["input_tokens", "output_tokens"])}),
        json!({"content": [], "stop_reason": "length",
            "usage": usage(["input_tokens", "output_tokens"])}),
        json!({"candidates": [{"finishReason": "length"}],
            "usageMetadata": usage(["promptTokenCount", "thoughtsTokenCount"])}),
    ];
    for ((name, wire), body) in all().iter().zip(bodies) {
        let reply = seen(read(&**wire, &body).unwrap());
        let expected = (String::new(), vec![], Some((7, 1, None)), None, Some("length".to_owned()));
        assert_eq!(reply, expected, "{name}");
    }
}

#[test]
fn what_gemini_blocks_is_told_in_words() {
    let said = |body: Value| read(&gemini(|_| {}), &body).unwrap_err();
    assert_eq!(
        said(json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})),
        "is that the prompt was blocked: `PROHIBITED_CONTENT`"
    );
    assert_eq!(said(json!({})), "has no `candidates`");
}

#[test]
fn what_gemini_leaves_out_of_its_counts_is_zero_only_where_the_total_says_so() {
    let usage = |usage: Value| {
        let content = json!({"parts": [{"text": "x"}]});
        let body = json!({"candidates": [{"content": content}], "usageMetadata": usage});
        seen(read(&gemini(|_| {}), &body).unwrap()).2
    };
    assert_eq!(usage(json!({"promptTokenCount": 8, "totalTokenCount": 8})), Some((8, 0, None)));
    assert_eq!(usage(json!({"promptTokenCount": 8})), None);
    assert_eq!(usage(json!({"totalTokenCount": 8})), None);
    let with_tools = json!({"promptTokenCount": 8, "toolUsePromptTokenCount": 2,
        "candidatesTokenCount": 1});
    assert_eq!(usage(with_tools), Some((10, 1, None)));
}

#[test]
fn errors_that_will_not_pass_are_known_with_a_way_out() {
    let quota = json!({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}});
    let by_type = json!({"error": {"message": "x", "type": "insufficient_quota", "code": null}});
    let rate = json!({"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}});
    let key = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT",
        "message": "API key not valid. Please pass a valid API key."}});
    let reason = json!({"error": {"code": 400, "message": "x", "status": "INVALID_ARGUMENT",
        "details": [{"@type": "x"}, {"reason": "API_KEY_INVALID"}]}});
    let argument = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "x"}});
    let billing = Some("check the plan and billing of the account");
    let check_key = Some("check `api_key` of the target");
    for (name, wire) in all() {
        let check = |body: &Value, openai, gemini| {
            let expected = match name {
                "chat" | "responses" => openai,
                "gemini" => gemini,
                _ => None,
            };
            assert_eq!(wire.dead_end(body.to_string().as_bytes()), expected, "{name}: {body}");
        };
        check(&quota, billing, None);
        check(&by_type, billing, None);
        check(&rate, None, None);
        check(&key, None, check_key);
        check(&reason, None, check_key);
        check(&argument, None, None);
        assert_eq!(wire.dead_end(b"<html>"), None);
    }
}
