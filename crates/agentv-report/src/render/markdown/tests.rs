//! Comments on ordinary, hostile, many, few and no rows.

use serde_json::json;

use super::*;
use crate::{
    record::Row,
    render::sample::{hostile_rows, many_rows, rows, written},
};

fn check(rows: &[Row<'static>]) -> String {
    let text = written(&Markdown, rows);
    assert!(text.len() <= MOST_BYTES, "{}", text.len());
    assert!(!text.contains("NaN") && !text.contains("inf "), "{text}");
    text
}

#[test]
fn ordinary_rows_as_a_comment() {
    insta::assert_snapshot!(check(&rows()));
}

#[test]
fn hostile_rows_as_a_comment() {
    insta::assert_snapshot!(check(&hostile_rows()[..6]));
}

#[test]
fn everything_passed_nothing_was_graded_and_nothing_is_there() {
    let all = rows();
    assert!(check(&all[..1]).starts_with("## ✅ AgentV: 1 of 1 passed\n"));
    assert!(check(&all[3..]).starts_with("## ⚠️ AgentV: nothing could be evaluated, 1 error\n"));
    let none = check(&[]);
    assert!(none.starts_with("## ⚪ AgentV: no results\n"), "{none}");
    assert!(none.contains("| Pass rate | — (0 graded cases, 0 errors) |"), "{none}");
}

#[test]
fn a_thousand_failures_are_counted_where_they_have_no_room() {
    let text = check(&many_rows());
    let told = text.matches("<details>").count();
    assert!(told > 30, "{told}");
    assert!(text.contains(&format!("{} cases more: there is no room", 1000 - told)), "{told}");
    assert_eq!(told, text.matches("</details>").count());
}

#[test]
fn a_reason_of_several_lines_is_a_block_and_of_one_a_line() {
    let reason = "tools: they differ\n  expected: `a`\n```\n  called: b";
    let row = Row { misses: vec![reason.into(), "it is short".into()], ..rows().remove(1) };
    let row = Row { evaluator_results: None, ..row };
    let text = check(&[row]);
    let block = "- ````\n  tools: they differ\n    expected: `a`\n  ```\n    called: b\n  ````\n";
    assert!(text.contains(&format!("{block}- `it is short`\n")), "{text}");
    assert!(!text.contains("\\n"), "{text}");
}

#[test]
fn a_known_run_says_how_its_failures_are_run_again() {
    let check = |id: &str, command: Option<&str>| {
        let manifest = json!({
            "run_id": id, "agentv_version": "0", "status": "finished", "command": [], "suites": [],
            "started_at": "2026-01-02T03:04:05.000Z", "targets": [], "options": {},
            "counts": {"planned": 4, "passed": 1, "failed": 2, "errors": 1, "not_run": 0},
        });
        let manifest: RunManifest = serde_json::from_value(manifest).unwrap();
        assert_eq!(again(&manifest, "20260102T-abcd").as_deref(), command);
    };
    check("20260131T-wxyz", Some("agentv eval --rerun-failed 20260131T-wxyz"));
    check("", Some("agentv eval --rerun-failed 20260102T-abcd"));
    check("`$(rm)`", None);
    check("--help", None);
}

#[test]
fn errors_that_say_the_same_are_one() {
    let error = rows().remove(3);
    let all: Vec<Row<'static>> = (0..50)
        .map(|at| Row {
            eval_id: format!("case-{at}").into(),
            error: Some(format!("no answer after {at} s").into()),
            ..error.clone()
        })
        .collect();
    let text = check(&all);
    assert_eq!(text.matches("<details>").count(), 1, "{text}");
    assert!(text.contains("<b>50 cases</b>") && text.contains("… and 45 more"), "{text}");
}

#[test]
fn nothing_from_outside_is_markup() {
    let text = check(&hostile_rows());
    // Outside of code there is no tag but our own.
    let mut in_block: Option<String> = None;
    for line in text.lines() {
        match &in_block {
            Some(fence) if line == fence => in_block = None,
            None if line.starts_with("```") && !line.trim_start_matches('`').contains('`') => {
                in_block = Some("`".repeat(line.len() - line.trim_start_matches('`').len()));
            }
            None if line.starts_with("<details>") => {
                let known = ["details", "summary", "/summary", "code", "/code", "b", "/b"];
                for tag in line.split('<').skip(1) {
                    let name = tag.split('>').next().unwrap();
                    assert!(known.contains(&name), "{line}");
                }
            }
            Some(_) | None => {}
        }
    }
    assert_eq!(in_block, None);
}
