//! Folders: where the repository starts, where things are looked for, how a path is shown.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// The nearest folder upwards from the current one with `.git` or `.agentv`, else the current one.
pub fn repository_root(current_dir: &Path) -> PathBuf {
    current_dir
        .ancestors()
        .find(|folder| folder.join(".git").exists() || folder.join(".agentv").exists())
        .unwrap_or(current_dir)
        .to_owned()
}

/// Where anything that belongs to a file in `folder` is looked for, nearest first: its folder,
/// the ones above it up to the root, then the current folder. For a folder outside of the root:
/// all folders above it, then the root.
pub(crate) fn lookup_chain(folder: &Path, root: &Path, current_dir: &Path) -> Vec<PathBuf> {
    let inside = folder.starts_with(root);
    let upwards = folder.ancestors().take_while(|above| !inside || above.starts_with(root));
    let mut chain: Vec<PathBuf> = upwards.map(Path::to_owned).collect();
    for last in [root, current_dir] {
        if !chain.iter().any(|folder| folder == last) {
            chain.push(last.to_owned());
        }
    }
    chain
}

/// How a file is shown: relative to the current folder where it lies below it.
pub(crate) fn shown(path: &Path, current_dir: &Path) -> PathBuf {
    match path.strip_prefix(current_dir) {
        Ok(below) if !below.as_os_str().is_empty() => below.to_owned(),
        Ok(_) => PathBuf::from("."),
        Err(_) => path.to_owned(),
    }
}

/// A path from the root, with `/`; the whole path where it lies outside.
pub(crate) fn from_root(path: &Path, root: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    let parts = below.components().filter_map(|part| match part {
        Component::RootDir => Some(String::new()),
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::ParentDir => Some("..".to_owned()),
        Component::Prefix(_) | Component::CurDir => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// A path that is the same on every machine: from the root, or the mere name of a file that stands
/// elsewhere.
pub(crate) fn portable(path: &Path, root: &Path) -> String {
    if path.starts_with(root) {
        return from_root(path, root);
    }
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// An absolute path without `.` and `..`. `..` is taken out of the text only where that leads to
/// the same file; behind a symbolic link it would not.
pub(crate) fn absolute(path: &Path, current_dir: &Path) -> PathBuf {
    let path = current_dir.join(path);
    let mut tidy = PathBuf::new();
    let mut went_up = false;
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                went_up = true;
                tidy.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => tidy.push(part),
        }
    }
    if !went_up {
        return tidy;
    }
    match (fs::canonicalize(&path), fs::canonicalize(&tidy)) {
        (Ok(real), Ok(same)) if real != same => real,
        (Ok(real), Err(_)) => real,
        (Ok(_) | Err(_), _) => tidy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(folder: &str, root: &str, current_dir: &str) -> Vec<String> {
        lookup_chain(folder.as_ref(), root.as_ref(), current_dir.as_ref())
            .iter()
            .map(|folder| folder.display().to_string())
            .collect()
    }

    #[test]
    fn the_chain_goes_up_to_the_root_and_ends_in_the_current_folder() {
        assert_eq!(chain("/r/a/b", "/r", "/r/c"), ["/r/a/b", "/r/a", "/r", "/r/c"]);
        assert_eq!(chain("/r/a", "/r", "/r"), ["/r/a", "/r"]);
    }

    #[test]
    fn a_folder_outside_of_the_root_goes_up_all_the_way() {
        assert_eq!(chain("/x/y", "/r", "/r/c"), ["/x/y", "/x", "/", "/r", "/r/c"]);
    }

    #[test]
    fn the_root_is_marked_by_git_or_by_agentv_and_is_else_the_current_folder() {
        let base = tempfile::tempdir().unwrap();
        let inner = base.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        assert_eq!(repository_root(&inner), inner);
        fs::create_dir(base.path().join(".agentv")).unwrap();
        assert_eq!(repository_root(&inner), base.path());
        // A worktree has a file there instead of a folder.
        fs::write(base.path().join("a/.git"), "gitdir: x").unwrap();
        assert_eq!(repository_root(&inner), base.path().join("a"));
    }

    #[test]
    fn a_path_is_shown_from_the_current_folder_where_it_lies_below() {
        assert_eq!(shown("/a/b/c".as_ref(), "/a".as_ref()), Path::new("b/c"));
        assert_eq!(shown("/a/b".as_ref(), "/x".as_ref()), Path::new("/a/b"));
        assert_eq!(from_root("/a/b/c".as_ref(), "/a".as_ref()), "b/c");
        assert_eq!(from_root("/a/b/c".as_ref(), "/x".as_ref()), "/a/b/c");
    }

    #[test]
    fn dots_leave_a_path_unless_a_link_stands_before_them() {
        let base = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(base.path()).unwrap();
        fs::create_dir_all(base.join("far/deep")).unwrap();
        fs::create_dir(base.join("here")).unwrap();
        fs::write(base.join("far/x"), "").unwrap();
        fs::write(base.join("x"), "").unwrap();
        assert_eq!(absolute("./here/../x".as_ref(), &base), base.join("x"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(base.join("far/deep"), base.join("link")).unwrap();
            assert_eq!(absolute("link/../x".as_ref(), &base), base.join("far/x"));
        }
    }
}
