//! What runs come to, and how it is told.

use super::*;
use crate::{compare::Finding, record::RowProblem, recorded::row_of_any, style::Style};

/// A run of these scores; nothing is an error.
fn rows(scores: &[Option<f64>]) -> Vec<Result<Row<'static>, RowProblem>> {
    let row = |(place, score): (usize, &Option<f64>)| {
        let outcome = match score {
            Some(score) => format!(r#""score":{score},"cost_usd":0.001"#),
            None => r#""score":0,"error":"it died""#.to_owned(),
        };
        let text = format!(
            r#"{{"eval_id":"case-{place}","dataset":"d","target":"t",{outcome},"hits":[],"misses":[],
            "candidate_answer":"x","timestamp":"2026-01-31T12:00:00Z"}}"#
        );
        row_of_any(text.replace('\n', " ").as_bytes())
    };
    scores.iter().enumerate().map(row).collect()
}

fn begun(day: usize) -> Option<Timestamp> {
    Timestamp::parse(&format!("2026-01-{:02}T08:30:00Z", day + 1))
}

fn trend(runs: &[Vec<Option<f64>>]) -> Trend {
    let mut builder = TrendBuilder::default();
    for (place, scores) in runs.iter().enumerate() {
        let name = format!("20260101T083000000Z-{place:04}");
        builder.add(&name, begun(place % 31), rows(scores)).unwrap();
    }
    builder.finish(0)
}

/// Ten cases that get better by a little with each run, and one that is an error now and then.
fn rising(count: usize) -> Vec<Vec<Option<f64>>> {
    let run = |run: usize| {
        let score = |case: usize| {
            let score = 0.4 + 0.3 * (run as f64 / count as f64) + 0.02 * case as f64;
            let is_error = case == 9 && run % 3 == 1;
            (!is_error).then_some((score * 1000.0).round() / 1000.0)
        };
        (0..10).map(score).collect()
    };
    (0..count).map(run).collect()
}

fn text(trend: &Trend, width: usize) -> String {
    let style = Style { color: false, width };
    trend.text(TrendScreen { style, plot_height: 9, signs: PlotSigns::Unicode })
}

#[test]
fn runs_are_told_with_a_plot_a_table_and_words() {
    insta::assert_snapshot!(text(&trend(&rising(8)), 100));
}

#[test]
fn a_narrow_window_keeps_what_a_mean_needs() {
    let text = text(&trend(&rising(8)), 40);
    for line in text.lines() {
        assert!(console::measure_text_width(line) <= 40, "{line}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_plot_without_unicode_is_drawn_in_ascii() {
    let style = Style { color: false, width: 60 };
    let screen = TrendScreen { style, plot_height: 7, signs: PlotSigns::Ascii };
    let text = trend(&rising(5)).text(screen);
    let plot: String = text.lines().skip(2).take(8).collect::<Vec<_>>().join("\n");
    assert!(plot.is_ascii(), "{plot}");
    insta::assert_snapshot!(plot);
}

#[test]
fn one_run_no_run_and_a_run_of_errors_are_told_without_nonsense() {
    let one = text(&trend(&[vec![Some(1.0), Some(0.5)]]), 80);
    assert!(!one.contains("Slope") && !one.contains("NaN"), "{one}");
    let none = TrendBuilder::default().finish(0);
    assert_eq!(text(&none, 80), "No run has a row that was asked for.\n");
    let errors = trend(&[vec![None, None], vec![None]]);
    let told = text(&errors, 80);
    assert!(told.contains("no graded case in common") && !told.contains("NaN"), "{told}");
    for trend in [none, errors] {
        let mut out = Vec::new();
        trend.write_html(&mut out).unwrap();
        trend.write_json(&mut out).unwrap();
        trend.write_csv(&mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(!out.contains("NaN") && !out.contains("inf"), "{out}");
    }
}

#[test]
fn a_thousand_runs_are_thinned_and_it_is_said() {
    let all = trend(&rising(1_000));
    let told = text(&all, 80);
    assert!(told.contains("72 of 1000 runs are drawn"), "{told}");
    let plot = plot::plot(&all, 80, 9, PlotSigns::Unicode);
    assert!(plot.lines.iter().all(|line| console::measure_text_width(line) <= 80));
}

#[test]
fn a_change_from_first_to_last_is_told_from_chance() {
    let better = trend(&rising(4)).change.unwrap();
    assert_eq!(better.finding, Finding::Better);
    assert_eq!(better.statistics.clusters, 10);
    let (first, last) = (vec![Some(0.5); 4], vec![Some(0.4); 4]);
    let few = trend(&[first, last]).change.unwrap();
    assert_eq!(few.finding, Finding::Inconclusive);
    let worse = trend(&[vec![Some(0.5); 10], vec![Some(0.4); 10]]).change.unwrap();
    assert_eq!(worse.finding, Finding::Worse);
}

#[test]
fn a_run_without_rows_is_counted_and_no_run() {
    let mut builder = TrendBuilder::default();
    builder.add("empty", None, rows(&[])).unwrap();
    builder.add("full", None, rows(&[Some(1.0), None])).unwrap();
    let trend = builder.finish(3);
    assert_eq!((trend.runs.len(), trend.without_rows, trend.earlier), (1, 1, 3));
    let run = &trend.runs[0];
    assert_eq!((run.graded, run.errors), (1, 1));
    // Of a file, the first row says when it was.
    assert_eq!(run.started_at, Timestamp::parse("2026-01-31T12:00:00Z"));
}

#[test]
fn the_other_formats_have_the_same_numbers() {
    let trend = trend(&rising(3));
    let mut csv = Vec::new();
    trend.write_csv(&mut csv).unwrap();
    insta::assert_snapshot!(String::from_utf8(csv).unwrap());
    let mut json = Vec::new();
    trend.write_json(&mut json).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["runs"].as_array().unwrap().len(), 3);
    assert_eq!(json["runs"][1]["errors"], 1);
    assert_eq!(json["runs"][0]["mean_score"]["method"], "t");
    assert_eq!(json["change"]["statistics"]["permutation"]["method"], "exact");
    assert!(json["mean_slope"]["per_step"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_page_escapes_names_and_runs_nothing() {
    let mut builder = TrendBuilder::default();
    let name = "<script>alert(1)</script>\u{1b}[31m";
    builder.add(name, begun(0), rows(&[Some(1.0), Some(0.0)])).unwrap();
    builder.add("two", begun(1), rows(&[Some(1.0), Some(1.0)])).unwrap();
    let trend = builder.finish(0);
    let mut page = Vec::new();
    trend.write_html(&mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(!page.contains("<script") && !page.contains('\u{1b}'), "{page}");
    assert!(page.contains("&lt;script&gt;") && page.contains("default-src 'none'"), "{page}");
    assert!(!page.contains("http://") && !page.contains("https://"), "{page}");
    assert!(!text(&trend, 100).contains('\u{1b}'));
}
