//! What macOS and other Unix systems offer to find the processes that came from ours: only their
//! group. There is no subreaper, orphans go to the first process of the system, so a child that
//! left its group (`setsid`) is not found, neither after its invocation nor in a sweep nor after
//! the runner was killed. Members of a group cannot be told apart: a group counts as one.

use nix::{errno::Errno, sys::signal::killpg, unistd::Pid};

/// A child of the runner, as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) group: i32,
    /// It has ended and waits to be reaped.
    pub(super) ended: bool,
}

pub(super) fn find_children_without_lists() {}

/// Cannot be asked here without unsafe code.
pub(super) fn hangup_is_ignored() -> bool {
    false
}

/// There is nothing to turn on.
pub(super) fn adopt_orphans() {}

/// Nothing becomes a child of the runner that it did not start.
pub(super) fn all_children() -> Vec<i32> {
    Vec::new()
}

pub(super) fn possible_orphans(_leaders: &[i32]) -> Vec<i32> {
    Vec::new()
}

pub(super) fn look_at(_pid: i32) -> Option<Child> {
    None
}

/// The environment of others is not read here.
pub(super) fn marker_of(_pid: i32) -> Option<String> {
    None
}

pub(super) fn command_line(_pid: i32) -> String {
    String::from("?")
}

/// Whether anyone is in this group. The system gives an id to nobody while a group bears it, and
/// we ask right after the leader was reaped, before the ids have gone round.
pub(super) fn group_lives(group: i32) -> bool {
    // A group of processes that have ended answers EPERM on macOS: there is nobody to be ended.
    !matches!(killpg(Pid::from_raw(group), None), Err(Errno::ESRCH | Errno::EPERM))
}

pub(super) fn processes_of_run(_token: &str) -> Vec<i32> {
    Vec::new()
}
