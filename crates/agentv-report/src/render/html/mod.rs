//! One HTML file that needs nothing else: no network, no server, no other file.
//!
//! What stands above the list is markup made here, so that it is there without JavaScript. The rows
//! are data that no browser executes: a list of what every case came to, read at once, and each row
//! on a line of its own, read when its case is opened. Rows are written as they are read; what is
//! kept in memory is the digest, the names of targets, suites and tags, and a few failed cases.
//! Deliberately not here: anything that a browser would fetch, and anything from outside as markup.

mod data;
mod figures;
mod frame;
mod groups;
mod run_facts;
mod summary;

use std::io::Write;

use self::data::{Index, write_rows};
use super::{Format, RenderFault, Report};

pub(super) struct Html;

impl Format for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["html", "htm"]
    }

    fn write(&self, report: &Report<'_>, out: &mut dyn Write) -> Result<(), RenderFault> {
        let digest = report.digest()?;
        out.write_all(frame::opening(report, digest).as_bytes())?;
        out.write_all(summary::markup(report, digest).into_string().as_bytes())?;
        out.write_all(frame::browser().into_string().as_bytes())?;
        let mut index = Index::default();
        index.write(report.rows()?, report.run, out)?;
        // Before the rows: the list is there while a browser still reads them.
        out.write_all(frame::script().as_bytes())?;
        write_rows(report.rows()?, out)?;
        out.write_all(frame::without_script(&index.failures).into_string().as_bytes())?;
        out.write_all(frame::CLOSING.as_bytes())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
