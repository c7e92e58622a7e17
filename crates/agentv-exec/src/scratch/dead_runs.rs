//! Ends what runs left behind whose runner was killed: their processes and their folders. A run
//! that lives holds the lock in its folder; only a folder whose lock is free is touched.

use std::{
    fs::{self, File, OpenOptions},
    io::Read as _,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::Path,
    time::Duration,
};

use nix::unistd::geteuid;

use super::{FOLDER_PREFIX, LOCK_FILE, UNLOCKED_FILE, removal};
use crate::process::end_processes_of_dead_run;

/// What was found of runs that died.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    pub ended_processes: usize,
    pub removed_folders: usize,
}

/// Looks through `parent` for folders of runs that died, ends their processes (on Linux, where
/// they can be told) and removes the folders. Blocks; where there is nothing it costs one reading
/// of the folder.
pub fn end_leftovers_of_dead_runs(parent: &Path) -> Leftovers {
    let mut leftovers = Leftovers::default();
    let Ok(entries) = fs::read_dir(parent) else {
        return leftovers;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if !name.as_encoded_bytes().starts_with(FOLDER_PREFIX.as_bytes()) {
            continue;
        }
        let folder = entry.path();
        if let Some((token, _lock)) = lock_of_dead_run(&folder) {
            leftovers.ended_processes += end_processes_of_dead_run(&token);
            if removal::remove_run_folder(&folder).is_ok() {
                leftovers.removed_folders += 1;
            }
        } else if remove_unborn(&folder).is_some() {
            leftovers.removed_folders += 1;
        }
    }
    leftovers
}

/// A folder is without its lock for a moment when it is made and when it is removed. One that is so
/// for longer belongs to a run that was killed in that moment.
const LONGEST_BIRTH: Duration = Duration::from_mins(1);

/// Removes a folder of ours that has no lock and nothing in it, and is not of this moment.
fn remove_unborn(folder: &Path) -> Option<()> {
    let metadata = fs::symlink_metadata(folder).ok()?;
    let age = metadata.modified().ok()?.elapsed().ok()?;
    if !metadata.is_dir() || metadata.uid() != geteuid().as_raw() || age < LONGEST_BIRTH {
        return None;
    }
    let entries = fs::read_dir(folder).ok()?;
    let names: Option<Vec<_>> = entries.map(|entry| Some(entry.ok()?.file_name())).collect();
    match names?.as_slice() {
        [] => {}
        [only] if only == UNLOCKED_FILE => fs::remove_file(folder.join(UNLOCKED_FILE)).ok()?,
        _ => return None,
    }
    fs::remove_dir(folder).ok()
}

/// The token of the run that this folder belonged to, and its lock, which is ours from now on;
/// nothing if it is not a folder of ours or its run lives.
fn lock_of_dead_run(folder: &Path) -> Option<(String, File)> {
    let user = geteuid().as_raw();
    let metadata = fs::symlink_metadata(folder).ok()?;
    if !metadata.is_dir() || metadata.uid() != user {
        return None;
    }
    let mut lock = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(folder.join(LOCK_FILE))
        .ok()?;
    let metadata = lock.metadata().ok()?;
    if !metadata.is_file() || metadata.uid() != user {
        return None;
    }
    lock.try_lock().ok()?;
    let mut token = String::new();
    lock.read_to_string(&mut token).ok()?;
    // An empty token would stand for the processes of every run.
    let is_token = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_token.then_some((token, lock))
}
