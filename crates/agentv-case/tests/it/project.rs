//! A folder with files, and what loading it gives. A test reads as: these files, these paths.

use std::{fmt::Write as _, fs, path::PathBuf};

use agentv_base::{Diagnostic, Severity};
use agentv_case::{LoadOptions, Loaded, load};

pub struct Project {
    folder: tempfile::TempDir,
    pub options: LoadOptions,
}

/// A targets file that is right.
pub const TARGETS: &str = "targets: [{name: default, provider: cli, command_template: 'true'}]";

impl Project {
    /// A repository with a targets file.
    pub fn new() -> Self {
        Self::bare().file(".agentv/targets.yaml", TARGETS)
    }

    /// A repository with nothing in it.
    pub fn bare() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The folder by its real name, so that paths can be compared.
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        let options = LoadOptions {
            current_dir: root,
            needs_targets: true,
            needs_hashes: true,
            ..LoadOptions::default()
        };
        Self { folder, options }
    }

    pub fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    pub fn variable(mut self, name: &str, value: &str) -> Self {
        let variables = &mut self.options.environment;
        variables.insert(name.to_owned(), value.to_owned());
        self
    }

    pub fn current_dir(mut self, path: &str) -> Self {
        self.options.current_dir = self.path(path);
        self
    }

    pub fn targets(mut self, path: &str) -> Self {
        self.options.targets = Some(path.into());
        self
    }

    /// An absolute path in the project.
    pub fn path(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(path)
    }

    pub fn load(&self, paths: &[&str]) -> Loaded {
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        load(&LoadOptions { paths, ..self.options.clone() })
    }

    /// What is said about the files at `paths`.
    pub fn problems(&self, paths: &[&str]) -> String {
        self.describe(&self.load(paths))
    }

    /// Every problem with its place, on lines of its own.
    pub fn describe(&self, loaded: &Loaded) -> String {
        let place = |span: agentv_base::Span| {
            let source = loaded.sources.get(span.source).unwrap();
            let (line, column) = source.line_and_column(span.start as usize);
            format!("{}:{line}:{column}", source.path.display())
        };
        let describe = |problem: &Diagnostic| {
            let severity = match problem.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let at = problem.span.map(|span| format!("{} ", place(span)));
            let mut lines = format!("{}{severity}: {}", at.unwrap_or_default(), problem.message);
            for note in &problem.notes {
                let _ = write!(lines, "\n  {} {}", place(note.span), note.text);
            }
            if let Some(hint) = &problem.hint {
                let _ = write!(lines, "\n  hint: {}", hint.replace('\n', "\n    "));
            }
            lines
        };
        let all: Vec<String> = loaded.problems.iter().map(describe).collect();
        let root = self.path("");
        all.join("\n").replace(root.to_str().unwrap(), "ROOT/")
    }
}

/// A suite with one case.
pub fn one_case(rest: &str) -> String {
    format!("evalcases:\n  - id: one\n    input_messages: [{{role: user, content: hi}}]\n{rest}")
}
