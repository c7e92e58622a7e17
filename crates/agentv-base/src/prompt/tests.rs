//! Prompts of messages of every kind.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::*;
use crate::{
    messages::{Messages, Reference},
    node::Node,
};

fn input(messages: Value) -> Input {
    let Value::Array(messages) = messages else { panic!("a list of messages") };
    Input {
        eval_id: "a".into(),
        suite_file: Path::new("/r/a.yaml").into(),
        messages: Messages::new(messages.iter().map(Node::from_json).collect()),
        files: Vec::new(),
        guideline_files: vec![PathBuf::from("/r/house.md")],
        conversation_id: None,
    }
}

fn file(name: &str, text: &str) -> Value {
    json!({"type": "file", "value": name, "path": format!("/r/{name}"), "text": text})
}

fn chat(messages: Value) -> String {
    let mut input = input(messages);
    if input.guidelines().unwrap_or_default().is_empty() {
        input.guideline_files.clear();
    }
    serde_json::to_string(&input.chat_prompt()).unwrap()
}

#[test]
fn one_message_alone_is_plain_and_its_code_stands_once() {
    let content = json!(["Look:\n```\nx\n```\n", file("a/b.md", "text\n")]);
    assert_eq!(
        input(json!([{"role": "user", "content": content}])).question(),
        "Look:\n```\nx\n```\n\n<file path=\"a/b.md\">\ntext\n</file>"
    );
}

#[test]
fn messages_that_say_nothing_make_no_difference() {
    let rules = || file("house.md", "rules");
    let messages = json!([
        {"role": "system", "content": ["  \n", rules()]},
        {"role": "user", "content": ["hi", rules()]},
    ]);
    assert_eq!(input(messages).question(), "hi");
    assert_eq!(input(json!([])).question(), "");
}

#[test]
fn several_messages_are_told_apart_by_role() {
    let messages = json!([
        {"role": "system", "content": "be brief\n"},
        {"role": "user", "content": ["hi", file("house.md", "rules"), file("f", "x")]},
    ]);
    assert_eq!(
        input(messages).question(),
        "@[System]:\nbe brief\n\n\
         @[User]:\nhi\n<Attached: house.md>\n<file path=\"f\">\nx\n</file>"
    );
}

#[test]
fn an_answer_among_the_messages_makes_them_a_conversation() {
    let messages = json!([
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [{"tool": "search"}]},
    ]);
    assert_eq!(input(messages).question(), "@[User]:\nhi");
}

#[test]
fn guidelines_stand_under_their_own_names_each_once() {
    let rules = || file("house.md", " A ");
    let mut input = input(json!([{"role": "user", "content": [rules(), file("c", "C"), rules()]}]));
    assert_eq!(input.guidelines().unwrap(), "<file path=\"house.md\">\nA\n</file>");
    input.guideline_files.clear();
    assert_eq!(input.guidelines(), None);
}

#[test]
fn guidelines_and_leading_system_messages_are_one_system_message_of_a_chat() {
    let messages = json!([
        {"role": "system", "content": "be brief\n"},
        {"role": "system", "content": [{"type": "text", "value": "be kind"}]},
        {"role": "user", "content": ["hi", file("house.md", "RULES")]},
    ]);
    assert_eq!(
        chat(messages),
        r#"[{"role":"system","content":"[[ ## Guidelines ## ]]\n\n<file path=\"house.md\">\nRULES\n</file>\n\nbe brief\n\nbe kind"},{"role":"user","content":"hi\n<Attached: house.md>"}]"#
    );
}

#[test]
fn later_system_and_tool_messages_of_a_chat_are_told_by_the_assistant() {
    let messages = json!([
        {"role": "user", "content": "hi"},
        {"role": "system", "content": "now in French"},
        {"role": "assistant", "tool_calls": [{"tool": "search"}]},
        {"role": "tool", "content": {"found": 1}},
    ]);
    assert_eq!(
        chat(messages),
        r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"@[System]:\nnow in French"},{"role":"assistant","content":"@[Tool]:\n{\n  \"found\": 1\n}"}]"#
    );
}

#[test]
fn the_last_words_are_a_text_as_it_is_and_else_json() {
    let last = |messages: Value| input(messages).messages.last_words();
    assert_eq!(last(json!([])), "");
    assert_eq!(
        last(json!([{"role": "user", "content": "a"}, {"role": "user", "content": " b\n"}])),
        " b\n"
    );
    assert_eq!(last(json!([{"role": "assistant", "content": ["x"]}])), "[\n  \"x\"\n]");
    assert_eq!(last(json!([{"role": "assistant", "tool_calls": []}])), "[]");
    assert_eq!(last(json!([{"role": "assistant"}])), "");
}

/// What messages say as a reference: a text in quotes, or JSON.
fn reference(messages: Value) -> Option<String> {
    input(messages).messages.reference().map(|said| match said {
        Reference::Text(text) => format!("{text:?}"),
        Reference::Json(node) => node.to_json().to_string(),
    })
}

#[test]
fn a_reference_is_what_the_last_message_with_content_says() {
    let says = |content: Value| reference(json!([{"role": "assistant", "content": content}]));
    for (content, said) in [
        (json!(" b\n"), r#"" b\n""#),
        (json!([{"type": "text", "value": "a"}]), r#""a""#),
        (
            json!(["a ", " ", file("b.md", "b\n"), {"type": "mine", "value": "c"}]),
            r#""a\n\nb\n\nc""#,
        ),
        (json!([{"type": "text", "value": "a"}, {"type": "image", "url": "x"}]), r#""a""#),
        (json!({"a": 1}), r#"{"a":1}"#),
        (json!([1, 2]), "[1,2]"),
        (json!([]), "[]"),
        (json!([{"a": 1}, "b"]), r#"[{"a":1},"b"]"#),
        (json!([{"type": "circle", "r": 1}]), r#"[{"type":"circle","r":1}]"#),
    ] {
        assert_eq!(says(content.clone()).as_deref(), Some(said), "{content}");
    }
    assert_eq!(
        reference(json!([
            {"role": "assistant", "content": "first"},
            {"role": "tool", "content": "second"},
            {"role": "assistant", "tool_calls": [{"tool": "t"}]},
            {"role": "assistant", "content": null},
        ])),
        Some(r#""second""#.to_owned())
    );
    assert_eq!(reference(json!([{"role": "assistant", "tool_calls": []}])), None);
}
