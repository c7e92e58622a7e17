//! The summary as text for a screen. Signs and words say everything; colour only repeats it.

use std::path::Path;

use agentv_base::escape_controls;

use super::{
    Again, MOST_TOLD, Summary, failures::FailedCase, judges::MOST_JUDGES, number, place::Place,
    scores::told_times,
};
use crate::{
    digest::{Digest, Figures},
    page::Page,
    style::{Style, Tone, counted, duration_text, told_with},
};

/// What wrapped lines of a case start with.
const INDENT: &str = "      ";

/// No window is narrower.
const NARROWEST: usize = 40;

/// A window that is taller is rare.
const LONG: usize = 50;

impl Summary {
    /// The text, with an end of line after each line. `results` is where all of it can be read, and
    /// `again` how cases of it are run again.
    pub fn render(&self, style: Style, results: Option<&Path>, again: Option<&Again>) -> String {
        let digest = self.digester.finish();
        let all = &digest.all;
        let mut page = Page::new(style);
        self.write_counts(&mut page, all);
        self.write_not_run(&mut page);
        self.write_scores(&mut page, &digest);
        self.write_tables(&mut page, &digest);
        self.write_repeats(&mut page);
        self.write_judges(&mut page);
        self.write_spent(&mut page);
        self.write_slowest(&mut page, all);
        self.write_retried(&mut page);
        self.write_errors(&mut page, &digest, again);
        self.write_failures(&mut page, all, again);
        if page.text.lines().count() > LONG {
            // What it came to has scrolled away by now.
            page.line("");
            self.write_counts(&mut page, all);
        }
        if let Some(path) = results {
            page.line("");
            page.line(&format!("Results: {}", escape_controls(&path.to_string_lossy())));
        }
        page.text
    }

    /// How many kinds of errors and how many failed cases are told: half of the room each, and
    /// what one does not need goes to the other.
    pub(super) fn shares(&self, all: &Figures) -> (usize, usize) {
        let half = MOST_TOLD / 2;
        let (errors, failing) = (self.error_groups.len(), self.failing(all));
        let told_errors = errors.min(half.max(MOST_TOLD.saturating_sub(failing)));
        (told_errors, failing.min(MOST_TOLD - told_errors))
    }

    fn write_counts(&self, page: &mut Page, all: &Figures) {
        let style = page.style;
        let part = |count: usize, sign: &str, words: String, tone: Tone| {
            let text = format!("{sign} {words}");
            if count == 0 { style.paint(Tone::Aside, &text) } else { style.paint(tone, &text) }
        };
        let [passed, failed, errors] = [all.passed, all.failed, all.errors].map(number);
        let mut parts = vec![
            part(passed, "✓", format!("{passed} passed"), Tone::Good),
            part(failed, "✗", format!("{failed} failed"), Tone::Bad),
            part(errors, "!", counted(errors, "error", "errors"), Tone::Odd),
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
        let cases = self.told_cases(all, self.digester.rows() + self.unfinished + waiting);
        page.line(&format!("{}: {}", style.paint(Tone::Heading, &cases), parts.join(", ")));
    }

    /// How much was planned. Repeats are told as such; of how many cases they are is known where
    /// none is without a row.
    fn told_cases(&self, all: &Figures, planned: usize) -> String {
        if !self.is_repeated() {
            return counted(planned, "case", "cases");
        }
        let repeats = counted(planned, "repeat", "repeats");
        if planned > self.digester.rows() || planned == 0 {
            return repeats;
        }
        format!("{repeats} of {}", counted(number(all.cases), "case", "cases"))
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

    fn write_slowest(&self, page: &mut Page, all: &Figures) {
        if self.slowest.is_empty() {
            return;
        }
        page.heading("Slowest");
        if let Some(times) = told_times(all, self.slowest.len()) {
            page.wrapped("  ", &times);
        }
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

    fn write_errors(&self, page: &mut Page, digest: &Digest, again: Option<&Again>) {
        let errors = number(digest.all.errors);
        if errors == 0 {
            return;
        }
        let (most, _) = self.shares(&digest.all);
        page.heading("Errors");
        if self.error_groups.len() > 1 {
            page.wrapped("  ", &self.error_groups.told_kinds());
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
        page.more(errors - told);
        // Where nothing at all could be evaluated, something is to be mended, and the same run made again.
        if let Some(again) = again.filter(|_| digest.all.graded > 0) {
            let them = if errors == 1 { "it" } else { "them" };
            page.line(&format!("  to run {them} again: {}", again.all_errors()));
        }
    }

    fn write_failures(&self, page: &mut Page, all: &Figures, again: Option<&Again>) {
        if all.failed == 0 {
            return;
        }
        let (_, most) = self.shares(all);
        page.heading("Failed");
        let failures = self.failures.all();
        let told = most.min(failures.len());
        for (place, case) in failures.take(most) {
            self.write_failure(page, place, case, again);
        }
        let failing = self.failing(all);
        page.more(failing.saturating_sub(told));
        if let Some(again) = again.filter(|_| failing > 1) {
            let errors = if all.errors > 0 { ", with the errors" } else { "" };
            page.line(&format!("  to run all of them again{errors}: {}", again.all_failed()));
        }
    }

    fn write_failure(
        &self,
        page: &mut Page,
        place: &Place,
        case: &FailedCase,
        again: Option<&Again>,
    ) {
        let style = page.style;
        let sign = style.paint(Tone::Bad, "✗");
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
        if let Some(difference) = &case.difference {
            let room = style.width.max(NARROWEST) - INDENT.len();
            for line in difference.told(style, room) {
                page.line(&format!("{INDENT}{line}"));
            }
        }
        // Never broken into lines: it is there to be copied.
        if let Some(command) = again.and_then(|again| again.one(place)) {
            page.line(&format!("{INDENT}{}", style.paint(Tone::Aside, &format!("$ {command}"))));
        }
    }
}
