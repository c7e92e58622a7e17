//! One row a line, as in `results.jsonl` itself.

use std::io::Write;

use super::{Format, RenderFault, RowSource};

pub(super) struct Jsonl;

impl Format for Jsonl {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["jsonl", "ndjson"]
    }

    fn write(&self, rows: &mut RowSource<'_>, mut out: &mut dyn Write) -> Result<(), RenderFault> {
        for row in rows {
            serde_json::to_writer(&mut out, &row?).map_err(std::io::Error::from)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}
