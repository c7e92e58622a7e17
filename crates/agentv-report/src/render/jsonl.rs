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

    fn write(&self, report: &Report<'_>, mut out: &mut dyn Write) -> Result<(), RenderFault> {
        for row in report.rows()? {
            serde_json::to_writer(&mut out, &row?).map_err(std::io::Error::from)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}
