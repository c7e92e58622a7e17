//! Text for the log of a GitHub job, whose runner takes lines for commands: what begins with `::`
//! after blanks, and `##[` anywhere. Answers, tags and errors come from outside and must not give
//! commands, so there the signs are taken apart. Elsewhere nothing is changed.

use std::{borrow::Cow, env, io};

/// `true` in every job of GitHub Actions.
const ACTIONS: &str = "GITHUB_ACTIONS";

pub fn is_at_work() -> bool {
    env::var_os(ACTIONS).is_some_and(|it| it == "true")
}

/// The text as this log may have it.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if is_at_work() { without_commands(text) } else { Cow::Borrowed(text) }
}

fn without_commands(text: &str) -> Cow<'_, str> {
    let is_command = |line: &str| {
        // Colour may stand before the words.
        let bare = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_control());
        bare.starts_with("::")
            || line.contains("##[")
            || line.contains("\u{1b}[") && line.contains("::")
    };
    if !text.lines().any(is_command) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        if is_command(line) {
            line.replace("##[", "## [").replace("::", ": :")
        } else {
            line.to_owned()
        }
    });
    Cow::Owned(lines.collect())
}

/// A writer whose every piece is harmless. Pieces are whole lines.
pub struct Harmless<W>(pub W);

impl<W: io::Write> io::Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.0.write_all(harmless(text).as_bytes())?,
            Err(_) => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_runner_would_take_for_a_command_is_taken_apart_and_nothing_else() {
        for (text, shown) in [
            ("      ::set-output name=a::b\n", "      : :set-output name=a: :b\n"),
            ("PASS x ##[error]y\n", "PASS x ## [error]y\n"),
            ("a::b is a path\n", "a::b is a path\n"),
            ("fine\n::stop-commands::x\n", "fine\n: :stop-commands: :x\n"),
            ("\u{1b}[2m::error::x\u{1b}[0m\n", "\u{1b}[2m: :error: :x\u{1b}[0m\n"),
        ] {
            assert_eq!(without_commands(text), shown);
        }
    }
}
