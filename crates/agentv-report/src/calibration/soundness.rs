//! Whether a calibration that was read can be one: files are committed, merged and edited by hand.

use super::record::Calibration;
use crate::statistics::{Agreement, Proportion};

/// Numbers that are nearer to each other are the same; the last digits may differ by machine.
const SAME: f64 = 1e-6;

impl Calibration {
    /// What is impossible about it.
    pub(super) fn impossible(&self) -> Option<String> {
        let table = self.agreement.table;
        let counts = [table.true_pass, table.false_fail, table.false_pass, table.true_fail];
        let total = counts.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count));
        if total.is_none() {
            return Some("its `table` has more answers than can be".to_owned());
        }
        let found = self.agreement;
        let right = Agreement::of(table, self.confidence);
        for (name, found, right) in [
            ("accuracy", found.accuracy, right.accuracy),
            ("true_positive_rate", found.true_positive_rate, right.true_positive_rate),
            ("true_negative_rate", found.true_negative_rate, right.true_negative_rate),
        ] {
            if (found.count, found.of) != (right.count, right.of)
                || !alike(found.share, right.share)
            {
                return Some(format!("its `{name}` does not follow from its `table`"));
            }
        }
        let value = |agreement: &Agreement| agreement.kappa.map(|kappa| kappa.value);
        if !alike(value(&found), value(&right)) {
            return Some("its `kappa` does not follow from its `table`".to_owned());
        }
        if !self.pass_from.iter().all(|from| (0.0..=1.0).contains(from)) {
            return Some("its `pass_from` has a score that is not between 0 and 1".to_owned());
        }
        let consistency = self.self_consistency?;
        let kappa = consistency.fleiss_kappa;
        let right = possible(&consistency.unanimous)
            && (0.0..=1.0).contains(&consistency.pairwise_agreement)
            && kappa.is_none_or(|kappa| (-1.0..=1.0).contains(&kappa));
        (!right).then(|| "its `self_consistency` has numbers that cannot be".to_owned())
    }
}

fn possible(found: &Proportion) -> bool {
    let share = found.share.is_none_or(|share| (0.0..=1.0).contains(&share));
    share && found.count <= found.of
}

fn alike(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() < SAME,
        (one, other) => one.is_none() && other.is_none(),
    }
}
