//! Annotations of ordinary, hostile and many cases.

use super::*;
use crate::render::sample::{hostile_rows, many_rows, rows, written};

#[test]
fn errors_come_first_and_each_stands_at_its_line() {
    insta::assert_snapshot!(written(&Github, &rows()));
}

#[test]
fn what_means_something_to_github_is_escaped() {
    assert_eq!(data("100% a:b,c\r\nd\u{1b}[0m"), r"100%25 a:b,c%0D%0Ad\u{1b}[0m");
    assert_eq!(property("C:\\a, b%.yaml"), "C%3A\\a%2C b%25.yaml");
}

#[test]
fn no_text_begins_a_command_of_its_own() {
    let text = written(&Github, &hostile_rows());
    assert_eq!(text.lines().count(), 11, "{text}");
    for line in text.lines() {
        assert!(line.starts_with("::error ") || line.starts_with("::notice "), "{line}");
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}

#[test]
fn ten_are_shown_and_the_others_are_counted() {
    let text = written(&Github, &many_rows());
    assert_eq!(text.lines().filter(|line| line.starts_with("::error ")).count(), 10);
    assert!(text.contains("990 more cases that did not pass: 1000 failed and 0 errors"), "{text}");
    assert!(text.len() < 60_000, "{}", text.len());
}

#[test]
fn where_everything_passed_there_is_nothing_to_say() {
    assert_eq!(written(&Github, &rows()[..1]), "");
    assert_eq!(written(&Github, &[]), "");
}
