//! A comparison in words: the verdict, numbers with their signs, and how they came about.

use super::{
    ClusterBy,
    group::{Group, PassTest, PassTestKind},
    verdict::{FEWEST_CLUSTERS, Finding, LEVEL},
};
use crate::statistics::{How, Interval};

/// A difference that no sample of scores from 0 to 1 can have is none that could have shown.
const LARGEST: f64 = 1.0;

impl Finding {
    /// One or a few words.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::NoWorse => "no worse than the margin",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// A sign for it, which colour only repeats.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Better => "▲",
            Self::Worse => "▼",
            Self::NoWorse => "≥",
            Self::Inconclusive => "?",
        }
    }
}

/// The verdict of a comparison, as a sentence without its full stop.
pub(super) fn verdict(group: &Group, by: ClusterBy) -> String {
    let statistics = &group.statistics;
    let margin = statistics.margin;
    let by_how_much = || {
        let mean = statistics.mean_delta.unwrap_or(0.0);
        let direction = if mean < 0.0 { "lower" } else { "higher" };
        // An interval that holds for any differences says less than the test does.
        let is_telling = statistics.interval_how != Some(How::Bounded);
        let interval = statistics.interval.filter(|_| is_telling);
        let interval = interval.map_or(String::new(), |it| format!(" {}", range(it)));
        let p = group.p_corrected.map_or(String::new(), |p| format!(", {}", p_value(p)));
        format!("the mean is {:.3} {direction}{interval}{p}", mean.abs())
    };
    match group.finding {
        Finding::Better => format!("better: {}", by_how_much()),
        Finding::Worse if margin > 0.0 => {
            let p = group.p_shifted_corrected;
            let p = p.map_or(String::new(), |p| format!("; against the margin: {}", p_value(p)));
            format!("worse by more than the margin of {margin}: {}{p}", by_how_much())
        }
        Finding::Worse => format!("worse: {}", by_how_much()),
        Finding::NoWorse => {
            let p = group.p_shifted_corrected;
            let p = p.map_or(String::new(), |p| format!("; against the margin: {}", p_value(p)));
            format!("no worse than the margin of {margin}: {}{p}", by_how_much())
        }
        Finding::Inconclusive if group.p_corrected.is_some_and(|p| p <= LEVEL) => {
            // Chance does not explain the difference; something else is not known.
            let open = if margin > 0.0 {
                format!("whether that is more than the margin of {margin} nobody can tell")
            } else {
                "the interval does not bear it out".to_owned()
            };
            format!("inconclusive: {}, but {open}", by_how_much())
        }
        Finding::Inconclusive => format!("inconclusive: {}", unknown(group, by)),
    }
}

/// Why nothing is known.
fn unknown(group: &Group, by: ClusterBy) -> String {
    let statistics = &group.statistics;
    if group.counts.matched == 0 {
        return "no case of one run is in the other".to_owned();
    }
    if group.counts.graded == 0 {
        return "no case has a grade in both runs".to_owned();
    }
    let clusters = clusters(statistics.clusters, by);
    if group.counts.differing == 0 {
        return match group.counts.graded {
            1 => "the score is the same, of one pair alone".to_owned(),
            pairs => format!("all {pairs} pairs have the same scores"),
        };
    }
    if statistics.clusters < 2 {
        return format!("{clusters} alone says nothing about chance");
    }
    let chance = "the difference could be chance";
    if statistics.clusters < FEWEST_CLUSTERS {
        return format!("{chance}; {clusters} are too few to show any");
    }
    match statistics.smallest_effect.filter(|effect| effect.is_finite()) {
        Some(effect) if effect <= LARGEST => format!(
            "{chance}; with these {clusters} only a difference of {effect:.2} or more would have shown"
        ),
        Some(_) => format!("{chance}; {clusters} are too few to show any"),
        None => chance.to_owned(),
    }
}

/// `40 cases`, or what else was resampled.
pub(super) fn clusters(count: u64, by: ClusterBy) -> String {
    let (one, many) = match by {
        ClusterBy::Case => ("case", "cases"),
        ClusterBy::Conversation => ("conversation", "conversations"),
        ClusterBy::Dataset => ("dataset", "datasets"),
    };
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `p = 0.012`, `p < 0.001`.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

/// `[-0.020, +0.110]`.
pub(super) fn range(interval: Interval) -> String {
    format!("[{}, {}]", signed(interval.low), signed(interval.high))
}

/// `+0.054`, `-0.100`, `0.000`: what rounds to nothing has no sign.
pub(super) fn signed(number: f64) -> String {
    let text = format!("{number:+.3}");
    if matches!(text.as_str(), "+0.000" | "-0.000") { "0.000".to_owned() } else { text }
}

pub(super) fn signed_or_unknown(number: Option<f64>) -> String {
    number.map_or_else(|| "—".to_owned(), signed)
}

/// `0.85`, and more digits only where there are some.
pub(super) fn score(score: Option<f64>) -> String {
    let Some(score) = score else { return "—".to_owned() };
    let text = format!("{score:.3}");
    match text.strip_suffix('0') {
        Some(short) => short.to_owned(),
        None => text,
    }
}

/// How the interval of the mean came about.
pub(super) fn interval_method(group: &Group, by: ClusterBy) -> String {
    let over = clusters(group.statistics.clusters, by);
    match group.statistics.interval_how {
        None => format!("no interval, of {over}"),
        Some(How::Exact) => format!("95 %, exact, over {over}"),
        Some(How::Resampled { draws, .. }) => {
            format!("95 %, bootstrap, {} resamples of {over}", grouped(draws))
        }
        Some(How::Analytic) => format!("95 %, Student's t, over {over}"),
        Some(How::Bounded) => format!("95 %, Hoeffding, over {over}: all differences are the same"),
    }
}

/// How a test came about.
pub(super) fn test_method(how: How) -> String {
    match how {
        How::Exact => "exact".to_owned(),
        How::Resampled { draws, .. } => format!("{} random flips", grouped(draws)),
        How::Analytic => "normal approximation".to_owned(),
        How::Bounded => "a bound for any differences".to_owned(),
    }
}

pub(super) fn pass_method(test: &PassTest) -> String {
    match test.test {
        PassTestKind::McnemarExact => "McNemar, exact".to_owned(),
        PassTestKind::SignFlip => format!("sign flips of shares, {}", test_method(test.how)),
    }
}

/// `10,000`.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_sign_unless_they_are_nothing() {
        assert_eq!(signed(0.054), "+0.054");
        assert_eq!(signed(-0.1), "-0.100");
        assert_eq!(signed(-0.000_04), "0.000");
        assert_eq!(signed_or_unknown(None), "—");
        assert_eq!(p_value(0.000_2), "p < 0.001");
        assert_eq!(grouped(10_000), "10,000");
        assert_eq!(grouped(999), "999");
        assert_eq!(score(Some(0.85)), "0.85");
        assert_eq!(score(Some(0.667)), "0.667");
        assert_eq!(score(None), "—");
    }
}
