//! A terminal in memory for tests: what is written to it is what a screen would show.

use std::{
    io,
    sync::{Arc, Mutex},
};

use super::{picture::Size, screen::Screen};

#[derive(Clone)]
pub(super) struct Vt(Arc<Mutex<Inner>>);

struct Inner {
    parser: vt100::Parser,
    raw: String,
    is_dead: bool,
}

impl Vt {
    pub(super) fn new(rows: u16, columns: u16) -> Self {
        // What scrolls out of the window is kept to be looked at.
        let parser = vt100::Parser::new(rows, columns, 10_000);
        Self(Arc::new(Mutex::new(Inner { parser, raw: String::new(), is_dead: false })))
    }

    pub(super) fn resize(&self, rows: u16, columns: u16) {
        self.0.lock().unwrap().parser.screen_mut().set_size(rows, columns);
    }

    pub(super) fn die(&self) {
        self.0.lock().unwrap().is_dead = true;
    }

    /// What stands in the window, without the rows below the last that has something.
    pub(super) fn shown(&self) -> String {
        self.0.lock().unwrap().parser.screen().contents().trim_end().to_owned()
    }

    /// Everything that was sent.
    pub(super) fn raw(&self) -> String {
        self.0.lock().unwrap().raw.clone()
    }
}

impl Screen for Vt {
    fn size(&self) -> Size {
        let (rows, columns) = self.0.lock().unwrap().parser.screen().size();
        Size { rows: usize::from(rows), columns: usize::from(columns) }
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        let mut inner = self.0.lock().unwrap();
        if inner.is_dead {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        inner.parser.process(text.as_bytes());
        inner.raw.push_str(text);
        Ok(())
    }
}
