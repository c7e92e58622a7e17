//! Rows on their way into the index: statements that are prepared once, and texts that become
//! numbers.

use std::collections::{HashMap, HashSet};

use rusqlite::{CachedStatement, Connection, params};

use super::line::Line;
use crate::record::Status;

/// Where a row stands.
#[derive(Clone, Copy)]
pub(super) struct At {
    /// Its first byte.
    pub(super) offset: u64,
    /// From 1.
    pub(super) line: u64,
}

/// The statements that rows go through, prepared once.
pub(super) struct Writing<'c> {
    run: i64,
    names: NameIds<'c>,
    insert: CachedStatement<'c>,
    insert_tag: CachedStatement<'c>,
    tags: HashSet<String>,
}

impl<'c> Writing<'c> {
    pub(super) fn of(connection: &'c Connection, run: i64) -> rusqlite::Result<Self> {
        Ok(Self {
            run,
            names: NameIds::of(connection)?,
            insert: connection.prepare_cached(
                "INSERT INTO rows VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
                 ON CONFLICT DO UPDATE SET offset = ?7, at_line = ?8, place = ?9, status = ?10,
                     score = ?11, cost = ?12, tags = ?13",
            )?,
            insert_tag: connection
                .prepare_cached("INSERT OR IGNORE INTO run_tags VALUES (?1, ?2)")?,
            tags: HashSet::new(),
        })
    }

    pub(super) fn add(&mut self, line: &Line<'_>, at: At) -> rusqlite::Result<()> {
        let tags = if line.tags.is_empty() {
            None
        } else {
            for tag in &line.tags {
                if !self.tags.contains(&**tag) {
                    self.tags.insert(tag.clone().into_owned());
                }
            }
            let set = serde_json::to_string(&line.tags).unwrap_or_default();
            Some(self.names.often(&set)?)
        };
        let status: i64 = match line.status {
            Status::Passed => 0,
            Status::Failed => 1,
            Status::Error => 2,
        };
        self.insert.execute(params![
            self.run,
            self.names.seldom(&line.eval_id)?,
            self.names.often(&line.suite)?,
            self.names.often(&line.dataset)?,
            self.names.often(&line.target)?,
            line.repeat,
            i64::try_from(at.offset).unwrap_or(i64::MAX),
            i64::try_from(at.line).unwrap_or(i64::MAX),
            line.place.and_then(|place| i64::try_from(place).ok()),
            status,
            line.score,
            line.cost,
            tags,
        ])?;
        Ok(())
    }

    pub(super) fn finish(&mut self, run: i64) -> rusqlite::Result<()> {
        for tag in &self.tags {
            self.insert_tag.execute(params![run, tag])?;
        }
        Ok(())
    }
}

/// Texts by their numbers.
struct NameIds<'c> {
    insert: CachedStatement<'c>,
    find: CachedStatement<'c>,
    known: HashMap<String, i64>,
    connection: &'c Connection,
}

/// Names of suites, targets and sets of tags that are remembered; there are mostly a handful.
const MOST_KNOWN: usize = 10_000;

impl<'c> NameIds<'c> {
    fn of(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            insert: connection.prepare_cached("INSERT OR IGNORE INTO names (text) VALUES (?1)")?,
            find: connection.prepare_cached("SELECT name FROM names WHERE text = ?1")?,
            known: HashMap::new(),
            connection,
        })
    }

    /// Of a text that comes again and again.
    fn often(&mut self, text: &str) -> rusqlite::Result<i64> {
        if let Some(name) = self.known.get(text) {
            return Ok(*name);
        }
        let name = self.seldom(text)?;
        if self.known.len() < MOST_KNOWN {
            self.known.insert(text.to_owned(), name);
        }
        Ok(name)
    }

    fn seldom(&mut self, text: &str) -> rusqlite::Result<i64> {
        if self.insert.execute([text])? == 1 {
            return Ok(self.connection.last_insert_rowid());
        }
        self.find.query_row([text], |row| row.get(0))
    }
}
