//! Memory that costs every contender the same.
//!
//! Many virtual machines give free memory back to their host. Whoever touches it first again waits for
//! the host, and that counts as time of the program: a gigabyte that is written to a file takes then
//! seconds instead of a quarter of one. Which contender meets such memory is chance, unless somebody sees
//! to it that none does.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

/// Where files lie in memory.
const IN_MEMORY: &str = "/dev/shm";

/// More than what all contenders of a round keep in memory and in files.
const WANTED: u64 = 6 << 30;

/// Free memory goes back to the host in pieces of at least two megabytes. Of every piece of this size one
/// page stays in use, so that no larger one is ever free.
const PIECE: u64 = 512 << 10;
const PAGE: u64 = 4 << 10;

/// Touches memory and frees it again in small pieces; nothing where free memory stays where it is, and
/// where there is too little of it. It stays for as long as the file is open.
pub fn hold() -> Option<File> {
    if !goes_back_to_the_host() || available() < 2 * WANTED {
        return None;
    }
    eprintln!("fetching memory from the host of this machine");
    match hold_in(Path::new(IN_MEMORY), WANTED) {
        Ok(held) => Some(held),
        Err(error) => {
            eprintln!("cannot: {error}; what writes most may seem slower than it is");
            None
        }
    }
}

/// In a file without a name: whatever happens, it goes with this process.
fn hold_in(folder: &Path, size: u64) -> io::Result<File> {
    let mut file = tempfile::tempfile_in(folder)?;
    let block = vec![1; 1 << 20];
    for _ in 0..size >> 20 {
        file.write_all(&block)?;
    }
    for piece in 0..size / PIECE {
        forget(&file, piece * PIECE + PAGE, PIECE - PAGE)?;
    }
    Ok(file)
}

/// Frees the memory of a part of a file.
#[cfg(target_os = "linux")]
fn forget(file: &File, begin: u64, length: u64) -> io::Result<()> {
    use nix::fcntl::{FallocateFlags, fallocate};
    let flags = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
    Ok(fallocate(file, flags, begin.cast_signed(), length.cast_signed())?)
}

#[cfg(not(target_os = "linux"))]
fn forget(_: &File, _: u64, _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether a balloon of this machine says that it reports free pages (the sixth of its features).
fn goes_back_to_the_host() -> bool {
    let devices = fs::read_dir("/sys/bus/virtio/drivers/virtio_balloon").into_iter().flatten();
    devices.flatten().any(|device| {
        let features = fs::read_to_string(device.path().join("features")).unwrap_or_default();
        features.as_bytes().get(5) == Some(&b'1')
    })
}

fn available() -> u64 {
    let told = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) << 10
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn of_what_was_touched_a_page_of_every_piece_is_kept() {
        let size = 8 << 20;
        let file = hold_in(Path::new(IN_MEMORY), size).unwrap();
        let metadata = file.metadata().unwrap();
        assert_eq!((metadata.len(), metadata.blocks() * 512), (size, size / PIECE * PAGE));
    }
}
