//! Who belongs to this runner: the leaders it started, the invocations that are not over, and the
//! orphans that came to it. One household a process, because children belong to a process as a
//! whole. How orphans are found is in `census`; when they are ended, in `leftovers`.
//!
//! Invariant: a leader is reaped by the runtime alone, an adopted orphan by its owner alone. So an
//! id that stands here cannot have passed to a stranger.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockWriteGuard},
};

use nix::{
    errno::Errno,
    sys::{
        signal::{Signal, kill, killpg},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::Pid,
};
use tokio::process::{Child, Command};

use super::{ending::Leftover, system};

pub(super) static HOUSEHOLD: Household = Household::new();

pub(super) struct Household {
    /// Held in common by all that start a process, alone by a census: nobody may take a child that
    /// was started but not yet entered for an orphan.
    spawning: RwLock<()>,
    members: Mutex<Members>,
    /// Children that were there before the first run: those of the program that became ours.
    strangers: OnceLock<BTreeSet<i32>>,
}

/// Whose orphan: invocations and sweeps are numbered over all runs of this process.
pub(super) type Number = u64;

pub(super) struct Members {
    last_number: Number,
    /// The tokens of the runs that are under way in this process.
    pub(super) runs: Vec<String>,
    pub(super) live: BTreeMap<Number, Invocation>,
    pub(super) leaders: BTreeSet<i32>,
    pub(super) adopted: BTreeMap<i32, Adopted>,
    /// How many orphans a census ended after their invocation was over, by run.
    pub(super) strays: BTreeMap<String, usize>,
    pub(super) abandoned: Vec<Abandoned>,
}

/// The place of an invocation, until it is dropped. What is still adopted by its number belongs to
/// nobody from then on.
pub(super) struct Membership {
    household: &'static Household,
    number: Number,
}

impl Membership {
    pub(super) fn number(&self) -> Number {
        self.number
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.household.members().live.remove(&self.number);
    }
}

/// An invocation or a sweep that is not over.
#[derive(Clone, Copy, Default)]
pub(super) struct Invocation {
    /// The process that was started, whose id is also that of its group.
    pub(super) leader: Option<i32>,
    /// The leader has ended; leftovers are being looked for.
    pub(super) ended: bool,
}

/// A leader that was killed and that nobody has waited for: its invocation was given up, or did
/// not come to its end.
pub(super) struct Abandoned {
    pub(super) run: String,
    pub(super) pid: i32,
    pub(super) child: Child,
}

#[derive(Clone, Copy)]
pub(super) struct Adopted {
    pub(super) owner: Number,
    pub(super) group: i32,
}

impl Household {
    const fn new() -> Self {
        Self {
            spawning: RwLock::new(()),
            members: Mutex::new(Members {
                last_number: 0,
                runs: Vec::new(),
                live: BTreeMap::new(),
                leaders: BTreeSet::new(),
                adopted: BTreeMap::new(),
                strays: BTreeMap::new(),
                abandoned: Vec::new(),
            }),
            strangers: OnceLock::new(),
        }
    }

    /// Nothing here can be left half done by a panic, so a poisoned lock is as good as another.
    pub(super) fn members(&self) -> MutexGuard<'_, Members> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// While this is held, every child that we started stands among the leaders.
    pub(super) fn hold_spawning(&self) -> RwLockWriteGuard<'_, ()> {
        self.spawning.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn strangers(&self) -> &BTreeSet<i32> {
        self.strangers.get_or_init(|| system::all_children().into_iter().collect())
    }

    pub(super) fn open_run(&self, token: &str) {
        self.strangers();
        self.members().runs.push(token.to_owned());
    }

    pub(super) fn close_run(&self, token: &str) {
        let mut members = self.members();
        if let Some(place) = members.runs.iter().position(|run| run == token) {
            members.runs.swap_remove(place);
        }
    }

    /// A place for an invocation that is about to start.
    pub(super) fn enter(&'static self) -> Membership {
        let mut members = self.members();
        members.last_number += 1;
        let number = members.last_number;
        members.live.insert(number, Invocation::default());
        Membership { household: self, number }
    }

    /// Starts the leader of an invocation.
    pub(super) fn spawn(&self, number: Number, command: &mut Command) -> io::Result<(Child, i32)> {
        let _in_common = self.spawning.read().unwrap_or_else(PoisonError::into_inner);
        let child = command.spawn()?;
        let pid = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .ok_or_else(|| io::Error::other("the process has no id"))?;
        let mut members = self.members();
        members.leaders.insert(pid);
        if let Some(invocation) = members.live.get_mut(&number) {
            invocation.leader = Some(pid);
        }
        Ok((child, pid))
    }

    /// The leader's part is over. One that was not reaped stays a leader, for the sweep to wait for.
    pub(super) fn leader_ended(&self, number: Number, reaped: bool) {
        let mut members = self.members();
        if let Some(invocation) = members.live.get_mut(&number) {
            invocation.ended = true;
            let leader = invocation.leader.filter(|_| reaped);
            if let Some(leader) = leader {
                members.leaders.remove(&leader);
            }
        }
    }

    /// What is known to be left of an invocation, after reaping what has ended.
    pub(super) fn leftovers_of(&self, number: Number) -> Vec<Leftover> {
        let group = self.group_left_by(number);
        let mut members = self.members();
        members.adopted.retain(|pid, adopted| adopted.owner != number || !is_gone(*pid));
        let mut left: Vec<_> = members
            .adopted
            .iter()
            .filter(|(_, adopted)| adopted.owner == number)
            .map(|(pid, adopted)| Leftover::Process { pid: *pid, group: adopted.group })
            .collect();
        if let Some(group) = group
            && !left.iter().any(|leftover| leftover.is_in(group))
        {
            left.push(Leftover::Group(group));
        }
        left
    }

    /// The group of an invocation, if somebody is still in it after those that ended were reaped.
    fn group_left_by(&self, number: Number) -> Option<i32> {
        let group = self.group_of(number)?;
        if !system::group_lives(group) {
            return None;
        }
        let _alone = self.hold_spawning();
        let mut members = self.members();
        // The id may have passed to a new leader of ours, which is the runtime's to reap.
        if members.leaders.contains(&group) {
            return None;
        }
        while let Some(pid) = reap(-group) {
            members.adopted.remove(&pid);
        }
        system::group_lives(group).then_some(group)
    }

    /// The group of an invocation whose leader was reaped.
    fn group_of(&self, number: Number) -> Option<i32> {
        let members = self.members();
        let invocation = members.live.get(&number)?;
        invocation.leader.filter(|leader| invocation.ended && !members.leaders.contains(leader))
    }

    /// Sends a signal to leftovers of an invocation, and to the groups that they keep from passing
    /// to strangers.
    pub(super) fn signal_leftovers(&self, number: Number, leftovers: &[Leftover], signal: Signal) {
        let own_group = self.group_of(number);
        let _alone = self.hold_spawning();
        let mut groups = BTreeSet::new();
        for leftover in leftovers {
            match *leftover {
                Leftover::Process { pid, group } if pid == group || Some(group) == own_group => {
                    groups.insert(group);
                }
                // Other groups may hold processes that are not ours.
                Leftover::Process { pid, .. } => {
                    let _ = kill(Pid::from_raw(pid), signal);
                }
                Leftover::Group(group) if system::group_lives(group) => {
                    groups.insert(group);
                }
                Leftover::Group(_) => {}
            }
        }
        for group in groups {
            let _ = killpg(Pid::from_raw(group), signal);
        }
    }
}

/// Sends a signal to a leader that has not been reaped and to all of its group.
pub(super) fn signal_leader(leader: i32, signal: Signal) {
    let leader = Pid::from_raw(leader);
    // A leader that moved to another group leaves its own empty.
    if killpg(leader, signal) == Err(Errno::ESRCH) {
        let _ = kill(leader, signal);
    }
}

/// Whether a child that nobody else reaps is gone; one that has ended is reaped.
pub(super) fn is_gone(pid: i32) -> bool {
    let status = wait_without_waiting(pid);
    status == Err(Errno::ECHILD) || reaped(status).is_some()
}

/// Reaps a child that has ended, if there is one: this one, or one of a group (negative).
fn reap(pid: i32) -> Option<i32> {
    reaped(wait_without_waiting(pid))
}

fn wait_without_waiting(pid: i32) -> nix::Result<WaitStatus> {
    waitpid(Pid::from_raw(pid), Some(WaitPidFlag::WNOHANG))
}

fn reaped(status: nix::Result<WaitStatus>) -> Option<i32> {
    if let Ok(WaitStatus::Exited(pid, _) | WaitStatus::Signaled(pid, ..)) = status {
        Some(pid.as_raw())
    } else {
        None
    }
}
