//! Files made of rows: one file of code per format, one line of registration.

mod csv;
mod github;
mod html;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod out;
mod reason;
mod report;
pub(crate) mod yaml;

use std::{ffi::OsStr, io, path::Path};

use agentv_base::{Diagnostic, escape_controls, nearest};

pub use github::{data as annotation_data, property as annotation_property};
pub use out::{OutFault, check_out, write_out, write_whole};
pub(crate) use reason::cut;
pub use report::Report;

use crate::record::{Row, RowFault};

/// Every format there is.
pub const FORMATS: &[&dyn Format] = &[
    &jsonl::Jsonl,
    &yaml::Yaml,
    &json::Json,
    &csv::Csv,
    &junit::Junit,
    &markdown::Markdown,
    &html::Html,
    &github::Github,
];

/// Rows in the order in which they are to stand.
pub type RowSource<'s> = dyn Iterator<Item = Result<Row<'static>, RowFault>> + 's;

/// A way to write rows down.
pub trait Format: Sync {
    /// What `--output-format` calls it.
    fn name(&self) -> &'static str;

    /// The endings of its files, without the dot; the first is the usual one. None where nobody
    /// keeps it in a file.
    fn endings(&self) -> &'static [&'static str];

    fn write(&self, report: &Report<'_>, out: &mut dyn io::Write) -> Result<(), RenderFault>;
}

/// Why rows could not be written in a format.
#[derive(Debug, thiserror::Error)]
pub enum RenderFault {
    #[error(transparent)]
    Row(#[from] RowFault),
    #[error("{0}")]
    Write(#[from] io::Error),
}

/// The format that goes by this name or by this ending.
pub fn format_named(name: &str) -> Result<&'static dyn Format, Diagnostic> {
    find(name).ok_or_else(|| {
        let shown = escape_controls(name);
        unknown(format!("unknown output format `{shown}`"), name, "")
    })
}

/// The format that the ending of a file asks for.
pub fn format_for_path(path: &Path) -> Result<&'static dyn Format, Diagnostic> {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    find(ending).ok_or_else(|| {
        let text = path.to_string_lossy();
        let shown = escape_controls(&text);
        let message = if ending.is_empty() {
            format!("cannot tell the format of `{shown}`: it has no ending")
        } else {
            format!("no output format has the ending of `{shown}`")
        };
        unknown(message, ending, ".")
    })
}

fn find(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| {
        let endings = format.endings().iter().copied();
        endings.chain([format.name()]).any(|known| known.eq_ignore_ascii_case(name))
    })
}

/// `before` is what stands before each name for the user: a dot where they are endings.
fn unknown(message: String, typed: &str, before: &str) -> Diagnostic {
    let names: Vec<&str> =
        FORMATS
            .iter()
            .flat_map(|format| {
                if before.is_empty() { vec![format.name()] } else { format.endings().to_vec() }
            })
            .collect();
    let hint = if let Some(name) = nearest(typed, names.iter().copied()) {
        format!("did you mean `{before}{name}`?")
    } else {
        let known: Vec<String> = names.iter().map(|name| format!("{before}{name}")).collect();
        format!("known: {}", known.join(", "))
    };
    Diagnostic::error(message).code("unknown-format").hint(hint)
}

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;
