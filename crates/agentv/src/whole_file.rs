//! Writes a file whole or not at all, whatever interrupts it.

use std::{
    fs::{self, Permissions},
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

/// What becomes of a file that is there already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, also one that appeared just now; the new one is an error.
    Stays,
    /// It is replaced in one step; a link to it stays a link.
    IsReplaced,
}

/// Writes a file and the folders above it. The text is written to a hidden file beside it, which
/// then gets the name.
pub fn write(path: &Path, text: &str, existing: Existing) -> io::Result<()> {
    let real = match existing {
        Existing::IsReplaced => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        Existing::Stays => path.to_owned(),
    };
    let folder = real.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(|fault| without_path(&fault))?;
    let mut new = tempfile::Builder::new()
        .prefix(".agentv-new-")
        // Like any file that the user makes: the user's mask decides who may read it.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(|fault| without_path(&fault))?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    let persisted = match existing {
        Existing::Stays => new.persist_noclobber(&real),
        Existing::IsReplaced => {
            if let Ok(old) = fs::metadata(&real) {
                new.as_file().set_permissions(old.permissions())?;
            }
            new.persist(&real)
        }
    };
    persisted.map(drop).map_err(|fault| fault.error)
}

/// The cause alone: the name of a hidden file says nothing to the user.
fn without_path(fault: &io::Error) -> io::Error {
    match fault.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => fault.kind().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn folders_are_made_and_nothing_else_is_left_beside_the_file() {
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("a/b/file");
        write(&file, "text", Existing::Stays).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "text");
        assert_eq!(names(file.parent().unwrap()), ["file"]);
    }

    #[test]
    fn a_file_that_appeared_in_between_stays() {
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("file");
        fs::write(&file, "theirs").unwrap();
        let fault = write(&file, "ours", Existing::Stays).unwrap_err();
        assert_eq!(fault.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&file).unwrap(), "theirs");
        assert_eq!(names(base.path()), ["file"]);
    }

    #[test]
    fn a_replaced_file_keeps_its_permissions_and_the_links_to_it() {
        let base = tempfile::tempdir().unwrap();
        let (file, link) = (base.path().join("file"), base.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, "new", Existing::IsReplaced).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
