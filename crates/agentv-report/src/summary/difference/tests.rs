//! What is told of texts that are much alike, a little, and not at all.

use insta::assert_snapshot;

use super::*;
use crate::record::{
    Keeping,
    sample::{assessed, grader, response, settled},
};

const PLAIN: Style = Style { color: false, width: 80 };

fn difference(expected: &str, actual: &str) -> Option<Difference> {
    let outcome = assessed(response(actual), vec![grader("has", 0.0, &[], &[])]);
    let settled = settled(0, "x", outcome);
    let mut row = Row::of(&settled, Keeping::default()).unwrap();
    row.reference_answer = Some(expected.to_owned().into());
    Difference::of(&row)
}

fn check(expected: &str, actual: &str) -> String {
    let told = difference(expected, actual).unwrap().told(PLAIN, 60);
    for line in &told {
        assert!(measure_text_width(line) <= 60, "{line}");
        assert!(!line.contains(char::is_control), "{line:?}");
    }
    told.join("\n")
}

#[test]
fn where_nothing_was_expected_nothing_is_told() {
    assert!(difference("", "x").is_none());
    assert!(difference(" \n", "x").is_none());
}

#[test]
fn texts_of_one_line_stand_under_each_other() {
    assert_snapshot!(check("The capital is Paris.", "The capital is Lyon."), @"
    expected (-) and actual (+):
      - The capital is Paris.
      + The capital is Lyon.
    ");
    assert_eq!(check("Paris", "Paris\n"), "the answer is the expected one");
}

#[test]
fn long_texts_of_one_line_are_told_from_where_they_differ() {
    let start = "all of this is the same in both of them and says nothing about the difference ";
    let (expected, actual) = (format!("{start}four"), format!("{start}five and a lot {start}"));
    assert_snapshot!(check(&expected, &actual), @"
    expected (-) and actual (+):
      - … about the difference four
      + … about the difference five and a lot all of this is th…
    ");
}

#[test]
fn texts_of_many_lines_are_told_around_what_differs() {
    let lines = |at: &[usize]| {
        let line = |line: usize| {
            if at.contains(&line) { "other".to_owned() } else { format!("line {line}") }
        };
        (0..30).map(line).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(check(&lines(&[]), &lines(&[3])), @"
    expected (-) and actual (+):
        line 2
      - line 3
      + other
        line 4
    ");
    let told = check(&lines(&[]), &lines(&[3, 8, 20, 25]));
    assert_eq!(told.lines().count(), 1 + MOST_LINES, "{told}");
    let told = check(&lines(&[]), &lines(&[3, 4, 5, 6, 7]));
    assert!(told.contains("- line 5\n  - … (2 more lines)\n  + other"), "{told}");
}

#[test]
fn an_end_of_line_is_a_difference_only_where_it_is_another() {
    assert_eq!(check("a\nb", "a\nb\nc"), "expected (-) and actual (+):\n    b\n  + c");
    assert!(check("a\nb\nc", "a\nb\r\nc").contains("  - b\n  + b\\r\n"));
}

#[test]
fn json_is_compared_by_what_it_says() {
    assert_snapshot!(check(r#"{"b": 1, "a": [1, 2]}"#, r#"{"a":[1,3],"b":1}"#), @r#"
    expected (-) and actual (+):
            1,
      -     2
      +     3
          ],
    "#);
    let same = check(r#"{"b": 1, "a": 2}"#, r#"{"a":2,"b":1}"#);
    assert_eq!(same, "the answer is the expected one");
}

#[test]
fn texts_that_are_not_alike_are_told_by_their_beginnings() {
    assert_snapshot!(check("Paris", &"It is a long story. ".repeat(40)), @"
    expected: Paris
    actual:   It is a long story. It is a long story. It is a l…
    ");
    assert_snapshot!(check("one\ntwo", "three\nfour"), @"
    expected: one two
    actual:   three four
    ");
    assert_snapshot!(check("Paris", ""), @"
    expected: Paris
    actual:   (nothing)
    ");
    let long = "x y ".repeat(10_000);
    assert!(check(&long, &format!("{long}z")).starts_with("expected: x y"));
}

#[test]
fn control_characters_are_shown_and_not_sent() {
    let told = check("a \u{1b}[2J b", "a \u{202e} b");
    assert!(told.contains("- a \\u{1b}[2J b\n  + a \\u{202e} b"), "{told}");
    let told = check("a\nb\u{7}\n\tc", "a\nb\n\tc");
    assert!(told.contains("- b\\u{7}"), "{told}");
}

#[test]
fn only_the_words_that_differ_are_coloured_and_nothing_else_changes() {
    let coloured = difference("The capital is Paris.", "The capital is Lyon.").unwrap();
    let coloured = coloured.told(Style { color: true, width: 80 }, 60).join("\n");
    assert!(coloured.contains("The capital is \u{1b}[31mParis.\u{1b}[0m"), "{coloured:?}");
    let plain = check("The capital is Paris.", "The capital is Lyon.");
    assert_eq!(console::strip_ansi_codes(&coloured), plain);
}
