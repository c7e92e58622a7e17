//! What became of each case: all of its repeats in both runs, whether they match one by one or not,
//! because how often a case fails by itself is known from all of them.

use serde::Serialize;

use super::{
    CompareOptions,
    gate::{CaseCounts, has_regressed},
    matching::Pairing,
    outcome::{Outcome, clean},
    side::{Fact, Side},
};
use crate::names::Names;

/// Cases of a kind that are kept by name; the others are counted.
const MOST_KEPT: usize = 10_000;

/// A case in two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct CaseChange {
    pub(super) eval_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) dataset: String,
    /// Where rows are of several targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target: Option<String>,
    /// Where the case stands, as `suite:line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<String>,
    /// The mean of its graded repeats.
    pub(super) score1: Option<f64>,
    pub(super) score2: Option<f64>,
    pub(super) delta: Option<f64>,
    pub(super) graded1: u32,
    pub(super) failed1: u32,
    pub(super) graded2: u32,
    pub(super) failed2: u32,
    pub(super) errors2: u32,
}

impl CaseChange {
    pub(super) fn is_repeated(&self) -> bool {
        self.graded1 > 1 || self.graded2 + self.errors2 > 1
    }
}

/// Cases of one kind, the worst or the best first.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    pub(super) cases: Vec<CaseChange>,
    pub(super) total: usize,
}

/// Every case that both runs have, by what became of it; each is of one kind, but for those that are
/// newly flaky, which can be of any besides.
#[derive(Clone, Debug, Default)]
pub(super) struct Cases {
    /// Passed, and fails now beyond its flake rate.
    pub(super) regressed: Changes,
    /// Has a grade in the baseline, and not now.
    pub(super) unevaluated: Changes,
    /// The opposite of regressed.
    pub(super) improved: Changes,
    pub(super) lost: Changes,
    pub(super) won: Changes,
    pub(super) tied: Changes,
    /// Has no grade in the baseline, so that nothing is known of a difference.
    pub(super) ungraded: Changes,
    /// All repeats said the same before, and do not now; without those that regressed.
    pub(super) newly_flaky: Changes,
    /// Cases that both runs have.
    pub(super) total: usize,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    graded: u32,
    failed: u32,
    errors: u32,
    sum: f64,
    /// The row that says where it stands, from 1.
    row: u32,
}

impl Tally {
    fn add(&mut self, row: u32, fact: &Fact) {
        self.row = row;
        match fact.score() {
            Some(score) => {
                self.graded += 1;
                self.failed += u32::from(!fact.passed());
                self.sum += score;
            }
            None => self.errors += 1,
        }
    }

    fn mean(&self) -> Option<f64> {
        (self.graded > 0).then(|| clean(self.sum / f64::from(self.graded)))
    }

    fn is_flaky(&self) -> bool {
        self.failed > 0 && self.failed < self.graded
    }
}

#[derive(Clone, Copy, Default)]
struct Both {
    first: Tally,
    second: Tally,
    /// A repeat that had a grade has none now.
    lost_grade: bool,
}

impl Both {
    fn delta(&self) -> Option<f64> {
        Some(clean(self.second.mean()? - self.first.mean()?))
    }

    fn counts(&self) -> CaseCounts {
        CaseCounts {
            graded1: self.first.graded,
            failed1: self.first.failed,
            graded2: self.second.graded,
            failed2: self.second.failed,
        }
    }

    fn swapped(&self) -> CaseCounts {
        Self { first: self.second, second: self.first, lost_grade: false }.counts()
    }

    fn is_unevaluated(&self) -> bool {
        self.lost_grade
            || (self.first.graded > 0 && self.second.graded == 0 && self.second.errors > 0)
    }

    fn is_newly_flaky(&self) -> bool {
        self.first.graded > 1 && !self.first.is_flaky() && self.second.is_flaky()
    }
}

impl Cases {
    pub(super) fn of(
        pairing: &Pairing,
        (first, second): (&Side, &Side),
        names: &Names,
        options: &CompareOptions,
    ) -> Self {
        let cases = tallied(pairing, first, second);
        let mut kinds: [Vec<usize>; 8] = Default::default();
        let mut total = 0;
        for (place, case) in cases.iter().enumerate() {
            if case.first.row == 0 || case.second.row == 0 {
                continue;
            }
            total += 1;
            let outcome = Outcome::of(case.first.mean(), case.second.mean(), options.min_delta);
            let kind = if has_regressed(case.counts()) {
                0
            } else if case.is_unevaluated() {
                1
            } else if has_regressed(case.swapped()) {
                2
            } else {
                match outcome {
                    Outcome::Loss => 3,
                    Outcome::Win => 4,
                    Outcome::Tie => 5,
                    Outcome::Error => 7,
                }
            };
            if let Some(kind) = kinds.get_mut(kind) {
                kind.push(place);
            }
            if kind != 0 && case.is_newly_flaky() {
                kinds[6].push(place);
            }
        }
        let told = Told { pairing, first, second, names, cases: &cases };
        let [regressed, unevaluated, improved, lost, won, tied, newly_flaky, ungraded] = kinds;
        Self {
            regressed: told.changes(regressed, 1.0),
            unevaluated: told.changes(unevaluated, 0.0),
            improved: told.changes(improved, -1.0),
            lost: told.changes(lost, 1.0),
            won: told.changes(won, -1.0),
            tied: told.changes(tied, 0.0),
            ungraded: told.changes(ungraded, 0.0),
            newly_flaky: told.changes(newly_flaky, 1.0),
            total,
        }
    }
}

/// What became of each case, at the place of its first row in the first run.
fn tallied(pairing: &Pairing, first: &Side, second: &Side) -> Vec<Both> {
    let mut cases: Vec<Both> = vec![Both::default(); first.facts.len()];
    let [in_first, in_second] = pairing.cases();
    for ((row, fact), case) in (1..).zip(&first.facts).zip(in_first) {
        if let Some(case) = case.and_then(|case| cases.get_mut(case)) {
            case.first.add(row, fact);
        }
    }
    for ((row, fact), case) in (1..).zip(&second.facts).zip(in_second) {
        if let Some(case) = case.and_then(|case| cases.get_mut(case)) {
            case.second.add(row, fact);
        }
    }
    let [in_first, _] = pairing.cases();
    for ((fact, partner), case) in first.facts.iter().zip(pairing.partners(second)).zip(in_first) {
        let has_lost = fact.score().is_some() && partner.is_some_and(|it| it.score().is_none());
        if let Some(case) = case.filter(|_| has_lost).and_then(|case| cases.get_mut(case)) {
            case.lost_grade = true;
        }
    }
    cases
}

/// What names cases.
struct Told<'a> {
    pairing: &'a Pairing,
    first: &'a Side,
    second: &'a Side,
    names: &'a Names,
    cases: &'a [Both],
}

impl Told<'_> {
    /// By their difference, upwards or downwards, else in the order of the suites.
    fn changes(&self, mut places: Vec<usize>, direction: f64) -> Changes {
        let delta = |place: &usize| {
            let delta = self.cases.get(*place).and_then(Both::delta);
            delta.unwrap_or(0.0) * direction
        };
        if direction != 0.0 {
            places.sort_by(|one, other| delta(one).total_cmp(&delta(other)));
        }
        let total = places.len();
        places.truncate(MOST_KEPT);
        let cases = places.iter().filter_map(|place| self.change(self.cases.get(*place)?));
        Changes { cases: cases.collect(), total }
    }

    fn change(&self, case: &Both) -> Option<CaseChange> {
        let fact = |side: &Side, tally: Tally| {
            side.facts.get((tally.row as usize).checked_sub(1)?).copied()
        };
        let (first, second) = (fact(self.first, case.first)?, fact(self.second, case.second)?);
        // Where the case stands now is where somebody will look.
        let placed = [&second, &first].into_iter().find(|fact| fact.line > 0 && fact.file != 0);
        let place = placed.map(|fact| format!("{}:{}", self.names.get(fact.file), fact.line));
        let dataset = if first.dataset == 0 { second.dataset } else { first.dataset };
        let by_target = self.pairing.naming.by_target;
        Some(CaseChange {
            eval_id: self.names.get(first.id).to_owned(),
            dataset: self.names.get(dataset).to_owned(),
            target: by_target.then(|| self.names.get(first.target).to_owned()),
            place,
            score1: case.first.mean(),
            score2: case.second.mean(),
            delta: case.delta(),
            graded1: case.first.graded,
            failed1: case.first.failed,
            graded2: case.second.graded,
            failed2: case.second.failed,
            errors2: case.second.errors,
        })
    }
}
