//! When a request that failed is sent again. Pure: it is told what happened and how much time is
//! left, and says how long to wait; it has no clock and no dice of its own.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822};

/// How often, how fast and after what a request is tried again.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RetryPolicy {
    pub(super) max_retries: u32,
    pub(super) initial_delay: Duration,
    /// The longest delay, before jitter; a service may ask for more.
    pub(super) max_delay: Duration,
    pub(super) backoff_factor: f64,
    pub(super) status_codes: Vec<u16>,
}

/// Statuses that mean the same however often one asks.
pub(super) const NEVER_RETRIED: [u16; 3] = [400, 401, 403];

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 3,
            initial_delay: Duration::from_secs(1),
            max_delay: Duration::from_mins(1),
            backoff_factor: 2.0,
            status_codes: vec![500, 408, 429, 502, 503, 504],
        }
    }
}

/// What went wrong with a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It was answered with a status that is no success.
    Status(u16),
    /// The service could not be reached, or the connection broke.
    Connection,
    /// It was answered, with something that the service itself did not write, or half of it.
    Garbled,
    /// It was answered, and the same will be answered again.
    Unusable,
}

/// What is done after a try that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Wait(Duration),
    GiveUp(Reason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// Another try would end the same.
    Final,
    /// It was tried as often as the target allows.
    Exhausted,
    /// The wait would end after the deadline.
    Late,
}

/// The most that jitter adds to a delay, as a share of it.
const MOST_JITTER: f64 = 0.25;

impl RetryPolicy {
    /// What to do after `tries` tries, the last of which ended in `fault`.
    ///
    /// `retry_after` is what the service asks for, `left` the time until the deadline, and `chance`
    /// a number from 0 to 1 that spreads those who failed together. Jitter only adds: whoever asks
    /// for a wait gets it.
    pub(super) fn next(
        &self,
        tries: u32,
        fault: Fault,
        retry_after: Option<Duration>,
        left: Option<Duration>,
        chance: f64,
    ) -> Next {
        if !self.is_worth_another_try(fault) {
            return Next::GiveUp(Reason::Final);
        }
        if tries > self.max_retries {
            return Next::GiveUp(Reason::Exhausted);
        }
        let delay = self.delay(tries);
        let jitter = delay.as_secs_f64() * MOST_JITTER * chance.clamp(0.0, 1.0);
        let jitter = Duration::try_from_secs_f64(jitter).unwrap_or_default();
        let wait = delay.max(retry_after.unwrap_or_default()).saturating_add(jitter);
        if left.is_some_and(|left| wait >= left) {
            return Next::GiveUp(Reason::Late);
        }
        Next::Wait(wait)
    }

    fn is_worth_another_try(&self, fault: Fault) -> bool {
        match fault {
            Fault::Status(status) => {
                self.status_codes.contains(&status) && !NEVER_RETRIED.contains(&status)
            }
            Fault::Connection | Fault::Garbled => true,
            Fault::Unusable => false,
        }
    }

    /// The delay after so many tries, without jitter.
    fn delay(&self, tries: u32) -> Duration {
        let exponent = i32::try_from(tries.saturating_sub(1)).unwrap_or(i32::MAX);
        let seconds = self.initial_delay.as_secs_f64() * self.backoff_factor.powi(exponent);
        // Beyond any number there is only the longest delay.
        Duration::try_from_secs_f64(seconds).unwrap_or(self.max_delay).min(self.max_delay)
    }
}

/// The headers of an answer that say when to come back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WaitHeaders<'a> {
    pub(super) retry_after: Option<&'a str>,
    pub(super) retry_after_ms: Option<&'a str>,
    /// When the service sent it, by its own clock.
    pub(super) date: Option<&'a str>,
}

impl WaitHeaders<'_> {
    /// How long the service asks to wait; nothing where it asks for nothing that can be read.
    /// `now` is used for dates where the service does not say what time it is.
    pub(super) fn wait(&self, now: Timestamp) -> Option<Duration> {
        let finer = self.retry_after_ms.and_then(largest).map(|millis| millis / 1e3);
        if let Some(seconds) = finer.or_else(|| self.retry_after.and_then(largest)) {
            // A wish beyond what can be counted is one for very long, not for nothing.
            return Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        }
        let date = |text: &str| {
            let parser = rfc2822::DateTimeParser::new();
            parser.parse_timestamp(text.trim()).ok()
        };
        let until = self.retry_after.and_then(date)?;
        let sent = self.date.and_then(date).unwrap_or(now);
        // A date in the past asks for nothing more.
        Some(Duration::try_from(until.duration_since(sent)).unwrap_or_default())
    }
}

/// The largest number of a list of them, as it comes about where several servers on the way have a
/// wish. Words that stand for numbers are none, and a negative number is no wish.
fn largest(list: &str) -> Option<f64> {
    let number = |item: &str| {
        let digits = item.trim().strip_prefix('+').unwrap_or(item.trim());
        digits.starts_with(|first: char| first.is_ascii_digit() || first == '.').then_some(())?;
        digits.parse::<f64>().ok()
    };
    list.split(',').filter_map(number).max_by(f64::total_cmp)
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
