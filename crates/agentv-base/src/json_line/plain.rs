//! How far a text can stand in JSON as it is.

use wide::u8x16;

/// How many bytes come before the first quote, backslash or control character, of which a string of JSON
/// has none as they are. It is looked at in strides, without a branch for each byte.
#[inline]
pub fn plain_prefix(bytes: &[u8]) -> usize {
    let Some(last) = bytes.last_chunk::<16>() else {
        // The zeros behind the last are odd.
        return plain_of_stride(&packed(bytes).to_le_bytes());
    };
    for (number, stride) in bytes.as_chunks::<16>().0.iter().enumerate() {
        let plain = plain_of_stride(stride);
        if plain < 16 {
            return number * 16 + plain;
        }
    }
    // The last stride may overlap the one before, which is plain.
    bytes.len() - 16 + plain_of_stride(last)
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
        if length > 16 {
            return None;
        }
        let packed = packed(bytes);
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

/// At most sixteen bytes as one number, the first lowest; behind the last are zeros.
#[inline]
fn packed(bytes: &[u8]) -> u128 {
    // Two pieces of one size, which may overlap.
    let both =
        |first: u64, last: u64, from: usize| u128::from(first) | u128::from(last) << (8 * from);
    match *bytes {
        [] => 0,
        [one] => u128::from(one),
        [one, two] => u128::from(u16::from_le_bytes([one, two])),
        [one, two, three] => u128::from(u32::from_le_bytes([one, two, three, 0])),
        _ => match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                both(u64::from_le_bytes(*first), u64::from_le_bytes(*last), bytes.len() - 8)
            }
            _ => {
                let half = |half: Option<&[u8; 4]>| half.map_or(0, |it| u32::from_le_bytes(*it));
                let [first, last] = [half(bytes.first_chunk()), half(bytes.last_chunk())];
                both(first.into(), last.into(), bytes.len() - 4)
            }
        },
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::plain_prefix;

    fn is_odd(byte: u8) -> bool {
        byte < 0x20 || byte == b'"' || byte == b'\\'
    }

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
