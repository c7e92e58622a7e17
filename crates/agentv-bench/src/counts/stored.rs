//! The ratios that are stored, and what they say of those that were measured.
//!
//! They are kept for each kind of processor, because other instructions are another number of them.

use std::{collections::BTreeMap, fs, io, path::Path};

/// Ratios by the name of their figure.
pub type Ratios = BTreeMap<String, f64>;

/// What a measured ratio is beside the stored one.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Verdict {
    Held,
    /// More than stored, beyond the margin.
    Dearer,
    /// So much less than stored that the stored one would hide the next regression.
    Cheaper,
    /// Nothing is stored for it.
    Unknown,
}

/// Margins are shares of what is stored. Cheaper takes twice the margin, so that what goes up and
/// down a little asks for nothing.
pub fn judge(stored: Option<f64>, measured: f64, margin: f64) -> Verdict {
    match stored {
        None => Verdict::Unknown,
        Some(stored) if measured > stored * (1.0 + margin) => Verdict::Dearer,
        Some(stored) if measured < stored * (1.0 - 2.0 * margin) => Verdict::Cheaper,
        Some(_) => Verdict::Held,
    }
}

/// The file as a whole: ratios by processor.
#[derive(Default, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Stored(BTreeMap<String, Ratios>);

impl Stored {
    /// A file that is not there holds nothing.
    pub fn read(file: &Path) -> io::Result<Self> {
        match fs::read(file) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| {
                io::Error::other(format!("{} is no file of ratios: {error}", file.display()))
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// Those of this processor; none where nobody stored any.
    pub fn of(&self, processor: &str) -> Option<&Ratios> {
        self.0.get(processor)
    }

    /// Puts these in the place of those of this processor; others stay.
    pub fn put(&mut self, processor: &str, ratios: Ratios) {
        let rounded = ratios.into_iter().map(|(name, ratio)| (name, rounded(ratio)));
        self.0.insert(processor.to_owned(), rounded.collect());
    }

    pub fn write(&self, file: &Path) -> io::Result<()> {
        fs::write(file, serde_json::to_string_pretty(self)? + "\n")
    }
}

/// Three digits behind the point: the rest is chance, and would change at every update.
fn rounded(ratio: f64) -> f64 {
    (ratio * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::{Ratios, Stored, Verdict, judge};

    #[test]
    fn within_the_margin_a_ratio_holds() {
        for measured in [10.0, 10.9, 9.1, 8.1] {
            assert_eq!(judge(Some(10.0), measured, 0.1), Verdict::Held, "{measured}");
        }
    }

    #[test]
    fn beyond_the_margin_it_is_dearer() {
        assert_eq!(judge(Some(10.0), 11.1, 0.1), Verdict::Dearer);
    }

    #[test]
    fn beyond_twice_the_margin_below_it_is_cheaper() {
        assert_eq!(judge(Some(10.0), 7.9, 0.1), Verdict::Cheaper);
    }

    #[test]
    fn what_is_not_stored_is_unknown() {
        assert_eq!(judge(None, 1.0, 0.1), Verdict::Unknown);
    }

    #[test]
    fn an_update_keeps_the_ratios_of_other_processors() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("counts.json");
        let mut stored = Stored::read(&file).unwrap();
        assert_eq!(stored.of("x86_64"), None);
        stored.put("x86_64", Ratios::from([("version".to_owned(), 1.0)]));
        stored.put("aarch64", Ratios::from([("gone".to_owned(), 2.0)]));
        stored.put("aarch64", Ratios::from([("version".to_owned(), 1.234_56)]));
        stored.write(&file).unwrap();
        let read = Stored::read(&file).unwrap();
        assert_eq!(read.of("x86_64"), Some(&Ratios::from([("version".to_owned(), 1.0)])));
        assert_eq!(read.of("aarch64"), Some(&Ratios::from([("version".to_owned(), 1.235)])));
    }

    #[test]
    fn a_file_of_something_else_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("counts.json");
        std::fs::write(&file, "[]").unwrap();
        assert!(Stored::read(&file).unwrap_err().to_string().contains("counts.json is no file"));
    }
}
