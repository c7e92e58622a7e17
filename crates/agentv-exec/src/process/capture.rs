//! Keeps the beginning and the end of a stream within a fixed limit and counts what lay between.
//! Where the bytes come from is not known here.

use std::collections::VecDeque;

use agentv_base::Captured;

/// What is kept of either end of a stream. A screenful of error is a few KiB, so this is generous,
/// and sixty-four processes at once still cost only megabytes.
const END_LIMIT: usize = 32 * 1024;

pub(super) struct Capture {
    head: Vec<u8>,
    head_limit: usize,
    tail: VecDeque<u8>,
    tail_limit: usize,
    cut: u64,
}

impl Capture {
    pub(super) fn both_ends() -> Self {
        Self::with_limits(END_LIMIT, END_LIMIT)
    }

    pub(super) fn beginning(limit: usize) -> Self {
        Self::with_limits(limit, 0)
    }

    fn with_limits(head_limit: usize, tail_limit: usize) -> Self {
        Self { head: Vec::new(), head_limit, tail: VecDeque::new(), tail_limit, cut: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = self.head_limit - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);

        // Only what can still be there afterwards is copied, whatever the size of `bytes`.
        let (passed, last) = rest.split_at(rest.len().saturating_sub(self.tail_limit));
        let pushed_out = if passed.is_empty() {
            (self.tail.len() + last.len()).saturating_sub(self.tail_limit)
        } else {
            self.tail.len()
        };
        self.tail.drain(..pushed_out);
        self.tail.extend(last);
        self.cut += (passed.len() + pushed_out) as u64;
    }

    pub(super) fn finish(self) -> Captured {
        let mut head = self.head;
        let mut tail = Vec::from(self.tail);
        if self.cut == 0 {
            head.append(&mut tail);
        }
        Captured { head, tail, cut: self.cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pushes `bytes` in pieces of every small size and checks what is kept each time.
    fn check(limits: (usize, usize), bytes: &[u8], head: &[u8], tail: &[u8], cut: u64) {
        for size in 1..=bytes.len().max(1) {
            let mut capture = Capture::with_limits(limits.0, limits.1);
            for piece in bytes.chunks(size) {
                capture.push(piece);
            }
            let captured = capture.finish();
            let expected = Captured { head: head.to_vec(), tail: tail.to_vec(), cut };
            assert_eq!(captured, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn a_stream_within_the_limits_is_kept_whole_and_in_one_piece() {
        check((4, 4), b"", b"", b"", 0);
        check((4, 4), b"abcd", b"abcd", b"", 0);
        check((4, 4), b"abcdefgh", b"abcdefgh", b"", 0);
    }

    #[test]
    fn of_a_longer_stream_both_ends_are_kept_and_the_middle_is_counted() {
        check((4, 4), b"abcdefghi", b"abcd", b"fghi", 1);
        check((4, 4), b"abcdefghijklmnopqrstuvwxyz", b"abcd", b"wxyz", 18);
    }

    #[test]
    fn with_a_limit_from_the_start_all_the_rest_is_counted() {
        check((4, 0), b"abcd", b"abcd", b"", 0);
        check((4, 0), b"abcdefghi", b"abcd", b"", 5);
        check((0, 0), b"abc", b"", b"", 3);
    }
}
