//! What a process reads: nothing, a little through a pipe, or a file. How the bytes get through a
//! pipe is in `streams`.

use std::{
    fs::File,
    io::{self, BufWriter, Seek as _, Write as _},
    path::Path,
    process::Stdio,
};

use agentv_base::{Stdin, WriteInput};
use tempfile::{SpooledData, spooled_tempfile_in};

/// More than this goes through a file: a hundred processes that read long answers would else hold
/// all of them in memory until the last byte is read.
const MOST_IN_MEMORY: usize = 1024 * 1024;

/// A serializer writes a few bytes at a time.
const WRITE_SIZE: usize = 64 * 1024;

pub(super) enum Input {
    Nothing,
    Bytes(Vec<u8>),
    /// It has no name, so nothing of it remains when its last reader has ended, however that ends.
    File(File),
}

impl Input {
    /// What a description says, long inputs in a file in `folder`.
    pub(super) fn described(stdin: Stdin, folder: &Path) -> io::Result<Self> {
        match stdin {
            Stdin::Null => Ok(Self::Nothing),
            Stdin::Bytes(bytes) if bytes.len() <= MOST_IN_MEMORY => Ok(Self::Bytes(bytes)),
            Stdin::Bytes(bytes) => Self::written(&|out| out.write_all(&bytes), folder),
        }
    }

    /// What `write` writes, in a file in `folder` where it is long.
    pub(super) fn written(write: WriteInput<'_>, folder: &Path) -> io::Result<Self> {
        let file = spooled_tempfile_in(MOST_IN_MEMORY, folder);
        let mut out = BufWriter::with_capacity(WRITE_SIZE, file);
        write(&mut out)?;
        out.flush()?;
        match out.into_inner().map_err(io::IntoInnerError::into_error)?.into_inner() {
            SpooledData::InMemory(bytes) => Ok(Self::Bytes(bytes.into_inner())),
            SpooledData::OnDisk(mut file) => {
                file.rewind()?;
                Ok(Self::File(file))
            }
        }
    }

    /// What the process is started with, and what is then to be written to its pipe.
    pub(super) fn split(self) -> (Stdio, Vec<u8>) {
        match self {
            Self::Nothing => (Stdio::null(), Vec::new()),
            Self::Bytes(bytes) => (Stdio::piped(), bytes),
            Self::File(file) => (Stdio::from(file), Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// Writes `size` bytes in pieces; gives what there is to read, and whether it is in a file.
    fn check(size: usize, piece: usize) -> (usize, bool) {
        let folder = tempfile::tempdir().unwrap();
        let bytes = vec![b'x'; size];
        let write =
            |out: &mut dyn io::Write| bytes.chunks(piece).try_for_each(|c| out.write_all(c));
        let input = Input::written(&write, folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it has a name");
        match input {
            Input::Nothing => panic!("something was written"),
            Input::Bytes(kept) => (kept.len(), false),
            Input::File(mut file) => {
                let mut read = Vec::new();
                file.read_to_end(&mut read).unwrap();
                assert_eq!(read, bytes);
                (read.len(), true)
            }
        }
    }

    #[test]
    fn a_long_input_is_a_file_without_a_name_and_a_short_one_is_in_memory() {
        for piece in [7, MOST_IN_MEMORY, 3 * MOST_IN_MEMORY] {
            assert_eq!(check(0, piece), (0, false));
            assert_eq!(check(MOST_IN_MEMORY, piece), (MOST_IN_MEMORY, false));
            assert_eq!(check(MOST_IN_MEMORY + 1, piece), (MOST_IN_MEMORY + 1, true));
        }
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let folder = Path::new("no/such/folder");
        assert!(Input::described(Stdin::Bytes(vec![0; 2 * MOST_IN_MEMORY]), folder).is_err());
        let write = |_: &mut dyn io::Write| Err(io::Error::other("no"));
        assert!(Input::written(&write, folder).is_err());
    }
}
