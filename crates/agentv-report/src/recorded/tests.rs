//! Files of rows of every kind, and files that are none.

use std::fs;

use super::*;

fn no_yaml(_: &str) -> Result<serde_json::Value, (usize, String)> {
    Err((1, "not here".to_owned()))
}

fn check(text: &str) -> Result<(Vec<String>, Vec<String>), RecordedFault> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    fs::write(&path, text).unwrap();
    let recorded = Recorded::of_file(&path, "rows.jsonl", no_yaml)?;
    let rows = recorded.rows().unwrap().map(|row| {
        let row = row.unwrap();
        let score = row.score.map_or("-".to_owned(), |score| score.to_string());
        format!("{} {:?} {score}", row.eval_id, row.status)
    });
    Ok((rows.collect(), recorded.notes.clone()))
}

#[test]
fn rows_of_the_original_are_read_and_an_error_has_no_score() {
    let text = concat!(
        r#"{"timestamp":"2025-01-15T10:00:00Z","eval_id":"a","dataset":"d","score":0.85,"hits":[],"misses":[],"candidate_answer":"x","target":"t"}"#,
        "\n",
        r#"{"test_id":"b","score":0.5,"target":"t","timestamp":"2025-01-15T10:00:00Z"}"#,
        "\n",
        r#"{"eval_id":"c","score":0,"error":"agent died","target":"t","hits":[],"misses":["agent died"],"candidate_answer":"","timestamp":"2025-01-15T10:00:00Z"}"#,
    );
    let (rows, notes) = check(text).unwrap();
    assert_eq!(rows, ["a Passed 0.85", "b Failed 0.5", "c Error -"]);
    assert_eq!(notes.len(), 1, "{notes:?}");
}

#[test]
fn a_row_with_both_names_of_its_id_and_parts_of_other_types_is_one() {
    let text = concat!(
        r#"{"eval_id":"a","test_id":"a","score":1,"line":"12"}"#,
        "\n",
        r#"{"testId":"b","score":1,"target":{"name":"x"}}"#,
    );
    assert_eq!(check(text).unwrap().0, ["a Passed 1", "b Passed 1"]);
}

#[test]
fn half_a_character_is_read_as_one_that_is_not_known() {
    let text =
        r#"{"eval_id":"a\ud800","score":1,"candidate_answer":"\ud83d\ude00 \\ud800 \udc00"}"#;
    assert_eq!(check(text).unwrap().0, ["a\u{fffd} Passed 1"]);
}

#[test]
fn one_json_document_with_a_list_of_rows_is_a_file_of_rows() {
    for text in [
        r#"[{"eval_id":"a","score":1}, {"eval_id":"b","score":0}]"#,
        "{\n  \"results\": [\n    {\"eval_id\":\"a\",\"score\":1},\n    {\"eval_id\":\"b\",\"score\":0}\n  ]\n}",
    ] {
        assert_eq!(check(text).unwrap().0, ["a Passed 1", "b Failed 0"]);
    }
}

#[test]
fn of_rows_that_stand_twice_the_last_counts_and_it_is_said() {
    let (rows, notes) =
        check("{\"eval_id\":\"a\",\"score\":1}\n{\"eval_id\":\"a\",\"score\":0}\n").unwrap();
    assert_eq!(rows, ["a Failed 0"]);
    assert!(notes.iter().any(|it| it.contains("lines 1 and 2")), "{notes:?}");
}

#[test]
fn a_torn_end_is_left_out_and_said_and_an_empty_file_has_no_rows() {
    let (rows, notes) = check("{\"eval_id\":\"a\",\"score\":1}\n{\"eval_id\":\"b\",\"sc").unwrap();
    assert_eq!(rows, ["a Passed 1"]);
    assert!(notes.iter().any(|it| it.contains("torn")), "{notes:?}");
    assert_eq!(check("").unwrap().0.len(), 0);
}

#[test]
fn what_holds_no_results_is_refused_in_words() {
    for (text, words) in [
        ("hello\n", "holds no results: line 1"),
        ("<html>oops</html>", "holds no results: line 1"),
        ("{\"eval_id\": oops", "holds no results: line 1"),
        ("{\"a\":1}\n", "without a list of `results`"),
        ("{\"eval_id\":\"a\",\"score\":1}\nhello\n", "line 2: not a result row"),
    ] {
        let fault = check(text).unwrap_err();
        assert!(fault.to_string().contains(words), "{fault}");
    }
}

#[test]
fn a_score_that_is_none_is_a_fault_of_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    fs::write(&path, "{\"eval_id\":\"a\",\"score\":1}\n{\"eval_id\":\"b\",\"score\":7}\n").unwrap();
    let recorded = Recorded::of_file(&path, "rows.jsonl", no_yaml).unwrap();
    let fault = recorded.rows().unwrap().find_map(Result::err).unwrap();
    assert_eq!(fault.line, 2);
    assert!(fault.to_string().contains("not a number from 0 to 1"), "{fault}");
}

/// A row of ours, in a suite and on a line of it.
fn ours(id: &str, repeat: u32, suite: &str, line: u32, score: f64) -> String {
    format!(
        r#"{{"timestamp":"2026-01-01T00:00:00.000Z","eval_id":"{id}","dataset":"d","suite":"{suite}","target":"t","repeat":{repeat},"status":"passed","score":{score},"verdict":"pass","threshold":0.5,"hits":[],"misses":[],"candidate_answer":"x","attempts":1,"line":{line}}}"#
    )
}

#[test]
fn the_last_row_of_a_case_stands_where_its_suite_has_it_and_the_first_one_is_told() {
    let lines = [
        ours("b", 1, "s.yaml", 9, 0.6),
        ours("a", 1, "s.yaml", 3, 0.7),
        ours("b", 2, "s.yaml", 9, 0.8),
        ours("a", 1, "s.yaml", 3, 0.9),
        ours("b", 1, "s.yaml", 9, 1.0),
        ours("a", 1, "s.yaml", 3, 0.5),
        ours("c", 1, "r.yaml", 1, 0.5),
    ];
    let (rows, notes) = check(&lines.join("\n")).unwrap();
    assert_eq!(rows, ["a Passed 0.5", "b Passed 1", "b Passed 0.8", "c Passed 0.5"]);
    let told = "rows.jsonl: 3 rows are of a case that has one already (`a`, lines 2 and 4); the last \
                of each counts";
    assert_eq!(notes, [told]);
}
