//! Errors that are one and the same, told once: a batch that fails takes thousands of cases with
//! it, and they all say so in the same words.

use std::collections::{BTreeMap, HashMap};

use agentv_base::{FailureKind, excerpt, excerpt_ends};

use super::{CaseName, LONGEST_TEXT};
use crate::{likeness::likeness, record::Row};

/// More kinds than anybody reads; beyond them errors are counted only.
const MOST_GROUPS: usize = 1000;

/// More than there are, and a newer version may know others.
const MOST_KINDS: usize = 100;

/// Classes, and kinds of each, that are told before the rest is only counted.
const MOST_NAMED: usize = 6;

/// Of a longer message the first line and the last ones are told: what a program says before it
/// fails ends with the reason.
const MOST_LINES: usize = 12;

#[derive(Default)]
pub(super) struct ErrorGroups {
    groups: Vec<ErrorGroup>,
    /// By target, kind and message.
    places: HashMap<(String, String, String), usize>,
    /// Cases that are in no group, because there were too many.
    ungrouped: usize,
    /// How many of each class and kind.
    kinds: BTreeMap<(String, String), usize>,
}

pub(super) struct ErrorGroup {
    pub(super) kind: String,
    /// Its lines, each harmless for a screen.
    pub(super) message: Vec<String>,
    pub(super) cases: usize,
    pub(super) first: CaseName,
}

impl ErrorGroups {
    pub(super) fn add(&mut self, row: &Row<'_>) {
        let kind = row.error_kind.as_deref().unwrap_or("error");
        let message = row.error.as_deref().unwrap_or("no reason was recorded");
        let class = row.error_class.as_deref().or_else(|| class_of(kind)).unwrap_or("unknown");
        let counted = (class.to_owned(), kind.to_owned());
        let is_told = self.kinds.len() < MOST_KINDS || self.kinds.contains_key(&counted);
        let counted = if is_told { counted } else { ("other".to_owned(), "other".to_owned()) };
        *self.kinds.entry(counted).or_default() += 1;
        let key = (row.target.clone().into_owned(), kind.to_owned(), likeness(message));
        if let Some(group) = self.places.get(&key).and_then(|place| self.groups.get_mut(*place)) {
            group.cases += 1;
        } else if self.groups.len() < MOST_GROUPS {
            self.places.insert(key, self.groups.len());
            self.groups.push(ErrorGroup {
                kind: excerpt(kind, LONGEST_TEXT),
                message: lines_of(message),
                cases: 1,
                first: CaseName::of(row),
            });
        } else {
            self.ungrouped += 1;
        }
    }

    /// `infrastructure: 2 timeout, 1 connection; configuration: 1 refused`: classes with the most errors
    /// first, and so their kinds.
    pub(super) fn told_kinds(&self) -> String {
        let mut classes: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
        for ((class, kind), count) in &self.kinds {
            classes.entry(class).or_default().push((*count, kind));
        }
        let sum = |kinds: &[(usize, &str)]| kinds.iter().map(|(count, _)| count).sum::<usize>();
        let mut classes: Vec<(&str, Vec<(usize, &str)>)> = classes.into_iter().collect();
        classes.sort_by_key(|(_, kinds)| std::cmp::Reverse(sum(kinds)));
        let told = classes.iter_mut().take(MOST_NAMED).map(|(class, kinds)| {
            kinds.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
            let (named, others) = kinds.split_at(kinds.len().min(MOST_NAMED));
            let mut told: Vec<String> = named
                .iter()
                .map(|(count, kind)| format!("{count} {}", excerpt(kind, 60)))
                .collect();
            if !others.is_empty() {
                told.push(format!("{} of other kinds", sum(others)));
            }
            format!("{}: {}", excerpt(class, 60), told.join(", "))
        });
        let mut told: Vec<String> = told.collect();
        let others: usize = classes.iter().skip(MOST_NAMED).map(|(_, kinds)| sum(kinds)).sum();
        if others > 0 {
            told.push(format!("{others} of other classes"));
        }
        told.join("; ")
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The groups with the most cases first; among equals, the one that was met first.
    pub(super) fn largest(&self, most: usize) -> Vec<&ErrorGroup> {
        let mut groups: Vec<&ErrorGroup> = self.groups.iter().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.cases));
        groups.truncate(most);
        groups
    }
}

/// For rows of versions that did not write it down.
fn class_of(kind: &str) -> Option<&'static str> {
    FailureKind::named(kind).map(|kind| kind.class().name())
}

fn lines_of(message: &str) -> Vec<String> {
    let lines: Vec<&str> =
        message.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return vec![String::new()];
    }
    let told = |lines: &[&str]| -> Vec<String> {
        lines.iter().map(|line| excerpt_ends(line, LONGEST_TEXT)).collect()
    };
    if lines.len() <= MOST_LINES {
        return told(&lines);
    }
    let (start, rest) = lines.split_at(1);
    let (_, end) = rest.split_at(rest.len() - (MOST_LINES - 2));
    [told(start), vec!["…".to_owned()], told(end)].concat()
}
