//! One case that is asked again and again: what is gathered of it, and what is told.

use serde::{Deserialize, Serialize};

use super::{
    estimators::flake_rate,
    mean::Moments,
    proportion::{Confidence, Interval},
    repeats::{steady, steady_interval},
    sequential::{Decision, Wager},
};

/// A case asked of one target, so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct RepeatedCase {
    pub(crate) passed: u32,
    pub(crate) errors: u32,
    /// Of the scores of the repeats that were graded.
    pub(crate) scores: Moments,
    /// Where repeats end as soon as the case is decided.
    pub(crate) wager: Option<Box<Wager>>,
    /// How many scores there were when it was decided.
    pub(crate) decided_after: Option<u64>,
}

impl RepeatedCase {
    pub(crate) fn grade(&mut self, score: f64, passed: bool) {
        self.scores.add(score);
        self.passed += u32::from(passed);
        if let Some(wager) = &mut self.wager
            && wager.decision().is_none()
            && wager.add(score).is_some()
        {
            self.decided_after = Some(self.scores.count());
        }
    }

    pub(crate) fn graded(&self) -> u64 {
        self.scores.count()
    }

    pub(crate) fn rows(&self) -> u64 {
        self.graded() + u64::from(self.errors)
    }

    pub(crate) fn flake_rate(&self) -> Option<f64> {
        flake_rate(self.graded(), u64::from(self.passed))
    }

    pub(crate) fn decision(&self) -> Option<Decision> {
        self.wager.as_ref().and_then(|wager| wager.decision())
    }
}

/// A case asked of one target, in numbers. An error is no part of any of them but its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseRepeats {
    pub suite: String,
    pub eval_id: String,
    pub target: String,
    pub graded: u64,
    pub errors: u64,
    pub passed: u64,
    /// Of the scores; null where nothing was graded.
    pub mean: Option<f64>,
    /// Of the mean, over the repeats. As the flake rate, it is there only where the number of
    /// repeats did not depend on what came out, and there are two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flake_rate: Option<f64>,
    /// With `--until-decided`, where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decision>,
}

impl CaseRepeats {
    pub(crate) fn of(
        [suite, eval_id, target]: [&str; 3],
        case: &RepeatedCase,
        until_decided: bool,
    ) -> Self {
        let interval = case.scores.interval(Confidence::default());
        Self {
            suite: suite.to_owned(),
            eval_id: eval_id.to_owned(),
            target: target.to_owned(),
            graded: case.graded(),
            errors: u64::from(case.errors),
            passed: u64::from(case.passed),
            mean: case.scores.mean().map(steady),
            interval: interval.filter(|_| !until_decided).map(steady_interval),
            flake_rate: case.flake_rate().filter(|_| !until_decided).map(steady),
            decided: case.decision(),
        }
    }
}
