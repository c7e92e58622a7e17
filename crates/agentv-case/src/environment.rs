//! The variables that settings may refer to: those handed in, then those of `.env` files.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

/// Variables by name. Nothing here reads the environment of the process; it is handed in.
pub type Environment = BTreeMap<String, String>;

/// One `.env` file that was read.
pub(crate) struct DotEnv {
    pub(crate) file: PathBuf,
    pub(crate) values: Environment,
}

/// The variables that hold in one folder.
pub(crate) struct Variables<'e> {
    process: &'e Environment,
    /// Nearest first.
    files: Vec<Arc<DotEnv>>,
}

impl<'e> Variables<'e> {
    pub(crate) fn new(process: &'e Environment, files: Vec<Arc<DotEnv>>) -> Self {
        Self { process, files }
    }

    /// A variable that is set in the process wins, even where it is blank there.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let files = self.files.iter().map(|file| &file.values);
        std::iter::once(self.process)
            .chain(files)
            .find_map(|values| values.get(name))
            .map(String::as_str)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().map(|file| &file.values);
        std::iter::once(self.process).chain(files).flat_map(BTreeMap::keys).map(String::as_str)
    }

    /// Which files these variables come from: two folders with the same answer see the same values.
    pub(crate) fn origin(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| file.file.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> Environment {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn the_process_wins_then_the_nearest_file() {
        let process = map(&[("A", "process"), ("BLANK", "")]);
        let file = |name: &str, values| Arc::new(DotEnv { file: name.into(), values });
        let variables = Variables::new(
            &process,
            vec![
                file("near", map(&[("A", "near"), ("B", "near"), ("BLANK", "x")])),
                file("far", map(&[("A", "far"), ("B", "far"), ("C", "far")])),
            ],
        );
        assert_eq!(variables.get("A"), Some("process"));
        assert_eq!(variables.get("B"), Some("near"));
        assert_eq!(variables.get("C"), Some("far"));
        assert_eq!(variables.get("BLANK"), Some(""));
        assert_eq!(variables.get("a"), None);
    }
}
