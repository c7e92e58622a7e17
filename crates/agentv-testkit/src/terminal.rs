//! A terminal for programs that look for one. It shows nothing: a test reads what was written to it.

use std::{
    fs::File,
    io::{ErrorKind, Read as _},
    process::Stdio,
};

use nix::{
    fcntl::{FcntlArg, FdFlag, OFlag, fcntl},
    pty::{Winsize, openpty},
};

/// The side of a pseudo-terminal at which its user sits. It is no one's controlling terminal: where
/// it goes, writes to it fail, and nobody gets a signal.
pub struct Terminal {
    side: File,
    read: Vec<u8>,
}

impl Terminal {
    /// A terminal with a window of this size, and its other side for a program.
    pub fn open(rows: u16, columns: u16) -> (Self, Stdio) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let both = openpty(Some(&size), None).expect("there are terminals");
        fcntl(&both.master, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).expect("it need not wait");
        // Whoever else is started has neither side: it could not be hung up otherwise.
        for side in [&both.master, &both.slave] {
            fcntl(side, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).expect("it need not be passed on");
        }
        (Self { side: File::from(both.master), read: Vec::new() }, Stdio::from(both.slave))
    }

    /// Everything that was written to it so far.
    pub fn read(&mut self) -> String {
        let mut piece = [0; 4096];
        loop {
            match self.side.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => self.read.extend_from_slice(&piece[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // There is nothing more for now, or nobody is left who could write.
                Err(_) => break,
            }
        }
        String::from_utf8_lossy(&self.read).into_owned()
    }

    /// Takes the terminal away from those who use it.
    pub fn hang_up(self) {
        drop(self);
    }
}
