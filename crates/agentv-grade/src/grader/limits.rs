//! Limits of numbers, and what is said of a number that keeps or breaks one. All that is said are
//! facts, so they stay true when `not-` wants the limit broken.

use agentv_base::{Diagnostic, Fields, GraderFault, Key, Problems, Score};

use crate::numbers::number;

/// What adding decimals can leave beyond a limit, as a share of it.
const ROUNDING: f64 = 1e-9;

/// Limits that were looked at so far.
#[derive(Default)]
pub(super) struct Limits {
    kept: Vec<String>,
    broken: Vec<String>,
    unknown: Vec<String>,
}

impl Limits {
    /// Remembers a fact, such as `took 3 ms, within 5 ms`, as good or bad.
    pub(super) fn note(&mut self, kept: bool, fact: String) {
        if kept {
            self.kept.push(fact);
        } else {
            self.broken.push(fact);
        }
    }

    /// Compares a number with its limit. `what` goes before the number, `unit` after both.
    pub(super) fn check(&mut self, what: &str, value: f64, limit: f64, unit: &str) {
        // Costs are sums: 0.1 and 0.2 are not more than 0.3.
        let kept = value <= limit * (1.0 + ROUNDING);
        let said = if kept { "within" } else { "more than" };
        let (shown, at_most) = (number(value), number(limit));
        self.note(kept, format!("{what} {shown} {unit}, {said} {at_most} {unit}"));
    }

    /// Compares a count with its limit. `what` goes before the number, `of` after it.
    pub(super) fn check_count(&mut self, what: &str, value: u64, limit: u64, of: &str) {
        let said = if value <= limit { "within" } else { "more than" };
        let of = if value == 1 { of.strip_suffix('s').unwrap_or(of) } else { of };
        self.note(value <= limit, format!("{what} {value} {of}, {said} {limit}"));
    }

    /// Takes a number that somebody knows; that nobody does makes the whole a fault.
    pub(super) fn known<T>(&mut self, value: Result<T, GraderFault>) -> Option<T> {
        value.map_err(|fault| self.unknown.push(fault.message)).ok()
    }

    /// The share of the limits that are kept.
    pub(super) fn share(self) -> Result<Score, GraderFault> {
        let all = self.kept.len() + self.broken.len();
        let share = self.kept.len() as f64 / all.max(1) as f64;
        self.scored(share)
    }

    /// All or nothing.
    pub(super) fn all(self) -> Result<Score, GraderFault> {
        let score = if self.broken.is_empty() { 1.0 } else { 0.0 };
        self.scored(score)
    }

    fn scored(self, score: f64) -> Result<Score, GraderFault> {
        if !self.unknown.is_empty() {
            return Err(GraderFault::new(self.unknown.join("; ")));
        }
        Ok(Score { score, hits: self.kept, misses: self.broken, ..Score::default() })
    }
}

/// Reports a grader that limits nothing.
pub(super) fn need_one_of(
    what: &str,
    keys: &[Key],
    is_limit: impl Fn(&Key) -> bool,
    fields: &Fields<'_>,
    problems: &mut Problems,
) {
    let limits: Vec<&Key> = keys.iter().filter(|key| is_limit(key)).collect();
    if limits.iter().any(|key| fields.get(key.name).is_some()) {
        return;
    }
    let names: Vec<String> = limits.iter().map(|key| format!("`{}`", key.name)).collect();
    problems.push(
        Diagnostic::error(format!("{what} needs at least one limit"))
            .code("missing-key")
            .at(fields.span())
            .hint(format!("limits: {}", names.join(", "))),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_just_reached_is_kept() {
        let mut limits = Limits::default();
        limits.check("took", 5.0, 5.0, "ms");
        limits.check_count("made", 1, 0, "tool calls");
        let score = limits.share().unwrap();
        assert_eq!(score.hits, ["took 5 ms, within 5 ms"]);
        assert_eq!(score.misses, ["made 1 tool call, more than 0"]);
        assert!((score.score - 0.5).abs() < 1e-12);
    }

    #[test]
    fn what_nobody_knows_is_told_all_at_once_and_leaves_no_score() {
        let mut limits = Limits::default();
        limits.check("took", 9.0, 5.0, "ms");
        assert_eq!(limits.known(Err::<f64, _>(GraderFault::new("no cost"))), None);
        assert_eq!(limits.known(Err::<f64, _>(GraderFault::new("no trace"))), None);
        assert_eq!(limits.share().unwrap_err().message, "no cost; no trace");
    }
}
