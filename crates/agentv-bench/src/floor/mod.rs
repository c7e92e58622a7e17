//! The floors: the least that anybody can do who does the same, as sub-commands of this program.

pub mod records;
pub mod rows;
pub mod walk;

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader},
    path::Path,
};

/// Hands over each line of a file in turn, in a buffer that is used again.
pub fn each_line(file: &Path, mut look: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<usize> {
    let mut reader = BufReader::with_capacity(1 << 16, File::open(file)?);
    let (mut line, mut lines) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 {
        look(&line)?;
        line.clear();
        lines += 1;
    }
    Ok(lines)
}
