//! The share of graded cases that passed so far, with its interval. Constant work for each case.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use crate::{
    digest::Estimate,
    statistics::{Interval, Moments},
    style::counted,
};

/// An interval of less than two percent.
const NARROW: f64 = 0.02;

#[derive(Default)]
pub(super) struct Rate {
    passed: u64,
    graded: u64,
    /// Graded repeats of each case, and those that passed.
    cases: HashMap<u64, Repeats>,
    /// The share of passed repeats of each case.
    shares: Moments,
    is_repeated: bool,
    /// No case is asked twice: then there is nothing to know of each.
    is_plain: bool,
}

#[derive(Clone, Copy, Default)]
struct Repeats {
    passed: u32,
    graded: u32,
}

impl Repeats {
    fn share(self) -> f64 {
        f64::from(self.passed) / f64::from(self.graded.max(1))
    }
}

impl Rate {
    /// No case is asked more than once.
    pub(super) fn tell_none_apart(&mut self) {
        self.is_plain = !self.is_repeated;
        if self.is_plain {
            self.cases = HashMap::new();
        }
    }

    /// One that was graded. Errors are no part of it.
    pub(super) fn add(&mut self, suite: &str, id: &str, target: &str, passed: bool) {
        self.graded += 1;
        self.passed += u64::from(passed);
        if !self.is_plain {
            self.tell_apart(suite, id, target, passed);
        }
    }

    fn tell_apart(&mut self, suite: &str, id: &str, target: &str, passed: bool) {
        let mut hasher = DefaultHasher::new();
        (suite, id, target).hash(&mut hasher);
        let case = self.cases.entry(hasher.finish()).or_default();
        let before = case.share();
        case.graded += 1;
        case.passed += u32::from(passed);
        if case.graded == 1 {
            self.shares.add(case.share());
        } else {
            self.is_repeated = true;
            self.shares.replace(before, case.share());
        }
    }

    /// `pass rate 88 % [76–95 %] of 43 graded`; nothing where nothing was graded.
    pub(super) fn words(&self) -> Option<String> {
        let estimate = self.estimate()?;
        let of = if self.is_repeated {
            let cases = counted(self.cases.len(), "case", "cases");
            format!("{} graded repeats of {cases}", self.graded)
        } else {
            format!("{} graded", self.graded)
        };
        Some(format!("pass rate {} of {of}", told(&estimate)))
    }

    /// `pass 88 % [76–95 %]`, where there is no room for more.
    pub(super) fn short_words(&self) -> Option<String> {
        Some(format!("pass {}", told(&self.estimate()?)))
    }

    /// Repeats of one case are like each other: where there are any, cases count and not repeats. Of
    /// a single case, all there is to know are its repeats.
    fn estimate(&self) -> Option<Estimate> {
        if self.is_repeated && self.cases.len() > 1 {
            Estimate::mean(&self.shares)
        } else {
            Estimate::share(self.passed, self.graded)
        }
    }
}

/// In whole percents, and more exactly where the interval is so narrow that these would hide it.
fn told(estimate: &Estimate) -> String {
    match estimate.interval {
        Some(Interval { low, high }) if high - low < NARROW => {
            let percent = |share: f64| format!("{:.1}", share * 100.0);
            format!("{} % [{}–{} %]", percent(estimate.value), percent(low), percent(high))
        }
        _ => estimate.told_percent(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(graded: &[(&str, bool)]) -> Option<String> {
        let mut rate = Rate::default();
        for (id, passed) in graded {
            rate.add("evals/demo.yaml", id, "agent", *passed);
        }
        rate.words()
    }

    #[test]
    fn of_nothing_there_is_no_rate() {
        assert_eq!(words(&[]), None);
    }

    #[test]
    fn of_cases_that_are_asked_once_it_has_wilsons_interval() {
        let graded = [("a", true), ("b", true), ("c", false), ("d", true)];
        assert_eq!(words(&graded).unwrap(), "pass rate 75 % [30–95 %] of 4 graded");
    }

    #[test]
    fn repeats_do_not_make_it_surer_than_the_cases_do() {
        let graded: Vec<(&str, bool)> =
            (0..40).map(|at| (["a", "b", "c", "d"][at % 4], at % 4 != 3)).collect();
        let words = words(&graded).unwrap();
        assert_eq!(words, "pass rate 75 % [0–100 %] of 40 graded repeats of 4 cases");
    }

    #[test]
    fn of_very_many_cases_it_is_told_more_exactly() {
        let mut rate = Rate::default();
        for number in 0..2000 {
            rate.add("evals/demo.yaml", &number.to_string(), "agent", number != 7);
        }
        let words = rate.words().unwrap();
        assert_eq!(words, "pass rate 100.0 % [99.7–100.0 %] of 2000 graded");
    }

    #[test]
    fn where_no_case_is_repeated_none_is_kept_in_mind() {
        let mut rate = Rate::default();
        rate.add("evals/demo.yaml", "a", "agent", true);
        rate.tell_none_apart();
        for (id, passed) in [("b", true), ("c", false), ("d", true)] {
            rate.add("evals/demo.yaml", id, "agent", passed);
        }
        assert_eq!(rate.words().unwrap(), "pass rate 75 % [30–95 %] of 4 graded");
        assert!(rate.cases.is_empty());
    }

    #[test]
    fn it_is_the_same_whether_repeats_come_one_by_one_or_all_at_once() {
        let mut rate = Rate::default();
        let passes = |case: usize, repeat: usize| (case * 7 + repeat * 5) % 11 < 6;
        for repeat in 0..9 {
            for case in 0..50 {
                rate.add("evals/demo.yaml", &case.to_string(), "agent", passes(case, repeat));
            }
        }
        let shares = (0..50).map(|case| (0..9).filter(|it| passes(case, *it)).count() as f64 / 9.0);
        let (at_once, one_by_one) =
            (Estimate::mean(&shares.collect()).unwrap(), rate.estimate().unwrap());
        let ends = |it: &Estimate| it.interval.map(|interval| [interval.low, interval.high]);
        assert!((at_once.value - one_by_one.value).abs() < 1e-12);
        for (a, b) in ends(&at_once).unwrap().iter().zip(ends(&one_by_one).unwrap()) {
            assert!((a - b).abs() < 1e-9, "{at_once:?} {one_by_one:?}");
        }
    }

    #[test]
    fn of_a_single_case_its_repeats_are_all_there_is_to_know() {
        let graded = [("a", true), ("a", true), ("a", false), ("a", true)];
        let words = words(&graded).unwrap();
        assert_eq!(words, "pass rate 75 % [30–95 %] of 4 graded repeats of 1 case");
    }
}
