//! The judges of a run: how many scores each gave, and how well it is known to agree with people.

use std::collections::HashMap;

use agentv_base::{CalibrationNote, GraderResult, excerpt};

use super::LONGEST_TEXT;
use crate::{
    record::Row,
    statistics::{Confidence, Interval, wilson},
    style::counted,
};

/// More judges than anybody reads of; the rest is counted.
pub(super) const MOST_JUDGES: usize = 20;

/// Far more than a suite has; beyond them scores are not told apart any more.
const MOST_KNOWN: usize = 1000;

#[derive(Default)]
pub(super) struct Judges {
    judges: Vec<SummedJudge>,
    /// By grader and target.
    places: HashMap<(String, String), Vec<usize>>,
}

pub(super) struct SummedJudge {
    grader: String,
    target: String,
    fingerprint: String,
    scores: usize,
    errors: usize,
    calibration: Option<CalibrationNote>,
}

impl Judges {
    pub(super) fn add(&mut self, row: &Row<'_>) {
        self.add_all(row.evaluator_results.as_deref().unwrap_or_default());
    }

    /// Also those inside of composites, whose results stand below.
    fn add_all(&mut self, results: &[GraderResult]) {
        for result in results {
            self.add_one(result);
            self.add_all(&result.evaluator_results);
        }
    }

    /// One name may stand for several judges, of different suites and cases: they are told one by
    /// one, and so is one judge of which different things hold, as with two thresholds.
    fn add_one(&mut self, result: &GraderResult) {
        let Some(record) = &result.judge else { return };
        let key = (result.name.to_string(), record.target.clone());
        let places = self.places.entry(key).or_default();
        let known = |place: &&usize| {
            let judge = self.judges.get(**place);
            judge.is_some_and(|judge| {
                judge.fingerprint == record.fingerprint && judge.calibration == record.calibration
            })
        };
        let place = match places.iter().find(known) {
            Some(place) => *place,
            None if self.judges.len() >= MOST_KNOWN => return,
            None => {
                places.push(self.judges.len());
                self.judges.push(SummedJudge {
                    grader: excerpt(&result.name, LONGEST_TEXT),
                    target: excerpt(&record.target, LONGEST_TEXT),
                    fingerprint: record.fingerprint.clone(),
                    scores: 0,
                    errors: 0,
                    calibration: record.calibration.clone(),
                });
                self.judges.len() - 1
            }
        };
        let Some(judge) = self.judges.get_mut(place) else { return };
        match result.score {
            Some(_) => judge.scores += 1,
            None => judge.errors += 1,
        }
    }

    pub(super) fn all(&self) -> &[SummedJudge] {
        &self.judges
    }
}

impl SummedJudge {
    pub(super) fn told(&self) -> String {
        let scores = counted(self.scores, "score", "scores");
        let errors = match self.errors {
            0 => String::new(),
            errors => format!(", {}", counted(errors, "error", "errors")),
        };
        let worth = self.calibration.as_ref().map_or("not calibrated".to_owned(), worth);
        format!("{} ({}): {scores}{errors}; {worth}", self.grader, self.target)
    }
}

/// How well a judge agrees with people, in a few words.
fn worth(note: &CalibrationNote) -> String {
    let kappa = match note.kappa {
        Some(kappa) => format!(" (κ {kappa:.2})"),
        None => String::new(),
    };
    let share = note.accuracy * 100.0;
    let interval = match agreement(note) {
        Some(Interval { low, high }) => format!(" [{:.0}–{:.0} %]", low * 100.0, high * 100.0),
        None => String::new(),
    };
    let labels = usize::try_from(note.labels).unwrap_or(usize::MAX);
    let labels = counted(labels, "label", "labels");
    let otherwise = match note.passes_here_from {
        Some(here) => {
            let then: Vec<String> = note.pass_from.iter().map(ToString::to_string).collect();
            format!(", measured with another threshold ({}; here {here})", then.join(", "))
        }
        None => String::new(),
    };
    let failed = match note.errors.map_or(0, |errors| usize::try_from(errors).unwrap_or(usize::MAX))
    {
        0 => String::new(),
        errors => format!(", {} then", counted(errors, "error", "errors")),
    };
    format!("agrees with people on {share:.0} %{interval} of {labels}{kappa}{failed}{otherwise}")
}

/// The 95 % interval of the share of labels that the judge agreed with.
fn agreement(note: &CalibrationNote) -> Option<Interval> {
    let labels = note.labels;
    if !(0.0..=1.0).contains(&note.accuracy) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count is neither negative nor larger than the count"
    )]
    let agreed = (note.accuracy * labels as f64).round() as u64;
    wilson(agreed, labels, Confidence::default())
}
