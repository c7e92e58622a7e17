//! A comparison as CSV: a row for each pair of rows, of every two runs.

use std::io;

use crate::{
    compare::Comparison,
    csv_cells::{cause, number, table, text},
};

pub(super) fn write(comparison: &Comparison, out: &mut dyn io::Write) -> io::Result<()> {
    let mut table = table(out);
    table
        .write_record([
            "run1", "run2", "dataset", "eval_id", "target1", "target2", "repeat", "score1",
            "score2", "delta", "outcome", "status1", "status2",
        ])
        .map_err(cause)?;
    for pair in &comparison.pairs {
        let (first, second) = (comparison.run_name(pair.first), comparison.run_name(pair.second));
        comparison
            .each_matched(pair, |row| {
                table.write_record([
                    &*text(first),
                    &text(second),
                    &text(row.dataset),
                    &text(row.eval_id),
                    &text(row.target1),
                    &text(row.target2),
                    &row.repeat.to_string(),
                    &number(row.score1),
                    &number(row.score2),
                    &number(row.delta),
                    row.outcome.name(),
                    row.status1.name(),
                    row.status2.name(),
                ])
            })
            .map_err(cause)?;
    }
    table.flush()
}
