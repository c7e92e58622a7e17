//! The two streams to the user: results to standard output, everything else to standard error.
//!
//! A reader that went away (`agentv … | head`) is no fault: what it did not want is not written,
//! and the exit code still tells how the run went.

use std::io::{self, BufWriter, IsTerminal as _, Write};

use anstream::{AutoStream, ColorChoice};

use crate::{args::Color, workflow};

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

    /// Whether standard error can show something that changes in place.
    pub fn stderr_is_live() -> bool {
        io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    /// Columns: as many as `COLUMNS` says, else those of the terminal that the user looks at; a
    /// plain page where there is none.
    pub fn width() -> usize {
        const PAGE: usize = 100;
        let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
        if let Some(columns) = said.filter(|columns| *columns > 0) {
            return columns;
        }
        terminal_size::terminal_size().map_or(PAGE, |(width, _)| usize::from(width.0))
    }

    /// Writes a result. A reader that went away has what it wanted; any other reason why the
    /// result could not be written is a fault.
    pub fn result(self, text: &str) -> io::Result<()> {
        let mut stdout = AutoStream::new(io::stdout().lock(), self.stdout_choice);
        unless_closed(write(&mut stdout, text))
    }

    /// Standard output for data that another program or a file takes as they are. A reader that
    /// went away has what it wanted.
    pub fn stdout() -> impl Write {
        Data(io::stdout().lock())
    }

    /// Has `write` write much to standard output. When the reader goes away, that is the end of it:
    /// what nobody wants is not worked out.
    pub fn stream(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut out = BufWriter::new(io::stdout().lock());
        unless_closed(write(&mut out).and_then(|()| out.flush()))
    }

    /// Writes a result for people, which may hold words from outside.
    pub fn tell(self, text: &str) -> io::Result<()> {
        self.result(&workflow::harmless(text))
    }

    /// Writes a diagnostic. Where even that cannot be written there is no one left to tell.
    pub fn say(self, text: &str) {
        self.say_commands(&workflow::harmless(text));
    }

    /// The same of what the log of a job is meant to take for commands.
    pub fn say_commands(self, text: &str) {
        let _ = write(&mut AutoStream::new(io::stderr().lock(), self.stderr_choice), text);
    }
}

struct Data(io::StdoutLock<'static>);

impl Write for Data {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unless_closed(self.0.write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unless_closed(self.0.flush())
    }
}

fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(io::Error::new(error.kind(), format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

fn choose(color: Color, stream: &impl anstream::stream::RawStream) -> ColorChoice {
    match color {
        Color::Auto => AutoStream::choice(stream),
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
}

fn write(stream: &mut impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}
