//! A word on a terminal while many rows are read for the first time.

use std::time::{Duration, Instant};

use crate::console::Console;

/// What is over before anybody wonders is not told.
const SILENCE: Duration = Duration::from_millis(400);
const PAUSE: Duration = Duration::from_millis(100);

/// Tells how many rows were read so far, and leaves no trace.
pub struct Reading {
    console: Console,
    is_live: bool,
    next: Instant,
    /// How wide it was told last; nothing is moved or wiped by signs that a terminal may not know.
    width: usize,
}

impl Reading {
    pub fn begin(console: Console) -> Self {
        let is_live = Console::stderr_is_live();
        Self { console, is_live, next: Instant::now() + SILENCE, width: 0 }
    }

    pub fn told(&mut self, rows: u64) {
        if self.is_live && Instant::now() >= self.next {
            self.next = Instant::now() + PAUSE;
            let text = format!("reading rows: {rows}");
            self.width = text.len();
            self.console.say(&format!("\r{text}"));
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if self.width > 0 {
            self.console.say(&format!("\r{}\r", " ".repeat(self.width)));
        }
    }
}
