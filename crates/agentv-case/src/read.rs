//! Bytes of a file → text, or the reason why not. What the text means is not known here.

use std::{fs, io, io::Read as _, path::Path};

use sha2::{Digest as _, Sha256};

/// Far above any suite by hand or by machine, and far below what a place in a file can count.
pub(crate) const LARGEST_FILE: u64 = 256 * 1024 * 1024;

/// Data is read line by line and may be longer: a million cases of some hundred bytes each.
pub(crate) const LARGEST_DATA: u64 = 1024 * 1024 * 1024;

/// How much of a file that is no text is kept to show the place.
const SHOWN_AFTER_FAULT: usize = 120;

/// Why a file is no text for us.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadFault {
    #[error("{0}")]
    Io(io::Error),
    #[error("it is a directory")]
    Directory,
    #[error("it is a pipe or a device, not a file")]
    NotAFile,
    #[error("it is larger than {} MiB", .most / 1024 / 1024)]
    TooLarge { most: u64 },
    #[error("{what} at byte {offset} (line {line})")]
    NotText {
        what: &'static str,
        offset: usize,
        line: usize,
        /// The file up to and around the place, made fit to be shown, and the place in that.
        shown: String,
        at: usize,
    },
}

impl ReadFault {
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io(_) | Self::Directory | Self::NotAFile => None,
            Self::TooLarge { .. } => Some("split it into several files"),
            Self::NotText { .. } => Some("save the file as UTF-8 text"),
        }
    }
}

pub(crate) fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, ReadFault> {
    let metadata = fs::metadata(path).map_err(ReadFault::Io)?;
    if metadata.is_dir() {
        return Err(ReadFault::Directory);
    }
    // Before it is opened: to open a pipe is to wait for someone who writes to it.
    if !metadata.is_file() {
        return Err(ReadFault::NotAFile);
    }
    if metadata.len() > most {
        return Err(ReadFault::TooLarge { most });
    }
    let file = fs::File::open(path).map_err(ReadFault::Io)?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default() + 1);
    // Some files have no length to ask for, and some grow: the limit is held while reading too.
    file.take(most + 1).read_to_end(&mut bytes).map_err(ReadFault::Io)?;
    if bytes.len() as u64 > most {
        return Err(ReadFault::TooLarge { most });
    }
    Ok(bytes)
}

/// UTF-8 without NUL; a byte-order mark is dropped.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<String, ReadFault> {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let what = if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
                "UTF-16 instead of UTF-8"
            } else {
                "a byte that is not UTF-8"
            };
            return Err(not_text(what, &bytes, offset));
        }
    };
    if let Some(offset) = memchr::memchr(0, text.as_bytes()) {
        return Err(not_text("a NUL byte", text.as_bytes(), offset));
    }
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

fn not_text(what: &'static str, bytes: &[u8], offset: usize) -> ReadFault {
    let before = bytes.get(..offset).unwrap_or_default();
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let end = bytes.len().min(offset + SHOWN_AFTER_FAULT);
    let visible = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\0', "␀");
    let mut shown = visible(before);
    let at = shown.len();
    shown.push_str(&visible(bytes.get(offset..end).unwrap_or_default()));
    ReadFault::NotText { what, offset, line, shown, at }
}

/// SHA-256 in hex.
pub(crate) fn content_hash(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(bytes: &[u8]) -> String {
        decode(bytes.to_vec()).unwrap_err().to_string()
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        assert_eq!(decode("\u{feff}a".into()).unwrap(), "a");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_placed() {
        assert_eq!(fault(b"a\nb\xff"), "a byte that is not UTF-8 at byte 3 (line 2)");
    }

    #[test]
    fn a_nul_byte_is_placed() {
        assert_eq!(fault(b"a\n\0"), "a NUL byte at byte 2 (line 2)");
    }

    #[test]
    fn the_place_is_the_same_in_what_is_shown_of_the_file() {
        let Err(ReadFault::NotText { shown, at, .. }) = decode(b"a\0\0\xc3\xa9\xffb".to_vec())
        else {
            panic!("this is no text");
        };
        assert_eq!(shown.split_at_checked(at), Some(("a␀␀é", "\u{fffd}b")));
    }

    #[test]
    fn utf16_is_called_by_its_name() {
        assert_eq!(fault(b"\xff\xfea\0"), "UTF-16 instead of UTF-8 at byte 0 (line 1)");
    }

    #[test]
    fn a_file_over_the_limit_is_refused_without_being_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        // A hole of this size costs no disk.
        let file = fs::File::create(&path).unwrap();
        file.set_len(LARGEST_FILE + 1).unwrap();
        let fault = read_bytes(&path, LARGEST_FILE).unwrap_err();
        assert_eq!(fault.to_string(), "it is larger than 256 MiB");
        assert_eq!(fault.hint(), Some("split it into several files"));
    }

    #[test]
    fn a_directory_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let fault = read_bytes(folder.path(), LARGEST_FILE).unwrap_err();
        assert_eq!(fault.to_string(), "it is a directory");
    }

    #[test]
    fn the_hash_is_sha256_in_hex() {
        assert_eq!(
            content_hash(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
