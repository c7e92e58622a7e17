//! Planned cases without a row, by the reason for it.

use agentv_base::{SkipReason, SkippedCase, excerpt};

use super::{CaseName, LONGEST_TEXT};
use crate::record::RunManifest;

/// How many cases are named for each reason.
const MOST_NAMES: usize = 5;

/// A reason can name any case of a suite; beyond so many they are told as one.
const MOST_REASONS: usize = 20;
const OTHERS: &str = "other reasons";

#[derive(Default)]
pub(super) struct NotRun {
    reasons: Vec<Reason>,
    /// Repeats that were not needed: no case is missing.
    decided: usize,
    /// Whether any of them is a second repeat or a later one.
    is_repeated: bool,
}

struct Reason {
    words: String,
    cases: usize,
    names: Vec<CaseName>,
}

impl NotRun {
    pub(super) fn add(&mut self, skipped: &SkippedCase) {
        self.is_repeated |= skipped.repeat > 1;
        if skipped.reason == SkipReason::Decided {
            self.decided += 1;
            return;
        }
        let on = match &skipped.reason {
            SkipReason::Dependency { on } => Some(&**on),
            SkipReason::Budget
            | SkipReason::Deadline
            | SkipReason::FailFast
            | SkipReason::Decided => None,
        };
        let name = CaseName::new(skipped.case.id(), skipped.repeat, &skipped.target);
        self.count(words(skipped.reason.name(), on), 1, Some(name));
    }

    /// What `run.json` says of it. It names only some of the cases, and counts all.
    pub(super) fn read(&mut self, manifest: &RunManifest) {
        self.decided += manifest.counts.decided;
        self.is_repeated |= manifest.counts.decided > 0;
        for skipped in &manifest.skipped {
            self.is_repeated |= skipped.repeat > 1;
            let name = CaseName::new(&skipped.eval_id, skipped.repeat, &skipped.target);
            let words = words(&skipped.reason, skipped.depends_on.as_deref());
            self.count(words, 1, Some(name));
        }
        for (name, count) in &manifest.counts.skipped {
            let named = manifest.skipped.iter().filter(|skipped| skipped.reason == *name).count();
            if let Some(unnamed @ 1..) = count.checked_sub(named) {
                self.count(words(name, None), unnamed, None);
            }
        }
    }

    fn count(&mut self, words: String, cases: usize, name: Option<CaseName>) {
        let known = |words: &str| self.reasons.iter().position(|reason| reason.words == words);
        let (words, place) = match known(&words) {
            None if self.reasons.len() >= MOST_REASONS => (OTHERS.to_owned(), known(OTHERS)),
            place => (words, place),
        };
        match place.and_then(|place| self.reasons.get_mut(place)) {
            Some(reason) => {
                reason.cases += cases;
                if reason.names.len() < MOST_NAMES {
                    reason.names.extend(name);
                }
            }
            None => self.reasons.push(Reason { words, cases, names: name.into_iter().collect() }),
        }
    }

    pub(super) fn decided(&self) -> usize {
        self.decided
    }

    pub(super) fn is_repeated(&self) -> bool {
        self.is_repeated
    }

    pub(super) fn skipped(&self) -> usize {
        self.reasons.iter().map(|reason| reason.cases).sum()
    }

    /// A line for each reason, the one of the most cases first; none where nothing was skipped.
    /// `waiting` is how many were not begun at all: where that is more, the run was stopped.
    pub(super) fn told(&self, waiting: usize, is_repeated: bool) -> Vec<String> {
        let mut reasons: Vec<&Reason> = self.reasons.iter().collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.cases));
        let mut lines: Vec<String> = reasons.into_iter().map(|it| it.told(is_repeated)).collect();
        let stopped = waiting.saturating_sub(self.skipped());
        if stopped > 0 && !lines.is_empty() {
            lines.push(format!("{stopped} (the run was stopped)"));
        }
        lines
    }
}

impl Reason {
    fn told(&self, is_repeated: bool) -> String {
        let Self { words, cases, names } = self;
        let names: Vec<String> = names.iter().map(|name| name.told(is_repeated)).collect();
        let more = match cases - names.len() {
            0 => String::new(),
            more if names.is_empty() => return format!("{more} ({words})"),
            more => format!(" and {more} more"),
        };
        format!("{cases} ({words}): {}{more}", names.join(", "))
    }
}

/// A reason by its name in `run.json`, for people.
fn words(name: &str, on: Option<&str>) -> String {
    match (name, on) {
        ("dependency", Some(on)) => format!("depends on `{}`", excerpt(on, LONGEST_TEXT)),
        ("dependency", None) => "depends on another case".to_owned(),
        ("fail_fast", _) => "--fail-fast".to_owned(),
        (name, _) => excerpt(name, LONGEST_TEXT),
    }
}

#[cfg(test)]
mod tests;
