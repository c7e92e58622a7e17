//! One run of a comparison: of each of its rows what a comparison depends on, about fifty bytes.
//!
//! Rows are read once and are not kept.

use std::{borrow::Cow, fs::File, io::BufReader};

use agentv_base::excerpt;
use serde::{Deserialize, de::IgnoredAny};

use super::{
    figures::RunFigures,
    names::{Name, Names},
};
use crate::{
    record::{Row, RowFault, RowProblem, Status, line_at},
    recorded::{Recorded, row_of_any, rows_at},
};

/// How many rows are read between two words about how far it is.
const TOLD_EVERY: usize = 1 << 13;

/// Names of a kind that are told where nothing matches.
const MOST_DESCRIBED: usize = 3;

/// A row as far as a comparison depends on it.
#[derive(Clone, Copy)]
pub(super) struct Fact {
    pub(super) dataset: Name,
    pub(super) id: Name,
    pub(super) target: Name,
    pub(super) suite: Name,
    /// The file that the case stands in.
    pub(super) file: Name,
    pub(super) conversation: Name,
    /// 0 where it is not known.
    pub(super) line: u32,
    pub(super) repeat: u32,
    /// No number for an error.
    score: f64,
    /// No number where nothing says.
    threshold: f32,
    pub(super) status: Status,
}

impl Fact {
    /// Nothing for an error.
    pub(super) fn score(&self) -> Option<f64> {
        (!self.score.is_nan()).then_some(self.score)
    }

    pub(super) fn threshold(&self) -> Option<f32> {
        (!self.threshold.is_nan()).then_some(self.threshold)
    }

    pub(super) fn passed(&self) -> bool {
        self.status == Status::Passed
    }
}

pub(super) struct Side {
    pub(super) figures: RunFigures,
    pub(super) facts: Vec<Fact>,
    /// Those that rows are of, in the order in which they came.
    pub(super) targets: Vec<Name>,
    pub(super) has_datasets: bool,
}

/// The keys of a row that matter here. Every other one is passed over unread, which is most of the
/// work of reading a row.
#[derive(Deserialize)]
struct Lean<'a> {
    #[serde(borrow)]
    eval_id: Cow<'a, str>,
    #[serde(borrow)]
    dataset: Cow<'a, str>,
    #[serde(borrow)]
    suite: Cow<'a, str>,
    #[serde(borrow)]
    target: Cow<'a, str>,
    repeat: u32,
    status: Status,
    score: Option<f64>,
    #[serde(default)]
    threshold: Option<f64>,
    #[serde(default)]
    conversation_id: Option<Cow<'a, str>>,
    #[serde(default)]
    error: Option<IgnoredAny>,
    #[serde(default)]
    file: Option<Cow<'a, str>>,
    #[serde(default)]
    line: Option<u64>,
}

impl<'a> Lean<'a> {
    /// Nothing where the line is no row of ours, or a broken one.
    fn read(line: &'a [u8]) -> Option<Self> {
        let row: Self = serde_json::from_slice(line).ok()?;
        let is_whole = row.status == Status::Error
            || row.error.is_some()
            || row.score.is_some_and(|score| (0.0..=1.0).contains(&score));
        is_whole.then_some(row)
    }

    fn of(row: Row<'a>) -> Self {
        Self {
            eval_id: row.eval_id,
            dataset: row.dataset,
            suite: row.suite,
            target: row.target,
            repeat: row.repeat,
            status: row.status,
            score: row.score,
            threshold: row.threshold,
            conversation_id: row.conversation_id,
            error: row.error.map(|_| IgnoredAny),
            file: row.file,
            line: row.line.map(|line| line as u64),
        }
    }

    fn fact(&self, names: &mut Names) -> Fact {
        let is_error = self.status == Status::Error || self.error.is_some();
        let suite = names.place(&self.suite);
        let file = self.file.as_deref().map_or(suite, |file| names.place(file));
        #[expect(clippy::cast_possible_truncation, reason = "only compared with another such")]
        let threshold = self.threshold.map_or(f32::NAN, |threshold| threshold as f32);
        Fact {
            dataset: names.place(&self.dataset),
            id: names.place(&self.eval_id),
            target: names.place(&self.target),
            suite,
            file,
            conversation: self.conversation_id.as_deref().map_or(0, |it| names.place(it)),
            line: self.line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0),
            repeat: self.repeat.max(1),
            score: self.score.filter(|_| !is_error).unwrap_or(f64::NAN),
            threshold,
            status: if is_error { Status::Error } else { self.status },
        }
    }
}

impl Side {
    /// Reads the rows of these targets, or of all where none is named. `told` hears how many rows
    /// were read since the last time.
    pub(super) fn read(
        recorded: &Recorded,
        wanted: &[String],
        names: &mut Names,
        told: &mut dyn FnMut(usize),
    ) -> Result<Self, RowFault> {
        let wanted: Vec<Name> = wanted.iter().map(|target| names.place(target)).collect();
        let cannot = |cause| RowFault {
            path: recorded.path().to_owned(),
            line: 0,
            offset: 0,
            problem: RowProblem::Io(cause),
        };
        let file = File::open(recorded.path()).map_err(cannot)?;
        let mut source = BufReader::with_capacity(1 << 16, file);
        let (mut position, mut buffer) = (0, Vec::new());
        let mut facts = Vec::with_capacity(recorded.len());
        let mut untold = 0;
        for offset in recorded.offsets() {
            let fact = line_at(&mut source, &mut position, *offset, &mut buffer)
                .and_then(|()| fact_of(&buffer, names));
            let fact = match fact {
                Ok(fact) => fact,
                Err(problem) => return Err(placed(recorded, *offset, problem)),
            };
            if wanted.is_empty() || wanted.contains(&fact.target) {
                facts.push(fact);
            }
            untold += 1;
            if untold == TOLD_EVERY {
                told(untold);
                untold = 0;
            }
        }
        told(untold);
        Ok(Self::of(&recorded.name, facts, names))
    }

    fn of(name: &str, facts: Vec<Fact>, names: &Names) -> Self {
        let mut targets: Vec<Name> = Vec::new();
        for fact in &facts {
            // Rows of a target stand mostly together, and targets are few.
            if targets.last() != Some(&fact.target) && !targets.contains(&fact.target) {
                targets.push(fact.target);
            }
        }
        let has_datasets = facts.iter().any(|fact| fact.dataset != 0);
        let figures = RunFigures::of(name, &facts, &targets, names);
        Self { figures, facts, targets, has_datasets }
    }
}

impl Side {
    /// The names that its rows go by, the first of each kind.
    pub(super) fn described(&self, names: &Names) -> String {
        let name = excerpt(&self.figures.name, 200);
        if self.facts.is_empty() {
            return format!("{name} has no rows");
        }
        let mut ids: Vec<Name> = Vec::new();
        let mut datasets: Vec<Name> = Vec::new();
        for fact in &self.facts {
            for (all, name) in [(&mut ids, fact.id), (&mut datasets, fact.dataset)] {
                if all.len() <= MOST_DESCRIBED && !all.contains(&name) {
                    all.push(name);
                }
            }
        }
        let told = |all: &[Name]| {
            let shown = all.iter().take(MOST_DESCRIBED).map(|name| match names.get(*name) {
                "" => "(none)".to_owned(),
                name => format!("`{}`", excerpt(name, 80)),
            });
            let shown = shown.collect::<Vec<_>>().join(", ");
            if all.len() > MOST_DESCRIBED { format!("{shown}, …") } else { shown }
        };
        format!(
            "{name}: dataset {}; target {}; ids {}",
            told(&datasets),
            told(&self.targets),
            told(&ids)
        )
    }
}

fn fact_of(line: &[u8], names: &mut Names) -> Result<Fact, RowProblem> {
    if let Some(row) = Lean::read(line) {
        return Ok(row.fact(names));
    }
    row_of_any(line).map(|row| Lean::of(row).fact(names))
}

/// The fault with the line that it stands on, which only `rows_at` counts.
fn placed(recorded: &Recorded, offset: u64, problem: RowProblem) -> RowFault {
    let path = recorded.path();
    let again = rows_at(path, std::iter::once(offset)).map(|mut rows| rows.next());
    match again {
        Ok(Some(Err(fault))) => fault,
        _ => RowFault { path: path.to_owned(), line: 0, offset, problem },
    }
}
