//! How well a run did: the share of cases that passed, the mean score, how sure both are, and how the
//! scores lie.

use super::{Summary, number};
use crate::{
    digest::{Digest, Estimate, Figures},
    page::Page,
    style::{counted, duration_text},
};

/// The longest bar of the distribution, in characters.
const LONGEST_BAR: usize = 24;

/// Fifths of the way from 0 to 1: tenths, as the digest has them, are more lines than they say.
const BINS: usize = 5;

impl Summary {
    /// Nothing where nothing was graded.
    pub(super) fn write_scores(&self, page: &mut Page, digest: &Digest) {
        let all = &digest.all;
        let (Some(rate), Some(mean), Some(median)) =
            (all.pass_rate, all.mean_score, all.median_score)
        else {
            return;
        };
        page.heading("Scores");
        let are_biased = self.repeats.are_ended_early();
        let method = |estimate: &Estimate| match estimate.method.filter(|_| !are_biased) {
            Some(method) => format!(" ({})", method.name()),
            None => String::new(),
        };
        let rate_told = format!("{}{}", told_rate(&rate, !are_biased), method(&rate));
        let mean_told = format!("{}{}", told_mean(&mean, 3, !are_biased), method(&mean));
        page.wrapped("  ", &format!("pass rate {rate_told}, mean {mean_told}, median {median:.3}"));
        page.wrapped(
            "  ",
            &format!("over {}{}", self.graded(all, rate.cases), legend(all, are_biased)),
        );
        // One score is told by its mean.
        if all.graded > 1 {
            write_distribution(page, all);
        }
    }

    /// What rates and means are taken over, and what is no part of them.
    fn graded(&self, all: &Figures, cases: u64) -> String {
        let errors = match number(all.errors) {
            0 => String::new(),
            errors => format!(" ({} not counted)", counted(errors, "error", "errors")),
        };
        let cases = counted(number(cases), "graded case", "graded cases");
        if self.is_repeated() {
            let repeats = counted(number(all.graded), "graded repeat", "graded repeats");
            return format!("{cases}, each with the mean of its repeats: {repeats}{errors}");
        }
        format!("{cases}{errors}")
    }
}

/// What the brackets are.
fn legend(all: &Figures, are_biased: bool) -> &'static str {
    let has_interval =
        |estimate: Option<Estimate>| estimate.is_some_and(|it| it.interval.is_some());
    if are_biased {
        "; without intervals, since repeats ended by what came out"
    } else if has_interval(all.pass_rate) || has_interval(all.mean_score) {
        "; in brackets: 95 % intervals"
    } else {
        ""
    }
}

/// `81 % [74–87 %]`, or the share alone.
pub(super) fn told_rate(rate: &Estimate, with_interval: bool) -> String {
    let interval = rate.interval.filter(|_| with_interval);
    Estimate { interval, ..*rate }.told_percent()
}

/// `0.812 [0.74–0.87]`, or the mean alone.
pub(super) fn told_mean(mean: &Estimate, digits: usize, with_interval: bool) -> String {
    let interval = mean.interval.filter(|_| with_interval);
    Estimate { interval, ..*mean }.told(digits)
}

/// How long invocations took on the whole; nothing where the time of none is known, and where the
/// slowest ones are all there are.
pub(super) fn told_times(all: &Figures, listed: usize) -> Option<String> {
    let times = all.durations.filter(|times| number(times.known) > listed)?;
    let (median, p95) = (duration_text(times.median_ms), duration_text(times.p95_ms));
    Some(format!("median {median}, p95 {p95}, over {} invocations", times.known))
}

/// How many scores fall into each fifth; one on an edge belongs to the higher.
pub(super) fn fifths(all: &Figures) -> [usize; BINS] {
    let mut bins = [0; BINS];
    let tenths = all.distribution.len().div_ceil(BINS);
    for (bin, tenths) in bins.iter_mut().zip(all.distribution.chunks(tenths)) {
        *bin = number(tenths.iter().sum());
    }
    bins
}

fn write_distribution(page: &mut Page, all: &Figures) {
    let bins = fifths(all);
    let largest = bins.iter().copied().max().unwrap_or(0).max(1);
    let digits = largest.to_string().len();
    for (bin, count) in bins.into_iter().enumerate() {
        let low = bin as f64 / BINS as f64;
        let high = (bin + 1) as f64 / BINS as f64;
        // A bin with anything in it shows at least a sign of it.
        let length = (count * LONGEST_BAR).div_ceil(largest);
        page.line(&format!("  {low:.1}–{high:.1} {count:>digits$} {}", "█".repeat(length)));
    }
}
