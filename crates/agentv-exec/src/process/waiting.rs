//! Waits for the leader of an invocation while its streams flow, climbing the ladder when it is
//! time. What it left behind is not its business.

use std::{
    io,
    pin::{Pin, pin},
    process::ExitStatus,
    time::Duration,
};

use agentv_base::{Stop, StopLevel};
use tokio::time::{Instant, sleep, sleep_until};

use super::{ladder::Ladder, leader::Leader};

/// How the waiting ended.
pub(super) enum Waited {
    Ended(ExitStatus),
    /// It was killed and does not end.
    GivenUp,
}

/// The streams of a process, and how they ended if they have.
pub(super) struct Flow<'a, F> {
    streams: Pin<&'a mut F>,
    ended: Option<io::Result<()>>,
}

impl<'a, F: Future<Output = io::Result<()>>> Flow<'a, F> {
    pub(super) fn new(streams: Pin<&'a mut F>) -> Self {
        Self { streams, ended: None }
    }

    /// Lets the streams flow until they end.
    async fn go_on(&mut self) {
        if self.ended.is_none() {
            self.ended = Some(self.streams.as_mut().await);
        }
    }

    /// Lets the streams flow to their end, but no longer than this.
    pub(super) async fn finish_within(&mut self, limit: Duration) {
        tokio::select! {
            biased;
            () = self.go_on() => {}
            () = sleep(limit) => {}
        }
    }

    /// What is still open at the end was left open by somebody else, which is no error.
    pub(super) fn result(self) -> io::Result<()> {
        self.ended.unwrap_or(Ok(()))
    }
}

pub(super) async fn wait_for<F: Future<Output = io::Result<()>>>(
    leader: &mut Leader,
    ladder: &mut Ladder,
    stop: &Stop,
    feeding: impl Future<Output = ()>,
    flow: &mut Flow<'_, F>,
) -> io::Result<Waited> {
    let mut feeding = pin!(feeding);
    let mut fed = false;
    loop {
        let now = ladder.step(Instant::now(), stop.level());
        if let Some(signal) = now.signal {
            leader.signal(signal);
        }
        if now.given_up {
            return Ok(Waited::GivenUp);
        }
        let flowing = flow.ended.is_none();
        tokio::select! {
            biased;
            status = leader.wait() => return Ok(Waited::Ended(status?)),
            () = alarm(now.wake) => {}
            () = stop_reached(stop, ladder.next_stop_level()) => {}
            () = &mut feeding, if !fed => fed = true,
            () = flow.go_on(), if flowing => {}
        }
    }
}

async fn alarm(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

async fn stop_reached(stop: &Stop, level: Option<StopLevel>) {
    match level {
        Some(level) => stop.reached(level).await,
        None => std::future::pending().await,
    }
}
