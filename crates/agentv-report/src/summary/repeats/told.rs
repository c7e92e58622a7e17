//! What the repeats of a run came to, in words.

use super::Repeats;
use crate::{
    statistics::{
        Confidence, DecidedStats, Decision, Interval, RepeatEstimates, RepeatStats, RepeatedCase,
    },
    style::counted,
    summary::place::Place,
};

/// How many of the flakiest cases are told.
const MOST_FLAKY: usize = 5;

/// How many cases are named that fall short, and that are not decided.
const MOST_NAMED: usize = 10;

impl Repeats {
    /// The lines of the section; none where there is nothing to tell.
    pub(in crate::summary) fn told(&self) -> Vec<String> {
        let Some(stats) = self.stats() else { return Vec::new() };
        let mut lines = vec![asked(&stats)];
        if let Some(estimates) = &stats.estimates {
            lines.extend(estimated(estimates, stats.cases));
            lines.extend(self.flakiest());
        }
        if let Some(decided) = &stats.until_decided {
            lines.push(decisions(decided, stats.cases));
            if decided.falling_short > 0 {
                let names = self.decided(Some(Decision::FallsShort));
                lines.push(format!("falling short: {names}"));
            }
            lines.push(match decided.undecided {
                0 => "0 not decided".to_owned(),
                undecided => format!("{undecided} not decided: {}", self.decided(None)),
            });
            lines.push(caution(decided.error_level));
        }
        lines
    }

    /// Those of which the most pairs of repeats disagree; among equals, in the order of the suites.
    fn flakiest(&self) -> Vec<String> {
        let mut flaky: Vec<(f64, &Place, &RepeatedCase)> = self
            .cases
            .values()
            .filter_map(|kept| Some((kept.case.flake_rate()?, kept.place.as_deref()?, &kept.case)))
            .collect();
        flaky.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        let lines = flaky.into_iter().take(MOST_FLAKY).map(|(_, place, case)| {
            let mean = case.scores.mean().unwrap_or_default();
            let interval = told_interval(case.scores.interval(Confidence::default()));
            let (passed, graded) = (case.passed, case.graded());
            format!("  {passed} of {graded} passed  mean {mean:.2}{interval}  {}", place.told())
        });
        lines.collect()
    }

    /// The names of the cases that are decided like this, or are not, in the order of the suites.
    fn decided(&self, decision: Option<Decision>) -> String {
        let alike = self.cases.values().filter(|kept| kept.case.decision() == decision);
        let mut places: Vec<&Place> = alike.filter_map(|kept| kept.place.as_deref()).collect();
        places.sort_unstable();
        let names: Vec<String> = places.iter().take(MOST_NAMED).map(|it| it.told()).collect();
        let more = match places.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{}{more}", names.join(", "))
    }
}

/// How much there is.
fn asked(stats: &RepeatStats) -> String {
    let RepeatStats { fewest_repeats, most_repeats, .. } = *stats;
    let fewest = if fewest_repeats == most_repeats {
        String::new()
    } else {
        format!("{fewest_repeats} to ")
    };
    let each = counted(number(most_repeats), "repeat each", "repeats each");
    let errors = match number(stats.errors) {
        0 => String::new(),
        errors => format!(" ({} not counted)", counted(errors, "error", "errors")),
    };
    let cases = counted(number(stats.cases), "case", "cases");
    format!("{cases}, {fewest}{each}: {} graded{errors}", stats.graded)
}

/// Of cases asked unequally often, or with errors, not every number is over all of them: then it is
/// told over which.
fn estimated(estimates: &RepeatEstimates, all: u64) -> Vec<String> {
    let over = |cases: u64, least: u64| {
        let all_told = counted(number(all), "case", "cases");
        if cases == all {
            return format!("over {all_told}");
        }
        match least {
            1 => format!("over the {cases} graded cases of {all}"),
            least => format!("over the {cases} of {all_told} graded {least} times or more"),
        }
    };
    let mut lines = Vec::new();
    // The mean over cases is told with the scores; of one case it is known how far its repeats agree.
    if let Some(mean) = estimates.mean.filter(|mean| mean.cases == 1) {
        let interval = told_interval(mean.interval);
        lines.push(format!(
            "mean {:.3}{interval} over the repeats of the only graded case",
            mean.mean
        ));
    }
    for rates in &estimates.pass {
        let k = rates.k;
        let told = |value: f64, interval: Option<Interval>| {
            format!("{value:.3}{}", told_interval(interval))
        };
        let at = told(rates.pass_at_k, rates.pass_at_k_interval);
        let hat = told(rates.pass_hat_k, rates.pass_hat_k_interval);
        let all = if k == 1 { String::new() } else { format!(", pass^{k} {hat}") };
        lines.push(format!("pass@{k} {at}{all} {}", over(rates.cases, k)));
    }
    if let Some(rate) = estimates.flake_rate {
        let (flaky, compared) = (estimates.flaky_cases, over(estimates.compared_cases, 2));
        let interval = told_interval(estimates.flake_rate_interval);
        lines.push(format!("flake rate {rate:.3}{interval} {compared} ({flaky} flaky)"));
    }
    lines
}

/// How far the cases of a run that asks until it knows are settled.
fn decisions(decided: &DecidedStats, cases: u64) -> String {
    let DecidedStats { reaching, falling_short, mean_repeats, .. } = *decided;
    let after = match mean_repeats {
        Some(mean) => format!(
            " after {mean:.1} graded repeats on average: {reaching} reaching the threshold, \
             {falling_short} falling short"
        ),
        None => String::new(),
    };
    format!("{} of {cases} decided{after}", reaching + falling_short)
}

/// What cannot be had together with repeats that end early.
fn caution(error_level: f64) -> String {
    let level = error_level * 100.0;
    format!(
        "each is decided wrongly with a chance of at most {level:.0} %; repeats ended by what came \
         out, so means of this run are biased"
    )
}

fn told_interval(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |it| format!(" [{:.2}–{:.2}]", it.low, it.high))
}

fn number(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
