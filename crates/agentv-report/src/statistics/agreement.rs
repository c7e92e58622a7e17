//! What a judge and people said of the same answers, in four numbers and in what follows of them.

use serde::{Deserialize, Serialize};

use super::{
    kappa::{Kappa, cohen_kappa},
    paired::mcnemar_exact,
    proportion::{Confidence, Proportion},
};

/// How often people and a judge said what; the names are those of a test that looks for answers
/// that pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confusion {
    /// Both passed it.
    pub true_pass: u64,
    /// People passed it, the judge did not.
    pub false_fail: u64,
    /// The judge passed it, people did not.
    pub false_pass: u64,
    /// Both failed it.
    pub true_fail: u64,
}

impl Confusion {
    /// Counts one more answer.
    pub fn add(&mut self, people_pass: bool, judge_passes: bool) {
        *match (people_pass, judge_passes) {
            (true, true) => &mut self.true_pass,
            (true, false) => &mut self.false_fail,
            (false, true) => &mut self.false_pass,
            (false, false) => &mut self.true_fail,
        } += 1;
    }

    pub fn total(&self) -> u64 {
        self.true_pass + self.false_fail + self.false_pass + self.true_fail
    }

    /// The answers that people passed.
    pub fn people_pass(&self) -> u64 {
        self.true_pass + self.false_fail
    }

    /// The answers that people failed.
    pub fn people_fail(&self) -> u64 {
        self.false_pass + self.true_fail
    }

    pub fn judge_passes(&self) -> u64 {
        self.true_pass + self.false_pass
    }

    pub(super) fn all_pass(&self) -> bool {
        self.true_pass == self.total()
    }

    pub(super) fn all_fail(&self) -> bool {
        self.true_fail == self.total()
    }
}

/// Everything that the four numbers say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    pub table: Confusion,
    /// Of all answers, those of which both said the same.
    pub accuracy: Proportion,
    /// Of the answers that people passed, those that the judge passed: its sensitivity.
    pub true_positive_rate: Proportion,
    /// Of the answers that people failed, those that the judge failed: its specificity.
    pub true_negative_rate: Proportion,
    /// Of the answers that the judge passed, those that people passed: its precision.
    pub positive_predictive_value: Proportion,
    /// Of the answers that the judge failed, those that people failed.
    pub negative_predictive_value: Proportion,
    /// Null where chance alone would agree always.
    pub kappa: Option<Kappa>,
    /// Null where there is no answer.
    pub bias: Option<Bias>,
}

/// Whether the judge is milder than people, or harder.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bias {
    pub judge_pass_rate: f64,
    pub human_pass_rate: f64,
    /// Above 0 where the judge is milder.
    pub difference: f64,
    /// How likely a difference of at least this size is where there is none: McNemar's exact test.
    pub p_value: f64,
}

impl Agreement {
    pub fn of(table: Confusion, confidence: Confidence) -> Self {
        let Confusion { true_pass, true_fail, .. } = table;
        let share = |count, of| Proportion::new(count, of, confidence);
        let judge_fails = table.total() - table.judge_passes();
        Self {
            table,
            accuracy: share(true_pass + true_fail, table.total()),
            true_positive_rate: share(true_pass, table.people_pass()),
            true_negative_rate: share(true_fail, table.people_fail()),
            positive_predictive_value: share(true_pass, table.judge_passes()),
            negative_predictive_value: share(true_fail, judge_fails),
            kappa: cohen_kappa(&table, confidence),
            bias: Bias::of(&table),
        }
    }
}

impl Bias {
    fn of(table: &Confusion) -> Option<Self> {
        let total = table.total();
        if total == 0 {
            return None;
        }
        let judge_pass_rate = table.judge_passes() as f64 / total as f64;
        let human_pass_rate = table.people_pass() as f64 / total as f64;
        // Of two counts and not of two rates: no difference is exactly 0.
        let difference = (table.false_pass as f64 - table.false_fail as f64) / total as f64;
        let p_value = mcnemar_exact(table.false_pass, table.false_fail);
        Some(Self { judge_pass_rate, human_pass_rate, difference, p_value })
    }
}
