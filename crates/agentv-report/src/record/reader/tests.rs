//! Reading back good, torn, garbled and huge files.

use std::io::{BufReader, Cursor, Write as _};

use agentv_base::FailureKind;
use proptest::prelude::*;

use super::*;
use crate::record::sample::{failed, scored, settled};

fn line(id: &str, score: f64) -> String {
    let settled = settled(0, id, scored(score, &["ein Fehler äöü 🦀"]));
    let row = Row::of(&settled, crate::record::Keeping::default()).unwrap();
    format!("{}\n", serde_json::to_string(&row).unwrap())
}

fn reader(text: impl Into<Vec<u8>>) -> RowReader<BufReader<Cursor<Vec<u8>>>> {
    let source = BufReader::with_capacity(7, Cursor::new(text.into()));
    RowReader::of(Path::new("results.jsonl"), source)
}

/// What each line came to: the id, or the fault in words.
fn read(text: impl Into<Vec<u8>>) -> Vec<String> {
    reader(text)
        .map(|row| match row {
            Ok(row) => row.eval_id.into_owned(),
            Err(fault) => fault.to_string(),
        })
        .collect()
}

#[test]
fn an_empty_file_has_no_rows() {
    assert_eq!(read(""), Vec::<String>::new());
    assert_eq!(read("\n\n  \n"), Vec::<String>::new());
}

#[test]
fn a_torn_last_line_is_told_apart_wherever_it_was_torn() {
    let whole = line("b", 1.0);
    let end = whole.len() - 1;
    for cut in 1..end {
        let mut bytes = line("a", 1.0).into_bytes();
        let start = bytes.len() as u64;
        bytes.extend_from_slice(&whole.as_bytes()[..cut]);
        let mut rows = reader(bytes);
        assert_eq!(rows.next().unwrap().unwrap().eval_id, "a");
        let fault = rows.next().unwrap().unwrap_err();
        assert!(matches!(fault.problem, RowProblem::Torn), "cut at {cut}: {fault}");
        assert_eq!((fault.line, fault.offset), (2, start));
        assert!(rows.next().is_none());
    }
    let without_newline = format!("{}{}", line("a", 1.0), whole.trim_end());
    assert_eq!(read(without_newline), ["a", "b"], "only its end is missing");
}

#[test]
fn zeros_that_a_crash_left_at_the_end_are_a_torn_line() {
    let mut bytes = line("a", 1.0).into_bytes();
    bytes.extend_from_slice(&[0; 100]);
    assert_eq!(
        read(bytes),
        ["a", "results.jsonl, line 2: the last line is torn: the row on it was never finished"]
    );
}

#[test]
fn a_garbled_line_is_named_by_its_number_and_the_rest_is_read() {
    let text = format!("{}\n{{\"eval_id\n{}", line("a", 1.0), line("b", 1.0));
    let read = read(text);
    assert_eq!(read.len(), 3);
    assert_eq!((read[0].as_str(), read[2].as_str()), ("a", "b"));
    assert!(read[1].starts_with("results.jsonl, line 3: not a result row: "), "{}", read[1]);
}

#[test]
fn bytes_that_are_not_utf8_are_no_row() {
    let mut bytes = line("a", 1.0).replace("ein Fehler", "ein F\u{1}").into_bytes();
    let place = bytes.iter().position(|byte| *byte == 1).unwrap();
    bytes[place] = 0xff;
    assert!(read(bytes)[0].contains("line 1: not a result row"), "named by its line");
}

#[test]
fn a_wrong_type_or_a_missing_key_is_no_row() {
    for (from, to, reason) in [
        ("\"repeat\":1", "\"repeat\":\"1\"", "invalid type: string"),
        ("\"status\":\"failed\"", "\"status\":\"fine\"", "unknown variant `fine`"),
        ("\"eval_id\":\"a\",", "", "missing field `eval_id`"),
        ("\"score\":0.5", "\"score\":null", "a graded case needs a `score`"),
        ("\"score\":0.5", "\"score\":1.5", "a graded case needs a `score`"),
        ("2025-01-02T", "someday", "is not a time"),
    ] {
        let good = line("a", 0.5);
        let bad = good.replacen(from, to, 1);
        assert_ne!(good, bad, "{from}");
        let read = read(bad);
        assert!(read[0].contains("line 1: not a result row"), "{}", read[0]);
        assert!(read[0].contains(reason), "{}", read[0]);
    }
}

#[test]
fn a_file_that_is_something_else_gives_faults_without_control_characters() {
    let read = read("\u{1b}[31mred\n{\"timestamp\":\"\\u001b[2J\"}\n");
    assert_eq!(read.len(), 2);
    assert!(read.iter().all(|line| !line.contains('\u{1b}')), "{read:?}");
}

#[test]
fn keys_of_a_newer_version_are_let_pass() {
    let text = line("a", 1.0).replacen('{', "{\"mood\":{\"deep\":[1]},", 1);
    assert_eq!(read(text), ["a"]);
}

#[test]
fn an_error_row_is_read_with_its_kind() {
    let settled = settled(0, "a", failed(FailureKind::Batch, "line 3 is not JSON"));
    let row = Row::of(&settled, crate::record::Keeping::default()).unwrap();
    let text = serde_json::to_string(&row).unwrap();
    let read = reader(text).next().unwrap().unwrap();
    assert_eq!(read.error_kind.as_deref(), Some("batch"));
    assert_eq!(read.score, None);
}

#[test]
fn a_line_without_end_does_not_fill_the_memory() {
    let mut reader = reader(vec![b'x'; 10_000]);
    reader.longest = 1000;
    let fault = reader.next().unwrap().unwrap_err();
    assert!(matches!(fault.problem, RowProblem::TooLong), "{fault}");
    assert!(reader.buffer.len() <= 1000);
    assert!(reader.next().is_none());
}

#[test]
fn an_outsized_row_does_not_hold_its_memory_for_the_rows_after_it() {
    let outsized = line(&"x".repeat(10 * BUFFER), 1.0);
    let mut rows = reader(format!("{outsized}{}", line("b", 1.0)));
    assert_eq!(rows.next().unwrap().unwrap().eval_id.len(), 10 * BUFFER);
    assert_eq!(rows.next().unwrap().unwrap().eval_id, "b");
    assert!(rows.buffer.capacity() <= BUFFER, "{}", rows.buffer.capacity());
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let fault = read_rows(Path::new("no/such.jsonl")).err().unwrap();
    assert!(fault.to_string().starts_with("no/such.jsonl: cannot read: No such file"), "{fault}");
}

#[test]
fn a_hundred_thousand_rows_are_read_with_the_memory_of_one() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut out = io::BufWriter::new(file.as_file());
    let mut offsets = Vec::new();
    let mut end = 0;
    for index in 0..100_000 {
        let line = line(&format!("case-{index}"), 0.5);
        offsets.push(end);
        end += line.len() as u64;
        out.write_all(line.as_bytes()).unwrap();
    }
    out.flush().unwrap();
    let mut rows = read_rows(file.path()).unwrap();
    assert_eq!(rows.by_ref().filter_map(Result::ok).count(), 100_000);
    assert!(rows.buffer.capacity() <= BUFFER, "{}", rows.buffer.capacity());

    let backwards = offsets.iter().copied().rev().step_by(1000);
    let ids: Vec<String> = read_rows_at(file.path(), backwards)
        .unwrap()
        .map(|row| row.unwrap().eval_id.into_owned())
        .collect();
    assert_eq!((ids.len(), ids[0].as_str(), ids[99].as_str()), (100, "case-99999", "case-999"));
}

#[test]
fn a_place_where_no_row_begins_is_a_fault_that_names_it() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(line("a", 1.0).as_bytes()).unwrap();
    let fault = read_rows_at(file.path(), [5]).unwrap().next().unwrap().unwrap_err();
    assert!(fault.to_string().contains(", byte 5: not a result row"), "{fault}");
}

proptest! {
    #[test]
    fn any_score_and_any_text_are_read_as_they_were_written(
        score in 0.0..=1.0_f64,
        text in any::<String>(),
    ) {
        let settled = settled(0, "x", scored(score, &[&text]));
        let row = Row::of(&settled, crate::record::Keeping::default()).unwrap();
        let line = serde_json::to_string(&row).unwrap();
        prop_assert!(!line.contains('\n'));
        let read = reader(line).next().unwrap().unwrap();
        prop_assert_eq!(read, row);
    }

    #[test]
    fn no_file_whatever_is_in_it_makes_the_reader_panic(bytes in any::<Vec<u8>>()) {
        let lines = reader(bytes).count();
        prop_assert!(lines <= 10_000);
    }
}
