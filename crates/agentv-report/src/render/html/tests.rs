//! What stands in the file. Whether a browser makes of it what it should is tested in a browser.

use serde_json::json;

use super::*;
use crate::{record::Row, render::sample::report_of};

fn row(id: &str, status: &str, score: Option<f64>, answer: &str) -> Row<'static> {
    let row = json!({
        "timestamp": "2026-01-02T03:04:05.000Z", "eval_id": id, "dataset": "d", "suite": "s.yaml",
        "target": "agent", "repeat": 1, "status": status, "score": score, "verdict": null,
        "threshold": 0.8, "hits": [], "misses": [], "candidate_answer": answer, "attempts": 1,
    });
    serde_json::from_value(row).unwrap()
}

fn page(rows: &[Row<'static>]) -> String {
    let mut out = Vec::new();
    Html.write(&report_of(rows), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The lines of all elements that hold rows.
fn data(page: &str) -> Vec<&str> {
    let holders = page.split("<script type=\"application/jsonl\" class=\"rows\"").skip(1);
    holders
        .flat_map(|rest| {
            let body = rest.split_once('>').unwrap().1;
            body.split_once("</script>").unwrap().0.lines()
        })
        .collect()
}

#[test]
fn a_row_comes_back_from_the_page_as_it_was_and_never_as_markup() {
    let hostile = "</script><!--<script>x</script> & \u{2028}\u{2029} \u{0} \u{202e} \" \\ é";
    let rows = [row("<b>id</b>", "failed", Some(0.1), hostile)];
    let page = page(&rows);
    let back: Vec<Row<'static>> =
        data(&page).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(back, rows);
    assert!(!page.contains("<b>id") && !page.contains("<!--"), "{page}");
    assert!(!data(&page)[0].contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
    // Data, data, rows, and the script: nothing else begins or ends one.
    assert_eq!(page.matches("<script").count(), 4);
    assert_eq!(page.matches("</script>").count(), 4);
}

#[test]
fn a_page_names_no_address_and_lets_only_its_script_run() {
    let page = page(&[row("a", "passed", Some(1.0), "x")]);
    for address in ["http:", "https:", "//cdn", "url(", "@import", "src=", "href="] {
        assert!(!page.contains(address), "{address}");
    }
    assert!(page.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"));
}

#[test]
fn rows_are_spread_over_elements_and_each_says_which_is_its_first() {
    let answer = "x".repeat(1_500_000);
    let rows: Vec<Row<'static>> =
        (0..5).map(|place| row(&place.to_string(), "passed", Some(1.0), &answer)).collect();
    let page = page(&rows);
    assert_eq!(page.matches("class=\"rows\"").count(), 3);
    for first in ["data-first=\"0\"", "data-first=\"2\"", "data-first=\"4\""] {
        assert!(page.contains(first), "{first}");
    }
    assert_eq!(data(&page).len(), 5);
}

#[test]
fn nothing_one_case_errors_only_and_equal_scores_are_told_without_invented_numbers() {
    let check = |rows: &[Row<'static>], verdict: &str, told: &[&str]| {
        let page = page(rows);
        let (body, _) = page.split_once("<section id=\"browse\"").unwrap();
        let (_, body) = body.split_once("<main>").unwrap();
        assert!(body.contains(&format!("<h1>{verdict}</h1>")), "{body}");
        for part in told {
            assert!(body.contains(part), "{part}: {body}");
        }
        assert!(!body.contains("NaN") && !body.contains("inf"), "{body}");
    };
    check(&[], "No cases", &["<b>—</b>"]);
    let good = || row("a", "passed", Some(1.0), "x");
    check(&[good()], "All passed", &["no interval for one case"]);
    check(&[row("a", "error", None, "")], "Nothing could be evaluated", &["there are no scores"]);
    check(&[good(), row("b", "passed", Some(1.0), "x")], "All passed", &["(Hoeffding)"]);
    let rows = [good(), row("b", "error", None, "")];
    check(&rows, "1 of 1 graded passed, 1 error", &["1 graded case, 1 error left out"]);
}

#[test]
fn without_a_script_failed_cases_are_in_a_table() {
    let failed = (0..250).map(|place| row(&format!("<{place}>"), "failed", Some(0.5), "no"));
    let page = page(&failed.collect::<Vec<_>>());
    let (_, plain) = page.split_once("<noscript>").unwrap();
    assert!(plain.contains("<code>&lt;0&gt;</code>"), "{plain}");
    assert!(plain.contains("… and 50 more."));
    assert!(self::page(&[]).contains("None."));
}
