//! The tables of the index. Another version of them is thrown away, never converted: the index can
//! be made again from what it is an index of.

use rusqlite::Connection;

/// Counted up whenever a table, or what is written into it, changes.
const VERSION: i64 = 2;

/// `names` holds every text once: ids, suites, targets and sets of tags repeat from run to run.
/// The key of `rows` is the identity of a row, so that the last of doubled rows stays; it begins
/// with the run and the id, which is what people look for.
const TABLES: &str = "
CREATE TABLE runs (
    run INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    manifest_stamp TEXT NOT NULL,
    entry TEXT NOT NULL,
    rows_stamp TEXT,
    reading TEXT
);
CREATE TABLE names (name INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE rows (
    run INTEGER NOT NULL,
    eval INTEGER NOT NULL,
    suite INTEGER NOT NULL,
    dataset INTEGER NOT NULL,
    target INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    at_line INTEGER NOT NULL,
    place INTEGER,
    status INTEGER NOT NULL,
    score REAL,
    cost REAL,
    tags INTEGER,
    PRIMARY KEY (run, eval, suite, dataset, target, repeat)
) WITHOUT ROWID;
CREATE INDEX wrong ON rows (run, offset) WHERE status > 0;
CREATE TABLE run_tags (
    run INTEGER NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (run, tag)
) WITHOUT ROWID;
";

/// Whether the tables are those of this version. A file that is no database is a fault.
pub(super) fn fits(connection: &Connection) -> rusqlite::Result<bool> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(version == VERSION)
}

pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.pragma_update(None, "user_version", VERSION)
}
