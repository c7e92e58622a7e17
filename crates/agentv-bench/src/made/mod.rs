//! The files that are measured with, made anew on every machine and always the same.

pub mod answers;
pub mod rows;
pub mod suite;
mod words;

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write as _},
    path::Path,
};

/// A file that is written piece by piece.
pub fn file(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    write(&mut file)?;
    file.flush()
}

/// An empty folder with these targets, and nothing above it that would be looked at.
pub fn project(targets: &str) -> io::Result<tempfile::TempDir> {
    project_in(&std::env::temp_dir(), targets)
}

/// The same below another folder than that for temporary files.
pub fn project_in(parent: &Path, targets: &str) -> io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir_in(parent)?;
    fs::create_dir_all(folder.path().join(".git"))?;
    fs::create_dir_all(folder.path().join(".agentv"))?;
    fs::write(folder.path().join(".agentv/targets.yaml"), targets)?;
    Ok(folder)
}
