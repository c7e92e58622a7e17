//! One YAML document a row, for people who read results in an editor.

use std::io::{self, Write};

use super::{Format, RenderFault, Report};

pub(super) struct Yaml;

impl Format for Yaml {
    fn name(&self) -> &'static str {
        "yaml"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["yaml", "yml"]
    }

    fn write(&self, report: &Report<'_>, mut out: &mut dyn Write) -> Result<(), RenderFault> {
        for (index, row) in report.rows()?.enumerate() {
            if index > 0 {
                out.write_all(b"---\n")?;
            }
            serde_saphyr::to_io_writer(&mut out, &row?).map_err(cause)?;
        }
        Ok(())
    }
}

/// The error of the file itself, where it was that.
pub(crate) fn cause(fault: serde_saphyr::ser::Error) -> io::Error {
    if let serde_saphyr::ser::Error::IO { error } = fault {
        error
    } else {
        io::Error::other(fault.to_string())
    }
}

#[cfg(test)]
mod tests;
