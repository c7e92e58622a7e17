//! Puts a report where the user wants it: whole or not at all.

use std::{
    fmt,
    fs::{self, File, OpenOptions, Permissions},
    io::{self, BufWriter, ErrorKind, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use agentv_base::escape_controls;
use tempfile::NamedTempFile;

use super::{Format, RenderFault, Report};

/// Why a report cannot be, or was not, written.
#[derive(Debug)]
pub struct OutFault {
    pub path: PathBuf,
    pub cause: RenderFault,
}

impl OutFault {
    fn of(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |cause| Self { path: path.to_owned(), cause: cause.into() }
    }

    /// Whoever read from the other end has seen enough: a reason to stop, not to complain.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(&self.cause, RenderFault::Write(cause) if cause.kind() == ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for OutFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        write!(f, "cannot write `{}`: {}", escape_controls(&path), self.cause)
    }
}

// The cause is part of the message already.
impl std::error::Error for OutFault {}

/// Finds out, before anything is run, what would keep a report from being written.
pub fn check_out(path: &Path) -> Result<(), OutFault> {
    match Destination::of(path).map_err(OutFault::of(path))? {
        // Opening a pipe would wait for its reader, or tell it that there is nothing to come.
        Destination::Through => Ok(()),
        // Permissions do not tell for every file system and user; trying does.
        Destination::Replace(file) => new_file_beside(&file).map(drop).map_err(OutFault::of(path)),
    }
}

/// Writes the rows to a new file that then takes the place of the old one, so that nobody sees
/// half a report. What is not a regular file (a terminal, a pipe) is written to directly.
pub fn write_out(path: &Path, format: &dyn Format, report: &Report<'_>) -> Result<(), OutFault> {
    write_whole(path, |out| format.write(report, out))
}

/// As [`write_out`], for whatever is written.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> Result<(), RenderFault>,
) -> Result<(), OutFault> {
    match Destination::of(path).map_err(OutFault::of(path))? {
        Destination::Through => {
            // Appending never wipes what a redirected standard output already holds.
            let opened = OpenOptions::new().append(true).open(path);
            let mut file = opened.map_err(OutFault::of(path))?;
            write_to(&mut file, path, write)
        }
        Destination::Replace(file) => {
            let mut new = new_file_beside(&file).map_err(OutFault::of(path))?;
            write_to(new.as_file_mut(), path, write)?;
            put_in_place(new, &file).map_err(OutFault::of(path))
        }
    }
}

fn write_to(
    file: &mut File,
    path: &Path,
    write: impl FnOnce(&mut dyn io::Write) -> Result<(), RenderFault>,
) -> Result<(), OutFault> {
    let mut out = BufWriter::with_capacity(64 * 1024, file);
    let written = write(&mut out).and_then(|()| out.flush().map_err(RenderFault::from));
    written.map_err(|cause| OutFault { path: path.to_owned(), cause })
}

fn put_in_place(new: NamedTempFile, file: &Path) -> io::Result<()> {
    if let Ok(old) = fs::metadata(file) {
        new.as_file().set_permissions(old.permissions())?;
    }
    new.as_file().sync_all()?;
    new.persist(file).map(drop).map_err(|fault| fault.error)
}

/// A hidden file in the folder of `file`: only within one file system can it be moved in one step.
fn new_file_beside(file: &Path) -> io::Result<NamedTempFile> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        let text = folder.to_string_lossy();
        return Err(io::Error::new(
            ErrorKind::NotFound,
            format!("the folder `{}` does not exist", escape_controls(&text)),
        ));
    }
    tempfile::Builder::new()
        .prefix(".agentv-out-")
        // Reports are for everyone whom the user's mask lets in, unlike other temporary files.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)
        // The error carries the name of the hidden file, which says nothing to the user.
        .map_err(|fault| {
            let text = folder.to_string_lossy();
            let folder = escape_controls(&text);
            let kind = fault.kind();
            io::Error::new(kind, format!("no file can be made in `{folder}`: {kind}"))
        })
}

enum Destination {
    /// A regular file, there already or not; links followed.
    Replace(PathBuf),
    /// Something that takes bytes and cannot be replaced.
    Through,
}

impl Destination {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(fault) if fault.kind() == ErrorKind::NotFound => {
                return Ok(Self::Replace(path.to_owned()));
            }
            Err(fault) => return Err(fault),
        };
        if metadata.is_dir() {
            return Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"));
        }
        if !metadata.is_file() || is_stream_link(path) {
            return Ok(Self::Through);
        }
        // A link is followed, so that the file it names is replaced and the link stays.
        Ok(Self::Replace(path.canonicalize()?))
    }
}

/// `/dev/stdout` and its like: where output is redirected to a file they look like that file, but
/// replacing it would cut off everyone else who writes there.
fn is_stream_link(path: &Path) -> bool {
    (path.starts_with("/dev") || path.starts_with("/proc"))
        && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

#[cfg(test)]
mod tests;
