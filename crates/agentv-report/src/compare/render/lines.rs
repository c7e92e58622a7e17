//! Lines for a window of any width, down to forty columns.

use std::borrow::Cow;

use crate::style::{Style, Tone};

/// A text is broken no shorter than this, however narrow the window says it is.
const NARROWEST: usize = 20;

/// A space at which no line is broken; on the screen it is a plain one.
pub(super) const GLUE: char = '\u{a0}';

pub(super) struct Lines {
    style: Style,
    pub(super) text: String,
}

impl Lines {
    pub(super) fn new(style: Style) -> Self {
        Self { style, text: String::new() }
    }

    pub(super) fn line(&mut self, line: &str) {
        let plain = line.replace(GLUE, " ");
        self.text.push_str(plain.trim_end());
        self.text.push('\n');
    }

    pub(super) fn heading(&mut self, words: &str) {
        self.line("");
        // Painted line by line: a colour that goes on over a line's end colours what others write.
        let style = self.style;
        for line in broken(words, style.width, 0, 0) {
            self.line(&style.paint(Tone::Heading, &line));
        }
    }

    /// A text that is broken between words; `first` stands before its first line, `next` before the
    /// others. Words may be painted, each by itself or together.
    pub(super) fn wrapped(&mut self, first: &str, next: &str, text: &str) {
        let glued = text.replace(" %", &format!("{GLUE}%"));
        let mut before = first;
        for line in broken(&glued, self.style.width, first.len(), next.len()) {
            self.line(&format!("{before}{line}"));
            before = next;
        }
    }
}

fn broken(text: &str, width: usize, first: usize, next: usize) -> Vec<String> {
    let room_on = |line: usize| {
        let indent = if line == 0 { first } else { next };
        width.saturating_sub(indent).max(NARROWEST)
    };
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let mut word = Cow::Borrowed(word);
        let word_width = console::measure_text_width(&word);
        if used > 0 && used + 1 + word_width > room_on(lines.len()) {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        // A name that no line has room for is broken where the line ends; painted words are short.
        while used == 0 && !word.contains('\u{1b}') {
            let start = console::truncate_str(&word, room_on(lines.len()), "").into_owned();
            if start.is_empty() || start.len() == word.len() {
                break;
            }
            word = Cow::Owned(word.chars().skip(start.chars().count()).collect());
            lines.push(start);
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        used += console::measure_text_width(&word);
        line.push_str(&word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_window() {
        let mut lines = Lines::new(Style { color: false, width: 24 });
        lines.wrapped("", "  ", "one two three four five six seven eight");
        assert_eq!(lines.text, "one two three four five\n  six seven eight\n");
        let mut lines = Lines::new(Style { color: false, width: 24 });
        lines.wrapped("", "  ", &format!("one {} two", "x".repeat(30)));
        let broken = format!("one\n  {}\n  {} two\n", "x".repeat(22), "x".repeat(8));
        assert_eq!(lines.text, broken);
    }
}
