//! The summary as text for a screen. Signs and words say everything; colour only repeats it.

use std::{fmt::Write as _, path::Path};

use agentv_base::escape_controls;

use super::{BINS, CaseName, MOST_TOLD, Summary};
use crate::style::{Style, Tone, counted, duration_text, told_with};

/// The longest bar of the distribution, in characters.
const LONGEST_BAR: usize = 24;

/// A text is broken no shorter than this, however narrow the window says it is.
const NARROWEST: usize = 40;

/// What wrapped lines of a case start with.
const INDENT: &str = "      ";

impl Summary {
    /// The text, with an end of line after each line. `results` is where all of it can be read.
    pub fn render(&self, style: Style, results: Option<&Path>) -> String {
        let mut page = Page { style, text: String::new() };
        self.write_counts(&mut page);
        self.write_scores(&mut page);
        self.write_slowest(&mut page);
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
        let errors = self.error_groups.len();
        let told_errors = errors.min(half.max(MOST_TOLD.saturating_sub(self.failed)));
        (told_errors, self.failed.min(MOST_TOLD - told_errors))
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
        if self.not_run > 0 {
            parts.push(part(self.not_run, "-", format!("{} not run", self.not_run), Tone::Odd));
        }
        let cases = counted(self.rows() + self.not_run, "case", "cases");
        page.line(&format!("{}: {}", style.paint(Tone::Heading, &cases), parts.join(", ")));
    }

    fn write_scores(&self, page: &mut Page) {
        let (Some(mean), Some(median)) = (self.mean(), self.median()) else {
            return;
        };
        let graded = counted(self.scores.len(), "graded case", "graded cases");
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

    fn write_slowest(&self, page: &mut Page) {
        if self.slowest.is_empty() {
            return;
        }
        page.heading("Slowest");
        for slow in &self.slowest {
            page.line(&format!(
                "  {:>6} {} ({})",
                duration_text(slow.milliseconds),
                slow.name.id,
                slow.name.target
            ));
        }
    }

    fn write_errors(&self, page: &mut Page, most: usize) {
        if self.errors == 0 {
            return;
        }
        page.heading("Errors");
        let groups = self.error_groups.largest(most);
        let told: usize = groups.iter().map(|group| group.cases).sum();
        for group in groups {
            let sign = page.style.paint(Tone::Odd, "!");
            page.line(&format!("  {sign} {}", group.first.in_full()));
            for (place, line) in group.message.iter().enumerate() {
                match place {
                    0 => page.wrapped("", &told_with(&group.kind, line)),
                    _ => page.wrapped("", line),
                }
            }
            if group.cases > 1 {
                let more = group.cases - 1;
                let more = counted(more, "more case", "more cases");
                page.wrapped("", &format!("and the same for {more} of this target"));
            }
        }
        page.more(self.errors - told);
    }

    fn write_failures(&self, page: &mut Page, most: usize) {
        if self.failed == 0 {
            return;
        }
        page.heading("Failed");
        for case in self.failures.iter().take(most) {
            let sign = page.style.paint(Tone::Bad, "✗");
            page.line(&format!("  {sign} {:.2} {}", case.score, case.name.in_full()));
            for miss in &case.misses {
                for (place, line) in miss.iter().enumerate() {
                    page.wrapped(if place == 0 { "- " } else { "  " }, line);
                }
            }
            if case.more_misses > 0 {
                let more = counted(case.more_misses, "more miss", "more misses");
                page.wrapped("- ", &format!("and {more}"));
            }
        }
        page.more(self.failed - most.min(self.failures.len()));
    }
}

impl CaseName {
    fn in_full(&self) -> String {
        format!("{} {} ({})", self.place, self.id, self.target)
    }
}

/// The text so far.
struct Page {
    style: Style,
    text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn heading(&mut self, words: &str) {
        self.line("");
        let words = self.style.paint(Tone::Heading, words);
        self.line(&words);
    }

    /// A text under a case, broken between words where it is too long for one line; `sign` stands
    /// before the first line only.
    fn wrapped(&mut self, sign: &str, text: &str) {
        // What a program indented stays indented.
        let indent = text.len() - text.trim_start_matches(' ').len();
        let (margin, text) = text.split_at(indent);
        let next = " ".repeat(sign.len()) + margin;
        let first = format!("{sign}{margin}");
        let room = self.style.width.saturating_sub(INDENT.len() + next.len());
        let room = room.max(NARROWEST);
        let mut start = first.as_str();
        let mut line = String::new();
        let mut width = 0;
        for word in text.split(' ') {
            let word_width = console::measure_text_width(word);
            if width > 0 && width + 1 + word_width > room {
                self.line(&format!("{INDENT}{start}{line}"));
                start = &next;
                line.clear();
                width = 0;
            }
            if width > 0 {
                line.push(' ');
                width += 1;
            }
            line.push_str(word);
            width += word_width;
        }
        self.line(&format!("{INDENT}{start}{line}"));
    }

    fn more(&mut self, count: usize) {
        if count > 0 {
            let line = self.style.paint(Tone::Aside, &format!("  … and {count} more"));
            self.line(&line);
        }
    }
}
