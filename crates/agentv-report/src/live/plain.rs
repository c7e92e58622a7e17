//! Progress as lines that are never taken back: for logs, and for terminals that can do no more.

use std::io::Write;

use agentv_base::{RunEvent, SettledCase, Sink, SinkFault};

use super::{
    line::{repeated_line, settled_line, stopping_line, warning_line},
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

    fn settle(&mut self, settled: &SettledCase) {
        let before = self.tally.tenths();
        self.tally.add(settled);
        if self.tally.planned <= MOST_CASES_WITH_LINES || self.is_worth_a_line(settled) {
            self.say(&settled_line(settled, self.style));
        }
        let tenths = self.tally.tenths();
        if self.tally.planned > MOST_CASES_WITH_LINES && tenths > before {
            let done = self.style.paint(Tone::Heading, &format!("{:>3}%", tenths * 10));
            let (settled, planned) = (self.tally.settled, self.tally.planned);
            let words = self.tally.words();
            self.say(&format!("{done} {settled}/{planned}: {words}"));
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
            RunEvent::Started { cases } => self.tally = Tally::of(*cases),
            RunEvent::Invoking { .. }
            | RunEvent::Invoked { .. }
            | RunEvent::Grading { .. }
            | RunEvent::Graded { .. } => {}
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
