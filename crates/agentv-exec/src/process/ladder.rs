//! When a running process is asked to end, when it is killed and when it is given up: a state
//! machine without processes or clocks of its own.

use std::time::Duration;

use agentv_base::StopLevel;
use nix::sys::signal::Signal;
use tokio::time::Instant;

/// How long a process may take to tidy up after SIGTERM.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// SIGKILL cannot be refused, but a process that waits inside the kernel dies only when that wait
/// is over. After this long it is called leaked instead of holding up the run.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Why a process was ended by us. The first reason stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Deadline,
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rung {
    Running,
    Terminating { since: Instant },
    Killing { since: Instant },
    GivenUp,
}

/// What to do now, and until when there is nothing else to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) signal: Option<Signal>,
    pub(super) wake: Option<Instant>,
    pub(super) given_up: bool,
}

pub(super) struct Ladder {
    deadline: Option<Instant>,
    rung: Rung,
    cause: Option<Cause>,
    asked: Option<Instant>,
}

impl Ladder {
    pub(super) fn new(deadline: Option<Instant>) -> Self {
        Self { deadline, rung: Rung::Running, cause: None, asked: None }
    }

    pub(super) fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// When the whole group was first asked to end, if it was.
    pub(super) fn asked(&self) -> Option<Instant> {
        self.asked
    }

    /// The stop level that would change something, if any would.
    pub(super) fn next_stop_level(&self) -> Option<StopLevel> {
        match self.rung {
            Rung::Running => Some(StopLevel::Terminate),
            Rung::Terminating { .. } => Some(StopLevel::Kill),
            Rung::Killing { .. } | Rung::GivenUp => None,
        }
    }

    /// Climbs at most to where `now` and `stop` allow. A rung that was slept through is skipped,
    /// so that at most one signal comes out.
    pub(super) fn step(&mut self, now: Instant, stop: StopLevel) -> Step {
        let before = self.rung;
        if self.rung == Rung::Running {
            self.cause = if stop >= StopLevel::Terminate {
                Some(Cause::Stopped)
            } else if self.deadline.is_some_and(|deadline| now >= deadline) {
                Some(Cause::Deadline)
            } else {
                None
            };
            if self.cause.is_some() {
                self.rung = Rung::Terminating { since: now };
                self.asked = Some(now);
            }
        }
        if let Rung::Terminating { since } = self.rung
            && (stop >= StopLevel::Kill || now >= since + GRACE)
        {
            self.rung = Rung::Killing { since: now };
        }
        if let Rung::Killing { since } = self.rung
            && now >= since + PATIENCE
        {
            self.rung = Rung::GivenUp;
        }

        let climbed = self.rung != before;
        let (signal, wake) = match self.rung {
            Rung::Running => (None, self.deadline),
            Rung::Terminating { since } => (Some(Signal::SIGTERM), Some(since + GRACE)),
            Rung::Killing { since } => (Some(Signal::SIGKILL), Some(since + PATIENCE)),
            Rung::GivenUp => (None, None),
        };
        Step { signal: signal.filter(|_| climbed), wake, given_up: self.rung == Rung::GivenUp }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Steps through `(seconds, stop level)` and returns the signals that came out.
    fn check(deadline: Option<u32>, moments: &[(f64, StopLevel)]) -> (Vec<&'static str>, Ladder) {
        let start = Instant::now();
        let mut ladder = Ladder::new(deadline.map(|seconds| start + SECOND * seconds));
        let signals = moments
            .iter()
            .map(|(seconds, stop)| {
                let step = ladder.step(start + SECOND.mul_f64(*seconds), *stop);
                match step.signal {
                    Some(signal) => signal.as_str(),
                    None if step.given_up => "given up",
                    None => "-",
                }
            })
            .collect();
        (signals, ladder)
    }

    #[test]
    fn a_process_is_left_alone_until_its_deadline() {
        let (signals, ladder) = check(Some(10), &[(0.0, StopLevel::Run), (9.9, StopLevel::Run)]);
        assert_eq!(signals, ["-", "-"]);
        assert_eq!(ladder.cause(), None);
    }

    #[test]
    fn at_the_deadline_it_is_asked_then_killed_then_given_up() {
        let moments = [10.0, 10.5, 11.0, 12.0, 16.0].map(|second| (second, StopLevel::Run));
        let (signals, ladder) = check(Some(10), &moments);
        assert_eq!(signals, ["SIGTERM", "-", "SIGKILL", "-", "given up"]);
        assert_eq!(ladder.cause(), Some(Cause::Deadline));
    }

    #[test]
    fn without_a_deadline_only_a_stop_ends_it() {
        let moments = [
            (1e6, StopLevel::Run),
            (1e6 + 1.0, StopLevel::Terminate),
            (1e6 + 2.0, StopLevel::Terminate),
        ];
        let (signals, ladder) = check(None, &moments);
        assert_eq!(signals, ["-", "SIGTERM", "SIGKILL"]);
        assert_eq!(ladder.cause(), Some(Cause::Stopped));
    }

    #[test]
    fn a_kill_skips_the_grace_and_the_question() {
        let moments = [(0.0, StopLevel::Terminate), (0.1, StopLevel::Kill)];
        assert_eq!(check(None, &moments).0, ["SIGTERM", "SIGKILL"]);
        assert_eq!(check(None, &[(0.0, StopLevel::Kill)]).0, ["SIGKILL"]);
    }

    #[test]
    fn a_stop_after_the_deadline_does_not_change_the_cause() {
        let moments = [(10.0, StopLevel::Run), (10.5, StopLevel::Kill)];
        let (signals, ladder) = check(Some(10), &moments);
        assert_eq!(signals, ["SIGTERM", "SIGKILL"]);
        assert_eq!(ladder.cause(), Some(Cause::Deadline));
    }

    #[test]
    fn it_says_when_to_look_again() {
        let start = Instant::now();
        let mut ladder = Ladder::new(Some(start + SECOND));
        assert_eq!(ladder.step(start, StopLevel::Run).wake, Some(start + SECOND));
        let asked = ladder.step(start + SECOND, StopLevel::Run);
        assert_eq!(asked.wake, Some(start + SECOND + GRACE));
        let killed = ladder.step(start + SECOND + GRACE, StopLevel::Run);
        assert_eq!(killed.wake, Some(start + SECOND + GRACE + PATIENCE));
    }
}
