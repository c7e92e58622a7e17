//! How far a text can stand in JSON as it is.

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

/// How many bytes of a stride come before the first odd one; all of them where there is none.
#[inline]
fn plain_of_stride(stride: &[u8; 16]) -> usize {
    // Sixteen at once are looked at faster than two words; which of them is odd is seldom asked.
    if !stride.iter().fold(false, |any, byte| any | is_odd(*byte)) {
        return 16;
    }
    let half = |half: Option<&[u8; 8]>| half.copied().map_or(0, plain_of_word);
    match half(stride.first_chunk()) {
        8 => 8 + half(stride.last_chunk()),
        plain => plain,
    }
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
#[expect(clippy::needless_bitwise_bool, reason = "sixteen at once leave no room for branches")]
fn is_odd(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
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
