//! How each format tells a comparison.

use serde_json::{Value, json};

use super::{compared, options, published, row, table_of, told, with};
use crate::{
    compare::{CompareFormat, CompareOptions, Comparison, Gate},
    style::Style,
};

/// One of everything: a regression, a loss, a win, an improvement, ties, errors, strangers.
fn sample() -> Comparison {
    let before = [
        row("refund-policy", 1, 1.0),
        row("greeting", 1, 0.95),
        row("a-very-long-name-of-a-case-that-nobody-would-choose-but-somebody-does", 1, 0.9),
        row("tone", 1, 0.5),
        row("times-out", 1, 1.0),
        row("was-an-error", 1, None),
        row("gone", 1, 1.0),
        row("same", 1, 1.0),
        row("same-too", 1, 0.4),
    ];
    let now = [
        row("refund-policy", 1, 0.25),
        row("greeting", 1, 0.84),
        row("a-very-long-name-of-a-case-that-nobody-would-choose-but-somebody-does", 1, 0.1),
        row("tone", 1, 0.9),
        row("times-out", 1, None),
        row("was-an-error", 1, 1.0),
        row("new", 1, 1.0),
        row("same", 1, 1.0),
        row("same-too", 1, 0.4),
    ];
    compared(&[&before, &now], options())
}

fn three() -> Comparison {
    let run = |shift: f64| -> Vec<Value> {
        (0..8)
            .map(|place| row(&format!("case-{place}"), 1, 0.3 + shift + f64::from(place) / 20.0))
            .collect()
    };
    compared(&[&run(0.0), &run(0.15), &run(-0.1)], options())
}

fn formats() -> Vec<CompareFormat> {
    let style = Style { color: true, width: 60 };
    vec![
        CompareFormat::Table { style, verbose: true },
        CompareFormat::Json,
        CompareFormat::Md,
        CompareFormat::Html,
        CompareFormat::Csv,
    ]
}

#[test]
fn the_table_of_two_runs() {
    insta::assert_snapshot!(table_of(&sample(), 100));
}

#[test]
fn the_table_of_two_runs_in_a_narrow_window() {
    let table = table_of(&sample(), 40);
    insta::assert_snapshot!(table);
    let widest = table.lines().map(console::measure_text_width).max().unwrap();
    assert!(widest <= 40, "{widest}");
}

#[test]
fn the_table_of_the_published_example() {
    insta::assert_snapshot!(table_of(&published(), 80));
}

#[test]
fn the_table_of_three_runs() {
    insta::assert_snapshot!(table_of(&three(), 80));
}

#[test]
fn markdown_of_two_runs() {
    insta::assert_snapshot!(told(&sample(), CompareFormat::Md));
}

#[test]
fn json_of_two_runs() {
    insta::assert_snapshot!(told(&sample(), CompareFormat::Json));
}

#[test]
fn csv_of_two_runs() {
    insta::assert_snapshot!(told(&sample(), CompareFormat::Csv));
}

#[test]
fn html_of_three_runs() {
    insta::assert_snapshot!(told(&three(), CompareFormat::Html));
}

#[test]
fn no_format_knows_a_number_that_is_none() {
    let one = [row("a", 1, 0.5)];
    let error = [row("a", 1, None)];
    let runs: [&[&[Value]]; 6] = [
        &[&[], &[]],
        &[&[], &one],
        &[&one, &one],
        &[&error, &error],
        &[&one, &error],
        &[&[row("a", 1, 1.0), row("b", 1, 1.0)], &[row("a", 1, 1.0), row("b", 1, 1.0)], &one],
    ];
    for runs in runs {
        let comparison = compared(runs, CompareOptions { margin: 0.05, ..options() });
        for format in formats() {
            let text = told(&comparison, format);
            for word in ["NaN", "inf", "-0.000"] {
                assert!(!text.contains(word), "{word} in {format:?} of {runs:?}:\n{text}");
            }
        }
    }
}

#[test]
fn names_from_outside_are_no_markup_and_move_no_cursor() {
    let id = "<script>alert(1)</script>\u{1b}[2J|`x`\u{202e}";
    let hostile = |score: f64| with(row(id, 1, score), &json!({"target": "<b>"}));
    let comparison = compared(&[&[hostile(1.0)], &[hostile(0.0)]], options());
    for format in formats() {
        let text = told(&comparison, format);
        match format {
            CompareFormat::Json | CompareFormat::Csv => {}
            CompareFormat::Table { .. } => {
                assert!(!text.contains("\u{1b}[2J") && !text.contains('\u{202e}'), "{text}");
            }
            CompareFormat::Md | CompareFormat::Html => {
                assert!(!text.contains("<script>") && !text.contains("<b>"), "{text}");
                assert!(!text.contains('\u{1b}'), "{text}");
            }
        }
    }
}

#[test]
fn a_comment_stays_short_however_much_regressed() {
    let rows = |score: f64| -> Vec<Value> {
        (0..3000)
            .map(|place| row(&format!("{}{place}", "a_long_name_".repeat(9)), 1, score))
            .collect()
    };
    let comparison = compared(&[&rows(1.0), &rows(0.0), &rows(0.1), &rows(0.2)], options());
    let text = told(&comparison, CompareFormat::Md);
    assert!(text.chars().count() < 60_000, "{}", text.chars().count());
    assert!(text.contains("more"), "what is left out is said");
}

#[test]
fn of_many_cases_those_that_did_not_change_are_only_counted() {
    let rows = |lost: bool| -> Vec<Value> {
        let score = |place: u32| if lost && place < 3 { 0.1 } else { 0.9 };
        (0..60).map(|place| row(&format!("case-{place}"), 1, score(place))).collect()
    };
    let comparison =
        compared(&[&rows(false), &rows(true)], CompareOptions { gate: Gate::None, ..options() });
    let table = table_of(&comparison, 100);
    assert!(table.contains("= 57 ties") && !table.contains("case-40"), "{table}");
    let style = Style { color: false, width: 100 };
    let all = told(&comparison, CompareFormat::Table { style, verbose: true });
    assert!(all.contains("case-40"), "{all}");
}
