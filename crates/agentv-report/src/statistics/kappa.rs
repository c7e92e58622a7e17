//! Agreement beyond what chance would give.

use serde::{Deserialize, Serialize};

use super::{
    agreement::Confusion,
    proportion::{Confidence, Interval},
};

/// A variance below this is one of 0, but for rounding.
const NO_VARIANCE: f64 = 1e-15;

/// Cohen's kappa: 1 is agreement throughout, 0 is what chance would give, below 0 is worse.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kappa {
    pub value: f64,
    /// For many labels (Fleiss, Cohen and Everitt 1969).
    pub standard_error: f64,
    /// Unknown where the standard error is 0: agreement throughout, or throughout none, says
    /// nothing about how sure it is.
    pub interval: Option<Interval>,
}

/// Nothing where chance alone would agree always: both sides said the same of everything, so there
/// is nothing beyond chance to be had; and where there is nothing at all.
pub fn cohen_kappa(table: &Confusion, confidence: Confidence) -> Option<Kappa> {
    let n = table.total();
    if n == 0 {
        return None;
    }
    let n = n as f64;
    let (both_pass, both_fail) = (table.true_pass as f64 / n, table.true_fail as f64 / n);
    let (only_people, only_judge) = (table.false_fail as f64 / n, table.false_pass as f64 / n);
    // The shares of passes and of fails.
    let people = [both_pass + only_people, only_judge + both_fail];
    let judge = [both_pass + only_judge, only_people + both_fail];
    let observed = both_pass + both_fail;
    let by_chance = people[0] * judge[0] + people[1] * judge[1];
    // Counted, not computed: rounding must not make a kappa out of nothing.
    if table.all_pass() || table.all_fail() {
        return None;
    }
    let beyond = 1.0 - by_chance;
    let value = (observed - by_chance) / beyond;
    let missing = 1.0 - value;
    let agreed = |cell: f64, margins: f64| cell * (1.0 - margins * missing).powi(2);
    let on_diagonal =
        agreed(both_pass, people[0] + judge[0]) + agreed(both_fail, people[1] + judge[1]);
    let off_diagonal = missing.powi(2)
        * (only_people * (judge[0] + people[1]).powi(2)
            + only_judge * (judge[1] + people[0]).powi(2));
    let expected = (value - by_chance * missing).powi(2);
    let variance = (on_diagonal + off_diagonal - expected) / (beyond * beyond * n);
    let standard_error = if variance < NO_VARIANCE { 0.0 } else { variance.sqrt() };
    let interval = (standard_error > 0.0).then(|| {
        let reach = confidence.reach() * standard_error;
        Interval { low: (value - reach).max(-1.0), high: (value + reach).min(1.0) }
    });
    Some(Kappa { value, standard_error, interval })
}
