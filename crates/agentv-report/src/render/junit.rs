//! JUnit XML, for the test reports of CI servers.
//!
//! There is no one standard. What is written is what the two published schemas have in common
//! (`junit-10.xsd` of the Jenkins xUnit plugin, `JUnit.xsd` of Apache Ant by Windy Road), so that
//! strict readers take it as well as lax ones. It is therefore deliberately without attributes of
//! `testsuites`, and without `file`, `line`, `properties` and `system-out` of a `testcase`: the
//! place of a case opens the text of its failure, and answers stand in the output of the suite.
//!
//! A suite says how many cases it has before the first of them, and rows of several targets are
//! mixed. Cases are therefore written to a temporary file first, and copied from it suite by suite.

mod case;
mod suite;
mod xml;

use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write},
};

use self::{
    case::{not_run_case, skipped_case, test_case},
    suite::{Suites, TestSuite},
};
use super::{Format, RenderFault, Report};
use crate::record::RunManifest;

pub(super) struct Junit;

impl Format for Junit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["xml"]
    }

    fn write(&self, report: &Report<'_>, out: &mut dyn Write) -> Result<(), RenderFault> {
        let mut suites = Suites::default();
        let mut spool = Spool::new()?;
        for row in report.rows()? {
            let row = row?;
            let suite = suites.of(&row.suite, &row.dataset, &row.target);
            spool.add(suite, &test_case(&row, &suite.class))?;
            suite.count(&row);
        }
        if let Some(run) = report.run {
            add_skipped(run, &mut suites, &mut spool)?;
        }
        let mut cases = spool.read()?;
        out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n")?;
        for (id, suite) in suites.all().enumerate() {
            out.write_all(suite.start(id, report.run).as_bytes())?;
            for (from, length) in &suite.pieces {
                cases.seek_relative_to(*from)?;
                io::copy(&mut cases.by_ref().take(*length), out)?;
            }
            out.write_all(suite.end().as_bytes())?;
        }
        out.write_all(b"</testsuites>\n")?;
        Ok(())
    }
}

/// Cases that were planned and have no row. `run.json` names the first of them and counts all.
fn add_skipped(run: &RunManifest, suites: &mut Suites, spool: &mut Spool) -> io::Result<()> {
    let mut named = 0;
    for skipped in run.skipped.iter().filter(|skipped| skipped.reason != "decided") {
        let suite = suites.of(&skipped.suite, "", &skipped.target);
        spool.add(suite, &skipped_case(skipped, &suite.class))?;
        suite.skip();
        named += 1;
    }
    if let Some(more @ 1..) = run.counts.not_run.checked_sub(named) {
        let suite = suites.of("not run", "", "");
        spool.add(suite, &not_run_case(more, &suite.class))?;
        suite.skip();
    }
    Ok(())
}

/// The cases of all suites, in the order of the rows.
struct Spool {
    file: BufWriter<File>,
    length: u64,
}

impl Spool {
    fn new() -> io::Result<Self> {
        Ok(Self { file: BufWriter::with_capacity(1 << 16, tempfile::tempfile()?), length: 0 })
    }

    fn add(&mut self, suite: &mut TestSuite, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        let length = text.len() as u64;
        match suite.pieces.last_mut() {
            // What follows on the last piece becomes part of it: one target is one piece a suite.
            Some((from, before)) if *from + *before == self.length => *before += length,
            _ => suite.pieces.push((self.length, length)),
        }
        self.length += length;
        Ok(())
    }

    fn read(self) -> io::Result<Cases> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(Cases { file: BufReader::with_capacity(1 << 16, file), position: 0 })
    }
}

/// The spool, to be read piece by piece.
struct Cases {
    file: BufReader<File>,
    position: u64,
}

impl Cases {
    /// Goes to a place, within what is read already where that is possible.
    fn seek_relative_to(&mut self, place: u64) -> io::Result<()> {
        let distance = i128::from(place) - i128::from(self.position);
        match i64::try_from(distance) {
            Ok(distance) => self.file.seek_relative(distance)?,
            Err(_) => {
                self.file.seek(SeekFrom::Start(place))?;
            }
        }
        self.position = place;
        Ok(())
    }
}

impl io::Read for Cases {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
