//! Cases that failed, what they missed, and what was expected of them. Of a case that is repeated the
//! first repeat that failed speaks for all, so that one case does not take the room of the others.

use std::collections::BTreeMap;

use agentv_base::{GraderResult, Verdict, excerpt};

use super::{CaseName, LONGEST_TEXT, MOST_TOLD, difference::Difference, place::Place};
use crate::{digest::CaseKey, record::Row, style::counted};

/// How many of a case's misses are told.
const MOST_MISSES: usize = 4;

/// How many lines of a miss are told.
const MOST_LINES: usize = 10;

/// As many as are ever told: the first in the order of the suites, whatever came first.
#[derive(Default)]
pub(super) struct Failures {
    cases: BTreeMap<(Place, u32), FailedCase>,
}

pub(super) struct FailedCase {
    pub(super) key: CaseKey,
    pub(super) name: CaseName,
    pub(super) score: f64,
    /// Each in lines.
    pub(super) misses: Vec<Vec<String>>,
    pub(super) more_misses: usize,
    /// Nothing where nothing was expected.
    pub(super) difference: Option<Difference>,
}

impl Failures {
    /// `is_repeated`: another repeat of the case may be among them.
    pub(super) fn add(&mut self, key: CaseKey, row: &Row<'_>, score: f64, is_repeated: bool) {
        if self.cases.len() >= MOST_TOLD
            && let Some(((last, repeat), _)) = self.cases.last_key_value()
            && (last.is_before(row) || (last.is_at(row) && *repeat <= row.repeat))
        {
            return;
        }
        if is_repeated && !self.make_way(key, row.repeat) {
            return;
        }
        self.cases.insert((Place::of(row), row.repeat), FailedCase::of(key, row, score));
        if self.cases.len() > MOST_TOLD {
            self.cases.pop_last();
        }
    }

    /// Whether this repeat is to speak for its case; a later one that does is taken out.
    fn make_way(&mut self, key: CaseKey, repeat: u32) -> bool {
        let known = self.cases.iter().find(|(_, case)| case.key == key);
        let Some(known) = known.map(|(place, _)| place.clone()) else { return true };
        if known.1 <= repeat {
            return false;
        }
        self.cases.remove(&known);
        true
    }

    /// In the order of the suites.
    pub(super) fn all(&self) -> impl ExactSizeIterator<Item = (&Place, &FailedCase)> {
        self.cases.iter().map(|((place, _), case)| (place, case))
    }
}

impl FailedCase {
    /// Graders that say nothing of their own speak by their score, and by their reasons where they
    /// gave some; a required one always does, because it can fail a case in spite of its mean.
    fn of(key: CaseKey, row: &Row<'_>, score: f64) -> Self {
        let graders = row.evaluator_results.as_deref().unwrap_or_default();
        let below = graders.iter().filter_map(|grader| {
            let scored = grader.score.filter(|_| grader.verdict != Some(Verdict::Pass))?;
            let name = excerpt(&grader.name, LONGEST_TEXT);
            let silent = grader.misses.is_empty();
            let reason =
                grader.reasoning.as_deref().filter(|_| silent).map_or_else(String::new, reason);
            match grader.required_score {
                Some(needed) => Some(format!(
                    "`{name}` scored {scored:.2} and is required to reach {needed:.2}{reason}"
                )),
                None => silent.then(|| format!("`{name}` scored {scored:.2}{reason}")),
            }
        });
        let misses: Vec<Vec<String>> = match graders {
            [] | [_] => row.misses.iter().map(|miss| lines_of(miss)).collect(),
            several => misses_by_name(several),
        };
        let mut reasons = below.map(|below| vec![below]).chain(misses);
        Self {
            key,
            name: CaseName::of(row),
            score,
            misses: reasons.by_ref().take(MOST_MISSES).collect(),
            more_misses: reasons.count(),
            difference: Difference::of(row),
        }
    }
}

/// Why, on the same line as the score.
fn reason(reasoning: &str) -> String {
    let words: Vec<&str> = reasoning.split_whitespace().collect();
    if words.is_empty() {
        String::new()
    } else {
        format!(": {}", excerpt(&words.join(" "), LONGEST_TEXT))
    }
}

/// What several graders missed, each with its name; first those that did not pass.
fn misses_by_name(graders: &[GraderResult]) -> Vec<Vec<String>> {
    let (passed, others): (Vec<_>, Vec<_>) =
        graders.iter().partition(|grader| grader.verdict == Some(Verdict::Pass));
    let named = |grader: &GraderResult, miss: &String| {
        let weightless = if grader.weight > 0.0 { "" } else { " (weight 0)" };
        lines_of(&format!("{}{weightless}: {miss}", grader.name))
    };
    let graders = others.into_iter().chain(passed);
    graders.flat_map(|grader| grader.misses.iter().map(|miss| named(grader, miss))).collect()
}

/// The lines of a miss, which may show calls side by side; each of them cut as a text of one line.
fn lines_of(miss: &str) -> Vec<String> {
    let mut all = miss.lines();
    let mut lines: Vec<String> =
        all.by_ref().take(MOST_LINES).map(|line| excerpt(line, LONGEST_TEXT)).collect();
    if lines.is_empty() {
        lines.push(String::new());
    }
    let more = all.count();
    if more > 0 {
        lines.push(format!("  … ({})", counted(more, "more line", "more lines")));
    }
    lines
}
