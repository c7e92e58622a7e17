//! One of those that are measured against each other: a command line, where it runs, and what must
//! be true afterwards, so that nobody measures a failure.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    child::{self, Taken},
    floor::each_line,
};

/// Where a project keeps its runs.
pub const RESULTS: &str = ".agentv/results";

pub struct Contender {
    pub name: String,
    program: PathBuf,
    args: Vec<String>,
    folder: PathBuf,
    /// Removed before each run, so that every run finds the same.
    cleared: Vec<PathBuf>,
    /// Made empty before each run.
    emptied: Option<PathBuf>,
    expected: Vec<Expected>,
}

/// What must be true after a run, besides exit code 0.
enum Expected {
    /// The one run of the project has so many rows.
    Rows(usize),
    /// So many files stand in the folder that was emptied.
    Files(usize),
    /// It printed this.
    Printed(String),
    /// It wrote something there.
    Written(PathBuf),
}

impl Contender {
    pub fn new<I>(name: &str, program: impl Into<PathBuf>, args: I, folder: &Path) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        Self {
            name: name.to_owned(),
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            folder: folder.to_owned(),
            cleared: Vec::new(),
            emptied: None,
            expected: Vec::new(),
        }
    }

    /// A line for the shell.
    pub fn shell(name: &str, line: &str, folder: &Path) -> Self {
        Self::new(name, "sh", ["-c", line], folder)
    }

    /// It leaves a run of so many rows; that of the round before is gone when it starts.
    #[must_use]
    pub fn rows(mut self, rows: usize) -> Self {
        self.cleared.push(RESULTS.into());
        self.expected.push(Expected::Rows(rows));
        self
    }

    /// It leaves so many files in this folder, which is empty when it starts.
    #[must_use]
    pub fn files(mut self, folder: &str, files: usize) -> Self {
        self.emptied = Some(folder.into());
        self.expected.push(Expected::Files(files));
        self
    }

    /// It prints this text near its end.
    #[must_use]
    pub fn prints(mut self, text: impl Into<String>) -> Self {
        self.expected.push(Expected::Printed(text.into()));
        self
    }

    /// It writes this file, which is not there when it starts.
    #[must_use]
    pub fn writes(mut self, file: &str) -> Self {
        self.cleared.push(file.into());
        self.expected.push(Expected::Written(file.into()));
        self
    }

    /// This is not there when it starts.
    #[must_use]
    pub fn without(mut self, path: impl Into<PathBuf>) -> Self {
        self.cleared.push(path.into());
        self
    }

    pub fn command_line(&self) -> Vec<String> {
        let program = self.program.file_name().unwrap_or_default().to_string_lossy();
        std::iter::once(program.into_owned()).chain(self.args.iter().cloned()).collect()
    }

    /// Runs it once; an error where it did not do what it was started for.
    pub fn run(&self, this: &Path) -> io::Result<Taken> {
        for path in &self.cleared {
            remove(&self.folder.join(path))?;
        }
        if let Some(path) = &self.emptied {
            remove(&self.folder.join(path))?;
            fs::create_dir(self.folder.join(path))?;
        }
        let mut taken = child::run(this, &self.folder, &self.program, &self.args)?;
        if taken.code != Some(0) {
            let code = taken.code.map_or("a signal".to_owned(), |code| format!("code {code}"));
            return Err(self.failed(&format!("it ended with {code}"), &taken));
        }
        for expected in &self.expected {
            if let Some(lacks) = self.lacks(expected, &taken)? {
                return Err(self.failed(&lacks, &taken));
            }
        }
        // Only failures are talked about.
        (taken.printed, taken.said) = Default::default();
        Ok(taken)
    }

    fn lacks(&self, expected: &Expected, taken: &Taken) -> io::Result<Option<String>> {
        Ok(match expected {
            Expected::Rows(rows) => {
                let found = rows_of(&self.folder.join(RESULTS))?;
                (found != *rows).then(|| format!("it left {found} rows instead of {rows}"))
            }
            Expected::Files(files) => {
                let folder = self.folder.join(self.emptied.as_deref().unwrap_or(Path::new("")));
                let found = fs::read_dir(folder)?.count();
                (found != *files).then(|| format!("it left {found} files instead of {files}"))
            }
            Expected::Printed(text) => (!taken.printed.contains(text.as_str()))
                .then(|| format!("it did not print `{text}`")),
            Expected::Written(file) => {
                let written = fs::metadata(self.folder.join(file)).is_ok_and(|file| file.len() > 0);
                (!written).then(|| format!("it did not write {}", file.display()))
            }
        })
    }

    fn failed(&self, why: &str, taken: &Taken) -> io::Error {
        let (name, line) = (&self.name, self.command_line().join(" "));
        let (printed, said) = (taken.printed.trim_end(), taken.said.trim_end());
        io::Error::other(format!("{name}: {why}\n  {line}\n{printed}\n{said}"))
    }
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The rows of all runs in a folder.
fn rows_of(results: &Path) -> io::Result<usize> {
    let mut rows = 0;
    let Ok(runs) = fs::read_dir(results) else { return Ok(0) };
    for run in runs {
        let file = run?.path().join("results.jsonl");
        if file.is_file() {
            rows += each_line(&file, |_| Ok(()))?;
        }
    }
    Ok(rows)
}
