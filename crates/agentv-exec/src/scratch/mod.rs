//! The private temporary files of a run: one folder a run, one folder in it an invocation. Names
//! carry nothing of what they are for, and nothing is left afterwards unless it is to be kept.
//!
//! A run holds a lock on a file in its folder for as long as it lives, so that a later run can
//! tell a folder that is in use from one whose runner was killed.

mod dead_runs;
mod removal;

use std::{
    fmt::Write as _,
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

pub use dead_runs::{Leftovers, end_leftovers_of_dead_runs};

const FOLDER_PREFIX: &str = "agentv-";

/// Holds the run's token. It gets this name only once it is locked: a lock file that nobody holds
/// belongs to a dead run.
const LOCK_FILE: &str = "lock";
const UNLOCKED_FILE: &str = "lock.new";

/// A file of this ending beside a folder says that the folder is to be kept.
const KEEP_ENDING: &str = "keep";

/// The private folder of a run, removed when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    token: String,
    folders: AtomicU64,
    /// Something is to be kept, but that could not be said on disk.
    keep_all: Arc<AtomicBool>,
    cleared: AtomicBool,
    /// Held until the folder is gone.
    _lock: File,
}

impl Scratch {
    /// Makes a folder of mode 0700 in `parent`, under a name that nobody can guess.
    pub fn create(parent: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(FOLDER_PREFIX)
            .rand_bytes(12)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(std::path::absolute(parent)?)?;
        let token = random_token()?;

        let unlocked = folder.path().join(UNLOCKED_FILE);
        let mut lock = create_private(&unlocked)?;
        lock.write_all(token.as_bytes())?;
        // Where files cannot be locked, a folder that is left behind can only be left there.
        if lock.try_lock().is_ok() {
            fs::rename(&unlocked, folder.path().join(LOCK_FILE))?;
        } else {
            fs::remove_file(&unlocked)?;
        }

        Ok(Self {
            path: folder.keep(),
            token,
            folders: AtomicU64::new(0),
            keep_all: Arc::default(),
            cleared: AtomicBool::new(false),
            _lock: lock,
        })
    }

    /// What marks the processes of this run and of no other.
    pub fn token(&self) -> &str {
        &self.token
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A fresh folder for one invocation.
    pub fn folder(&self) -> io::Result<ScratchFolder> {
        let number = self.folders.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(number.to_string());
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(ScratchFolder { path, kept: false, keep_all: Arc::clone(&self.keep_all) })
    }

    /// Where kept folders are, if there are any.
    pub fn kept(&self) -> Option<&Path> {
        let has_kept = self.keep_all.load(Ordering::Relaxed)
            || removal::kept_folders(&self.path).is_ok_and(|kept| !kept.is_empty());
        has_kept.then_some(self.path.as_path())
    }
}

impl Scratch {
    /// Removes the folder now, though others may still hold it: a grader that was given up, a task
    /// that has not heard of the end yet.
    pub fn clear(&self) {
        // What is kept is marked so until the folder is cleared, and not afterwards.
        if self.cleared.swap(true, Ordering::AcqRel) {
            return;
        }
        // A run that could not tidy up has still done its work; the next one tries again.
        let _ = if self.keep_all.load(Ordering::Relaxed) {
            fs::remove_file(self.path.join(LOCK_FILE))
        } else {
            removal::remove_run_folder(&self.path)
        };
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The private folder of one invocation, removed when it is dropped.
#[derive(Debug)]
pub struct ScratchFolder {
    path: PathBuf,
    kept: bool,
    keep_all: Arc<AtomicBool>,
}

impl ScratchFolder {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a file of mode 0600 that was not there before.
    pub fn create(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        create_private(&path)?.write_all(bytes)?;
        Ok(path)
    }

    /// Leaves the folder where it is, for good.
    pub fn keep(mut self) -> PathBuf {
        self.kept = true;
        // Said on disk, so that it holds even if this run is killed.
        if create_private(&self.path.with_extension(KEEP_ENDING)).is_err() {
            self.keep_all.store(true, Ordering::Relaxed);
        }
        self.path.clone()
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if !self.kept {
            let _ = removal::remove_tree(&self.path);
        }
    }
}

/// A file of mode 0600 that was not there before.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

fn random_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut token = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token)
}

#[cfg(test)]
mod tests;
