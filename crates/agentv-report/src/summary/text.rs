//! The summary as text for a screen. Signs and words say everything; colour only repeats it.

use std::path::Path;

use agentv_base::escape_controls;

use super::{BINS, MOST_TOLD, Summary, judges::MOST_JUDGES};
use crate::{
    page::Page,
    style::{Style, Tone, counted, duration_text, told_with},
};

/// The longest bar of the distribution, in characters.
const LONGEST_BAR: usize = 24;

/// What wrapped lines of a case start with.
const INDENT: &str = "      ";

impl Summary {
    /// The text, with an end of line after each line. `results` is where all of it can be read.
    pub fn render(&self, style: Style, results: Option<&Path>) -> String {
        let mut page = Page::new(style);
        self.write_counts(&mut page);
        self.write_not_run(&mut page);
        self.write_scores(&mut page);
        self.write_repeats(&mut page);
        self.write_judges(&mut page);
        self.write_spent(&mut page);
        self.write_slowest(&mut page);
        self.write_retried(&mut page);
        let (errors, failures) = self.shares();
        self.write_errors(&mut page, errors);
        self.write_failures(&mut page, failures);
        if let Some(path) = results {
            page.line("");
            page.line(&format!("Results: {}", escape_controls(&path.to_string_lossy())));
        }
        page.text
    }

    /// How many kinds of errors and how many failed cases are told: half of the room each, and
    /// what one does not need goes to the other.
    pub(super) fn shares(&self) -> (usize, usize) {
        let half = MOST_TOLD / 2;
        let (errors, failing) = (self.error_groups.len(), self.failing());
        let told_errors = errors.min(half.max(MOST_TOLD.saturating_sub(failing)));
        (told_errors, failing.min(MOST_TOLD - told_errors))
    }

    fn write_counts(&self, page: &mut Page) {
        let style = page.style;
        let part = |count: usize, sign: &str, words: String, tone: Tone| {
            let text = format!("{sign} {words}");
            if count == 0 { style.paint(Tone::Aside, &text) } else { style.paint(tone, &text) }
        };
        let mut parts = vec![
            part(self.passed, "✓", format!("{} passed", self.passed), Tone::Good),
            part(self.failed, "✗", format!("{} failed", self.failed), Tone::Bad),
            part(self.errors, "!", counted(self.errors, "error", "errors"), Tone::Odd),
        ];
        let waiting = self.waiting();
        for (count, words) in [(self.unfinished, "interrupted"), (waiting, "not run")] {
            if count > 0 {
                parts.push(part(count, "-", format!("{count} {words}"), Tone::Odd));
            }
        }
        let decided = self.skipped.decided();
        if decided > 0 {
            let words = counted(decided, "repeat not needed", "repeats not needed");
            parts.push(style.paint(Tone::Aside, &words));
        }
        let cases = self.told_cases(self.rows() + self.unfinished + waiting);
        page.line(&format!("{}: {}", style.paint(Tone::Heading, &cases), parts.join(", ")));
    }

    /// How much was planned. Repeats are told as such; of how many cases they are is known where
    /// none is without a row.
    fn told_cases(&self, planned: usize) -> String {
        if !self.is_repeated() {
            return counted(planned, "case", "cases");
        }
        let repeats = counted(planned, "repeat", "repeats");
        if planned > self.rows() || planned == 0 {
            return repeats;
        }
        format!("{repeats} of {}", counted(self.repeats.cases(), "case", "cases"))
    }

    /// Cases that were not begun: skipped, or left when the run was stopped.
    fn waiting(&self) -> usize {
        (self.not_run - self.unfinished).max(self.skipped.skipped())
    }

    /// Nothing where nothing was skipped.
    fn write_not_run(&self, page: &mut Page) {
        let lines = self.skipped.told(self.waiting(), self.is_repeated());
        if !lines.is_empty() {
            page.heading("Not run");
        }
        for line in lines {
            page.wrapped("  ", &line);
        }
    }

    /// Nothing where nothing was repeated.
    fn write_repeats(&self, page: &mut Page) {
        let lines = self.repeats.told();
        if !lines.is_empty() {
            page.heading("Repeats");
        }
        for line in lines {
            page.wrapped("  ", &line);
        }
    }

    fn write_scores(&self, page: &mut Page) {
        let (Some(mean), Some(median)) = (self.mean(), self.median()) else {
            return;
        };
        let graded = if self.is_repeated() {
            counted(self.scores.len(), "graded repeat", "graded repeats")
        } else {
            counted(self.scores.len(), "graded case", "graded cases")
        };
        let errors = match self.errors {
            0 => String::new(),
            errors => format!(" ({} not counted)", counted(errors, "error", "errors")),
        };
        page.heading("Scores");
        page.line(&format!("  mean {mean:.3}, median {median:.3} over {graded}{errors}"));
        let bins = self.distribution();
        let largest = bins.iter().copied().max().unwrap_or(0).max(1);
        let digits = largest.to_string().len();
        for (bin, count) in bins.into_iter().enumerate() {
            let low = bin as f64 / BINS as f64;
            let high = (bin + 1) as f64 / BINS as f64;
            // A bin with anything in it shows at least a sign of it.
            let length = (count * LONGEST_BAR).div_ceil(largest);
            let line = format!("  {low:.1}–{high:.1} {count:>digits$} {}", "█".repeat(length));
            page.line(line.trim_end());
        }
    }

    /// Nothing where no model judged.
    fn write_judges(&self, page: &mut Page) {
        let judges = self.judges.all();
        if judges.is_empty() {
            return;
        }
        page.heading("Judges");
        for judge in judges.iter().take(MOST_JUDGES) {
            page.wrapped("  ", &judge.told());
        }
        page.more(judges.len().saturating_sub(MOST_JUDGES));
    }

    /// Nothing where nobody says what anything took.
    fn write_spent(&self, page: &mut Page) {
        let lines = self.spent.told();
        if !lines.is_empty() {
            page.heading("Spent");
        }
        for line in lines {
            page.wrapped("  ", &line);
        }
    }

    fn write_slowest(&self, page: &mut Page) {
        if self.slowest.is_empty() {
            return;
        }
        page.heading("Slowest");
        for slow in &self.slowest {
            let judge = match slow.judge {
                Some(judge) => format!(" + judge {}", duration_text(judge)),
                None => String::new(),
            };
            page.line(&format!(
                "  {:>6}{judge} {}",
                duration_text(slow.invocation),
                slow.name.told(self.is_repeated())
            ));
        }
    }

    /// Nothing where nothing was asked for again.
    fn write_retried(&self, page: &mut Page) {
        if let Some(line) = self.retried.told(self.is_repeated()) {
            page.heading("Retried");
            page.wrapped("  ", &line);
        }
    }

    fn write_errors(&self, page: &mut Page, most: usize) {
        if self.errors == 0 {
            return;
        }
        page.heading("Errors");
        if let Some(classes) = self.error_groups.told_classes() {
            page.wrapped("  ", &classes);
        }
        let groups = self.error_groups.largest(most);
        let told: usize = groups.iter().map(|group| group.cases).sum();
        for group in groups {
            let sign = page.style.paint(Tone::Odd, "!");
            page.line(&format!("  {sign} {}", group.first.in_full(self.is_repeated())));
            for (place, line) in group.message.iter().enumerate() {
                match place {
                    0 => page.wrapped(INDENT, &told_with(&group.kind, line)),
                    _ => page.wrapped(INDENT, line),
                }
            }
            if group.cases > 1 {
                let more = group.cases - 1;
                let more = if self.is_repeated() {
                    counted(more, "more repeat", "more repeats")
                } else {
                    counted(more, "more case", "more cases")
                };
                page.wrapped(INDENT, &format!("and the same for {more} of this target"));
            }
        }
        page.more(self.errors - told);
    }

    fn write_failures(&self, page: &mut Page, most: usize) {
        if self.failed == 0 {
            return;
        }
        page.heading("Failed");
        let failures = self.failures.all();
        for case in failures.iter().take(most) {
            let sign = page.style.paint(Tone::Bad, "✗");
            let name = case.name.in_full(self.is_repeated());
            let often = match self.repeats.failed_of(case.key) {
                Some((failed, graded)) if graded > 1 => format!("; {failed} of {graded} failed"),
                _ => String::new(),
            };
            page.line(&format!("  {sign} {:.2} {name}{often}", case.score));
            for miss in &case.misses {
                for (place, line) in miss.iter().enumerate() {
                    let sign = if place == 0 { "- " } else { "  " };
                    page.wrapped(&format!("{INDENT}{sign}"), line);
                }
            }
            if case.more_misses > 0 {
                let more = counted(case.more_misses, "more miss", "more misses");
                page.wrapped(&format!("{INDENT}- "), &format!("and {more}"));
            }
        }
        page.more(self.failing().saturating_sub(most.min(failures.len())));
    }
}
