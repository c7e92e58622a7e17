//! What a format is handed: rows, as often as it likes, and what they come to.

use std::cell::OnceCell;

use super::RowSource;
use crate::{
    digest::{Digest, Digester},
    record::{RowFault, RunManifest},
    recorded::Recorded,
};

type Open<'r> = dyn Fn() -> Result<Box<RowSource<'r>>, RowFault> + 'r;

/// The results of one or more runs, to be written down.
pub struct Report<'r> {
    /// What it is about, for people: the id of the run, or the names of its files.
    pub title: String,
    /// What was run, where that is known and one.
    pub run: Option<&'r RunManifest>,
    open: Box<Open<'r>>,
    digest: OnceCell<Digest>,
}

impl<'r> Report<'r> {
    /// Of rows that `open` gives from the first to the last, whenever it is asked.
    pub fn new(
        title: impl Into<String>,
        run: Option<&'r RunManifest>,
        open: impl Fn() -> Result<Box<RowSource<'r>>, RowFault> + 'r,
    ) -> Self {
        Self { title: title.into(), run, open: Box::new(open), digest: OnceCell::new() }
    }

    /// Of recorded results, one behind the other.
    pub fn of(recorded: &'r [Recorded]) -> Self {
        let names: Vec<&str> = recorded.iter().map(|it| it.name.as_str()).collect();
        let run = match recorded {
            [only] => only.manifest.as_ref(),
            _ => None,
        };
        Self::new(names.join(", "), run, move || {
            let mut sources = Vec::new();
            for recorded in recorded {
                sources.push(recorded.rows()?);
            }
            Ok(Box::new(sources.into_iter().flatten()))
        })
    }

    /// Every row, from the first.
    pub fn rows(&self) -> Result<Box<RowSource<'r>>, RowFault> {
        (self.open)()
    }

    /// What all of them come to; the rows are read once for it.
    pub fn digest(&self) -> Result<&Digest, RowFault> {
        if let Some(digest) = self.digest.get() {
            return Ok(digest);
        }
        let mut digester = Digester::default();
        for row in self.rows()? {
            digester.add(&row?);
        }
        Ok(self.digest.get_or_init(|| digester.finish()))
    }
}
