//! What the repeats of a run come to, over its cases: for the summary, and for `run.json`.

use serde::{Deserialize, Serialize};

use super::{
    estimators::{pass_at_k, pass_hat_k},
    mean::{MeanScore, Moments},
    proportion::{Confidence, Interval, wilson},
    repeated_case::{CaseRepeats, RepeatedCase},
    sequential::{Decision, ERROR_LEVEL},
};

/// Beyond 1 the powers of two up to here are told, and the number of repeats itself.
const LARGEST_POWER: u32 = 16;

/// Repeats in numbers. An error is no repeat that failed: it is counted, and no part of anything else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatStats {
    /// Cases that have a row; each counts once for every target that it was asked of.
    pub cases: u64,
    /// The fewest and the most rows of a case.
    pub fewest_repeats: u64,
    pub most_repeats: u64,
    pub graded: u64,
    pub errors: u64,
    /// Only where the number of repeats did not depend on what came out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimates: Option<RepeatEstimates>,
    /// With `--until-decided`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_decided: Option<DecidedStats>,
    /// Case by case, in the order of the suites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_case: Vec<CaseRepeats>,
    /// Cases that are not among them, because there are too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_cases: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatEstimates {
    /// For 1, for powers of two, and for the most repeats that a case has.
    pub pass: Vec<PassRates>,
    /// Null where nothing was graded.
    pub mean: Option<MeanScore>,
    /// The mean over cases of the share of pairs of repeats that disagree; null where no case has two.
    pub flake_rate: Option<f64>,
    /// 95 %, over those cases; unknown where there are no two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flake_rate_interval: Option<Interval>,
    /// Cases with two graded repeats or more, and those of them that did not always come to the same.
    pub compared_cases: u64,
    pub flaky_cases: u64,
}

/// The unbiased estimates for `k` repeats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassRates {
    pub k: u64,
    /// At least one of `k` passes.
    pub pass_at_k: f64,
    /// All of `k` pass.
    pub pass_hat_k: f64,
    /// Cases with at least `k` graded repeats: the estimates are means over them.
    pub cases: u64,
    /// 95 %, over those cases; of one case, for `k` = 1, over its repeats. Unknown otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_at_k_interval: Option<Interval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_hat_k_interval: Option<Interval>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecidedStats {
    pub error_level: f64,
    /// Cases whose expected score reaches their threshold, and those whose does not.
    pub reaching: u64,
    pub falling_short: u64,
    pub undecided: u64,
    /// How many graded repeats those that were decided took on average; null where none was.
    pub mean_repeats: Option<f64>,
}

impl RepeatStats {
    /// Over the cases; nothing where there is none.
    pub(crate) fn of<'c, I>(cases: I, until_decided: bool) -> Option<Self>
    where
        I: Iterator<Item = &'c RepeatedCase> + Clone,
    {
        let most_repeats = cases.clone().map(RepeatedCase::rows).max()?;
        Some(Self {
            cases: cases.clone().count() as u64,
            fewest_repeats: cases.clone().map(RepeatedCase::rows).min()?,
            most_repeats,
            graded: cases.clone().map(RepeatedCase::graded).sum(),
            errors: cases.clone().map(|case| u64::from(case.errors)).sum(),
            estimates: (!until_decided).then(|| RepeatEstimates::of(cases.clone(), most_repeats)),
            until_decided: until_decided.then(|| DecidedStats::of(cases)),
            by_case: Vec::new(),
            more_cases: 0,
        })
    }

    /// With these cases told one by one.
    pub(crate) fn with_cases(self, by_case: Vec<CaseRepeats>) -> Self {
        let more_cases = self.cases.saturating_sub(by_case.len() as u64);
        Self { by_case, more_cases, ..self }
    }
}

/// A number without its last bits, which depend on the order in which cases were settled: a run
/// that was interrupted and resumed comes to the same as one that was not.
pub(super) fn steady(value: f64) -> f64 {
    const DIGITS: f64 = 1e12;
    (value * DIGITS).round() / DIGITS
}

pub(super) fn steady_interval(interval: Interval) -> Interval {
    Interval { low: steady(interval.low), high: steady(interval.high) }
}

/// Cases do not depend on each other, and each gives a number from 0 to 1.
fn interval_of(over_cases: &Moments) -> Option<Interval> {
    over_cases.interval(Confidence::default()).map(steady_interval)
}

fn steady_mean(score: MeanScore) -> MeanScore {
    let interval = score.interval.map(steady_interval);
    MeanScore { mean: steady(score.mean), interval, ..score }
}

impl RepeatEstimates {
    fn of<'c>(cases: impl Iterator<Item = &'c RepeatedCase> + Clone, most_repeats: u64) -> Self {
        let rates = |k: u64| PassRates::of(cases.clone(), k);
        let flakes: Moments = cases.clone().filter_map(RepeatedCase::flake_rate).collect();
        let is_flaky = |case: &&RepeatedCase| case.flake_rate().is_some_and(|rate| rate > 0.0);
        Self {
            pass: sizes(most_repeats).into_iter().filter_map(rates).collect(),
            mean: MeanScore::of(cases.clone().map(|case| case.scores), Confidence::default())
                .map(steady_mean),
            flake_rate: flakes.mean().map(steady),
            flake_rate_interval: interval_of(&flakes),
            compared_cases: flakes.count(),
            flaky_cases: cases.filter(is_flaky).count() as u64,
        }
    }
}

/// 1, 2, 4, 8, 16 below the number of repeats, and that number.
fn sizes(most: u64) -> Vec<u64> {
    let powers = (0..=LARGEST_POWER.ilog2()).map(|exponent| 1 << exponent);
    powers.take_while(|power| *power < most).chain([most.max(1)]).collect()
}

impl PassRates {
    /// Nothing where no case has so many graded repeats.
    fn of<'c>(cases: impl Iterator<Item = &'c RepeatedCase>, k: u64) -> Option<Self> {
        let (mut at, mut hat) = (Moments::default(), Moments::default());
        let mut last = None;
        for case in cases {
            let (graded, passed) = (case.graded(), u64::from(case.passed));
            if let (Some(one), Some(all)) =
                (pass_at_k(graded, passed, k), pass_hat_k(graded, passed, k))
            {
                at.add(one);
                hat.add(all);
                last = Some((passed, graded));
            }
        }
        // Of one case, its repeats are what there is to count.
        let of_one = last.filter(|_| k == 1 && at.count() == 1).and_then(|(passed, graded)| {
            wilson(passed, graded, Confidence::default()).map(steady_interval)
        });
        Some(Self {
            k,
            pass_at_k: steady(at.mean()?),
            pass_hat_k: steady(hat.mean()?),
            cases: at.count(),
            pass_at_k_interval: of_one.or_else(|| interval_of(&at)),
            pass_hat_k_interval: of_one.or_else(|| interval_of(&hat)),
        })
    }
}

impl DecidedStats {
    fn of<'c>(cases: impl Iterator<Item = &'c RepeatedCase>) -> Self {
        let (mut reaching, mut falling_short, mut undecided) = (0, 0, 0);
        let mut repeats = Moments::default();
        for case in cases {
            match case.decision() {
                Some(Decision::Reaches) => reaching += 1,
                Some(Decision::FallsShort) => falling_short += 1,
                None => undecided += 1,
            }
            if let Some(after) = case.decided_after {
                repeats.add(after as f64);
            }
        }
        Self {
            error_level: ERROR_LEVEL,
            reaching,
            falling_short,
            undecided,
            mean_repeats: repeats.mean().map(steady),
        }
    }
}

#[cfg(test)]
mod tests;
