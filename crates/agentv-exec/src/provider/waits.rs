//! Durations as targets of any kind say them, and the keys about trying again that they share.

use std::time::Duration;

use agentv_base::{Backoff, Diagnostic, Fields, Problems, Span};

/// How often something is tried again, where a target says so, and how long it waits before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Waits {
    pub(super) max_retries: Option<u32>,
    pub(super) backoff: Backoff,
}

impl Waits {
    /// Reads `max_retries`, `retry_initial_delay_ms`, `retry_max_delay_ms` and
    /// `retry_backoff_factor`. Everything wrong with them is reported, and nothing is given then.
    pub(super) fn read(
        fields: &Fields<'_>,
        standard: Backoff,
        problems: &mut Problems,
    ) -> Option<Self> {
        let max_retries = fields.optional("max_retries", problems, Fields::count_limit);
        let initial = fields.optional("retry_initial_delay_ms", problems, milliseconds);
        let most = fields.optional("retry_max_delay_ms", problems, milliseconds);
        let factor = fields.optional("retry_backoff_factor", problems, factor);
        let (max_retries, initial, most) = (max_retries?, initial?, most?);
        if let (Some(initial), Some(most)) = (initial, most)
            && most < initial
        {
            problems.push(
                Diagnostic::error("`retry_max_delay_ms` is less than `retry_initial_delay_ms`")
                    .at(span_of(fields, "retry_max_delay_ms"))
                    .note(span_of(fields, "retry_initial_delay_ms"), "the shortest delay"),
            );
            return None;
        }
        // Whoever sets one of the two moves the other out of its way.
        let initial = initial.unwrap_or(most.unwrap_or(standard.most).min(standard.initial));
        Some(Self {
            max_retries: max_retries.map(|retries| u32::try_from(retries).unwrap_or(u32::MAX)),
            backoff: Backoff {
                initial,
                most: most.unwrap_or(standard.most.max(initial)),
                factor: factor?.unwrap_or(standard.factor),
            },
        })
    }
}

pub(super) fn seconds(
    fields: &Fields<'_>,
    name: &str,
    problems: &mut Problems,
) -> Option<Duration> {
    duration(fields, name, 1.0, problems)
}

fn milliseconds(fields: &Fields<'_>, name: &str, problems: &mut Problems) -> Option<Duration> {
    duration(fields, name, 1e-3, problems)
}

/// Longer than anybody waits, and short enough to be added to any time.
const LONGEST: f64 = 1e9;

fn duration(
    fields: &Fields<'_>,
    name: &str,
    unit: f64,
    problems: &mut Problems,
) -> Option<Duration> {
    let seconds = fields.positive(name, problems)? * unit;
    let duration = Some(seconds).filter(|seconds| *seconds <= LONGEST);
    let duration = duration.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    if duration.is_none() {
        problems.error(span_of(fields, name), format!("`{name}` is longer than anybody can wait"));
    }
    duration
}

fn factor(fields: &Fields<'_>, name: &str, problems: &mut Problems) -> Option<f64> {
    let factor = fields.number(name, problems)?;
    if factor >= 1.0 {
        return Some(factor);
    }
    problems.error(span_of(fields, name), format!("`{name}` must be at least 1"));
    None
}

pub(super) fn span_of(fields: &Fields<'_>, name: &str) -> Span {
    fields.get(name).map_or(fields.span(), |node| node.span)
}
