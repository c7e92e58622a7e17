//! Texts and whole numbers, as JSON has them.

use std::fmt;

use super::plain::{Few, plain_prefix};

/// Appends a text in quotes.
#[inline(never)]
pub(super) fn text(out: &mut Vec<u8>, text: &str) {
    if let Some(few) = Few::plain(text.as_bytes())
        && few.add(out, b"\"", b"\"")
    {
        return;
    }
    out.reserve(text.len() + 2);
    out.push(b'"');
    contents(out, text);
    out.push(b'"');
}

/// Appends a key with all that stands around it: half of the texts in a row are keys.
#[inline(never)]
pub(super) fn key(out: &mut Vec<u8>, is_first: bool, key: &str) {
    let few = Few::plain(key.as_bytes());
    if let Some(few) = few
        && (if is_first { few.add(out, b"\"", b"\":") } else { few.add(out, b",\"", b"\":") })
    {
        return;
    }
    if !is_first {
        out.push(b',');
    }
    text(out, key);
    out.push(b':');
}

/// Appends a text as it stands between quotes.
fn contents(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    loop {
        let (plain, odd) = rest.split_at_checked(plain_prefix(rest)).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        let Some((odd, after)) = odd.split_first() else { return };
        escaped(out, *odd);
        rest = after;
    }
}

fn escaped(out: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        b'"' | b'\\' => byte,
        _ => {
            let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

/// The number without a fraction that a number is, as scores and times mostly are: to find the shortest
/// digits for it would be wasted.
#[expect(clippy::cast_possible_truncation, reason = "it is small enough, and whole")]
#[expect(clippy::float_cmp, reason = "whether nothing is lost")]
pub(super) fn whole(value: f64) -> Option<i64> {
    let number = value as i64;
    let is_exact = number as f64 == value && value.abs() < MOST_WHOLE;
    // There is a zero below zero.
    (is_exact && (number != 0 || value.is_sign_positive())).then_some(number)
}

/// Greater numbers are written with an exponent.
const MOST_WHOLE: f64 = 1e15;

/// Takes what is written piece by piece, as a text.
pub(super) struct Pieces<'o>(pub(super) &'o mut Vec<u8>);

impl fmt::Write for Pieces<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        contents(self.0, piece);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{key, text};

    #[test]
    fn texts_and_keys_of_any_length_stand_as_serde_json_writes_them() {
        for length in 0..40 {
            for (place, odd) in
                (0..=length).flat_map(|place| ['"', '\\', '\n', '\0', 'é'].map(|it| (place, it)))
            {
                let mut word: String = ('a'..='z').cycle().take(length).collect();
                if place < length {
                    word.replace_range(place..=place, odd.encode_utf8(&mut [0; 4]));
                }
                let quoted = serde_json::to_string(&word).unwrap();
                let mut out = b"x".to_vec();
                text(&mut out, &word);
                key(&mut out, true, &word);
                key(&mut out, false, &word);
                assert_eq!(
                    String::from_utf8(out).unwrap(),
                    format!("x{quoted}{quoted}:,{quoted}:")
                );
            }
        }
    }
}
