//! A trend as one JSON object.

use std::io;

use super::Trend;
use crate::render::RenderFault;

pub(super) fn write(trend: &Trend, out: &mut dyn io::Write) -> Result<(), RenderFault> {
    serde_json::to_writer_pretty(&mut *out, trend).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}
