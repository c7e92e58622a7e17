//! When a case has regressed: it passed, and fails more often now than its flakiness explains.

use statrs::function::beta::checked_beta_reg;

use super::verdict::LEVEL;

/// One in twenty computed is one in twenty.
const ROUNDING: f64 = 1e-12;

/// Of one case: graded and failed repeats in both runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseCounts {
    pub graded1: u32,
    pub failed1: u32,
    pub graded2: u32,
    pub failed2: u32,
}

/// Whether more than half of its graded repeats passed before, and as many failures as now, or more,
/// come about at most once in twenty times if it fails as often as it did. One that never failed may
/// not fail.
pub fn has_regressed(counts: CaseCounts) -> bool {
    let CaseCounts { graded1, failed1, graded2, failed2 } = counts;
    let passed = u64::from(failed1) * 2 < u64::from(graded1);
    if !passed || failed2 == 0 || graded2 == 0 {
        return false;
    }
    at_least(failed2.min(graded2), graded2, f64::from(failed1) / f64::from(graded1))
        <= LEVEL + ROUNDING
}

/// P(X ≥ count) of so many tries that each fail with this probability.
fn at_least(count: u32, of: u32, rate: f64) -> f64 {
    if count == 0 || rate >= 1.0 {
        return 1.0;
    }
    if rate <= 0.0 {
        return 0.0;
    }
    checked_beta_reg(f64::from(count), f64::from(of - count) + 1.0, rate).unwrap_or(1.0)
}

#[cfg(test)]
mod tests;
