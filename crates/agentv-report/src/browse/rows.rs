//! Rows for other programs: a JSON list, and CSV with what people sort and filter by.

use std::io::{self, Write};

use super::reasons::reasons;
use crate::{
    csv_cells::{cause, maybe, number, table, text},
    record::{Row, Status},
};

/// A list of rows as they were recorded, one at a time.
pub fn write_rows_json<'a>(
    rows: impl Iterator<Item = io::Result<Row<'a>>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (place, row) in rows.enumerate() {
        out.write_all(if place == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &row?)?;
    }
    out.write_all(b"\n]\n")
}

/// A line a row, after a line with the names of the columns.
pub fn write_rows_csv<'a>(
    rows: impl Iterator<Item = io::Result<Row<'a>>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = table(out);
    out.write_record([
        "suite",
        "file",
        "line",
        "eval_id",
        "target",
        "repeat",
        "status",
        "score",
        "threshold",
        "error_kind",
        "reason",
        "attempts",
        "duration_ms",
        "cost_usd",
    ])
    .map_err(cause)?;
    for row in rows {
        let row = row?;
        let reason = match row.status {
            Status::Passed => String::new(),
            Status::Failed | Status::Error => reasons(&row).join("; "),
        };
        let line = row.line.map_or(String::new(), |line| line.to_string());
        out.write_record([
            &*text(&row.suite),
            &maybe(row.file.as_deref()),
            &line,
            &text(&row.eval_id),
            &text(&row.target),
            &row.repeat.to_string(),
            row.status.name(),
            &number(row.score),
            &number(row.threshold),
            &maybe(row.error_kind.as_deref()),
            &text(&reason),
            &row.attempts.to_string(),
            &number(row.duration_ms),
            &number(row.cost_usd),
        ])
        .map_err(cause)?;
    }
    out.flush()
}
