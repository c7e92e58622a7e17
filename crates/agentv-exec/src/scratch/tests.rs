//! Private folders: their modes, their end, and what is never touched.

use std::{
    os::unix::fs::{MetadataExt as _, symlink},
    time::{Duration, SystemTime},
};

use super::*;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o777
}

fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// What is left of a run whose runner was killed: its folder with a lock that nobody holds.
fn dead_run(parent: &Path) -> PathBuf {
    let scratch = Scratch::create(parent).unwrap();
    let dead = parent.join("agentv-dead");
    let path = scratch.path().to_owned();
    fs::rename(&path, &dead).unwrap();
    // Dropping finds nothing at the old place and lets go of the lock.
    drop(scratch);
    dead
}

#[test]
fn everything_is_private_and_fresh_and_gone_afterwards() {
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::create(parent.path()).unwrap();
    let path = scratch.path().to_owned();
    assert!(path.file_name().unwrap().to_str().unwrap().starts_with("agentv-"));
    assert_eq!(mode(&path), 0o700);
    assert_eq!(scratch.token().len(), 32);

    let first = scratch.folder().unwrap();
    let second = scratch.folder().unwrap();
    assert_ne!(first.path(), second.path());
    assert_eq!(mode(first.path()), 0o700);
    let file = first.create("prompt.txt", b"hello").unwrap();
    assert_eq!(mode(&file), 0o600);
    assert_eq!(fs::read(&file).unwrap(), b"hello");

    let first_path = first.path().to_owned();
    drop(first);
    assert!(!first_path.exists());
    drop(second);
    assert_eq!(scratch.kept(), None);
    drop(scratch);
    assert!(!path.exists());
}

#[test]
fn a_file_or_a_link_that_is_there_already_is_never_written_to() {
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::create(parent.path()).unwrap();
    let folder = scratch.folder().unwrap();
    let victim = parent.path().join("victim");
    symlink(&victim, folder.path().join("link")).unwrap();
    let error = folder.create("link", b"x").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    assert!(!victim.exists());
}

#[test]
fn two_runs_have_different_folders_and_tokens() {
    let parent = tempfile::tempdir().unwrap();
    let one = Scratch::create(parent.path()).unwrap();
    let two = Scratch::create(parent.path()).unwrap();
    assert_ne!(one.path(), two.path());
    assert_ne!(one.token(), two.token());
}

#[test]
fn a_kept_folder_stays_and_nothing_else_does() {
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::create(parent.path()).unwrap();
    let path = scratch.path().to_owned();
    let other = scratch.folder().unwrap();
    let kept = scratch.folder().unwrap();
    kept.create("answer", b"42").unwrap();
    let kept = kept.keep();
    assert_eq!(scratch.kept(), Some(path.as_path()));
    drop(scratch);
    drop(other);
    assert_eq!(names(&path), [kept.file_name().unwrap().to_str().unwrap()]);
    assert_eq!(fs::read(kept.join("answer")).unwrap(), b"42");
    // It is nobody's business any more.
    assert_eq!(end_leftovers_of_dead_runs(parent.path()), Leftovers::default());
    assert!(kept.exists());
}

#[test]
fn a_folder_that_a_program_has_closed_is_removed_all_the_same() {
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::create(parent.path()).unwrap();
    let folder = scratch.folder().unwrap();
    let closed = folder.path().join("a").join("b");
    fs::create_dir_all(&closed).unwrap();
    fs::write(closed.join("file"), "x").unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).unwrap();
    let path = folder.path().to_owned();
    drop(folder);
    assert!(!path.exists());
}

#[test]
fn the_folder_of_a_dead_run_is_removed() {
    let parent = tempfile::tempdir().unwrap();
    let dead = dead_run(parent.path());
    let leftovers = end_leftovers_of_dead_runs(parent.path());
    assert_eq!(leftovers.removed_folders, 1);
    assert!(!dead.exists());
}

#[test]
fn what_a_dead_run_meant_to_keep_is_kept() {
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::create(parent.path()).unwrap();
    let kept = scratch.folder().unwrap().keep();
    let dead = parent.path().join("agentv-dead");
    fs::rename(scratch.path(), &dead).unwrap();
    drop(scratch);
    end_leftovers_of_dead_runs(parent.path());
    assert_eq!(names(&dead), [kept.file_name().unwrap().to_str().unwrap()]);
}

/// A folder of a run that has no lock, with this file in it.
fn unborn(parent: &Path, name: &str, file: Option<&str>, age: Duration) -> PathBuf {
    let folder = parent.join(name);
    fs::create_dir(&folder).unwrap();
    if let Some(file) = file {
        fs::write(folder.join(file), "").unwrap();
    }
    File::open(&folder).unwrap().set_modified(SystemTime::now() - age).unwrap();
    folder
}

#[test]
fn a_folder_whose_run_was_killed_before_it_had_its_lock_is_removed_in_time() {
    let parent = tempfile::tempdir().unwrap();
    let old = Duration::from_mins(2);
    let empty = unborn(parent.path(), "agentv-empty", None, old);
    let unlocked = unborn(parent.path(), "agentv-unlocked", Some(UNLOCKED_FILE), old);
    let young = unborn(parent.path(), "agentv-young", Some(UNLOCKED_FILE), Duration::ZERO);
    let used = unborn(parent.path(), "agentv-used", Some("notes.txt"), old);
    let others = unborn(parent.path(), "others", None, old);
    assert_eq!(end_leftovers_of_dead_runs(parent.path()).removed_folders, 2);
    assert!(!empty.exists() && !unlocked.exists());
    assert!(young.exists() && used.join("notes.txt").exists() && others.exists());
}

#[test]
fn a_living_run_is_left_alone() {
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::create(parent.path()).unwrap();
    assert_eq!(end_leftovers_of_dead_runs(parent.path()), Leftovers::default());
    assert!(scratch.path().join(LOCK_FILE).exists());
}

#[test]
fn folders_that_are_not_ours_and_links_are_left_alone() {
    let parent = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let dead = dead_run(elsewhere.path());
    // A link to a dead run's folder, a folder whose lock is a link, one without a lock, one whose
    // lock holds no token, and a file.
    symlink(&dead, parent.path().join("agentv-link")).unwrap();
    for name in ["agentv-linked-lock", "agentv-no-lock", "agentv-no-token"] {
        fs::create_dir(parent.path().join(name)).unwrap();
    }
    let linked = parent.path().join("agentv-linked-lock").join(LOCK_FILE);
    symlink(dead.join(LOCK_FILE), linked).unwrap();
    fs::write(parent.path().join("agentv-no-token").join(LOCK_FILE), "").unwrap();
    fs::write(parent.path().join("agentv-file"), "").unwrap();

    let before = names(parent.path());
    assert_eq!(end_leftovers_of_dead_runs(parent.path()), Leftovers::default());
    assert_eq!(names(parent.path()), before);
    assert!(dead.join(LOCK_FILE).exists());
}

#[test]
fn a_folder_can_be_removed_while_others_hold_it() {
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::create(parent.path()).unwrap();
    let folder = scratch.folder().unwrap();
    folder.create("x", b"x").unwrap();
    scratch.clear();
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    assert!(scratch.folder().is_err(), "what comes too late makes nothing new");
    drop(folder);
    drop(scratch);
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn what_is_kept_stays_however_often_the_folder_is_cleared() {
    let parent = tempfile::tempdir().unwrap();
    let scratch = Scratch::create(parent.path()).unwrap();
    let kept = scratch.folder().unwrap().keep();
    scratch.clear();
    scratch.clear();
    drop(scratch);
    assert!(kept.is_dir());
}
