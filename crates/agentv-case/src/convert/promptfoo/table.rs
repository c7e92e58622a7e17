//! CSV with the place of every cell.

use std::ops::Range;

pub(super) struct Cell {
    pub(super) text: String,
    /// In the file, quotes included.
    pub(super) range: Range<usize>,
}

/// The rows of a table. Quoted cells may hold commas, line breaks and doubled quotes; lines with
/// nothing on them are no rows.
pub(super) fn rows(text: &str) -> Vec<Vec<Cell>> {
    let bytes = text.as_bytes();
    let mut rows = Vec::new();
    let mut row: Vec<Cell> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (cell, next) = cell(text, at);
        row.push(cell);
        at = next + 1;
        let ends = matches!(bytes.get(next), None | Some(b'\n' | b'\r'));
        if bytes.get(next) == Some(&b'\r') && bytes.get(at) == Some(&b'\n') {
            at += 1;
        }
        // A comma at the very end has an empty cell behind it.
        if !ends && at == bytes.len() {
            row.push(Cell { text: String::new(), range: at..at });
        }
        if ends || at == bytes.len() {
            let empty = row.iter().all(|cell| cell.text.is_empty());
            let row = std::mem::take(&mut row);
            if !(empty && row.len() == 1) {
                rows.push(row);
            }
        }
    }
    rows
}

/// The cell that begins at a place, and where it ends.
fn cell(text: &str, start: usize) -> (Cell, usize) {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut content = String::new();
    if bytes.get(at) == Some(&b'"') {
        at += 1;
        while let Some(quote) =
            bytes.get(at..).and_then(|rest| memchr::memchr(b'"', rest)).map(|found| at + found)
        {
            content.push_str(text.get(at..quote).unwrap_or_default());
            at = quote + 1;
            if bytes.get(at) != Some(&b'"') {
                break;
            }
            content.push('"');
            at += 1;
        }
    }
    let end = bytes
        .get(at..)
        .and_then(|rest| rest.iter().position(|byte| matches!(byte, b',' | b'\n' | b'\r')))
        .map_or(bytes.len(), |found| at + found);
    content.push_str(text.get(at..end).unwrap_or_default());
    (Cell { text: content, range: start..end }, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Vec<Vec<String>> {
        let texts = |row: Vec<Cell>| row.into_iter().map(|cell| cell.text).collect();
        rows(text).into_iter().map(texts).collect()
    }

    #[test]
    fn quotes_commas_and_line_ends_are_read_as_spreadsheets_write_them() {
        assert_eq!(
            check("a,b\r\n\"x, \"\"y\"\"\nz\",\r\n\n,1"),
            [vec!["a", "b"], vec!["x, \"y\"\nz", ""], vec!["", "1"]]
        );
        assert_eq!(check("a,"), [vec!["a", ""]]);
        assert_eq!(check(""), Vec::<Vec<String>>::new());
    }

    #[test]
    fn a_cell_knows_its_place() {
        let rows = rows("ab,\"c\"\nd");
        assert_eq!(rows[0][1].range, 3..6);
        assert_eq!(rows[1][0].range, 7..8);
    }
}
