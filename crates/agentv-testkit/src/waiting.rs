//! Waiting for something to become true, so that no test sleeps in the hope that it has.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Far more than anything takes on the slowest machine: who waits so long waits in vain.
const DEADLINE: Duration = Duration::from_mins(2);
const PAUSE: Duration = Duration::from_millis(5);

/// Looks again and again until `condition` holds; panics where it never does.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for_some(what, || condition().then_some(()));
}

/// Looks again and again until there is something to give; panics where there never is.
pub fn wait_for_some<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < DEADLINE, "waited in vain until {what}");
        thread::sleep(PAUSE);
    }
}
