//! What is asked of the index about one run: the rows of it that fit, and its ids.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

use rusqlite::{OptionalExtension as _, Row as Found, params};

use super::{Index, IndexFault, IndexPlace, Progress, ask_index};
use crate::{
    names::Names,
    record::{FoundRun, Row, Status},
    recorded::{HeadRow, HeadRows, NO_LINE, Recorded},
};

/// What a row can be chosen by.
#[derive(Clone, Copy, Debug)]
pub struct RowFacts<'r> {
    pub eval_id: &'r str,
    /// The suite, or the dataset where a row does not say its suite.
    pub suite: &'r str,
    pub target: &'r str,
    pub status: Status,
}

/// Which rows are wanted.
pub struct Selection<'s> {
    /// Ids that can only mean themselves: they are looked up, nothing else is looked at.
    pub exact_ids: Option<&'s [String]>,
    /// Only rows that failed or could not be evaluated.
    pub only_wrong: bool,
    pub fits: &'s dyn Fn(RowFacts<'_>) -> bool,
    /// One of these; none for any.
    pub tags: &'s [String],
}

impl Selection<'_> {
    /// Whether a row is wanted, wherever it is from.
    pub fn takes(&self, row: &Row<'_>) -> bool {
        let suite = if row.suite.is_empty() { &row.dataset } else { &row.suite };
        let facts =
            RowFacts { eval_id: &row.eval_id, suite, target: &row.target, status: row.status };
        let is_tagged =
            self.tags.is_empty() || self.tags.iter().any(|tag| row.tags.iter().any(|it| it == tag));
        let is_id = self.exact_ids.is_none_or(|ids| ids.iter().any(|id| *id == row.eval_id));
        is_tagged
            && is_id
            && (!self.only_wrong || row.status != Status::Passed)
            && (self.fits)(facts)
    }
}

/// Chosen rows of a run.
pub struct Picked {
    pub recorded: Recorded,
    /// How many rows the run has.
    pub of: usize,
}

impl Picked {
    /// The rows of a run that fit, by the index.
    pub fn of_run(
        run: FoundRun,
        place: &IndexPlace,
        selection: &Selection<'_>,
        progress: Progress<'_>,
    ) -> Result<Self, IndexFault> {
        let name = folder_name(run.folder.path());
        let (rows, notes, of) = ask_index(place, progress, |index| index.pick(&name, selection))?;
        Ok(Self { recorded: Recorded::of_rows(run, rows, notes), of })
    }
}

/// The name that the folder of a run has.
fn folder_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

const COLUMNS: &str = "eval, suite, dataset, target, repeat, offset, at_line, place, status, tags";

/// A row with numbers for its texts.
struct Numbered {
    names: [i64; 4],
    repeat: u32,
    offset: u64,
    at_line: u64,
    place: Option<u64>,
    status: Status,
    tags: Option<i64>,
}

impl Numbered {
    fn of(row: &Found<'_>) -> rusqlite::Result<Self> {
        let count = |place: usize| -> rusqlite::Result<u64> {
            Ok(u64::try_from(row.get::<_, i64>(place)?).unwrap_or_default())
        };
        Ok(Self {
            names: [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?],
            repeat: row.get(4)?,
            offset: count(5)?,
            at_line: count(6)?,
            place: row.get::<_, Option<i64>>(7)?.and_then(|place| u64::try_from(place).ok()),
            status: status_of(row.get(8)?),
            tags: row.get(9)?,
        })
    }
}

pub(super) fn status_of(number: i64) -> Status {
    match number {
        0 => Status::Passed,
        1 => Status::Failed,
        _ => Status::Error,
    }
}

impl Index<'_> {
    /// Rows that fit, what was passed over, and how many rows there are in all.
    fn pick(
        &mut self,
        name: &str,
        selection: &Selection<'_>,
    ) -> Result<(HeadRows, Vec<String>, usize), IndexFault> {
        let (run, reading) = self.read_rows(name)?;
        let mut texts = Texts::of(self)?;
        let mut picked = HeadRows { rows: Vec::new(), names: Names::with_empty() };
        let mut take = |row: &Numbered, texts: &mut Texts<'_>| -> rusqlite::Result<()> {
            if let Some(row) = texts.chosen(row, selection, &mut picked.names)? {
                picked.rows.push(row);
            }
            Ok(())
        };
        let connection = &self.store.connection;
        match selection.exact_ids {
            Some(ids) => {
                let select = format!("SELECT {COLUMNS} FROM rows WHERE run = ?1 AND eval = ?2");
                let mut statement = connection.prepare_cached(&select)?;
                let distinct: HashSet<&String> = ids.iter().collect();
                for id in distinct {
                    let Some(eval) = self.name_of(id)? else { continue };
                    let mut rows = statement.query(params![run, eval])?;
                    while let Some(row) = rows.next()? {
                        take(&Numbered::of(row)?, &mut texts)?;
                    }
                }
            }
            None => {
                let wrong = if selection.only_wrong { " AND status > 0" } else { "" };
                let select = format!("SELECT {COLUMNS} FROM rows WHERE run = ?1{wrong}");
                let mut statement = connection.prepare_cached(&select)?;
                let mut rows = statement.query([run])?;
                while let Some(row) = rows.next()? {
                    take(&Numbered::of(row)?, &mut texts)?;
                }
            }
        }
        Ok((picked, reading.notes(name), reading.kept()))
    }

    pub(super) fn name_of(&self, text: &str) -> rusqlite::Result<Option<i64>> {
        self.store
            .connection
            .prepare_cached("SELECT name FROM names WHERE text = ?1")?
            .query_row([text], |row| row.get(0))
            .optional()
    }

    /// Every id of a run, once, in the order of its rows.
    pub fn ids_of(&mut self, name: &str) -> Result<Vec<String>, IndexFault> {
        let (run, _) = self.read_rows(name)?;
        let mut statement = self.store.connection.prepare_cached(
            "SELECT text FROM rows JOIN names ON names.name = rows.eval WHERE run = ?1
             GROUP BY eval ORDER BY MIN(offset)",
        )?;
        let ids = statement.query_map([run], |row| row.get(0))?;
        Ok(ids.collect::<rusqlite::Result<Vec<String>>>()?)
    }
}

/// The texts that numbers stand for.
struct Texts<'c> {
    find: rusqlite::CachedStatement<'c>,
    /// Suites, targets and sets of tags.
    known: BTreeMap<i64, String>,
}

impl<'c> Texts<'c> {
    fn of(index: &'c Index<'_>) -> rusqlite::Result<Self> {
        let find = "SELECT text FROM names WHERE name = ?1";
        Ok(Self { find: index.store.connection.prepare_cached(find)?, known: BTreeMap::new() })
    }

    fn often(&mut self, name: i64) -> rusqlite::Result<String> {
        if let Some(text) = self.known.get(&name) {
            return Ok(text.clone());
        }
        let text = self.seldom(name)?;
        self.known.insert(name, text.clone());
        Ok(text)
    }

    fn seldom(&mut self, name: i64) -> rusqlite::Result<String> {
        self.find.query_row([name], |row| row.get(0))
    }

    /// The row with its texts, where it is wanted.
    fn chosen(
        &mut self,
        row: &Numbered,
        selection: &Selection<'_>,
        names: &mut Names,
    ) -> rusqlite::Result<Option<HeadRow>> {
        let [eval, suite, dataset, target] = row.names;
        if !selection.tags.is_empty() {
            let Some(tags) = row.tags else { return Ok(None) };
            let tags: Vec<String> = serde_json::from_str(&self.often(tags)?).unwrap_or_default();
            if !selection.tags.iter().any(|tag| tags.contains(tag)) {
                return Ok(None);
            }
        }
        let (suite, target) = (self.often(suite)?, self.often(target)?);
        let shown = if suite.is_empty() { self.often(dataset)? } else { suite.clone() };
        let id = self.seldom(eval)?;
        let facts = RowFacts { eval_id: &id, suite: &shown, target: &target, status: row.status };
        if (selection.only_wrong && row.status == Status::Passed) || !(selection.fits)(facts) {
            return Ok(None);
        }
        Ok(Some(HeadRow {
            offset: row.offset,
            line: row.place.unwrap_or(NO_LINE),
            suite: names.place(&suite),
            dataset: 0,
            id: names.place(&id),
            target: names.place(&target),
            repeat: row.repeat,
            at_line: u32::try_from(row.at_line).unwrap_or(u32::MAX),
            grade: None,
        }))
    }
}
