//! Names as people write them on the command line: exactly, or as a glob.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Several patterns, of which one has to match.
#[derive(Clone, Debug)]
pub struct Patterns {
    written: Vec<String>,
    globs: GlobSet,
}

impl Patterns {
    /// What is no glob stands for itself alone. A star matches anything, also `/`.
    pub fn new(written: &[String]) -> Self {
        let mut globs = GlobSetBuilder::new();
        for pattern in written {
            if let Ok(glob) = GlobBuilder::new(pattern).literal_separator(false).build() {
                globs.add(glob);
            }
        }
        Self { written: written.to_vec(), globs: globs.build().unwrap_or_default() }
    }

    /// A pattern is its own first match, whatever its characters mean in a glob.
    pub fn matches(&self, name: &str) -> bool {
        self.written.iter().any(|pattern| pattern == name) || self.globs.is_match(name)
    }

    /// Whether there is nothing to match, which is no wish at all.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    pub fn written(&self) -> &[String] {
        &self.written
    }

    /// Whether every pattern can only mean itself.
    pub fn are_plain(&self) -> bool {
        self.written.iter().all(|it| !it.contains(['*', '?', '[', ']', '{', '}', '\\']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, name: &str) -> bool {
        Patterns::new(&[pattern.to_owned()]).matches(name)
    }

    #[test]
    fn a_pattern_matches_itself_and_what_it_means_as_a_glob() {
        assert!(check("capital-*", "capital-france"));
        assert!(check("*.yaml", "evals/deep/suite.yaml"));
        assert!(check("odd[1", "odd[1"), "what is no glob is a name");
        assert!(check("a[1]", "a[1]"), "and so is what looks like one");
        assert!(!check("capital", "capital-france"));
    }
}
