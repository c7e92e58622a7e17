//! The live display on a terminal: one picture of several lines, and what went wrong above it.
//!
//! It is drawn by a thread of its own. So a terminal that takes nothing for a while, or is gone, holds
//! up nobody: events only change what the next picture shows.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use agentv_base::{RunEvent, Sink, SinkFault};

use super::{
    board::Board,
    canvas::Canvas,
    course::Course,
    picture::picture,
    screen::{Screen, Terminal},
    spend::Budget,
};
use crate::{record::KeptRow, style::Style};

/// Between two pictures: more of them nobody can read.
const INTERVAL: Duration = Duration::from_millis(150);

/// So long the end of the run waits for the last picture: a terminal that takes nothing must not keep the
/// record from being finished.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 60 } else { 2 });

/// A live display on a terminal. The picture is taken away at the end, and when it is dropped.
pub struct Display {
    shared: Arc<Shared>,
    begun: Instant,
    /// Handed to the thread that draws, once the run starts.
    screen: Option<Box<dyn Screen>>,
}

struct Shared {
    state: Mutex<State>,
    /// The run has ended, or the drawing has.
    ending: Condvar,
}

struct State {
    board: Board,
    has_ended: bool,
    is_drawing: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Display {
    /// On standard error, which must be a terminal.
    pub fn on_stderr(style: Style, budget: Budget) -> Self {
        Self::on(Box::new(Terminal(console::Term::stderr())), style, budget)
    }

    fn on(screen: Box<dyn Screen>, style: Style, budget: Budget) -> Self {
        let board = Board::new(Course::new(budget), style);
        let state = Mutex::new(State { board, has_ended: false, is_drawing: false });
        Self {
            shared: Arc::new(Shared { state, ending: Condvar::new() }),
            begun: Instant::now(),
            screen: Some(screen),
        }
    }

    /// A row that an earlier session wrote, and whether this run has paid for it: the bar starts
    /// behind it. To be told before the run starts.
    pub fn already(&mut self, row: &KeptRow, is_paid_here: bool) {
        self.shared.lock().board.course.already(row, is_paid_here);
    }

    fn start(&mut self) {
        let Some(screen) = self.screen.take() else { return };
        self.begun = Instant::now();
        let (shared, begun) = (Arc::clone(&self.shared), self.begun);
        let drawing = move || {
            draw(&shared, screen, begun);
            shared.lock().is_drawing = false;
            shared.ending.notify_all();
        };
        self.shared.lock().is_drawing = true;
        // Without a thread nothing is shown, and the run is as good.
        if thread::Builder::new().name("display".to_owned()).spawn(drawing).is_err() {
            self.shared.lock().is_drawing = false;
        }
    }

    /// Waits for the last picture, so that nothing is drawn over what is said next.
    fn end(&self) {
        let mut state = self.shared.lock();
        state.has_ended = true;
        self.shared.ending.notify_all();
        let ending = &self.shared.ending;
        let _ = ending.wait_timeout_while(state, PATIENCE, |state| state.is_drawing);
    }
}

impl Sink for Display {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault> {
        if matches!(event, RunEvent::Started { .. }) {
            self.start();
        }
        let now = self.begun.elapsed();
        self.shared.lock().board.hear(event, now);
        if matches!(event, RunEvent::Finished(_)) {
            self.end();
        }
        Ok(())
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.end();
    }
}

/// Draws until the end, or until the terminal takes no more.
fn draw(shared: &Shared, mut screen: Box<dyn Screen>, begun: Instant) {
    let mut canvas = Canvas::default();
    loop {
        let state = shared.lock();
        let waited = shared.ending.wait_timeout_while(state, INTERVAL, |state| !state.has_ended);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        let size = screen.size();
        let said = state.board.take_unsaid();
        let has_ended = state.has_ended;
        let text = if has_ended {
            Some(canvas.clear(&said, size))
        } else {
            let picture = picture(&mut state.board, size, begun.elapsed());
            canvas.draw(&said, picture, size)
        };
        // Nobody has to wait for the terminal.
        drop(state);
        let written = text.map_or(Ok(()), |text| screen.write(&text));
        if has_ended || written.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
