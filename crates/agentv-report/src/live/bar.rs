//! Progress on a terminal: one bar, one line of what is running, and what went wrong above them.
//!
//! One bar and not one for each worker: many bars flicker, and a screen has few lines.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use agentv_base::{RunEvent, SettledCase, Sink, SinkFault, excerpt};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike};

use super::{
    line::{repeated_line, settled_line, stopping_line, warning_line},
    said::Said,
    screen::Screen,
    tally::Tally,
};
use crate::{
    record::{Status, error_of, status_of},
    style::{Style, duration_text},
};

/// Ten pictures a second are as many as anyone sees.
const PICTURES_A_SECOND: u8 = 10;

/// How often the picture is renewed while nothing happens, so that times, told in tenths of a
/// second, go on.
const IDLE: Duration = Duration::from_millis(200);

/// The bar itself, in columns, and the window below which numbers have to do.
const BAR_LENGTH: u64 = 20;
const NARROW: usize = 70;

/// A bar on a terminal. It is taken away at the end, and when it is dropped.
pub struct Bar {
    drawing: ProgressBar,
    style: Style,
    tally: Tally,
    state: Arc<Mutex<State>>,
    warnings: Said,
    errors: Said,
}

/// What the picture shows beside the bar; read whenever it is drawn.
#[derive(Default)]
struct State {
    words: String,
    running: Vec<Running>,
    grading: Vec<Running>,
}

/// An invocation or a grading under way.
struct Running {
    unit: usize,
    /// The place in the invocation of what is graded.
    index: usize,
    name: String,
    since: Instant,
}

impl Bar {
    /// On standard error, which must be a terminal.
    pub fn on_stderr(style: Style) -> Self {
        let terminal: Arc<dyn TermLike> = Arc::new(console::Term::buffered_stderr());
        Self::on(&terminal, style)
    }

    /// On any terminal.
    pub fn on(terminal: &Arc<dyn TermLike>, style: Style) -> Self {
        let target = ProgressDrawTarget::term_like_with_hz(
            Box::new(Screen(Arc::clone(terminal))),
            PICTURES_A_SECOND,
        );
        let state = Arc::<Mutex<State>>::default();
        let drawing = ProgressBar::with_draw_target(Some(0), target);
        drawing.set_style(picture(&state, terminal));
        Self {
            drawing,
            style,
            tally: Tally::default(),
            state,
            warnings: Said::default(),
            errors: Said::default(),
        }
    }

    /// A case that was settled in an earlier session of the run: the bar starts behind it. To be
    /// told before the run starts.
    pub fn already(&mut self, status: Status) {
        self.tally.add(Some(status));
    }

    fn start(&mut self, cases: usize) {
        self.tally.plan(cases);
        self.drawing.set_length(cases as u64);
        self.show_tally();
        self.drawing.reset_elapsed();
        self.drawing.enable_steady_tick(IDLE);
    }

    fn show_tally(&self) {
        let words = self.tally.words();
        self.with_state(|state| state.words = words);
        self.drawing.set_position(self.tally.done() as u64);
    }

    fn settle(&mut self, settled: &SettledCase) {
        let status = status_of(&settled.outcome);
        self.tally.add(status);
        self.show_tally();
        let is_news = match status {
            Some(Status::Failed) => true,
            Some(Status::Error) => error_of(&settled.outcome).is_none_or(|(kind, message)| {
                self.errors.is_news(&format!("{}: {message}", kind.name()))
            }),
            Some(Status::Passed) | None => false,
        };
        if is_news {
            self.say(&settled_line(settled, self.style));
        }
    }

    fn finish(&mut self) {
        let repeated = self.errors.take_repeated();
        for (text, more) in repeated.into_iter().chain(self.warnings.take_repeated()) {
            self.say(&repeated_line(&text, more, self.style));
        }
        self.drawing.finish_and_clear();
    }

    /// Above the bar, where it stays. A terminal that is gone is not told about again: the
    /// drawing code lets its faults pass.
    fn say(&self, line: &str) {
        self.drawing.println(line);
    }

    fn with_state(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Sink for Bar {
    fn hear(&mut self, event: &RunEvent) -> Result<(), SinkFault> {
        match event {
            RunEvent::Started { cases } => self.start(*cases),
            RunEvent::Invoking { unit, target, first_id, cases, .. } => {
                let running = Running {
                    unit: *unit,
                    index: 0,
                    name: running_name(first_id, target, *cases),
                    since: Instant::now(),
                };
                self.with_state(|state| state.running.push(running));
                self.drawing.tick();
            }
            RunEvent::Invoked { unit } => {
                self.with_state(|state| state.running.retain(|running| running.unit != *unit));
                self.drawing.tick();
            }
            RunEvent::Grading { unit, index, target, id } => {
                let grading = Running {
                    unit: *unit,
                    index: *index,
                    name: running_name(id, target, 1),
                    since: Instant::now(),
                };
                self.with_state(|state| state.grading.push(grading));
                self.drawing.tick();
            }
            RunEvent::Graded { unit, index } => {
                let is_it = |it: &Running| (it.unit, it.index) == (*unit, *index);
                self.with_state(|state| state.grading.retain(|grading| !is_it(grading)));
            }
            RunEvent::Settled(settled) => self.settle(settled),
            RunEvent::Skipped(skipped) => {
                self.tally.skip(&skipped.reason);
                self.show_tally();
            }
            RunEvent::Warning(text) => {
                if self.warnings.is_news(text) {
                    self.say(&warning_line(text, self.style));
                }
            }
            RunEvent::Stopping(level) => {
                if let Some(line) = stopping_line(*level, self.style) {
                    self.say(&line);
                }
            }
            RunEvent::Finished(_) => self.finish(),
        }
        Ok(())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.drawing.finish_and_clear();
    }
}

fn running_name(first_id: &str, target: &str, cases: usize) -> String {
    let id = excerpt(first_id, 60);
    let target = excerpt(target, 40);
    if cases > 1 {
        format!("{id} and {} more ({target})", cases - 1)
    } else {
        format!("{id} ({target})")
    }
}

/// Two lines, both cut to the window as it is at that moment.
fn picture(state: &Arc<Mutex<State>>, terminal: &Arc<dyn TermLike>) -> ProgressStyle {
    let draw = |line: fn(&State, &ProgressState, usize) -> String| {
        let (state, terminal) = (Arc::clone(state), Arc::clone(terminal));
        move |progress: &ProgressState, out: &mut dyn fmt::Write| {
            let width = usize::from(terminal.width());
            let state = state.lock().unwrap_or_else(PoisonError::into_inner);
            let line = line(&state, progress, width);
            // The last column stays free: some terminals begin a new line as soon as it is used.
            let _ = out.write_str(&console::truncate_str(&line, width.saturating_sub(1), "…"));
        }
    };
    // The template is constant, and good; were it not, a bar of the usual look would do.
    ProgressStyle::with_template("{progress}\n{running}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("progress", draw(progress_line))
        .with_key("running", draw(running_line))
}

fn progress_line(state: &State, progress: &ProgressState, width: usize) -> String {
    let total = progress.len().unwrap_or_default();
    let done = progress.pos().min(total);
    let bar = if width < NARROW {
        String::new()
    } else {
        let full = (done * BAR_LENGTH).checked_div(total).unwrap_or_default();
        let signs = (0..BAR_LENGTH).map(|place| if place < full { '█' } else { '░' });
        format!("{} ", signs.collect::<String>())
    };
    let elapsed = duration_text(progress.elapsed().as_secs_f64() * 1000.0);
    format!("{bar}{done}/{total} {} {elapsed}", state.words)
}

/// Targets that are asked, and behind them the answers that are graded: a judge can be slow too.
fn running_line(state: &State, _: &ProgressState, _: usize) -> String {
    let parts = [list("running", &state.running), list("grading", &state.grading)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return "nothing is running".to_owned();
    }
    parts.join("; ")
}

/// What has been running longest comes first: it is what one wonders about.
fn list(what: &str, under_way: &[Running]) -> Option<String> {
    let mut running: Vec<&Running> = under_way.iter().collect();
    running.sort_by_key(|running| running.since);
    let names: Vec<String> = running
        .iter()
        .map(|running| format!("{} {}", running.name, time_text(running.since.elapsed())))
        .collect();
    (!names.is_empty()).then(|| format!("{what} {}: {}", names.len(), names.join(", ")))
}

/// In tenths of a second, then as durations are told everywhere. Milliseconds would only flicker.
fn time_text(elapsed: Duration) -> String {
    let tenths = (elapsed.as_secs_f64() * 10.0).floor();
    if tenths < 10.0 { format!("{:.1}s", tenths / 10.0) } else { duration_text(tenths * 100.0) }
}

#[cfg(test)]
mod tests;
