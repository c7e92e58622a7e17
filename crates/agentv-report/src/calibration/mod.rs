//! The calibration of a judge: what it was measured to be worth against labels of people, its only
//! reader and its only writer, and how it looks to people.
//!
//! Asking the judge is not done here; what it said comes in as data.

mod faults;
mod measure;
mod record;
mod soundness;
mod store;
mod text;
mod warnings;

pub use measure::{Judged, Judgement, Measured};
pub use record::{CalibratedJudge, Calibration, Disagreement, FileHash, JudgeError, Spent};
pub use store::{CalibrationFault, Stored, StoredCalibrations, calibrations_folder};

#[cfg(test)]
mod sample;
