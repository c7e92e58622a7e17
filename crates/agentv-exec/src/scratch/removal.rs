//! Removes folders of ours, whatever was made of them in the meantime. Symbolic links are removed,
//! never followed.

use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::{KEEP_ENDING, LOCK_FILE};

/// Removes all of a folder. A program that wrote there may have left folders that even their owner
/// cannot empty; those are opened first.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_folders(path)?;
            fs::remove_dir_all(path)
        }
        result => result,
    }
}

/// Removes the folder of a run but for the folders in it that are to be kept.
pub(super) fn remove_run_folder(path: &Path) -> io::Result<()> {
    let kept = kept_folders(path)?;
    let emptied = remove_contents(path, &kept);
    if !kept.is_empty() {
        return emptied;
    }
    // Whatever was in the way, there is more that can be done about it.
    emptied.and_then(|()| fs::remove_dir(path)).or_else(|_| remove_tree(path))
}

fn remove_contents(path: &Path, kept: &[PathBuf]) -> io::Result<()> {
    let mut result = Ok(());
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        // The lock goes last: without it nobody would ever come back for the rest.
        if kept.contains(&entry.path()) || entry.file_name() == LOCK_FILE {
            continue;
        }
        let removed = if entry.file_type()?.is_dir() {
            remove_tree(&entry.path())
        } else {
            fs::remove_file(entry.path())
        };
        result = result.and(removed);
    }
    result?;
    match fs::remove_file(path.join(LOCK_FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// The folders of a run that somebody wants to keep.
pub(super) fn kept_folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(path)? {
        let sign = entry?.path();
        if sign.extension().is_some_and(|ending| ending == KEEP_ENDING) {
            kept.push(sign.with_extension(""));
        }
    }
    Ok(kept)
}

fn open_folders(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_folders(&entry.path())?;
        }
    }
    Ok(())
}
