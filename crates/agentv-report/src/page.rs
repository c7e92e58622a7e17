//! A page of text for a screen: lines, headings, and texts that are broken between words where they
//! are too long for the window.

use std::fmt::Write as _;

use crate::style::{Style, Tone};

/// A text is broken no shorter than this, however narrow the window says it is.
const NARROWEST: usize = 40;

/// The text so far.
pub(crate) struct Page {
    pub(crate) style: Style,
    pub(crate) text: String,
}

impl Page {
    pub(crate) fn new(style: Style) -> Self {
        Self { style, text: String::new() }
    }

    pub(crate) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}", line.trim_end());
    }

    pub(crate) fn heading(&mut self, words: &str) {
        self.line("");
        self.broken("", "", words, Some(Tone::Heading));
    }

    /// A text that goes on under its own beginning, after `first`; `first` may be painted.
    pub(crate) fn wrapped(&mut self, first: &str, text: &str) {
        let next = " ".repeat(console::measure_text_width(first));
        self.broken(first, &next, text, None);
    }

    pub(crate) fn more(&mut self, count: usize) {
        if count > 0 {
            let line = self.style.paint(Tone::Aside, &format!("  … and {count} more"));
            self.line(&line);
        }
    }

    /// Breaks a text between words; `first` stands before its first line, `next` before the others.
    fn broken(&mut self, first: &str, next: &str, text: &str, tone: Option<Tone>) {
        // What a program indented stays indented.
        let indent = text.len() - text.trim_start_matches(' ').len();
        let (margin, text) = text.split_at(indent);
        let before = console::measure_text_width(next) + margin.len();
        let room = self.style.width.saturating_sub(before).max(NARROWEST);
        let mut start = first;
        let mut line = String::new();
        let mut width = 0;
        for word in text.split(' ') {
            let word_width = console::measure_text_width(word);
            if width > 0 && width + 1 + word_width > room {
                self.painted(&format!("{start}{margin}"), &line, tone);
                start = next;
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
        self.painted(&format!("{start}{margin}"), &line, tone);
    }

    fn painted(&mut self, start: &str, line: &str, tone: Option<Tone>) {
        match tone {
            Some(tone) => {
                let line = self.style.paint(tone, line);
                self.line(&format!("{start}{line}"));
            }
            None => self.line(&format!("{start}{line}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(width: usize, first: &str, text: &str) -> String {
        let mut page = Page::new(Style { color: false, width });
        page.wrapped(first, text);
        page.text
    }

    #[test]
    fn a_text_is_broken_between_words_and_goes_on_under_its_beginning() {
        let text = "one two three four five six seven eight nine ten";
        assert_eq!(check(100, "  - ", text), format!("  - {text}\n"));
        let broken = "  - one two three four five six seven eight\n    nine ten\n";
        assert_eq!(check(44, "  - ", text), broken);
        assert_eq!(check(1, "  - ", text), broken, "no window is narrower than that");
    }

    #[test]
    fn what_was_indented_stays_indented_and_a_long_word_is_not_cut() {
        let word = "x".repeat(50);
        assert_eq!(check(40, "- ", &format!("  {word} y")), format!("-   {word}\n    y\n"));
    }
}
