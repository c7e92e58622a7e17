//! What Linux offers to find the processes that came from ours. It decides nothing about them.
//!
//! The runner becomes a subreaper: a process whose parent ends becomes a child of the runner,
//! even if it left its group and its session. So everything that an invocation leaves behind can
//! be found among the runner's own children and their descendants.

use std::{
    fs::{self, File},
    io::Read as _,
    iter, process,
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use nix::{
    sys::{
        prctl,
        signal::Signal,
        wait::{Id, WaitPidFlag, waitid},
    },
    unistd::Pid,
};

use super::MARKER_VARIABLE;

/// More than any process id that Linux gives out.
const PID_SPACE: i64 = 1 << 22;

/// A child may be passed over by the kernel's list if another one ends while it is read. Two equal
/// readings in a row are believed; so many are tried.
const MOST_READINGS: usize = 4;

static WITHOUT_LISTS: AtomicBool = AtomicBool::new(false);

/// Most kernels list the children of a thread in a file; those that cannot have no such file.
static HAS_LISTS: LazyLock<bool> = LazyLock::new(|| fs::exists(&*MAIN_LIST).unwrap_or(false));

/// Orphans are given to the first living thread of a subreaper, which is its main thread.
static MAIN_LIST: LazyLock<String> =
    LazyLock::new(|| format!("/proc/{0}/task/{0}/children", process::id()));

/// A child of the runner, as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) group: i32,
    /// It has ended and waits to be reaped.
    pub(super) ended: bool,
}

pub(super) fn find_children_without_lists() {
    WITHOUT_LISTS.store(true, Ordering::Relaxed);
}

/// Whether whoever started us wants us to outlive the terminal, as `nohup` does.
pub(super) fn hangup_is_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The mask has a bit for each signal, from number 1 on.
    ignored.is_some_and(|mask| mask & (1 << (Signal::SIGHUP as i32 - 1)) != 0)
}

/// From now on orphans among our descendants become our children. Where the system refuses, only
/// process groups are ended.
pub(super) fn adopt_orphans() {
    let _ = prctl::set_child_subreaper(true);
}

/// Every child of the runner, whoever started it.
pub(super) fn all_children() -> Vec<i32> {
    if !lists_are_used() {
        return children_by_looking_at(|_| true);
    }
    let Ok(threads) = fs::read_dir("/proc/self/task") else {
        return Vec::new();
    };
    threads
        .flatten()
        .flat_map(|thread| read_list(&format!("{}/children", thread.path().display())))
        .collect()
}

/// The children of the runner that may be orphans of those `leaders`, which were its children.
/// There may be other children among them.
pub(super) fn possible_orphans(leaders: &[i32]) -> Vec<i32> {
    if lists_are_used() {
        return read_list(&MAIN_LIST);
    }
    // Ids are given out in a circle, so what came from a leader was born after it: only those need
    // a look. Should the whole circle pass in one invocation, the sweep still finds the orphan.
    let newest = newest_pid();
    let Some(oldest) = leaders.iter().map(|leader| age(newest, *leader)).max() else {
        return Vec::new();
    };
    children_by_looking_at(|pid| age(newest, pid) <= oldest)
}

/// The process, if it is a child of the runner.
pub(super) fn look_at(pid: i32) -> Option<Child> {
    let stat = stat(pid)?;
    let is_ours = u32::try_from(stat.parent) == Ok(process::id());
    is_ours.then_some(stat.child)
}

/// The marker in the environment of a process: none where it was removed or cannot be read.
pub(super) fn marker_of(pid: i32) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environment
        .split(|byte| *byte == 0)
        .filter_map(|variable| std::str::from_utf8(variable).ok())
        .filter_map(|variable| variable.split_once('='))
        .find(|(name, _)| *name == MARKER_VARIABLE)
        .map(|(_, value)| value.to_owned())
}

/// What a process was started as, for people.
pub(super) fn command_line(pid: i32) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    if words.is_empty() {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        return name.trim_end().to_owned();
    }
    String::from_utf8_lossy(&words).trim_end_matches('\0').replace('\0', " ")
}

/// Whether a child of ours is in this group. As long as one is, the group's id cannot pass to
/// strangers, because a child keeps it until we reap it.
pub(super) fn group_lives(group: i32) -> bool {
    let looking =
        WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT | WaitPidFlag::WEXITED | WaitPidFlag::WSTOPPED;
    waitid(Id::PGid(Pid::from_raw(group)), looking).is_ok()
}

/// Every process that carries the marker of this run, whoever its parent is, but for the runner
/// and those that it was started by: it may itself come from an invocation of that run.
pub(super) fn processes_of_run(token: &str) -> Vec<i32> {
    let start = format!("{token}.");
    let lineage: Vec<_> = iter::successors(i32::try_from(process::id()).ok(), |pid| {
        stat(*pid).map(|stat| stat.parent)
    })
    .collect();
    pids()
        .filter(|pid| !lineage.contains(pid))
        .filter(|pid| marker_of(*pid).is_some_and(|marker| marker.starts_with(&start)))
        .collect()
}

struct Stat {
    parent: i32,
    child: Child,
}

fn stat(pid: i32) -> Option<Stat> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may itself contain anything, parentheses too.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let ended = matches!(state, "Z" | "X");
    Some(Stat { parent, child: Child { group, ended } })
}

fn lists_are_used() -> bool {
    *HAS_LISTS && !WITHOUT_LISTS.load(Ordering::Relaxed)
}

fn read_list(path: &str) -> Vec<i32> {
    let mut before = read_list_once(path);
    for _ in 1..MOST_READINGS {
        // An empty list leaves nothing to pass over: the common case is one reading.
        if before.is_empty() {
            break;
        }
        let now = read_list_once(path);
        let settled = now == before;
        before = now;
        if settled {
            break;
        }
    }
    before
}

fn read_list_once(path: &str) -> Vec<i32> {
    let mut text = String::new();
    // A thread may have ended since it was listed; its children are then in another list.
    let read = File::open(path).and_then(|mut file| file.read_to_string(&mut text));
    match read {
        Ok(_) => text.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect(),
        Err(_) => Vec::new(),
    }
}

fn children_by_looking_at(wanted: impl Fn(i32) -> bool) -> Vec<i32> {
    pids().filter(|pid| wanted(*pid) && look_at(*pid).is_some()).collect()
}

fn pids() -> impl Iterator<Item = i32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The id that was given out last; 0 where it is not told, which only makes more pids newer.
fn newest_pid() -> i32 {
    fs::read_to_string("/proc/loadavg")
        .ok()
        .and_then(|line| line.split_ascii_whitespace().last()?.parse().ok())
        .unwrap_or(0)
}

/// How far back in the circle an id was given out.
fn age(newest: i32, pid: i32) -> i64 {
    let distance = i64::from(newest) - i64::from(pid);
    if distance >= 0 { distance } else { distance + PID_SPACE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_older_the_further_back_they_lie_in_the_circle() {
        assert!(age(100, 99) < age(100, 98));
        assert!(age(100, 1) < age(100, 32_000));
        assert!(age(100, 32_000) < age(100, 31_000));
    }

    #[test]
    fn both_ways_of_finding_children_agree() {
        let mut child = process::Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let listed = all_children();
        let looked = children_by_looking_at(|_| true);
        let found = look_at(pid);
        child.kill().unwrap();
        assert!(look_at(pid).is_some_and(|child| child.group == found.unwrap().group));
        child.wait().unwrap();
        assert!(looked.contains(&pid));
        assert!(listed.contains(&pid) || !*HAS_LISTS);
        assert!(!found.unwrap().ended);
        assert_eq!(look_at(pid), None);
    }

    #[test]
    fn a_process_of_others_is_not_a_child() {
        assert_eq!(look_at(1), None);
    }

    #[test]
    fn the_marker_is_read_from_the_environment_of_the_process() {
        let mut child = process::Command::new("/bin/sh")
            .args(["-c", "echo; read line"])
            .env(MARKER_VARIABLE, "token.7")
            .stdin(process::Stdio::piped())
            .stdout(process::Stdio::piped())
            .spawn()
            .unwrap();
        // Its first byte says that it runs its own program and not ours any more.
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let marker = marker_of(pid);
        let command = command_line(pid);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(marker.as_deref(), Some("token.7"));
        assert_eq!(command, "/bin/sh -c echo; read line");
    }
}
