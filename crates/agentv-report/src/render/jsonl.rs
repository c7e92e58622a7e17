//! One row a line, as in `results.jsonl` itself.

use std::io::Write;

use super::{Format, RenderFault, Report};

pub(super) struct Jsonl;

impl Format for Jsonl {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["jsonl", "ndjson"]
    }

    fn write(&self, report: &Report<'_>, out: &mut dyn Write) -> Result<(), RenderFault> {
        // A row is many small pieces: they are put together before anybody is handed them.
        let mut line = Vec::new();
        for row in report.rows()? {
            line.clear();
            serde_json::to_writer(&mut line, &row?).map_err(std::io::Error::from)?;
            line.push(b'\n');
            out.write_all(&line)?;
        }
        Ok(())
    }
}
