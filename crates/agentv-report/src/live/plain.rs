//! Progress as lines that are never taken back: for logs, and for terminals that can do no more.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use agentv_base::{
    Failure, RunEvent, SettledCase, Sink, SinkFault, SkipReason, SkippedCase, StopLevel,
};

use super::{
    course::Course,
    line::{
        failure_words, repeated_line, retry_line, settled_line, skipped_line, stopping_line,
        warning_line,
    },
    pace::{about, whole_seconds},
    said::Said,
    spend::Budget,
};
use crate::{
    record::{KeptRow, Status, error_of, status_of},
    style::{Style, Tone},
};

/// Up to here every case has its line; beyond, only what went wrong.
const MOST_CASES_WITH_LINES: usize = 1000;

/// From here on each tenth of the run has a line that says how it goes.
const LEAST_CASES_WITH_TENTHS: usize = 100;

/// How much of a reason is looked at to see whether it was said before.
const LONGEST_REASON: usize = 160;

/// One line a case to the writer, which is usually standard error.
pub struct Plain<W> {
    out: Option<W>,
    style: Style,
    course: Course,
    /// The time since the run began.
    clock: Box<dyn Fn() -> Duration + Send>,
    stop: StopLevel,
    warnings: Said,
    errors: Said,
    retries: Said,
}

impl<W: Write + Send> Plain<W> {
    pub fn new(out: W, style: Style, budget: Budget) -> Self {
        let begun = Instant::now();
        Self::with_clock(out, style, budget, Box::new(move || begun.elapsed()))
    }

    fn with_clock(
        out: W,
        style: Style,
        budget: Budget,
        clock: Box<dyn Fn() -> Duration + Send>,
    ) -> Self {
        Self {
            out: Some(out),
            style,
            course: Course::new(budget),
            clock,
            stop: StopLevel::Run,
            warnings: Said::default(),
            errors: Said::default(),
            retries: Said::default(),
        }
    }

    /// A row that an earlier session wrote, and whether this run has paid for it: it is counted, and
    /// not told again. To be told before the run starts.
    pub fn already(&mut self, row: &KeptRow, is_paid_here: bool) {
        self.course.already(row, is_paid_here);
    }

    fn settle(&mut self, settled: &SettledCase) {
        let before = self.course.tally.tenths();
        self.course.settle(settled, (self.clock)());
        if self.has_lines() || self.is_worth_a_line(settled) {
            self.say(&settled_line(settled, self.style));
        }
        self.say_tenths(before);
    }

    fn skip(&mut self, skipped: &SkippedCase) {
        let before = self.course.tally.tenths();
        self.course.skip(&skipped.reason);
        // Nothing is missing where a case is decided: the summary counts what was not needed.
        if self.has_lines() && skipped.reason != SkipReason::Decided {
            self.say(&skipped_line(skipped, self.style));
        }
        self.say_tenths(before);
    }

    /// Whether the run is so short that every case has its line.
    fn has_lines(&self) -> bool {
        self.course.tally.planned <= MOST_CASES_WITH_LINES
    }

    /// How a run of many cases goes, where a tenth more of it is done than before.
    fn say_tenths(&mut self, before: usize) {
        let tally = self.course.tally;
        let tenths = tally.tenths();
        if tally.planned < LEAST_CASES_WITH_TENTHS || tenths <= before {
            return;
        }
        let percent = self.style.paint(Tone::Heading, &format!("{:>3}%", tenths * 10));
        let (done, planned) = (tally.done(), tally.planned);
        let now = (self.clock)();
        let left = if self.stop == StopLevel::Run { self.course.left(now) } else { None };
        let time = match left {
            Some(left) => format!("{}, {} left", whole_seconds(now), about(left)),
            None => whole_seconds(now),
        };
        let rate = self.course.rate.words().into_iter();
        let parts = [tally.words()].into_iter().chain(rate).chain(self.course.spend.words());
        let parts: Vec<String> = parts.chain([time]).collect();
        self.say(&format!("{percent} {done}/{planned}: {}", parts.join("; ")));
    }

    /// An attempt after a failed one. In a long run each reason is told once, and then counted.
    fn retry(
        &mut self,
        first: (&str, u32, &str),
        cases: usize,
        attempt: u32,
        again: Option<&Failure>,
    ) {
        let is_news = self.has_lines()
            || again.is_some_and(|failure| {
                let why = failure_words(failure.kind, &failure.message, LONGEST_REASON);
                self.retries.is_news(&why)
            });
        if is_news {
            self.say(&retry_line(first, cases, attempt, again, self.style));
        }
    }

    /// In a long run: what went wrong, unless it was said in the same words before.
    fn is_worth_a_line(&mut self, settled: &SettledCase) -> bool {
        match status_of(&settled.outcome) {
            Some(Status::Failed) => true,
            Some(Status::Error) => error_of(&settled.outcome).is_none_or(|(kind, message)| {
                self.errors.is_news(&format!("{}: {message}", kind.name()))
            }),
            Some(Status::Passed) | None => false,
        }
    }

    fn finish(&mut self) {
        let style = self.style;
        for (text, more) in self.errors.take_repeated() {
            let line = repeated_line(&text, more, style);
            self.say(&format!("{} {line}", style.paint(Tone::Odd, "ERROR")));
        }
        for (text, more) in self.retries.take_repeated() {
            let line = repeated_line(&text, more, style);
            self.say(&format!("{} {line}", style.paint(Tone::Aside, "RETRY")));
        }
        for (text, more) in self.warnings.take_repeated() {
            let line = repeated_line(&text, more, style);
            self.say(&format!("{} {line}", style.paint(Tone::Odd, "warning")));
        }
    }

    /// The line in one piece, so that it is not mixed with those of others. A writer that fails
    /// once is left alone from then on: nobody listens any more, and the run goes on.
    fn say(&mut self, line: &str) {
        if let Some(out) = &mut self.out {
            let line = format!("{line}\n");
            if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
                self.out = None;
            }
        }
    }
}

impl<W: Write + Send> Sink for Plain<W> {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault> {
        match event {
            RunEvent::Started { cases, repeated } => self.course.plan(*cases, *repeated),
            RunEvent::Invoking { unit, target, first_id, repeat, cases, attempt, again } => {
                self.course.invoke(*unit, *cases, (self.clock)());
                if *attempt > 0 {
                    self.retry((first_id, *repeat, target), *cases, *attempt, again.as_ref());
                }
            }
            RunEvent::Invoked { unit } => self.course.invoked(*unit, (self.clock)()),
            RunEvent::Grading { .. } | RunEvent::Graded { .. } | RunEvent::Waiting { .. } => {}
            RunEvent::Skipped(skipped) => self.skip(skipped),
            RunEvent::Settled(settled) => self.settle(settled),
            RunEvent::Warning(text) => {
                if self.warnings.is_news(text) {
                    self.say(&warning_line(text, self.style));
                }
            }
            RunEvent::Stopping(level) => {
                self.stop = self.stop.max(*level);
                if let Some(line) = stopping_line(*level, self.style) {
                    self.say(&line);
                }
            }
            RunEvent::Finished(_) => self.finish(),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
