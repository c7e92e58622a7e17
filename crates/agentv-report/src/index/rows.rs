//! Reads the rows of a run into the index: those that came since the last time, where the file has
//! only grown, else all of them.

use std::{
    fs::File,
    hash::{DefaultHasher, Hasher as _},
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom},
    os::unix::fs::FileExt as _,
};

use agentv_base::excerpt;
use rusqlite::{OptionalExtension as _, params};
use serde::{Deserialize, Serialize};

use super::{
    Index, IndexFault,
    line::Line,
    stamp::FileStamp,
    writing::{At, Writing},
};
use crate::style::counted;

/// Lines that are no rows and are told; the rest is counted.
const MOST_FAULTS: usize = 3;

/// How many lines are read between two words about it.
const TOLD_EVERY: u64 = 4096;

/// How far a file was read, and what was passed over in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Reading {
    /// The end of the last line that has one.
    end: u64,
    lines: u64,
    /// Where that line begins, and what it was.
    last_line: u64,
    last_hash: String,
    rows: u64,
    /// Rows that another one of the same case took the place of.
    doubled: u64,
    foreign: u64,
    bad: u64,
    first_bad: Vec<String>,
    /// Behind the last line stands a row that lacks only its end, or a piece of one.
    tail_is_row: bool,
    tail_is_torn: bool,
}

impl Reading {
    /// What people are told of what was passed over.
    pub(super) fn notes(&self, name: &str) -> Vec<String> {
        let shown = excerpt(name, 200);
        let mut notes = Vec::new();
        if self.bad > 0 {
            let lines = counted(count(self.bad), "line is no row", "lines are no rows");
            let more = if self.bad > self.first_bad.len() as u64 { "; …" } else { "" };
            let told = self.first_bad.join("; ");
            notes.push(format!("{shown}: {lines} and passed over: {told}{more}"));
        }
        if self.tail_is_torn {
            notes.push(format!(
                "{shown}: the last line is torn (the row on it was never finished) and left out"
            ));
        }
        if self.foreign > 0 {
            let rows = counted(count(self.foreign), "row says", "rows say");
            notes.push(format!(
                "{shown}: {rows} not how it ended; a score from 0.8 on counts as passed"
            ));
        }
        if self.doubled > 0 {
            let rows = counted(count(self.doubled), "row is", "rows are");
            notes.push(format!(
                "{shown}: {rows} of a case that has one already; the last of each counts"
            ));
        }
        notes
    }

    /// Rows that count.
    pub(super) fn kept(&self) -> usize {
        let rows = self.rows + u64::from(self.tail_is_row);
        count(rows.saturating_sub(self.doubled))
    }
}

impl Index<'_> {
    /// Makes sure that the rows of a run are in the index as they are in its file.
    pub(super) fn read_rows(&mut self, name: &str) -> Result<(i64, Reading), IndexFault> {
        let run = self.number_of(name)?;
        let path = self.results.join(name).join("results.jsonl");
        let file = File::open(&path).map_err(IndexFault::io(&path))?;
        let metadata = file.metadata().map_err(IndexFault::io(&path))?;
        let (stamp, size) = (FileStamp::of(&metadata), metadata.len());
        let known = self.known_reading(run)?;
        if let Some((known, reading)) = &known
            && known == stamp.as_str()
        {
            return Ok((run, reading.clone()));
        }
        self.store.begin_writing();
        let grown = known.filter(|(known, reading)| {
            stamp.is_same_file(known) && reading.is_still_there(&file, size).unwrap_or(false)
        });
        let reading = match grown {
            Some((_, reading)) => reading,
            None => {
                for table in ["rows", "run_tags"] {
                    let all = format!("DELETE FROM {table} WHERE run = ?1");
                    self.store.connection.execute(&all, [run])?;
                }
                Reading::default()
            }
        };
        let reading = self.read_on(run, &file, size, reading).map_err(|fault| match fault {
            ReadFault::Io(cause) => IndexFault::io(&path)(cause),
            ReadFault::Index(fault) => IndexFault::Index(fault),
        })?;
        let json = serde_json::to_string(&reading).unwrap_or_default();
        self.store
            .connection
            .prepare_cached("UPDATE runs SET rows_stamp = ?2, reading = ?3 WHERE run = ?1")?
            .execute(params![run, stamp.as_str(), json])?;
        Ok((run, reading))
    }

    fn known_reading(&self, run: i64) -> Result<Option<(String, Reading)>, IndexFault> {
        let known = self
            .store
            .connection
            .prepare_cached("SELECT rows_stamp, reading FROM runs WHERE run = ?1")?
            .query_row([run], |row| {
                Ok((row.get::<_, Option<String>>(0)?, row.get::<_, Option<String>>(1)?))
            })
            .optional()?;
        let Some((Some(stamp), Some(reading))) = known else { return Ok(None) };
        Ok(serde_json::from_str(&reading).ok().map(|reading| (stamp, reading)))
    }

    /// Reads from where a reading ended to where the file ended when it was opened.
    fn read_on(
        &mut self,
        run: i64,
        mut file: &File,
        size: u64,
        mut reading: Reading,
    ) -> Result<Reading, ReadFault> {
        // Until all is read, nobody may believe what is there.
        let unknown = "UPDATE runs SET rows_stamp = NULL WHERE run = ?1";
        self.store.connection.execute(unknown, [run])?;
        (reading.tail_is_row, reading.tail_is_torn) = (false, false);
        let mut writing = Writing::of(&self.store.connection, run)?;
        file.seek(SeekFrom::Start(reading.end))?;
        let mut source = BufReader::with_capacity(1 << 18, file.take(size - reading.end));
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            // One outsized row must not hold its memory for the rest of the file.
            buffer.shrink_to(1 << 20);
            let length = source.read_until(b'\n', &mut buffer)? as u64;
            if length == 0 {
                break;
            }
            let is_ended = buffer.last() == Some(&b'\n');
            let line = Line::read_text(&buffer);
            let at = At { offset: reading.end, line: reading.lines + 1 };
            if !is_ended {
                reading.tail(line, at, &mut writing)?;
                break;
            }
            reading.take(line, at, &mut writing)?;
            reading.last_line = reading.end;
            reading.end += length;
            reading.lines += 1;
            self.lines += 1;
            if self.lines.is_multiple_of(TOLD_EVERY) {
                (self.progress)(self.lines);
            }
            if reading.end == size {
                reading.last_hash = hash_of(&buffer);
            }
        }
        if reading.end < size {
            reading.last_hash = reading.hash_last(file)?;
        }
        writing.finish(run)?;
        drop(writing);
        let kept: u64 = self
            .store
            .connection
            .query_row("SELECT COUNT(*) FROM rows WHERE run = ?1", [run], |row| {
                row.get::<_, i64>(0)
            })
            .map(|count| u64::try_from(count).unwrap_or_default())?;
        reading.doubled = (reading.rows + u64::from(reading.tail_is_row)).saturating_sub(kept);
        Ok(reading)
    }
}

/// As many as can be told.
fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

enum ReadFault {
    Io(io::Error),
    Index(rusqlite::Error),
}

impl From<io::Error> for ReadFault {
    fn from(cause: io::Error) -> Self {
        Self::Io(cause)
    }
}

impl From<rusqlite::Error> for ReadFault {
    fn from(fault: rusqlite::Error) -> Self {
        Self::Index(fault)
    }
}

impl<'a> Line<'a> {
    /// Nothing where nothing stands on the line.
    fn read_text(line: &'a [u8]) -> Option<Result<Self, String>> {
        let text = line.trim_ascii();
        (!text.is_empty()).then(|| Self::read(text))
    }
}

impl Reading {
    /// Whether the file goes on where this reading ended: its last line is what it was.
    fn is_still_there(&self, file: &File, size: u64) -> io::Result<bool> {
        // A row without its end may go on or be replaced; then it is read with all the others.
        Ok(!self.tail_is_row && self.end <= size && self.hash_last(file)? == self.last_hash)
    }

    fn hash_last(&self, file: &File) -> io::Result<String> {
        let length = usize::try_from(self.end - self.last_line).map_err(io::Error::other)?;
        let mut line = vec![0; length];
        file.read_exact_at(&mut line, self.last_line)?;
        Ok(hash_of(&line))
    }

    fn take(
        &mut self,
        line: Option<Result<Line<'_>, String>>,
        at: At,
        writing: &mut Writing<'_>,
    ) -> rusqlite::Result<()> {
        match line {
            None => {}
            Some(Ok(line)) => {
                self.rows += 1;
                self.foreign += u64::from(line.is_foreign);
                writing.add(&line, at)?;
            }
            Some(Err(reason)) => {
                self.bad += 1;
                if self.first_bad.len() < MOST_FAULTS {
                    self.first_bad.push(format!("line {}: {}", at.line, excerpt(&reason, 200)));
                }
            }
        }
        Ok(())
    }

    /// What stands behind the last line that has an end.
    fn tail(
        &mut self,
        line: Option<Result<Line<'_>, String>>,
        at: At,
        writing: &mut Writing<'_>,
    ) -> rusqlite::Result<()> {
        match line {
            None => {}
            Some(Ok(line)) => {
                self.tail_is_row = true;
                writing.add(&line, at)?;
            }
            Some(Err(_)) => self.tail_is_torn = true,
        }
        Ok(())
    }
}

fn hash_of(line: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(line);
    format!("{:016x}", hasher.finish())
}
