//! Numbers about agreement, about repeats and about paired runs, and how sure one can be of them. Pure functions of
//! counts and scores: what was counted, and what is said of it, is not known here.
//!
//! Every number is compared with those of published libraries (`tests/vectors/*.py`). Formulas stand
//! in `docs/calibration.md`, `docs/repeats.md` and `docs/statistics.md`.

mod agreement;
mod consistency;
mod estimators;
mod kappa;
mod mean;
mod paired;
mod proportion;
mod repeated_case;
mod repeats;
mod sequential;

pub use agreement::{Agreement, Bias, Confusion};
pub use consistency::{SelfConsistency, fleiss_kappa};
pub use estimators::{flake_rate, pass_at_k, pass_hat_k};
pub use kappa::{Kappa, cohen_kappa};
pub use mean::MeanScore;
pub(crate) use mean::Moments;
use mean::student_reach;
pub(crate) use paired::DRAWS;
pub use paired::{
    ClusterDelta, How, PairedSample, Resampled, Slope, Tested, holm, mcnemar_exact, slope,
};
pub use proportion::{Confidence, Interval, Proportion, clopper_pearson, wilson};
pub use repeated_case::CaseRepeats;
pub(crate) use repeated_case::RepeatedCase;
pub use repeats::{DecidedStats, PassRates, RepeatEstimates, RepeatStats};
use sequential::BETS;
pub(crate) use sequential::Wager;
pub use sequential::{Decision, ERROR_LEVEL, UntilDecided};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;
