//! A file that is read piece by piece, mostly in its own order: then a block of pieces is read at
//! once, because to ask the system for each is dearer than to parse it.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt as _,
    sync::{Arc, Mutex, PoisonError},
};

/// As much is read at once.
const BLOCK: usize = 1 << 18;

/// Whoever reads several pieces at the same time is out of order by no more than this.
const NEAR: u64 = 1 << 16;

pub(super) struct Ahead {
    file: File,
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    /// Where the piece ends that was read last.
    end: u64,
    block: Arc<Vec<u8>>,
    /// Where the block begins.
    begin: u64,
}

/// A piece of the file.
pub(super) struct Piece {
    block: Arc<Vec<u8>>,
    start: usize,
    length: usize,
}

impl Piece {
    pub fn bytes(&self) -> &[u8] {
        self.block.get(self.start..self.start + self.length).unwrap_or_default()
    }
}

impl Ahead {
    pub fn of(file: File) -> Self {
        Self { file, last: Mutex::default() }
    }

    pub fn read(&self, offset: u64, length: usize) -> io::Result<Piece> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let follows = offset.abs_diff(last.end) <= NEAR;
        last.end = offset + length as u64;
        let start = usize::try_from(offset.wrapping_sub(last.begin)).unwrap_or(usize::MAX);
        let in_block = start.checked_add(length).is_some_and(|end| end <= last.block.len());
        if in_block {
            return Ok(Piece { block: Arc::clone(&last.block), start, length });
        }
        if !follows {
            drop(last);
            let mut bytes = vec![0; length];
            self.file.read_exact_at(&mut bytes, offset)?;
            return Ok(Piece { block: Arc::new(bytes), start: 0, length });
        }
        // Where nobody has a piece of the block any more, it is used again as it is.
        let mut block =
            Arc::try_unwrap(std::mem::take(&mut last.block)).unwrap_or_else(|_| Vec::new());
        block.resize(BLOCK.max(length), 0);
        let filled = self.fill(&mut block, offset)?;
        block.truncate(filled);
        if filled < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        last.block = Arc::new(block);
        last.begin = offset;
        Ok(Piece { block: Arc::clone(&last.block), start: 0, length })
    }

    /// As much as the file has from there on.
    fn fill(&self, block: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = block.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, offset + filled as u64) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn file(length: usize) -> (Vec<u8>, Ahead) {
        let bytes: Vec<u8> = (0..=250).flat_map(|byte| [byte; 7]).cycle().take(length).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        (bytes, Ahead::of(file))
    }

    fn check(bytes: &[u8], ahead: &Ahead, offset: usize, length: usize) {
        let piece = ahead.read(offset as u64, length).unwrap();
        assert!(piece.bytes() == &bytes[offset..offset + length], "{offset}, {length}");
    }

    #[test]
    fn pieces_are_what_stands_there_in_any_order_and_of_any_length() {
        let (bytes, ahead) = file(3 * BLOCK);
        for place in 0..(3 * BLOCK / 500) {
            check(&bytes, &ahead, place * 500, 500);
        }
        for place in (0..3 * BLOCK / 500).rev() {
            check(&bytes, &ahead, place * 500, 499);
        }
        for place in 0..500 {
            check(&bytes, &ahead, place * 7919 % (2 * BLOCK), place);
        }
        check(&bytes, &ahead, 0, 2 * BLOCK);
        check(&bytes, &ahead, 2 * BLOCK + 1, 100);
        check(&bytes, &ahead, 3 * BLOCK, 0);
    }

    #[test]
    fn what_lies_far_off_is_read_alone() {
        let (bytes, ahead) = file(3 * BLOCK);
        check(&bytes, &ahead, 2 * BLOCK, 100);
        assert_eq!(ahead.last.lock().unwrap().block.len(), 0);
        check(&bytes, &ahead, 2 * BLOCK + 100, 100);
        assert_eq!(ahead.last.lock().unwrap().block.len(), BLOCK - 100);
    }

    #[test]
    fn a_file_that_ends_too_early_is_an_error() {
        let (_, ahead) = file(1000);
        for offset in [0, 999, 1001, 1 << 40] {
            assert!(ahead.read(offset, 1001).is_err(), "{offset}");
        }
    }
}
