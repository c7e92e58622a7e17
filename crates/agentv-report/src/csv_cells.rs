//! Cells of CSV files: what every table of ours has in common. RFC 4180, UTF-8; what a spreadsheet
//! would run or choke on is made harmless, what is not known is empty.

use std::{borrow::Cow, io};

/// What Excel holds in a cell is 32,767 characters; more would spill into other cells.
const LONGEST_CELL: usize = 32_000;

/// A table on a writer.
pub(crate) fn table<W: io::Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out)
}

/// The error of the file itself, where it was that: a reader that left must be known as one.
pub(crate) fn cause(fault: csv::Error) -> io::Error {
    let told = fault.to_string();
    if let csv::ErrorKind::Io(cause) = fault.into_kind() { cause } else { io::Error::other(told) }
}

/// Empty where it is not known; there is no NaN and no infinity in a spreadsheet.
pub(crate) fn number(number: Option<f64>) -> Cow<'static, str> {
    let number = number.filter(|number| number.is_finite());
    Cow::Owned(number.map_or_else(String::new, |number| number.to_string()))
}

pub(crate) fn count(count: Option<u64>) -> Cow<'static, str> {
    Cow::Owned(count.map_or_else(String::new, |count| count.to_string()))
}

pub(crate) fn maybe(value: Option<&str>) -> Cow<'_, str> {
    value.map_or(Cow::Borrowed(""), text)
}

/// Text as a cell may hold it: cut where it is longer than a cell can be, without control
/// characters that make readers stop, and never a formula.
pub(crate) fn text(value: &str) -> Cow<'_, str> {
    let cut = cut(value);
    let is_bad = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    let clean =
        if cut.contains(is_bad) { Cow::Owned(cut.replace(is_bad, "\u{fffd}")) } else { cut };
    if is_formula(&clean) { Cow::Owned(format!("'{clean}")) } else { clean }
}

fn cut(value: &str) -> Cow<'_, str> {
    crate::render::cut(value, LONGEST_CELL)
}

/// Spreadsheets run what begins like this, also in its wide forms and after blanks; a number only
/// looks so.
fn is_formula(text: &str) -> bool {
    let begins =
        |text: &str| text.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']);
    (begins(text) || begins(text.trim_start())) && text.parse::<f64>().is_err()
}
