//! The two streams to the user: results to standard output, everything else to standard error.
//!
//! A reader that went away (`agentv … | head`) is no fault: what it did not want is not written,
//! and the exit code still tells how the run went.

use std::io::{self, IsTerminal as _, Write};

use anstream::{AutoStream, ColorChoice};

use crate::args::Color;

#[derive(Clone, Copy)]
pub struct Console {
    stdout_choice: ColorChoice,
    stderr_choice: ColorChoice,
}

impl Console {
    pub fn new(color: Color) -> Self {
        Self {
            stdout_choice: choose(color, &io::stdout()),
            stderr_choice: choose(color, &io::stderr()),
        }
    }

    pub fn stdout_has_color(self) -> bool {
        self.stdout_choice != ColorChoice::Never
    }

    pub fn stderr_has_color(self) -> bool {
        self.stderr_choice != ColorChoice::Never
    }

    pub fn stderr_is_terminal() -> bool {
        io::stderr().is_terminal()
    }

    /// Columns of the terminal that the user looks at; a plain page where there is none.
    pub fn width() -> usize {
        const PAGE: usize = 100;
        terminal_size::terminal_size().map_or(PAGE, |(width, _)| usize::from(width.0))
    }

    /// Writes a result. False where nobody reads any more.
    pub fn result(self, text: &str) -> bool {
        write(&mut AutoStream::new(io::stdout().lock(), self.stdout_choice), text)
    }

    /// Writes a diagnostic.
    pub fn say(self, text: &str) {
        write(&mut AutoStream::new(io::stderr().lock(), self.stderr_choice), text);
    }
}

fn choose(color: Color, stream: &impl anstream::stream::RawStream) -> ColorChoice {
    match color {
        Color::Auto => AutoStream::choice(stream),
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
}

/// Ends quietly where the stream is closed: there is no one left to tell.
fn write(stream: &mut impl Write, text: &str) -> bool {
    stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).is_ok()
}
