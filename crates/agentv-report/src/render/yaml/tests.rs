//! What is written as YAML reads back as it was.

use std::borrow::Cow;

use agentv_base::Message;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    record::{
        Row,
        sample::{assessed, failed, full_response, grader, settled},
    },
    render::sample::report_of,
};

fn yaml(rows: &[Row<'static>]) -> String {
    let mut out = Vec::new();
    Yaml.write(&report_of(rows), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A row with this text wherever a text can stand, at different depths and as a key.
fn row_with(text: &str) -> Row<'static> {
    let mut response = full_response();
    text.clone_into(&mut response.text);
    response.output_messages = Some(vec![Message {
        role: "tool".to_owned(),
        name: Some(text.to_owned()),
        content: Some(json!({text: [text, {"deep": text}], "n": 0.1})),
        tool_calls: Vec::new(),
        timestamp: None,
        metadata: None,
    }]);
    let mut judge = grader(text, 0.9, &[text], &[text, text]);
    judge.reasoning = Some(text.to_owned());
    let settled = settled(0, text, assessed(response, vec![judge]));
    owned(
        &Row::of(&settled, crate::record::Keeping { trace: true, question: true, prompts: false })
            .unwrap(),
    )
}

fn owned(row: &Row<'_>) -> Row<'static> {
    serde_json::from_value(serde_json::to_value(row).unwrap()).unwrap()
}

/// Read as values without a wish of what they should be, as any program would.
fn values(yaml: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(yaml).unwrap_or_else(|fault| panic!("{fault}\n{yaml}"))
}

fn check(text: &str) {
    let row = row_with(text);
    let written = yaml(&[row.clone(), row.clone()]);
    let value = serde_json::to_value(&row).unwrap();
    assert_eq!(values(&written), [value.clone(), value], "{written}");
}

#[test]
fn texts_that_look_like_something_else_stay_texts() {
    for text in [
        "",
        " ",
        "yes",
        "No",
        "on",
        "true",
        "null",
        "~",
        "1",
        "1.0",
        "1e3",
        "0x1F",
        "0o7",
        ".inf",
        "NaN",
        "2025-01-01",
        "12:30:45",
        "-",
        "- a",
        "? a",
        "a: b",
        "a:",
        ": a",
        "#x",
        "a #b",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%a",
        "@a",
        "`a",
        "'",
        "\"",
        "'a' \"b\"",
        "{a",
        "[a",
        "<<",
        "=",
        "---",
        "...",
        "--- a",
        "a\\b",
        "{{x}}",
    ] {
        check(text);
    }
}

#[test]
fn lines_and_spaces_are_kept() {
    for text in [
        "a\nb",
        "a\nb\n",
        "a\nb\n\n\n",
        "\na",
        "\n",
        "\n\n",
        " a\nb",
        "a\n b\n  c",
        "a \nb \n",
        "\ta\n\tb",
        "a\n\n\nb",
        "a\r\nb",
        "a\rb",
        "---\na",
        "a\n---\nb",
        "a\n...\n",
        "# a\n# b",
        "  ",
        "a ",
        "\t",
        "a\n \n",
        "\n a\nb\n ",
        "  lead\nnone\n\n",
    ] {
        check(text);
    }
    check(&"long words without end ".repeat(20));
    check(&"long  double  spaces  ".repeat(20));
    check(&format!("{} \n{}", "a ".repeat(60), "b".repeat(200)));
    check(&format!("  {}", "indented and long ".repeat(20)));
}

#[test]
fn control_characters_and_unicode_are_kept() {
    for text in [
        "\0",
        "\u{1}\u{7}\u{8}\u{b}\u{c}\u{1b}[31m",
        "\u{7f}",
        "\u{80}\u{85}\u{9f}\u{a0}",
        "\u{2028}a\u{2029}",
        "\u{feff}a",
        "\u{fffe}\u{ffff}\u{fffd}",
        "äöü 全角 🦀 e\u{301}",
        "\u{202e}abc",
        "a\u{85}b\nc",
        "a\n\u{feff}b",
        "a\u{1b}\nb",
    ] {
        check(text);
    }
}

#[test]
fn rows_are_documents_apart() {
    let graders = vec![grader("has", 1.0, &["it"], &[])];
    let mut response = full_response();
    "Two lines:\nthis one.\n".clone_into(&mut response.text);
    let passed = settled(0, "first", assessed(response, graders));
    let error = settled(1, "second", failed(agentv_base::FailureKind::Exit, "exit code 7"));
    let rows = [passed, error].map(|settled| {
        owned(
            &Row::of(
                &settled,
                crate::record::Keeping { trace: true, question: true, prompts: false },
            )
            .unwrap(),
        )
    });
    insta::assert_snapshot!(yaml(&rows));
    assert_eq!(yaml(&[]), "");
}

#[test]
fn rows_read_from_yaml_are_the_rows_that_were_written() {
    let mut row = row_with("a\nb");
    row.score = Some(0.1 + 0.2);
    row.candidate_answer = Some(Cow::Borrowed("2025-01-01"));
    let read: Vec<Row<'static>> =
        serde_saphyr::from_multiple(&yaml(std::slice::from_ref(&row))).unwrap();
    assert_eq!(read, [row]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_is_read_as_it_was_written(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_arrangement_of_lines_and_signs_is_kept(text in "[ab \n\t:#>|'\"\\-%\r\u{85}\u{feff}0-9]{0,120}") {
        check(&text);
    }
}
