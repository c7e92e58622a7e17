//! Ends what a run left behind whose runner was killed before it could do so itself. Its processes
//! are not our children: only the marker in their environment tells them.

use std::{
    collections::BTreeSet,
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use super::{ending::LEFTOVER_PATIENCE, ladder::GRACE, system};

const PAUSE: Duration = Duration::from_millis(10);

/// Ends all processes that carry the marker of the run and returns how many there were. Blocks
/// until they are gone, or until it is clear that they do not go.
pub(crate) fn end_processes_of_dead_run(token: &str) -> usize {
    let began = Instant::now();
    let mut seen = BTreeSet::new();
    loop {
        let found = system::processes_of_run(token);
        let age = began.elapsed();
        if found.is_empty() || age >= GRACE + LEFTOVER_PATIENCE {
            return seen.len() - found.iter().filter(|pid| seen.contains(*pid)).count();
        }
        for pid in found {
            let signal = if age >= GRACE {
                Signal::SIGKILL
            } else if seen.insert(pid) {
                Signal::SIGTERM
            } else {
                continue;
            };
            seen.insert(pid);
            let _ = kill(Pid::from_raw(pid), signal);
        }
        thread::sleep(PAUSE);
    }
}
