//! Sheets of ordinary and of hostile rows, read back by a reader of CSV.

use super::*;
use crate::render::sample::{hostile_rows, many_rows, rows, written};

fn check(rows: &[Row<'static>]) -> Vec<Vec<String>> {
    let text = written(&Csv, rows);
    let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|line| line.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn column(lines: &[Vec<String>], name: &str) -> Vec<String> {
    let at = COLUMNS.iter().position(|column| *column == name).unwrap();
    lines.iter().skip(1).map(|line| line[at].clone()).collect()
}

#[test]
fn a_sheet_of_ordinary_rows() {
    insta::assert_snapshot!(written(&Csv, &rows()).replace("\r\n", "\n"));
}

#[test]
fn lines_end_as_the_standard_says_and_a_run_of_nothing_has_its_header() {
    let text = written(&Csv, &[]);
    assert_eq!(text, format!("{}\r\n", COLUMNS.join(",")));
}

#[test]
fn no_cell_of_text_is_a_formula() {
    for (text, shown) in [
        ("=1+1", "'=1+1"),
        ("+x", "'+x"),
        ("-x", "'-x"),
        ("-1.5", "-1.5"),
        ("+3", "+3"),
        ("@x", "'@x"),
        ("\t=x", "'\t=x"),
        ("\r=x", "'\r=x"),
        (" =x", "' =x"),
        ("＝x", "'＝x"),
        ("- a list", "'- a list"),
        ("plain", "plain"),
        ("-inf", "-inf"),
    ] {
        assert_eq!(super::text(text), shown, "{text:?}");
    }
    for line in check(&hostile_rows()).iter().skip(1) {
        for cell in line {
            assert!(!cell.starts_with(['=', '@', '\t']), "{cell:?}");
        }
    }
}

#[test]
fn texts_come_back_whole_but_for_what_readers_choke_on() {
    let lines = check(&hostile_rows());
    assert!(lines.iter().all(|line| line.len() == COLUMNS.len()));
    let ids = column(&lines, "eval_id");
    assert_eq!(ids[0], "]]></failure><script>alert(1)</script>");
    assert_eq!(ids[4], "line one\r\nline two\ttab\n::error::owned");
    assert!(ids[6].starts_with("\u{fffd}\u{fffd}\u{fffd}[31mred"), "{:?}", ids[6]);
}

#[test]
fn a_cell_is_no_longer_than_a_spreadsheet_takes() {
    let answers = column(&check(&many_rows()), "candidate_answer");
    assert!(answers[0].chars().count() < 32_767);
    assert!(answers[0].ends_with("… (1068000 more characters)"), "{}", answers[0].len());
}

#[test]
fn numbers_that_are_none_leave_their_cell_empty() {
    let mut rows = rows();
    rows[0].duration_ms = Some(f64::NAN);
    rows[0].cost_usd = Some(f64::INFINITY);
    let lines = check(&rows);
    assert_eq!(column(&lines, "duration_ms")[0], "");
    assert_eq!(column(&lines, "cost_usd")[0], "");
}

/// A file that nobody reads from any more.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_went_wrong_with_the_file_is_told_as_it_was() {
    let rows = many_rows();
    let fault = Csv.write(&crate::render::sample::report_of(&rows), &mut Closed).unwrap_err();
    let RenderFault::Write(cause) = fault else { panic!("{fault}") };
    assert_eq!(cause.kind(), std::io::ErrorKind::BrokenPipe);
}
