//! Whether a comparison with the baseline lets something pass, and why.

use agentv_base::excerpt;

use super::{
    CompareOptions,
    cases::Changes,
    outcome::ROUNDING,
    pair::PairComparison,
    verdict::Finding,
    words::{self, signed},
};
use crate::style::counted;

/// Cases that a reason names.
const MOST_NAMED: usize = 5;

/// What counts as a regression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// A case that passed fails, beyond its known flake rate.
    Case,
    /// The mean over all is lower, by more than the margin.
    Mean,
    /// Any comparison says worse.
    Significant,
    /// Nothing.
    None,
}

impl Gate {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Case => "case",
            Self::Mean => "mean",
            Self::Significant => "significant",
            Self::None => "none",
        }
    }
}

/// What the gate says; each is worse than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ruled {
    Passed,
    Regressed,
    /// A case with a grade in the baseline has none now: nobody knows whether it regressed.
    Unevaluated,
    /// No case of one run is in the other: nothing was compared.
    Incomparable,
}

impl Ruled {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Regressed => "failed",
            Self::Unevaluated => "not evaluated",
            Self::Incomparable => "nothing to compare",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ruling {
    pub(super) gate: Gate,
    pub(super) ruled: Ruled,
    /// Why, in sentences without full stops; never none.
    pub(super) reasons: Vec<String>,
}

impl Ruling {
    pub(super) fn of(pair: &PairComparison, options: &CompareOptions) -> Self {
        let gate = options.gate;
        let judged = match gate {
            Gate::None => (Ruled::Passed, "nothing counts as a regression".to_owned()),
            _ if pair.all.counts.matched == 0 => {
                (Ruled::Incomparable, "no case of one run is in the other".to_owned())
            }
            // Nothing was compared, so nothing can have passed.
            _ if pair.all.counts.graded == 0 => {
                (Ruled::Unevaluated, "no case has a grade in both runs".to_owned())
            }
            Gate::Case => by_case(pair),
            Gate::Mean => by_mean(pair, options.margin),
            Gate::Significant => by_significance(pair, options),
        };
        let (mut ruled, reason) = judged;
        let mut reasons = vec![reason];
        let unevaluated = &pair.cases.unevaluated;
        if gate != Gate::None && unevaluated.total > 0 {
            ruled = ruled.max(Ruled::Unevaluated);
            let cases = counted(unevaluated.total, "case has", "cases have");
            reasons.insert(
                0,
                format!(
                    "{cases} a grade in the baseline and could not be evaluated now: {}",
                    named(unevaluated)
                ),
            );
        }
        Self { gate, ruled, reasons }
    }
}

fn by_case(pair: &PairComparison) -> (Ruled, String) {
    let regressed = &pair.cases.regressed;
    if regressed.total == 0 {
        let reason = "no case that passed in the baseline fails now more often than it is known to";
        return (Ruled::Passed, reason.to_owned());
    }
    let cases = counted(regressed.total, "case that passed fails", "cases that passed fail");
    (Ruled::Regressed, format!("{cases} now: {}", named(regressed)))
}

fn by_mean(pair: &PairComparison, margin: f64) -> (Ruled, String) {
    let Some(mean) = pair.all.statistics.mean_delta else {
        return (Ruled::Passed, "no case has a grade in both runs".to_owned());
    };
    let within = if margin > 0.0 { format!(" (margin {margin})") } else { String::new() };
    if mean < -margin - ROUNDING {
        (Ruled::Regressed, format!("the mean is lower: {}{within}", signed(mean)))
    } else if mean < -ROUNDING {
        (Ruled::Passed, format!("the mean is lower within the margin: {}{within}", signed(mean)))
    } else {
        (Ruled::Passed, format!("the mean is not lower: {}{within}", signed(mean)))
    }
}

fn by_significance(pair: &PairComparison, options: &CompareOptions) -> (Ruled, String) {
    let worse: Vec<String> = pair
        .groups()
        .filter(|group| group.finding == Finding::Worse)
        .map(|group| {
            let verdict = words::verdict(group, options.cluster);
            match &group.target {
                Some(target) => format!("{}: {verdict}", excerpt(target, 80)),
                None => verdict,
            }
        })
        .collect();
    if worse.is_empty() {
        let reason = if options.margin > 0.0 {
            format!("not significantly worse by more than the margin of {}", options.margin)
        } else {
            "not significantly worse".to_owned()
        };
        return (Ruled::Passed, reason);
    }
    (Ruled::Regressed, worse.join("; "))
}

fn named(changes: &Changes) -> String {
    let shown: Vec<String> =
        changes.cases.iter().take(MOST_NAMED).map(|case| excerpt(&case.eval_id, 80)).collect();
    match changes.total.saturating_sub(MOST_NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
