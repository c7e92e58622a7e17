//! Numbers about agreement, and how sure one can be of them. Pure functions of counts: what was
//! counted, and what is said of it, is not known here.
//!
//! Every number is compared with those of published libraries (`tests/vectors/agreement.py`).
//! Formulas stand in `docs/calibration.md`.

mod agreement;
mod consistency;
mod kappa;
mod proportion;

pub use agreement::{Agreement, Bias, Confusion};
pub use consistency::{SelfConsistency, fleiss_kappa};
pub use kappa::{Kappa, cohen_kappa};
pub use proportion::{Confidence, Interval, Proportion, clopper_pearson, wilson};

#[cfg(test)]
mod tests;
