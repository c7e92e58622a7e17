//! The name of a run: `20250131T235959123Z-k3f9`. Sorts by time; the end tells runs of one
//! millisecond apart.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use super::timestamp::Timestamp;

pub(crate) fn run_id(started_at: Timestamp, suffix: &str) -> String {
    format!("{}-{suffix}", started_at.compact())
}

/// Four characters that differ from call to call and from process to process. They need not be
/// unguessable: a run whose name is taken gets another.
pub(crate) fn random_suffix() -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    // The keys of the standard hasher are random, which spares a generator.
    let mut rest = RandomState::new().build_hasher().finish();
    (0..4)
        .map(|_| {
            let digit = DIGITS[usize::try_from(rest % 36).unwrap_or_default()];
            rest /= 36;
            char::from(digit)
        })
        .collect()
}
