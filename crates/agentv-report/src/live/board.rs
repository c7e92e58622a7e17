//! What a live display knows: how the run goes, who is at work on what and since when, what waits, and
//! the lines that are still to be said. A state without a clock and without a screen.
//!
//! Invariant: the work for each event does not grow with the run. What is under way is as much as
//! there are workers and graders.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use agentv_base::{Failure, RunEvent, SettledCase, StopLevel, excerpt};

use super::{
    course::Course,
    line::{behind_id, failure_words, repeated_line, settled_line, stopping_line, warning_line},
    said::Said,
};
use crate::{
    record::{Status, error_of, status_of},
    style::{Style, Tone},
};

/// Failed cases that are told one by one; more than a few screens of them nobody reads, and the record
/// has them all.
const MOST_FAILED_LINES: usize = 200;

/// Lines that may wait for a screen that takes none, as one whose output is held back by its user.
const MOST_UNSAID: usize = 1000;

const LONGEST_NAME: usize = 60;

pub(super) struct Board {
    pub(super) course: Course,
    pub(super) style: Style,
    pub(super) stop: StopLevel,
    /// By the order in which it was begun: what is under way longest comes first.
    pub(super) under_way: BTreeMap<u64, UnderWay>,
    places: HashMap<(usize, Option<usize>), u64>,
    begun: u64,
    /// How many cases wait for their next attempt, and why the last of them does.
    pub(super) waiting: usize,
    pub(super) waits_for: Option<String>,
    unsaid: Vec<String>,
    left_unsaid: usize,
    failed_lines: usize,
    warnings: Said,
    errors: Said,
}

/// An invocation or a grading.
pub(super) struct UnderWay {
    pub(super) is_grading: bool,
    pub(super) id: String,
    /// What stands behind the id: the repeat, the target, the attempt.
    pub(super) about: String,
    pub(super) since: Duration,
}

impl Board {
    pub(super) fn new(course: Course, style: Style) -> Self {
        Self {
            course,
            style,
            stop: StopLevel::Run,
            under_way: BTreeMap::new(),
            places: HashMap::new(),
            begun: 0,
            waiting: 0,
            waits_for: None,
            unsaid: Vec::new(),
            left_unsaid: 0,
            failed_lines: 0,
            warnings: Said::default(),
            errors: Said::default(),
        }
    }

    pub(super) fn hear(&mut self, event: &RunEvent, now: Duration) {
        match event {
            RunEvent::Started { cases, repeated } => self.course.plan(*cases, *repeated),
            RunEvent::Invoking { unit, target, first_id, repeat, cases, attempt, .. } => {
                self.course.invoke(*unit, *cases, now);
                let mut about = behind_id(*repeat, *cases, target);
                if *attempt > 0 {
                    about = format!("{about}, attempt {}", u64::from(*attempt) + 1);
                }
                self.begin((*unit, None), first_id, about, now);
            }
            RunEvent::Invoked { unit } => {
                self.course.invoked(*unit, now);
                self.end((*unit, None));
            }
            RunEvent::Grading { unit, index, target, id, repeat } => {
                self.begin((*unit, Some(*index)), id, behind_id(*repeat, 1, target), now);
            }
            RunEvent::Graded { unit, index } => self.end((*unit, Some(*index))),
            RunEvent::Waiting { cases, last } => {
                self.waiting = *cases;
                if let Some(failure) = last {
                    self.waits_for = Some(waits_for(failure));
                }
            }
            RunEvent::Settled(settled) => self.settle(settled, now),
            RunEvent::Skipped(skipped) => self.course.skip(&skipped.reason),
            RunEvent::Warning(text) => {
                if self.warnings.is_news(text) {
                    self.say(warning_line(text, self.style));
                }
            }
            RunEvent::Stopping(level) => {
                self.stop = self.stop.max(*level);
                if let Some(line) = stopping_line(*level, self.style) {
                    self.say(line);
                }
            }
            RunEvent::Finished(_) => self.finish(),
        }
    }

    /// The lines that were not said yet, which are handed out once.
    pub(super) fn take_unsaid(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.unsaid);
        if self.left_unsaid > 0 {
            let words = format!("{} more lines are left out", self.left_unsaid);
            lines.push(self.style.paint(Tone::Aside, &words));
            self.left_unsaid = 0;
        }
        lines
    }

    fn begin(&mut self, place: (usize, Option<usize>), id: &str, about: String, since: Duration) {
        let is_grading = place.1.is_some();
        let under_way = UnderWay { is_grading, id: excerpt(id, LONGEST_NAME), about, since };
        self.under_way.insert(self.begun, under_way);
        if let Some(forgotten) = self.places.insert(place, self.begun) {
            self.under_way.remove(&forgotten);
        }
        self.begun += 1;
    }

    fn end(&mut self, place: (usize, Option<usize>)) {
        if let Some(order) = self.places.remove(&place) {
            self.under_way.remove(&order);
        }
    }

    fn settle(&mut self, settled: &SettledCase, now: Duration) {
        self.course.settle(settled, now);
        match status_of(&settled.outcome) {
            Some(Status::Failed) => {
                self.failed_lines += 1;
                if self.failed_lines <= MOST_FAILED_LINES {
                    self.say(settled_line(settled, self.style));
                } else if self.failed_lines == MOST_FAILED_LINES + 1 {
                    let words = "further failed cases are counted below, and recorded";
                    self.say(self.style.paint(Tone::Aside, words));
                }
            }
            Some(Status::Error) => {
                let is_news = error_of(&settled.outcome).is_none_or(|(kind, message)| {
                    self.errors.is_news(&format!("{}: {message}", kind.name()))
                });
                if is_news {
                    self.say(settled_line(settled, self.style));
                }
            }
            Some(Status::Passed) | None => {}
        }
    }

    fn finish(&mut self) {
        let repeated = self.errors.take_repeated();
        for (text, more) in repeated.into_iter().chain(self.warnings.take_repeated()) {
            self.say(repeated_line(&text, more, self.style));
        }
    }

    fn say(&mut self, line: String) {
        if self.unsaid.len() < MOST_UNSAID {
            self.unsaid.push(line);
        } else {
            self.left_unsaid += 1;
        }
    }
}

fn waits_for(failure: &Failure) -> String {
    failure_words(failure.kind, &failure.message, LONGEST_NAME * 2)
}

#[cfg(test)]
mod tests;
