//! Whether a judge says the same when it is asked the same again.

use serde::{Deserialize, Serialize};

use super::proportion::{Confidence, Proportion};

/// How far a judge agrees with itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfConsistency {
    /// How often it was asked about each answer.
    pub repeats: u64,
    /// Of all answers, those of which it said the same each time.
    pub unanimous: Proportion,
    /// Of all pairs of two judgements of one answer, the share in which both are the same.
    pub pairwise_agreement: f64,
    /// Fleiss' kappa over the repeats; null where chance alone would agree always.
    pub fleiss_kappa: Option<f64>,
}

impl SelfConsistency {
    /// Of answers with how often each was passed, among so many repeats. Nothing where nothing was
    /// repeated, or there is no answer.
    pub fn of(passes: &[u64], repeats: u64, confidence: Confidence) -> Option<Self> {
        if repeats < 2 || passes.is_empty() || passes.iter().any(|passed| *passed > repeats) {
            return None;
        }
        let unanimous = passes.iter().filter(|passed| **passed == 0 || **passed == repeats).count();
        Some(Self {
            repeats,
            unanimous: Proportion::new(unanimous as u64, passes.len() as u64, confidence),
            pairwise_agreement: pairwise(passes, repeats),
            fleiss_kappa: fleiss_kappa(passes, repeats),
        })
    }
}

/// The mean over the answers of the share of pairs that agree.
fn pairwise(passes: &[u64], repeats: u64) -> f64 {
    let pairs = |of: u64| (of as f64) * (of as f64 - 1.0);
    let agreeing: f64 = passes.iter().map(|passed| pairs(*passed) + pairs(repeats - passed)).sum();
    agreeing / (pairs(repeats) * passes.len() as f64)
}

/// Fleiss' kappa with a pass and a fail as categories: each number is how many of the repeats
/// passed one answer.
pub fn fleiss_kappa(passes: &[u64], repeats: u64) -> Option<f64> {
    let judgements = repeats * passes.len() as u64;
    let positive: u64 = passes.iter().sum();
    if repeats < 2 || positive == 0 || positive >= judgements {
        return None;
    }
    let share = positive as f64 / judgements as f64;
    let by_chance = share * share + (1.0 - share) * (1.0 - share);
    Some((pairwise(passes, repeats) - by_chance) / (1.0 - by_chance))
}
