//! Progress as lines that are never taken back: for logs, and for terminals that can do no more.

use std::io::Write;

use agentv_base::{RunEvent, SettledCase, Sink, SinkFault, SkipReason, SkippedCase};

use super::{
    line::{repeated_line, retry_line, settled_line, skipped_line, stopping_line, warning_line},
    said::Said,
    tally::Tally,
};
use crate::{
    record::{Status, error_of, status_of},
    style::{Style, Tone},
};

/// Up to here every case has its line; beyond, only what went wrong, and how far the run is.
const MOST_CASES_WITH_LINES: usize = 1000;

/// One line a case to the writer, which is usually standard error.
pub struct Plain<W> {
    out: Option<W>,
    style: Style,
    tally: Tally,
    warnings: Said,
    errors: Said,
}

impl<W: Write + Send> Plain<W> {
    pub fn new(out: W, style: Style) -> Self {
        Self {
            out: Some(out),
            style,
            tally: Tally::default(),
            warnings: Said::default(),
            errors: Said::default(),
        }
    }

    /// A case that was settled in an earlier session of the run: it is counted, and not told again.
    /// To be told before the run starts.
    pub fn already(&mut self, status: Status) {
        self.tally.add(Some(status));
    }

    fn settle(&mut self, settled: &SettledCase) {
        let before = self.tally.tenths();
        self.tally.add(status_of(&settled.outcome));
        if self.has_lines() || self.is_worth_a_line(settled) {
            self.say(&settled_line(settled, self.style));
        }
        self.say_tenths(before);
    }

    fn skip(&mut self, skipped: &SkippedCase) {
        let before = self.tally.tenths();
        self.tally.skip(&skipped.reason);
        // Nothing is missing where a case is decided: the summary counts what was not needed.
        if self.has_lines() && skipped.reason != SkipReason::Decided {
            self.say(&skipped_line(skipped, self.style));
        }
        self.say_tenths(before);
    }

    /// Whether the run is so short that every case has its line.
    fn has_lines(&self) -> bool {
        self.tally.planned <= MOST_CASES_WITH_LINES
    }

    /// How far a long run is, where that is a tenth more than before.
    fn say_tenths(&mut self, before: usize) {
        let tenths = self.tally.tenths();
        if !self.has_lines() && tenths > before {
            let percent = self.style.paint(Tone::Heading, &format!("{:>3}%", tenths * 10));
            let (done, planned) = (self.tally.done(), self.tally.planned);
            let words = self.tally.words();
            self.say(&format!("{percent} {done}/{planned}: {words}"));
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
            RunEvent::Started { cases } => self.tally.plan(*cases),
            RunEvent::Invoking { target, first_id, cases, attempt, .. } => {
                if *attempt > 0 && self.has_lines() {
                    let line = retry_line(first_id, target, *cases, *attempt, self.style);
                    self.say(&line);
                }
            }
            RunEvent::Invoked { .. } | RunEvent::Grading { .. } | RunEvent::Graded { .. } => {}
            RunEvent::Skipped(skipped) => self.skip(skipped),
            RunEvent::Settled(settled) => self.settle(settled),
            RunEvent::Warning(text) => {
                if self.warnings.is_news(text) {
                    self.say(&warning_line(text, self.style));
                }
            }
            RunEvent::Stopping(level) => {
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
