//! Rows survive the way to the other format and back, byte for byte.

use std::fs;

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(document: &str) -> Result<Value, (usize, String)> {
    serde_saphyr::from_str(document).map_err(|fault| {
        let line = fault.location().map_or(1, |place| usize::try_from(place.line()).unwrap());
        (line, fault.to_string())
    })
}

fn convert(text: &str, from: RowsFormat, to: RowsFormat) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows");
    fs::write(&path, text).unwrap();
    assert_eq!(rows_format(&path).unwrap(), Some(from), "{text}");
    let mut out = Vec::new();
    match convert_rows(&path, from, to, read, &mut out) {
        Ok(_) => Ok(String::from_utf8(out).unwrap()),
        Err(fault) => Err(fault.to_string().replace(&*path.to_string_lossy(), "FILE")),
    }
}

fn there_and_back(jsonl: &str) {
    let yaml = convert(jsonl, RowsFormat::Jsonl, RowsFormat::Yaml).unwrap();
    assert_eq!(convert(&yaml, RowsFormat::Yaml, RowsFormat::Jsonl).as_deref(), Ok(jsonl), "{yaml}");
}

#[test]
fn rows_of_ours_and_of_the_original_keep_every_field_and_its_order() {
    there_and_back(concat!(
        r#"{"timestamp":"2026-01-01T00:00:00Z","eval_id":"a","score":0.30000000000000004,"#,
        r#""hits":["---","x\n---\ny"],"candidate_answer":"two\nlines\n","unheard_of":{"b":1,"a":[]}}"#,
        "\n",
        r#"{"eval_id":"b","score":1.0,"cost":1e-7,"n":18446744073709551615,"error":null,"m":{}}"#,
        "\n",
    ));
}

#[test]
fn a_bad_line_is_told_by_its_number() {
    let rows = "{\"eval_id\":\"a\"}\n\n{\"eval_id\":\n";
    assert_eq!(
        convert(rows, RowsFormat::Jsonl, RowsFormat::Yaml).unwrap_err(),
        "FILE, line 3: not JSON: EOF while parsing a value (column 11): {\"eval_id\":"
    );
    let rows = "{\"eval_id\":\"a\"}\n{\"id\":1}\n";
    assert_eq!(
        convert(rows, RowsFormat::Jsonl, RowsFormat::Yaml).unwrap_err(),
        "FILE, line 2: not a result row: it has no `eval_id`"
    );
    let rows = "eval_id: a\n---\neval_id: b\nhits: [\n";
    let fault = convert(rows, RowsFormat::Yaml, RowsFormat::Jsonl).unwrap_err();
    // The bracket, or where it should have been closed.
    let places = ["FILE, line 4: not YAML: ", "FILE, line 5: not YAML: "];
    assert!(places.iter().any(|place| fault.starts_with(place)), "{fault}");
    assert!(!fault.contains('\n'), "{fault}");
    let rows = "eval_id: a\n---\n- 1\n";
    let fault = convert(rows, RowsFormat::Yaml, RowsFormat::Jsonl).unwrap_err();
    assert_eq!(fault, "FILE, line 3: not a result row: it is no object");
}

#[test]
fn marks_comments_and_separators_around_rows_are_no_rows() {
    let yaml = "\u{feff}# results\n---\ntest_id: a\n---\n\n---\ntest_id: b\n---\n# end\n";
    assert_eq!(
        convert(yaml, RowsFormat::Yaml, RowsFormat::Jsonl).unwrap(),
        "{\"test_id\":\"a\"}\n{\"test_id\":\"b\"}\n"
    );
}

#[test]
fn what_holds_no_rows_is_not_taken_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other");
    for text in ["", "{\"id\": 1}\n", "evalcases:\n  - eval_id: a\n", "a: 1\n---\neval_id: b\n"] {
        fs::write(&path, text).unwrap();
        assert_eq!(rows_format(&path).unwrap(), None, "{text}");
    }
}

proptest! {
    #[test]
    fn any_value_comes_back_as_it_was(
        text in any::<String>(), number in any::<f64>(), whole in any::<i64>()
    ) {
        prop_assume!(number.is_finite());
        let row = json!({"eval_id": text, "n": number, "i": whole, "deep": {&text: [text]}});
        there_and_back(&format!("{row}\n"));
    }
}
