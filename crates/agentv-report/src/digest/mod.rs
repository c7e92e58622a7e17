//! What rows come to in numbers, each with its interval: gathered in one pass, then plain data that
//! every format tells in its own way.
//!
//! Repeats of a case are like each other. Where cases are repeated, rates and means are therefore
//! taken over cases, each with the share or the mean of its repeats, and so are their intervals.
//! Memory: forty bytes a row and the names of targets, suites and tags; a few times that for a moment,
//! while the numbers are taken.

mod estimate;
mod figures;

use std::{collections::HashMap, hash::BuildHasher as _};

use foldhash::quality::FixedState;
use serde::Serialize;

use self::figures::{Fact, Spending};
pub use self::{
    estimate::{Estimate, Method},
    figures::{Durations, Figures, Group},
};
use crate::{
    names::{Name, Names},
    record::{Row, Status},
};

/// Groups of a kind that are told; the smaller ones are counted.
const MOST_GROUPS: usize = 50;

/// The numbers of a run, or of any rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Digest {
    #[serde(flatten)]
    pub all: Figures,
    /// In the order in which they came.
    pub targets: Vec<Group>,
    pub suites: Vec<Group>,
    /// Those with the most rows first.
    pub tags: Vec<Group>,
    /// Tags that are left out, because there are too many.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_tags: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Takes rows.
#[derive(Default)]
pub struct Digester {
    facts: Vec<Fact>,
    targets: Names,
    suites: Names,
    tags: Names,
    /// Those of the row before, which most rows have as well.
    target_before: Name,
    suite_before: Name,
    /// Each set of tags that occurs, as places in `tags`.
    tag_sets: Vec<Vec<usize>>,
    tag_set_places: HashMap<Vec<usize>, usize>,
    /// That of the row before.
    tags_before: Option<usize>,
    spent: Spending,
    by_target: Vec<Spending>,
    by_suite: Vec<Spending>,
    by_tag: Vec<Spending>,
}

impl Digester {
    pub fn add(&mut self, row: &Row<'_>) {
        self.add_as(case_key(row), row);
    }

    /// The same, of a row whose key is known already.
    pub(crate) fn add_as(&mut self, case: CaseKey, row: &Row<'_>) {
        let target = self.targets.place_near(&row.target, &mut self.target_before) as usize;
        let suite = if row.suite.is_empty() { &row.dataset } else { &row.suite };
        let suite = self.suites.place_near(suite, &mut self.suite_before) as usize;
        let tags: Vec<usize> = row.tags.iter().map(|tag| self.tags.place(tag) as usize).collect();
        let spent = Spending::of(row);
        self.spent.add(&spent);
        add_at(&mut self.by_target, target, &spent);
        add_at(&mut self.by_suite, suite, &spent);
        for tag in &tags {
            add_at(&mut self.by_tag, *tag, &spent);
        }
        let score = row.score.filter(|_| row.status != Status::Error);
        let tags = self.tag_set(tags);
        self.facts.push(Fact {
            case,
            score: score.unwrap_or(f64::NAN),
            passed: row.status == Status::Passed,
            duration: row.duration_ms.filter(|it| it.is_finite()).unwrap_or(f64::NAN),
            target: narrow(target),
            suite: narrow(suite),
            tags: narrow(tags),
        });
    }

    /// So many rows will come in all: to make room as they come would be to copy what is there.
    pub(crate) fn expect(&mut self, rows: usize) {
        self.facts.reserve_exact(rows.saturating_sub(self.facts.len()));
    }

    /// What each row came to, in the order in which they came: its case, its score, and whether that
    /// passed; no grade for an error.
    pub(crate) fn grades(&self) -> impl Iterator<Item = (CaseKey, Option<(f64, bool)>)> {
        let grade = |fact: &Fact| fact.is_graded().then_some((fact.score, fact.passed));
        self.facts.iter().map(move |fact| (fact.case, grade(fact)))
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.facts.len()
    }

    /// Sets of tags are few, and mostly that of the row before.
    fn tag_set(&mut self, tags: Vec<usize>) -> usize {
        if let Some(place) = self.tags_before.filter(|place| self.tag_sets[*place] == tags) {
            return place;
        }
        let place = self.place_of(tags);
        self.tags_before = Some(place);
        place
    }

    fn place_of(&mut self, tags: Vec<usize>) -> usize {
        if let Some(place) = self.tag_set_places.get(&tags) {
            return *place;
        }
        let place = self.tag_sets.len();
        self.tag_sets.push(tags.clone());
        self.tag_set_places.insert(tags, place);
        place
    }

    /// The tags that are told: those with the most rows.
    fn told_tags(&self) -> Vec<usize> {
        let mut rows: Vec<(usize, u64)> = (0..self.tags.len()).map(|tag| (tag, 0)).collect();
        for tag in self.facts.iter().flat_map(|fact| self.tags_of(fact)) {
            if let Some((_, rows)) = rows.get_mut(*tag) {
                *rows += 1;
            }
        }
        rows.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
        rows.into_iter().take(MOST_GROUPS).map(|(tag, _)| tag).collect()
    }

    fn tags_of(&self, fact: &Fact) -> &[usize] {
        self.tag_sets.get(fact.tags as usize).map_or(&[], Vec::as_slice)
    }

    pub fn finish(&self) -> Digest {
        let all: Vec<&Fact> = self.facts.iter().collect();
        let tags = self.told_tags();
        let all = Figures::of(&all, Some(&self.spent), true);
        Digest {
            targets: self.groups(&self.targets, &self.by_target, |fact| fact.target, &all),
            suites: self.groups(&self.suites, &self.by_suite, |fact| fact.suite, &all),
            more_tags: self.tags.len() - tags.len(),
            tags: tags.into_iter().map(|tag| self.tag_group(tag, &all)).collect(),
            all,
        }
    }

    /// Those of some rows. Often these are all that there are: then their numbers are known.
    fn figures(&self, members: &[&Fact], spent: Option<&Spending>, all: &Figures) -> Figures {
        if members.len() == self.facts.len() {
            return Figures { spent: spent.cloned().unwrap_or_default(), ..all.clone() };
        }
        Figures::of(members, spent, all.is_repeated())
    }

    /// Groups of which every row belongs to exactly one.
    fn groups(
        &self,
        names: &Names,
        spent: &[Spending],
        of: fn(&Fact) -> u32,
        all: &Figures,
    ) -> Vec<Group> {
        let mut members: Vec<Vec<&Fact>> = vec![Vec::new(); names.len()];
        for fact in &self.facts {
            if let Some(members) = members.get_mut(of(fact) as usize) {
                members.push(fact);
            }
        }
        let told = names.all().zip(members).enumerate().map(|(place, (name, members))| Group {
            name: name.to_owned(),
            figures: self.figures(&members, spent.get(place), all),
        });
        told.collect()
    }

    fn tag_group(&self, tag: usize, all: &Figures) -> Group {
        let has_it: Vec<bool> = self.tag_sets.iter().map(|set| set.contains(&tag)).collect();
        let is_member = |fact: &&Fact| has_it.get(fact.tags as usize).copied().unwrap_or(false);
        let members: Vec<&Fact> = self.facts.iter().filter(is_member).collect();
        Group {
            name: self.tags.all().nth(tag).unwrap_or_default().to_owned(),
            figures: self.figures(&members, self.by_tag.get(tag), all),
        }
    }
}

impl Digest {
    pub fn of<'r, 'a: 'r>(rows: impl IntoIterator<Item = &'r Row<'a>>) -> Self {
        let mut digester = Digester::default();
        rows.into_iter().for_each(|row| digester.add(row));
        digester.finish()
    }
}

fn add_at(all: &mut Vec<Spending>, place: usize, spent: &Spending) {
    if all.len() <= place {
        all.resize_with(place + 1, Spending::default);
    }
    if let Some(sum) = all.get_mut(place) {
        sum.add(spent);
    }
}

/// More names than that do not fit into memory.
fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// A case asked of one target, whichever repeat it is: a hash, since names are long, and there are as
/// many as cases.
pub(crate) type CaseKey = u64;

pub(crate) fn case_key(row: &Row<'_>) -> CaseKey {
    // The same on every machine: sums are taken in the order of the keys.
    FixedState::default().hash_one((&row.suite, &row.dataset, &row.eval_id, &row.target))
}

#[cfg(test)]
mod tests;
