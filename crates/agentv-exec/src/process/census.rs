//! Finds orphans among the children of the runner and enters them under the invocation that they
//! came from. Looking is paced, because on a kernel without lists of children it means looking at
//! many processes; one look serves everybody who asked before it began.

use std::time::Duration;

use nix::{
    sys::signal::{Signal, kill, killpg},
    unistd::{Pid, getpgrp},
};
use tokio::{
    sync::Mutex,
    time::{Instant, sleep},
};

use super::{
    household::{Adopted, Household, Members, Number, is_gone},
    system,
};

/// Looking takes at most one part in so many of the time: 5 %.
const REST: u32 = 20;

/// A look that took long because the whole machine stood still says nothing about the next one, so
/// this is the longest rest.
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// Timers are not more precise than this and late rather than early, so it is taken off.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

static PACE: Mutex<Pace> = Mutex::const_new(Pace { last: None });

struct Pace {
    last: Option<Look>,
}

#[derive(Clone, Copy)]
struct Look {
    began: Instant,
    took: Duration,
}

impl Pace {
    /// How long to wait before looking again; nothing where a look since `asked` has been taken.
    fn wait(&self, asked: Instant, now: Instant) -> Option<Duration> {
        let Some(last) = self.last else {
            return Some(Duration::ZERO);
        };
        if last.began >= asked {
            return None;
        }
        let due = last.began + last.took + (last.took * REST).min(LONGEST_WAIT);
        let wait = due.saturating_duration_since(now);
        Some(wait.saturating_sub(SHORTEST_WAIT))
    }
}

impl Household {
    /// Returns when orphans of all invocations that have ended by now have been entered.
    pub(super) async fn census(&self) {
        let asked = Instant::now();
        let mut pace = PACE.lock().await;
        let Some(wait) = pace.wait(asked, Instant::now()) else {
            return;
        };
        if !wait.is_zero() {
            sleep(wait).await;
        }
        let began = Instant::now();
        self.enter_orphans();
        pace.last = Some(Look { began, took: began.elapsed() });
    }

    fn enter_orphans(&self) {
        // The common case leaves no orphan and needs no lock against those who start processes.
        let ended = self.ended_leaders();
        let candidates = system::possible_orphans(&ended);
        {
            let members = self.members();
            if candidates.iter().all(|pid| self.is_settled(&members, *pid)) {
                return;
            }
        }
        let _alone = self.hold_spawning();
        let candidates = system::possible_orphans(&ended);
        let mut members = self.members();
        for pid in candidates {
            if !self.is_settled(&members, pid) {
                enter_orphan(&mut members, pid);
            }
        }
    }

    /// Enters every child of the runner that belongs to nobody who is still at work under
    /// `sweeper`, marked or not.
    pub(super) fn enter_unknown_children(&self, sweeper: Number) {
        let _alone = self.hold_spawning();
        let mut members = self.members();
        for pid in system::all_children() {
            if self.is_settled(&members, pid) {
                continue;
            }
            let Some(child) = system::look_at(pid) else {
                continue;
            };
            let marker = system::marker_of(pid);
            let of_run = marker.as_deref().and_then(|marker| number_of(&members, marker));
            // What somebody else in this process still looks after, or started without us: a
            // process of ours never shares our group.
            let is_anothers = of_run.is_some_and(|number| members.live.contains_key(&number))
                || marker.is_none() && child.group == getpgrp().as_raw();
            if is_anothers {
                continue;
            }
            if child.ended && is_gone(pid) {
                members.adopted.remove(&pid);
                continue;
            }
            let entry = Adopted { owner: sweeper, group: child.group };
            members.adopted.insert(pid, entry);
        }
    }

    fn ended_leaders(&self) -> Vec<i32> {
        self.members()
            .live
            .values()
            .filter(|invocation| invocation.ended)
            .filter_map(|invocation| invocation.leader)
            .collect()
    }

    /// Whether it is known to whom a child belongs, and that one is still there to look after it.
    fn is_settled(&self, members: &Members, pid: i32) -> bool {
        members.leaders.contains(&pid)
            || self.strangers().contains(&pid)
            || members
                .adopted
                .get(&pid)
                .is_some_and(|adopted| members.live.contains_key(&adopted.owner))
    }
}

fn enter_orphan(members: &mut Members, pid: i32) {
    let Some(child) = system::look_at(pid) else {
        return;
    };
    let marker = system::marker_of(pid);
    if marker.is_none() && child.group == getpgrp().as_raw() {
        // A process of ours never shares our group: somebody else started this one.
        return;
    }
    if child.ended {
        if is_gone(pid) {
            members.adopted.remove(&pid);
        }
        return;
    }
    if members.adopted.contains_key(&pid) {
        // It could not be ended in time; the sweep tries again.
        return;
    }
    let group = child.group;
    let by_group = || {
        members
            .live
            .iter()
            .find(|(_, invocation)| invocation.leader == Some(group))
            .map(|(number, _)| *number)
    };
    let by_marker = marker.as_deref().and_then(|marker| number_of(members, marker));
    // One without a marker that is in no group of ours is left to the sweep.
    let Some(owner) = by_marker.or_else(by_group) else {
        return;
    };
    members.adopted.insert(pid, Adopted { owner, group });
    if !members.live.contains_key(&owner) {
        end_stray(members, pid, group, marker.as_deref());
    }
}

/// Its invocation is over, so nobody asks for it any more: it is ended at once and reaped by a
/// later look.
fn end_stray(members: &mut Members, pid: i32, group: i32, marker: Option<&str>) {
    let _ = if group == pid {
        killpg(Pid::from_raw(group), Signal::SIGKILL)
    } else {
        kill(Pid::from_raw(pid), Signal::SIGKILL)
    };
    if let Some((run, _)) = marker.and_then(|marker| marker.rsplit_once('.')) {
        *members.strays.entry(run.to_owned()).or_default() += 1;
    }
}

/// The number in the marker of a run of this process.
fn number_of(members: &Members, marker: &str) -> Option<Number> {
    let (run, number) = marker.rsplit_once('.')?;
    members.runs.iter().any(|open| open == run).then(|| number.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    /// The wait, in milliseconds, of one who asked `asked` ms after a look of `took` ms began and
    /// whose turn comes at `now`.
    fn check(took: u32, asked: u32, now: u32) -> Option<u128> {
        let began = Instant::now() + MILLI * 1000;
        let pace = Pace { last: Some(Look { began, took: MILLI * took }) };
        pace.wait(began + MILLI * asked, began + MILLI * now).map(|wait| wait.as_millis())
    }

    #[test]
    fn the_first_look_is_taken_at_once() {
        let now = Instant::now();
        assert_eq!(Pace { last: None }.wait(now, now), Some(Duration::ZERO));
    }

    #[test]
    fn the_next_look_waits_until_the_last_one_was_a_twentieth_of_the_time() {
        assert_eq!(check(2, 2, 2), Some(39));
        assert_eq!(check(2, 2, 12), Some(29));
        assert_eq!(check(2, 100, 100), Some(0));
    }

    #[test]
    fn a_machine_that_stood_still_does_not_hold_up_the_next_look_for_long() {
        assert_eq!(check(15_000, 15_000, 15_000), Some(499));
    }

    #[test]
    fn who_asked_before_a_look_began_needs_no_other() {
        assert_eq!(check(2, 0, 50), None);
    }
}
