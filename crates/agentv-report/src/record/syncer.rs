//! Brings rows to the disk, beside whoever writes them: at most once a second, and within about a
//! second of every row, also where no other row comes for hours.
//!
//! A process that dies without the machine loses nothing anyway; to wait for the disk at every row
//! would hold up a fast run.

use std::{
    fs::File,
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::folder::RunFolder;

/// From one time to the next.
const SPACING: Duration = Duration::from_secs(1);

/// Ends its thread when it is dropped; what is pending then is for the owner to sync.
pub(super) struct Syncer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    /// There are rows that the disk was not asked to keep.
    pending: bool,
    over: bool,
    /// Why the disk did not, for the next who comes.
    fault: Option<io::Error>,
}

impl Syncer {
    /// Begins with the folder itself: a run whose folder is not on the disk has no rows there.
    pub(super) fn of(folder: RunFolder, file: File) -> io::Result<Self> {
        Self::with(SPACING, move || folder.bring_to_disk(), move || file.sync_data())
    }

    fn with(
        spacing: Duration,
        first: impl FnOnce() -> io::Result<()> + Send + 'static,
        sync: impl FnMut() -> io::Result<()> + Send + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread =
            thread::Builder::new().name("rows to the disk".to_owned()).spawn(move || {
                theirs.note_fault(first());
                theirs.work(spacing, sync);
            })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// There is a new row. Says what went wrong with those before it.
    pub(super) fn note(&self) -> io::Result<()> {
        let mut state = self.shared.lock();
        if let Some(fault) = state.fault.take() {
            return Err(fault);
        }
        if !state.pending {
            state.pending = true;
            self.shared.wake.notify_one();
        }
        Ok(())
    }

    /// Waits for what it is doing. Says what went wrong with it.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.shared.lock().over = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has told so itself.
            let _ = thread.join();
        }
        self.shared.lock().fault.take().map_or(Ok(()), Err)
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        // Whoever wants to know has asked before.
        let _ = self.end();
    }
}

impl Shared {
    /// Nothing that is done under the lock can leave it half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, spacing: Duration, mut sync: impl FnMut() -> io::Result<()>) {
        let mut last: Option<Instant> = None;
        let mut state = self.lock();
        while !state.over {
            let wait = last.map_or(Duration::ZERO, |last| spacing.saturating_sub(last.elapsed()));
            if !state.pending {
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else if !wait.is_zero() {
                let waited = self.wake.wait_timeout(state, wait);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            } else {
                // Rows that come from now on may not be in it.
                state.pending = false;
                drop(state);
                let synced = sync();
                last = Some(Instant::now());
                self.note_fault(synced);
                state = self.lock();
            }
        }
    }

    fn note_fault(&self, synced: io::Result<()>) {
        if let Err(fault) = synced {
            self.lock().fault = Some(fault);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver};

    use super::*;

    /// A syncer, and what is heard each time that it asks the disk.
    fn syncer(spacing: Duration) -> (Syncer, Receiver<()>) {
        let (tell, heard) = mpsc::channel();
        let sync = move || tell.send(()).map_err(io::Error::other);
        (Syncer::with(spacing, || Ok(()), sync).unwrap(), heard)
    }

    #[test]
    fn the_last_row_is_synced_though_no_other_comes() {
        let (syncer, heard) = syncer(Duration::from_millis(1));
        for _ in 0..3 {
            syncer.note().unwrap();
            heard.recv().unwrap();
        }
        drop(syncer);
        assert!(heard.recv().is_err(), "nothing is pending, so nothing is synced");
    }

    #[test]
    fn many_rows_within_the_spacing_are_synced_once() {
        let (syncer, heard) = syncer(Duration::from_hours(1));
        syncer.note().unwrap();
        heard.recv().unwrap();
        for _ in 0..10_000 {
            syncer.note().unwrap();
        }
        drop(syncer);
        assert!(heard.recv().is_err(), "the hour is not over");
    }

    #[test]
    fn a_disk_that_refuses_is_told_at_the_next_row() {
        let refuse = || Err(io::ErrorKind::StorageFull.into());
        let mut syncer = Syncer::with(Duration::ZERO, || Ok(()), refuse).unwrap();
        // The second may come before the first was tried.
        let fault = loop {
            if let Err(fault) = syncer.note() {
                break fault;
            }
            thread::yield_now();
        };
        assert_eq!(fault.kind(), io::ErrorKind::StorageFull);
        let _ = syncer.end();
    }

    #[test]
    fn what_comes_first_is_done_however_soon_the_end_comes() {
        let (tell, heard) = mpsc::channel();
        let first = move || tell.send(()).map_err(io::Error::other);
        drop(Syncer::with(Duration::ZERO, first, || Ok(())).unwrap());
        heard.recv().unwrap();
        let refuse = || Err(io::ErrorKind::StorageFull.into());
        let mut syncer = Syncer::with(Duration::ZERO, refuse, || Ok(())).unwrap();
        assert_eq!(syncer.end().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
