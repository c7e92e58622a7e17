//! By what a file is known to be the one that was read before: its size, its time and its inode.

use std::{fs::Metadata, os::unix::fs::MetadataExt as _};

/// Written as text, because it is only ever compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileStamp(String);

impl FileStamp {
    pub(super) fn of(file: &Metadata) -> Self {
        Self(format!(
            "{} {}.{:09} {}:{}",
            file.len(),
            file.mtime(),
            file.mtime_nsec(),
            file.dev(),
            file.ino()
        ))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether both are of one file, which may have grown.
    pub(super) fn is_same_file(&self, other: &str) -> bool {
        let inode = |stamp: &str| stamp.rsplit(' ').next().map(str::to_owned);
        inode(&self.0) == inode(other)
    }
}
