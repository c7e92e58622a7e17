//! The index of recorded runs: where each row stands and what its case came to, so that one run of
//! a thousand and one case of a million are found at once.
//!
//! Invariant: a cache and nothing else. Everything in it was read from `run.json` and
//! `results.jsonl`, and is read again when they are not as they were. Whatever is wrong with the
//! index is nobody's fault but its own: it is made again, in memory where it cannot be kept, and the
//! answers are the same.

mod across;
mod entry;
mod line;
mod query;
mod refresh;
mod rows;
mod schema;
mod stamp;
mod store;
mod writing;

use std::{io, path::PathBuf};

use agentv_base::escape_controls;

use self::store::Store;
pub use self::{
    across::Fared,
    entry::{Rate, RunEntry},
    query::{Picked, RowFacts, Selection},
};

/// Told the number of lines that were read so far, from time to time.
pub type Progress<'p> = &'p mut dyn FnMut(u64);

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum IndexFault {
    /// The runs themselves cannot be read.
    #[error("cannot read `{}`: {cause}", escape_controls(&path.to_string_lossy()))]
    Io { path: PathBuf, cause: io::Error },
    /// Only the index is at fault; told where even the memory is too small for one.
    #[error("cannot look through the rows: {0}")]
    Index(#[from] rusqlite::Error),
}

impl IndexFault {
    fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::Io { path, cause }
    }
}

/// Where runs are, and where their index may be kept.
#[derive(Clone, Debug)]
pub struct IndexPlace {
    /// The folder with a folder for each run.
    pub results: PathBuf,
    /// Whether the index is kept beside them; else it is made in memory for each question.
    pub is_kept: bool,
}

/// An index while a question is answered.
pub struct Index<'p> {
    store: Store,
    results: PathBuf,
    progress: Progress<'p>,
    /// Lines that were read for this question.
    lines: u64,
    /// Runs whose rows could not be read.
    notes: Vec<String>,
}

impl<'p> Index<'p> {
    fn of(store: Store, place: &IndexPlace, progress: Progress<'p>) -> Self {
        Self { store, results: place.results.clone(), progress, lines: 0, notes: Vec::new() }
    }
}

/// Answers a question. It may be asked up to three times, each time of a fresh index: of the one
/// that is kept, of one that is made anew in its place, of one in memory.
pub fn ask_index<T>(
    place: &IndexPlace,
    progress: Progress<'_>,
    question: impl Fn(&mut Index<'_>) -> Result<T, IndexFault>,
) -> Result<T, IndexFault> {
    let tries = if place.is_kept { 2 } else { 0 };
    for _ in 0..tries {
        let Some(store) = Store::on_disk(&place.results) else { break };
        let mut index = Index::of(store, place, &mut *progress);
        match index.answered(&question) {
            Err(IndexFault::Index(_)) => index.store.discard(),
            answer => {
                index.store.close();
                return answer;
            }
        }
    }
    let store = Store::in_memory()?;
    let mut index = Index::of(store, place, progress);
    index.answered(&question)
}

impl Index<'_> {
    /// All that a question writes is written at its end, or not at all.
    fn answered<T>(
        &mut self,
        question: impl Fn(&mut Self) -> Result<T, IndexFault>,
    ) -> Result<T, IndexFault> {
        self.store.connection.execute_batch("BEGIN")?;
        match question(self) {
            Ok(answer) => {
                self.store.connection.execute_batch("COMMIT")?;
                Ok(answer)
            }
            // What was read before the runs turned out to be unreadable is right all the same.
            Err(fault @ IndexFault::Io { .. }) => {
                self.store.connection.execute_batch("COMMIT")?;
                Err(fault)
            }
            Err(fault) => {
                let _ = self.store.connection.execute_batch("ROLLBACK");
                Err(fault)
            }
        }
    }
}

#[cfg(test)]
mod tests;
