//! Good and bad batch files, read as a tool would have left them.

use std::io::{Seek as _, Write as _};

use super::*;

fn index(content: &[u8], ids: &[&str]) -> Result<(File, Index), String> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file.rewind().unwrap();
    let requested: Vec<Arc<str>> = ids.iter().map(|id| Arc::from(*id)).collect();
    let index = Index::read(&file, &requested)?;
    Ok((file, index))
}

fn fault(content: &str, ids: &[&str]) -> String {
    index(content.as_bytes(), ids).unwrap_err()
}

fn answers(content: &[u8], ids: &[&str]) -> Vec<Option<String>> {
    let (file, index) = index(content, ids).unwrap();
    let ahead = Ahead::of(file);
    index.places.iter().map(|place| place.and_then(|p| p.record(&ahead).unwrap().text)).collect()
}

fn said(answers: &[Option<&str>]) -> Vec<Option<String>> {
    answers.iter().map(|answer| answer.map(str::to_owned)).collect()
}

#[test]
fn records_are_mapped_by_id_whatever_their_order() {
    let content = b"{\"id\":\"b\",\"text\":\"2\"}\n{\"text\":\"1\",\"id\":\"a\"}\n";
    assert_eq!(answers(content, &["a", "b", "c"]), said(&[Some("1"), Some("2"), None]));
}

#[test]
fn a_byte_order_mark_crlf_blank_lines_and_a_missing_last_newline_are_fine() {
    let content =
        b"\xef\xbb\xbf{\"id\":\"a\",\"text\":\"1\"}\r\n\r\n  \n{\"id\":\"b\",\"text\":\"2\"}";
    assert_eq!(answers(content, &["a", "b"]), said(&[Some("1"), Some("2")]));
}

#[test]
fn ids_with_escapes_are_compared_as_text() {
    assert_eq!(answers(b"{\"id\":\"\\u00e4\",\"text\":\"1\"}", &["\u{e4}"]), said(&[Some("1")]));
}

#[test]
fn blank_lines_count_when_a_bad_line_is_named() {
    let message = fault("\n\n{\"id\":\"a\",\"text\":\"\"}\n\n{oops}\n", &["a"]);
    assert!(message.starts_with("line 5 of batch output is not valid JSON"), "{message}");
    assert!(message.ends_with(": {oops}"), "{message}");
}

#[test]
fn every_kind_of_bad_line_has_its_own_words() {
    for (content, words) in [
        ("[1]\n", "line 1 of batch output is not a JSON object: [1]"),
        ("12\n", "line 1 of batch output is not a JSON object: 12"),
        ("{\"text\":1}\n", "line 1 of batch output has no `id`: {\"text\":1}"),
        ("{\"id\":null}\n", "line 1 of batch output has no `id`: {\"id\":null}"),
        ("{\"id\":5}\n", "line 1 of batch output has an `id` that is not a string: {\"id\":5}"),
        ("{\"id\":[1]}\n", "line 1 of batch output has an `id` that is not a string: {\"id\":[1]}"),
        ("{\"id\":\" \"}\n", "line 1 of batch output has a blank `id`: {\"id\":\" \"}"),
    ] {
        assert_eq!(fault(content, &["a"]), words);
    }
}

#[test]
fn bytes_that_are_not_text_are_named_by_their_line() {
    let message = index(b"{\"id\":\"a\"}\n{\"id\":\"\xff\"}\n", &["a"]).unwrap_err();
    assert!(message.starts_with("line 2 of batch output is not UTF-8"), "{message}");
}

#[test]
fn the_excerpt_of_a_bad_line_is_short_and_harmless() {
    let message = fault(&format!("\u{1b}[31m{}\n", "x".repeat(5000)), &["a"]);
    let (_, shown) = message.split_once("): ").unwrap();
    assert!(shown.chars().count() <= 200, "{message}");
    assert!(!message.contains('\u{1b}'));
}

#[test]
fn the_reason_why_a_line_is_no_json_does_not_quote_it_once_more() {
    let message = fault(&format!("\"{}\" and more\n", "x".repeat(5000)), &["a"]);
    let (reason, shown) = message.split_once("): ").unwrap();
    assert_eq!(
        reason,
        "line 1 of batch output is not valid JSON (trailing characters at column 5004"
    );
    assert_eq!(shown.chars().count(), 200);
}

#[test]
fn an_object_with_an_id_or_a_key_that_is_no_text_is_still_called_an_object() {
    // Valid as JSON, but no text can hold half a surrogate pair.
    for content in ["{\"id\":\"\\ud800\"}", "{\"\\ud800\":1,\"id\":\"a\"}"] {
        let message = fault(content, &["a"]);
        assert!(message.starts_with("line 1 of batch output cannot be used ("), "{message}");
        assert!(message.ends_with(&format!("): {content}")), "{message}");
    }
}

#[test]
fn an_id_on_two_lines_names_both_also_where_nobody_asked_for_it() {
    for ids in [&["a"][..], &["b"][..]] {
        assert_eq!(
            fault("{\"id\":\"a\"}\n\n{\"id\":\"a\"}\n", ids),
            "id `a` of batch output stands on line 1 and again on line 3"
        );
    }
}

#[test]
fn missing_ids_are_named_up_to_a_limit_and_then_counted() {
    let ids: Vec<String> = (0..10_000).map(|n| format!("case-{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let (_, index) = index(b"{\"id\":\"case-0\",\"text\":\"\"}\n", &ids).unwrap();
    let requested: Vec<Arc<str>> = ids.iter().map(|id| Arc::from(*id)).collect();
    let message = index.missing(&requested).unwrap();
    assert!(
        message
            .starts_with("batch output is missing 9999 of 10000 requested ids: case-1, case-2, ")
    );
    assert!(message.ends_with("case-50 … and 9949 more"), "{message}");
}

#[test]
fn records_nobody_asked_for_are_counted_and_the_first_is_named() {
    let (_, index) =
        index(b"{\"id\":\"x\"}\n{\"id\":\"a\",\"text\":\"\"}\n{\"id\":\"y\"}\n", &["a"]).unwrap();
    assert_eq!(index.unasked, Some((2, "x".to_owned())));
}

#[test]
fn a_record_that_cannot_be_decoded_is_the_fault_of_its_case_alone() {
    // Valid as JSON, but no text can hold half a surrogate pair.
    let content = b"{\"id\":\"a\",\"text\":\"\\ud800\"}\n{\"id\":\"b\",\"text\":\"fine\"}\n";
    let (file, index) = index(content, &["a", "b"]).unwrap();
    let ahead = Ahead::of(file);
    let message = index.places[0].unwrap().record(&ahead).unwrap_err();
    assert!(message.starts_with("line 1 of batch output cannot be used"), "{message}");
    assert_eq!(index.places[1].unwrap().record(&ahead).unwrap().text.as_deref(), Some("fine"));
}

#[test]
fn a_place_is_small() {
    assert_eq!(size_of::<Option<Place>>(), 16);
}

#[test]
fn records_are_found_in_any_order() {
    let line = |id: &str| format!("{{\"id\": \"{id}\", \"text\": \"{id}!\"}}\n");
    let ids = ["a", "b", "c", "d"];
    let expected: Vec<Option<String>> = ids.iter().map(|id| Some(format!("{id}!"))).collect();
    for order in ["abcd", "dcba", "bcda", "acbd", "xabcd", "abxcd", "cdab"] {
        let content: String = order.chars().map(|id| line(&id.to_string())).collect();
        assert_eq!(answers(content.as_bytes(), &ids), expected, "{order}");
    }
    for doubled in ["abcda", "aabcd", "abcbd"] {
        let content: String = doubled.chars().map(|id| line(&id.to_string())).collect();
        assert!(fault(&content, &ids).contains("and again on line"), "{doubled}");
    }
}
