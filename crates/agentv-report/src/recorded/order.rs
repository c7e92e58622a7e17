//! The order of the suites, which is what people expect, instead of that in which cases came to
//! their end; and each case once.

use agentv_base::excerpt;

use super::head::{HeadRow, HeadRows};
use crate::{
    names::{Name, Names},
    record::RunManifest,
    style::counted,
};

/// Where no row begins.
const GONE: u64 = u64::MAX;

/// All that names a row.
fn key(row: &HeadRow) -> [u32; 5] {
    [row.id, row.suite, row.dataset, row.target, row.repeat]
}

/// Rows of a case that has one already.
#[derive(Default)]
pub(super) struct Doubled {
    rows: usize,
    /// The first of them: its name and both lines.
    first: Option<(String, u32, u32)>,
}

impl Doubled {
    /// Takes them out: the last of each stands where the first stood.
    pub(super) fn out_of(all: &mut HeadRows) -> Self {
        let HeadRows { rows, names } = all;
        // Ids are numbered as they come: where each comes once, rows are in the order of their keys.
        if rows.is_sorted_by(|one, other| key(one) < key(other)) {
            return Self::default();
        }
        let mut keys: Vec<([u32; 5], usize)> = rows.iter().map(key).zip(0..).collect();
        keys.sort_unstable();
        // Each row that another one of its case stands before, with that one.
        let mut later: Vec<(usize, usize)> = Vec::new();
        for same in keys.chunk_by(|(one, _), (other, _)| one == other) {
            let Some(((_, first), others)) = same.split_first() else { continue };
            later.extend(others.iter().map(|(_, other)| (*other, *first)));
        }
        later.sort_unstable();
        let mut doubled = Self { rows: later.len(), first: None };
        for (later, first) in &later {
            let Some(row) = rows.get_mut(*later) else { continue };
            let taken = std::mem::replace(&mut row.offset, GONE);
            let row = HeadRow { offset: taken, ..*row };
            let Some(earlier) = rows.get_mut(*first) else { continue };
            doubled.first.get_or_insert_with(|| {
                (excerpt(names.get(row.id), 120), earlier.at_line, row.at_line)
            });
            *earlier = row;
        }
        rows.retain(|row| row.offset != GONE);
        doubled
    }

    /// That rows stand twice, where they do.
    pub(super) fn note(&self, name: &str) -> Option<String> {
        let (id, first, second) = self.first.as_ref()?;
        let rows = counted(self.rows, "row is", "rows are");
        Some(format!(
            "{}: {rows} of a case that has one already (`{id}`, lines {first} and {second}); the \
             last of each counts",
            excerpt(name, 200)
        ))
    }
}

/// Names in the order in which they were met: a number for each that was.
struct Ranks {
    ranks: Vec<Option<u32>>,
    next: u32,
}

impl Ranks {
    fn of(names: &Names) -> Self {
        Self { ranks: vec![None; names.len()], next: 0 }
    }

    fn meet(&mut self, name: Name) {
        if let Some(rank @ None) = self.ranks.get_mut(name as usize) {
            *rank = Some(self.next);
            self.next += 1;
        }
    }

    fn get(&self, name: Name) -> Option<u32> {
        self.ranks.get(name as usize).copied().flatten()
    }
}

/// By suite, in the order of the run, else in that of the file.
pub(super) fn sort(all: &mut HeadRows, manifest: Option<&RunManifest>) {
    let HeadRows { rows, names } = all;
    let planned = manifest.iter().flat_map(|it| &it.suites);
    let planned_suites: Vec<Name> = planned.map(|suite| names.place(&suite.path)).collect();
    let planned = manifest.iter().flat_map(|it| &it.targets);
    let planned_targets: Vec<Name> = planned.map(|target| names.place(&target.name)).collect();
    let (mut suites, mut targets) = (Ranks::of(names), Ranks::of(names));
    for suite in planned_suites {
        suites.meet(suite);
    }
    for target in planned_targets {
        targets.meet(target);
    }
    for row in rows.iter() {
        suites.meet(row.suite);
        targets.meet(row.target);
    }
    // Rows that do not say where their case stands stay in the order of the file.
    let place = |row: &HeadRow| (suites.get(row.suite), row.line);
    let rest = |row: &HeadRow| (targets.get(row.target), row.repeat, row.offset);
    rows.sort_by(|one, other| {
        place(one).cmp(&place(other)).then_with(|| {
            if one.has_line() && other.has_line() {
                let ids = names.get(one.id).cmp(names.get(other.id));
                ids.then_with(|| rest(one).cmp(&rest(other)))
            } else {
                one.offset.cmp(&other.offset)
            }
        })
    });
}
