//! One run of a comparison: of each of its rows what a comparison depends on, about fifty bytes.
//!
//! Rows were read when the run was opened; only those that are not quite rows of ours are read again.

use agentv_base::excerpt;

use super::figures::RunFigures;
use crate::{
    names::{Name, Names},
    record::{Row, RowFault, Status},
    recorded::{Before, HeadGrade, HeadRow, LightRow, Recorded, rows_at},
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

    /// `name` says where a name of the row is kept here.
    fn of(row: &HeadRow, grade: &HeadGrade, mut name: impl FnMut(Name) -> Name) -> Self {
        Self {
            suite: name(row.suite),
            file: name(grade.file),
            dataset: name(row.dataset),
            id: name(row.id),
            target: name(row.target),
            conversation: name(grade.conversation),
            line: u32::try_from(row.line).unwrap_or(0),
            repeat: row.repeat,
            score: grade.score,
            threshold: grade.threshold,
            status: grade.status,
        }
    }
}

pub(super) struct Side {
    pub(super) figures: RunFigures,
    pub(super) facts: Vec<Fact>,
    /// Those that rows are of, in the order in which they came.
    pub(super) targets: Vec<Name>,
    pub(super) has_datasets: bool,
}

impl Side {
    /// Takes the rows of these targets, or of all where none is named. `told` hears how many rows
    /// were read since the last time.
    pub(super) fn read(
        recorded: &Recorded,
        wanted: &[String],
        names: &mut Names,
        told: &mut dyn FnMut(usize),
    ) -> Result<Self, RowFault> {
        let wanted: Vec<Name> = wanted.iter().map(|target| names.place(target)).collect();
        let heads = recorded.heads();
        let mut places = Places::of(&heads.names);
        let unread = heads.rows.iter().filter(|row| row.grade.is_none());
        let mut unread = rows_at(recorded.path(), unread.map(|row| row.offset))?;
        let mut facts = Vec::with_capacity(heads.rows.len());
        let mut untold = 0;
        for row in &heads.rows {
            let fact = match &row.grade {
                Some(grade) => Some(Fact::of(row, grade, |name| places.get(name, names))),
                None => unread.next().transpose()?.and_then(|row| fact_of(row, names)),
            };
            let Some(fact) = fact else { continue };
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

/// The fact of a row that had to be read as a whole.
fn fact_of(row: Row<'_>, names: &mut Names) -> Option<Fact> {
    let row = HeadRow::of(&LightRow::of(row), names, &mut Before::default());
    row.grade.map(|grade| Fact::of(&row, &grade, |name| name))
}

/// Where the names of one run are kept among those of all, found when they are first met: names
/// then have the order of the rows, whatever that of the file is.
struct Places<'n> {
    names: &'n Names,
    places: Vec<Option<Name>>,
}

impl<'n> Places<'n> {
    fn of(names: &'n Names) -> Self {
        Self { names, places: vec![None; names.len()] }
    }

    fn get(&mut self, name: Name, all: &mut Names) -> Name {
        let Some(place) = self.places.get_mut(name as usize) else { return 0 };
        *place.get_or_insert_with(|| all.place(self.names.get(name)))
    }
}
