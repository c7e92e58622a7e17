//! How fast cases settle, and how long the rest will take at that pace.
//!
//! Only what this session really waits for counts: no rows from before, no answers that were kept, no
//! cases that are skipped. While the pace is not known nothing is said. The time is handed in.

use std::{collections::VecDeque, time::Duration};

/// What is settled within this time is one moment: a burst of quick cases says no more than one.
const MOMENT: Duration = Duration::from_millis(250);

/// So many moments are looked back upon: enough to be calm, few enough to follow a pace that changes.
const MOST_MOMENTS: usize = 64;

/// A pace of less than this is chance.
const SHORTEST: Duration = Duration::from_secs(1);

/// What was said holds for so long.
const HOLD: Duration = Duration::from_secs(1);

/// How much a new estimate moves the old one, where both are alike.
const WEIGHT: f64 = 0.3;

#[derive(Default)]
pub(super) struct Pace {
    /// When the first thing was begun.
    begun: Option<Duration>,
    settled: usize,
    moments: VecDeque<Moment>,
    in_flight: usize,
    /// The most cases that were asked at once: only when so many are back the pace is known.
    wave: usize,
    /// Since when nothing is asked, and answers are only graded.
    grading: Option<Moment>,
    held: Option<Held>,
}

#[derive(Clone, Copy)]
struct Moment {
    at: Duration,
    /// How many were settled by then.
    settled: usize,
}

/// What was estimated last, and when.
#[derive(Clone, Copy)]
struct Held {
    at: Duration,
    end: Duration,
    remaining: usize,
}

impl Pace {
    /// So many cases are asked from now on.
    pub(super) fn begin(&mut self, cases: usize, now: Duration) {
        self.begun.get_or_insert(now);
        self.in_flight += cases;
        self.wave = self.wave.max(self.in_flight);
        self.grading = None;
    }

    /// So many cases are not asked any more.
    pub(super) fn end(&mut self, cases: usize, now: Duration) {
        self.in_flight = self.in_flight.saturating_sub(cases);
        if self.in_flight == 0 {
            self.grading = Some(Moment { at: now, settled: self.settled });
        }
    }

    pub(super) fn settle(&mut self, now: Duration) {
        self.settled += 1;
        match self.moments.back_mut() {
            Some(last) if now.saturating_sub(last.at) < MOMENT => last.settled = self.settled,
            _ => {
                if self.moments.len() == MOST_MOMENTS {
                    self.moments.pop_front();
                }
                self.moments.push_back(Moment { at: now, settled: self.settled });
            }
        }
    }

    /// How long so many further cases will take; nothing where nobody can know.
    pub(super) fn left(&mut self, remaining: usize, now: Duration) -> Option<Duration> {
        let seconds = match self.per_second(now) {
            Some(pace) if remaining > 0 => remaining as f64 / pace,
            _ => {
                self.held = None;
                return None;
            }
        };
        let before = self.held.map(|held| (held, held.end.saturating_sub(now).as_secs_f64()));
        let seconds = match before {
            // What is said does not change with every case, unless much is done at once.
            Some((held, before)) if now.saturating_sub(held.at) < HOLD => {
                if remaining * 2 > held.remaining {
                    return Some(Duration::try_from_secs_f64(before).unwrap_or_default());
                }
                seconds
            }
            Some((_, before)) if seconds < 2.0 * before && before < 2.0 * seconds => {
                before + (seconds - before) * WEIGHT
            }
            _ => seconds,
        };
        // What would take longer than any clock can tell is not told.
        let left = Duration::try_from_secs_f64(seconds).ok()?;
        self.held = Some(Held { at: now, end: now.checked_add(left)?, remaining });
        Some(left)
    }

    fn per_second(&self, now: Duration) -> Option<f64> {
        let last = *self.moments.back()?;
        let origin = self.origin(last)?;
        // A silence that is longer than any before says that it got slower.
        let silence = now.saturating_sub(last.at).saturating_sub(self.longest_silence());
        let time = last.at.saturating_sub(origin.at) + silence;
        let settled = last.settled.saturating_sub(origin.settled);
        (settled > 0 && time >= SHORTEST).then(|| settled as f64 / time.as_secs_f64())
    }

    /// From where on the pace is measured.
    fn origin(&self, last: Moment) -> Option<Moment> {
        // A batch that is back is graded at another pace than it was asked at.
        if let Some(grading) = self.grading {
            let since = self.moments.iter().rev().take_while(|moment| moment.at > grading.at);
            if since.count() >= 3 {
                return Some(grading);
            }
        }
        let first = *self.moments.front()?;
        if self.moments.len() == MOST_MOMENTS && last.settled - first.settled >= 2 * self.wave {
            return Some(first);
        }
        let is_known = last.settled >= self.wave.max(2);
        self.begun.filter(|_| is_known).map(|at| Moment { at, settled: 0 })
    }

    fn longest_silence(&self) -> Duration {
        let begun = self.begun.into_iter();
        let times = begun.chain(self.moments.iter().map(|moment| moment.at));
        let mut longest = Duration::ZERO;
        times.reduce(|before, at| {
            longest = longest.max(at.saturating_sub(before));
            at
        });
        longest
    }
}

/// `about 45s`, `about 2m30s`, `about 1h10m`: coarse, because it is an estimate and should not flicker.
pub(super) fn about(left: Duration) -> String {
    let seconds = left.as_secs_f64().round();
    let step = match seconds {
        _ if seconds < 5.0 => return "less than 5s".to_owned(),
        _ if seconds < 60.0 => 5.0,
        _ if seconds < 600.0 => 15.0,
        _ if seconds < 3600.0 => 60.0,
        _ if seconds < 86_400.0 => 600.0,
        _ => return "more than a day".to_owned(),
    };
    let rounded = Duration::try_from_secs_f64((seconds / step).round() * step);
    let told = whole_seconds(rounded.unwrap_or_default());
    match told.strip_suffix("00s") {
        Some(minutes) if minutes.ends_with('m') => format!("about {minutes}"),
        _ => format!("about {told}"),
    }
}

/// `0s`, `59s`, `2m05s`, `1h02m`: what goes on while somebody looks is told in whole seconds.
pub(super) fn whole_seconds(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests;
