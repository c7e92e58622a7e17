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

    fn write(&self, report: &Report<'_>, out: &mut dyn Write) -> Result<(), RenderFault> {
        // It is written character by character, which only a text in memory is made for.
        let mut document = String::new();
        for (index, row) in report.rows()?.enumerate() {
            document.clear();
            document.push_str(if index > 0 { "---\n" } else { "" });
            serde_saphyr::to_fmt_writer(&mut document, &row?).map_err(cause)?;
            out.write_all(document.as_bytes())?;
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
