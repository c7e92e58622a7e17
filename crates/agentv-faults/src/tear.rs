//! What a loss of power does to the end of a file: the last row is cut somewhere, perhaps with
//! zeros behind it.

use std::{fs, path::Path};

use crate::chance::Chance;

/// Cuts the last row somewhere inside, and gives what is left of it; nothing where there is no row
/// to cut, or where something cut it already.
pub(crate) fn tear(folder: &Path, chance: &mut Chance) -> Option<Vec<u8>> {
    let path = folder.join("results.jsonl");
    let mut bytes = fs::read(&path).ok()?;
    let whole = bytes.strip_suffix(b"\n")?;
    let start = whole.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
    // At least a byte stays and at least one is lost: the end of the line alone is another matter.
    let length = 1 + chance.below(whole.len() - start - 1);
    bytes.truncate(start + length);
    if chance.one_in(4) {
        bytes.extend(vec![0; 1 + chance.below(600)]);
    }
    fs::write(&path, &bytes).unwrap();
    Some(bytes.split_off(start))
}
