//! The order of the suites, which is what people expect, instead of that in which cases came to
//! their end; and each case once.

use std::collections::HashMap;

use agentv_base::excerpt;

use super::head::HeadRow;
use crate::{record::RunManifest, style::counted};

pub(super) struct Order {
    pub(super) offsets: Vec<u64>,
    doubled: usize,
    /// The first of them: its name and both lines.
    first_doubled: Option<(String, u64, u64)>,
}

impl Order {
    pub(super) fn of(rows: Vec<HeadRow>, manifest: Option<&RunManifest>) -> Self {
        let mut doubled = 0;
        let mut first_doubled = None;
        let mut places: HashMap<[u64; 2], usize> = HashMap::with_capacity(rows.len());
        let mut kept: Vec<HeadRow> = Vec::with_capacity(rows.len());
        for row in rows {
            let place = *places.entry(row.key).or_insert(kept.len());
            match kept.get_mut(place) {
                None => kept.push(row),
                Some(earlier) => {
                    doubled += 1;
                    first_doubled.get_or_insert_with(|| {
                        (excerpt(&row.id, 120), earlier.at_line, row.at_line)
                    });
                    *earlier = row;
                }
            }
        }
        sort(&mut kept, manifest);
        let offsets = kept.iter().map(|row| row.offset).collect();
        Self { offsets, doubled, first_doubled }
    }

    /// That rows stand twice, where they do.
    pub(super) fn note(&self, name: &str) -> Option<String> {
        let (id, first, second) = self.first_doubled.as_ref()?;
        let rows = counted(self.doubled, "row is", "rows are");
        Some(format!(
            "{}: {rows} of a case that has one already (`{id}`, lines {first} and {second}); the \
             last of each counts",
            excerpt(name, 200)
        ))
    }
}

fn sort(rows: &mut [HeadRow], manifest: Option<&RunManifest>) {
    let mut suites: HashMap<Box<str>, usize> = HashMap::new();
    let mut targets: HashMap<Box<str>, usize> = HashMap::new();
    if let Some(manifest) = manifest {
        for suite in &manifest.suites {
            let next = suites.len();
            suites.entry(suite.path.as_str().into()).or_insert(next);
        }
        for target in &manifest.targets {
            let next = targets.len();
            targets.entry(target.name.as_str().into()).or_insert(next);
        }
    }
    for row in rows.iter() {
        let next = suites.len();
        if !suites.contains_key(&row.suite) {
            suites.insert(row.suite.clone(), next);
        }
        let next = targets.len();
        if !targets.contains_key(&row.target) {
            targets.insert(row.target.clone(), next);
        }
    }
    // Rows that do not say where their case stands stay in the order of the file.
    let place = |row: &HeadRow| (suites.get(&row.suite).copied(), row.line.unwrap_or(u64::MAX));
    let rest = |row: &HeadRow| (targets.get(&row.target).copied(), row.repeat, row.at_line);
    rows.sort_by(|one, other| {
        place(one).cmp(&place(other)).then_with(|| match (one.line, other.line) {
            (Some(_), Some(_)) => one.id.cmp(&other.id).then_with(|| rest(one).cmp(&rest(other))),
            _ => one.at_line.cmp(&other.at_line),
        })
    });
}
