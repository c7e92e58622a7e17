//! Where a live display draws.

use std::{
    io::{self, ErrorKind, Write as _},
    thread,
    time::Duration,
};

use super::picture::Size;

/// What is taken for a window that does not say how large it is.
const USUAL: Size = Size { rows: 24, columns: 80 };

/// Until a terminal that cannot take more is asked again.
const PAUSE: Duration = Duration::from_millis(20);

pub(super) trait Screen: Send {
    /// As it is now; it may have changed.
    fn size(&self) -> Size;
    fn write(&mut self, text: &str) -> io::Result<()>;
}

/// Standard error, where that is a terminal.
pub(super) struct Terminal(pub(super) console::Term);

impl Screen for Terminal {
    fn size(&self) -> Size {
        match self.0.size_checked() {
            Some((rows, columns)) if rows > 0 && columns > 0 => {
                Size { rows: usize::from(rows), columns: usize::from(columns) }
            }
            _ => USUAL,
        }
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match io::stderr().write(rest) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Somebody else made it one that does not wait; that is no reason to give up.
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(PAUSE),
                Err(error) => return Err(error),
            }
        }
        io::stderr().flush()
    }
}
