//! Test suites of ordinary and of hostile rows, read back by a reader of JUnit XML. Whether they
//! are valid by the published schemas is tested with the program that checks that.

use super::*;
use crate::{
    record::{Row, RunSkipped, sample::manifest},
    render::sample::{hostile_rows, many_rows, rows, written},
};

fn check(rows: &[Row<'static>]) -> quick_junit::Report {
    // This reader wants a zone, which one of the schemas refuses.
    let text = written(&Junit, rows).replace("T03:04:05\"", "T03:04:05Z\"");
    quick_junit::Report::deserialize_from_str(&text)
        .unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

#[test]
fn ordinary_rows_in_xml() {
    insta::assert_snapshot!(written(&Junit, &rows()));
}

#[test]
fn each_suite_and_target_is_a_test_suite_although_rows_are_mixed() {
    let mut all = rows();
    let mut others = rows();
    for row in &mut others {
        row.target = "other".into();
    }
    all.extend(others);
    all.sort_by_key(|row| (row.line, row.repeat));
    let report = check(&all);
    let suites: Vec<_> = report.test_suites.iter().map(|it| (it.name.as_str(), it.tests)).collect();
    assert_eq!(suites, [("evals/demo.yaml (agent)", 4), ("evals/demo.yaml (other)", 4)]);
    for suite in &report.test_suites {
        assert_eq!((suite.failures, suite.errors), (2, 1));
        let names: Vec<&str> = suite.test_cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["adds", "multiplies", "multiplies #2", "divides"]);
    }
}

#[test]
fn hostile_texts_stay_texts() {
    let report = check(&hostile_rows());
    let tests: usize = report.test_suites.iter().map(|suite| suite.test_cases.len()).sum();
    assert_eq!(tests, 16);
    assert_eq!(
        report.test_suites[0].test_cases[0].name.as_str(),
        "]]></failure><script>alert(1)</script>"
    );
}

#[test]
fn an_empty_run_is_an_empty_list() {
    assert_eq!(check(&[]).test_suites.len(), 0);
}

#[test]
fn long_answers_are_cut() {
    let text = written(&Junit, &many_rows());
    assert!(text.contains("more characters)"));
    assert!(text.len() < 1_500_000, "{}", text.len());
}

#[test]
fn cases_that_were_not_run_are_skipped() {
    let mut run = manifest();
    run.counts.not_run = 3;
    run.skipped = vec![RunSkipped {
        reason: "dependency".to_owned(),
        suite: "evals/demo.yaml".to_owned(),
        eval_id: "later".to_owned(),
        target: "agent".to_owned(),
        repeat: 1,
        depends_on: Some("multiplies".to_owned()),
    }];
    let rows = rows();
    let report = Report::new("x", Some(&run), || Ok(Box::new(rows.iter().cloned().map(Ok))));
    let mut out = Vec::new();
    Junit.write(&report, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("it depends on multiplies, which did not pass"), "{text}");
    assert!(text.contains("2 cases of the plan have no row"), "{text}");
    assert!(text.contains("tests=\"5\" failures=\"2\" errors=\"1\""), "{text}");
    assert!(text.contains("skipped=\"1\""), "{text}");
}
