//! How far a text can stand in JSON as it is.

use wide::u8x16;

/// How many bytes come before the first quote, backslash or control character, of which a string of JSON
/// has none as they are. It is looked at in strides, without a branch for each byte.
#[inline]
pub fn plain_prefix(bytes: &[u8]) -> usize {
    let Some(last) = bytes.last_chunk::<16>() else { return short_prefix(bytes) };
    for (number, stride) in bytes.as_chunks::<16>().0.iter().enumerate() {
        let plain = plain_of_stride(stride);
        if plain < 16 {
            return number * 16 + plain;
        }
    }
    // The last stride may overlap the one before, which is plain.
    bytes.len() - 16 + plain_of_stride(last)
}

/// Of less than sixteen bytes.
#[inline]
fn short_prefix(bytes: &[u8]) -> usize {
    let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) else {
        return short_odd(bytes);
    };
    match plain_of_word(*first) {
        8 => bytes.len() - 8 + plain_of_word(*last),
        plain => plain,
    }
}

/// A text of at most sixteen bytes that can stand in JSON as it is. To copy a number of bytes that is
/// known beforehand takes next to nothing; so it is copied with what stands around it, sixteen at once.
#[derive(Clone, Copy)]
pub(super) struct Few {
    /// The first byte is the lowest; behind the last are zeros.
    bytes: u128,
    length: usize,
}

impl Few {
    #[inline]
    pub(super) fn plain(bytes: &[u8]) -> Option<Self> {
        let length = bytes.len();
        let shifted = |last: u64, from: usize| u128::from(last) << (8 * from);
        let packed = match bytes {
            [] => 0,
            [one] => u128::from(*one),
            [one, two] => u128::from(u16::from_le_bytes([*one, *two])),
            [one, two, three] => u128::from(u32::from_le_bytes([*one, *two, *three, 0])),
            _ if length > 16 => return None,
            // Two pieces of one size, which may overlap.
            _ => match (bytes.first_chunk(), bytes.last_chunk()) {
                (Some(first), Some(last)) => {
                    let [first, last] = [first, last].map(|bytes| u64::from_le_bytes(*bytes));
                    u128::from(first) | shifted(last, length - 8)
                }
                _ => {
                    let first = bytes.first_chunk().map_or(0, |it| u32::from_le_bytes(*it));
                    let last = bytes.last_chunk().map_or(0, |it| u32::from_le_bytes(*it));
                    u128::from(first) | shifted(u64::from(last), length - 4)
                }
            },
        };
        let few = Self { bytes: packed, length };
        // The zeros behind the last are odd.
        (plain_of_stride(&packed.to_le_bytes()) == length).then_some(few)
    }

    /// Appends it with something before and after it; false where that is more than sixteen bytes.
    #[inline]
    pub(super) fn add<const B: usize, const A: usize>(
        self,
        out: &mut Vec<u8>,
        before: &[u8; B],
        after: &[u8; A],
    ) -> bool {
        let length = B + self.length + A;
        if length > 16 {
            return false;
        }
        let number =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |all, it| all << 8 | u128::from(*it));
        let whole =
            number(before) | self.bytes << (8 * B) | number(after) << (8 * (B + self.length));
        let begin = out.len();
        out.extend_from_slice(&whole.to_le_bytes());
        out.truncate(begin + length);
        true
    }
}

/// How many bytes of a stride come before the first odd one; all of them where there is none.
#[inline]
fn plain_of_stride(stride: &[u8; 16]) -> usize {
    let bytes = u8x16::new(*stride);
    let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
    let is_control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    let odd = (is_control | is(b'"') | is(b'\\')).to_bitmask();
    (odd | 1 << 16).trailing_zeros() as usize
}

#[inline]
fn plain_of_word(word: [u8; 8]) -> usize {
    odd_bytes(u64::from_le_bytes(word)).trailing_zeros() as usize / 8
}

/// Of less than eight bytes.
#[inline]
fn short_odd(bytes: &[u8]) -> usize {
    let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) else {
        return bytes.iter().position(|byte| is_odd(*byte)).unwrap_or(bytes.len());
    };
    let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    // What is above them is zero, which is odd: so there always is one, and it is none of them.
    let word = half(first) | half(last) << (8 * (bytes.len() - 4));
    odd_bytes(word).trailing_zeros() as usize / 8
}

/// The lowest bit that is set belongs to the first odd byte; those above it may be wrong.
#[inline]
fn odd_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word;
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | is(b'"') | is(b'\\')) & (ONES * 0x80)
}

#[inline]
fn is_odd(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_odd, plain_prefix};

    fn check(bytes: &[u8]) {
        let wanted = bytes.iter().position(|byte| is_odd(*byte)).unwrap_or(bytes.len());
        assert_eq!(plain_prefix(bytes), wanted, "{bytes:?}");
    }

    #[test]
    fn every_byte_is_seen_in_a_text_of_any_length() {
        for length in 0..70 {
            check(&vec![b'x'; length]);
            for place in 0..length {
                for odd in
                    [0, 0x1f, 0x20, 0x21, b'"', b'#', b'\\', b'[', 0x7f, 0x80, 0xa2, 0xdc, 0xff]
                {
                    let mut bytes = vec![b'x'; length];
                    bytes[place] = odd;
                    check(&bytes);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_told_apart(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            check(&bytes);
        }
    }
}
