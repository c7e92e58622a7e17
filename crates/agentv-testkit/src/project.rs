//! A throw-away project with suites, targets and scripts, and the real binary run in it.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

use crate::{
    processes::{assert_no_process_with, kill_processes_with},
    running::Running,
};

/// A folder that looks like a user's repository.
pub struct Project {
    folder: TempDir,
    binary: PathBuf,
    env: Vec<(String, String)>,
}

impl Project {
    /// An empty project for this `agentv` binary, with a `.git` so that the root is its own.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        let folder = tempfile::Builder::new().prefix("project-").tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        Self { folder, binary: binary.into(), env: Vec::new() }
    }

    /// Writes a file, with the folders it needs; scripts can be run.
    #[must_use]
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(path, content);
        self
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, content).unwrap();
        if file.extension().is_some_and(|ending| ending == "sh") {
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Copies a folder of files into the project.
    #[must_use]
    pub fn copy_of(self, folder: &Path) -> Self {
        self.copy_to("", folder)
    }

    /// Copies a folder of files to a place in the project.
    #[must_use]
    pub fn copy_to(self, place: &str, folder: &Path) -> Self {
        copy(folder, &self.path(place));
        self
    }

    /// The command, ready to be started in the project with a clean environment.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(args);
        self.at_home(command)
    }

    fn at_home(&self, mut command: Command) -> Command {
        command
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("TMPDIR", self.path("tmp"))
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(&self.command(args).output().unwrap(), self.folder.path())
    }

    /// As `run`, for a user who stands in a folder of the project.
    pub fn run_in(&self, folder: &str, args: &[&str]) -> Run {
        let output = self.command(args).current_dir(self.path(folder)).output().unwrap();
        Run::of(&output, self.folder.path())
    }

    /// As `run`, with no more memory than this; one that hangs fails the test.
    pub fn run_within(&self, mebibytes: u64, args: &[&str]) -> Run {
        let mut command = Command::new("sh");
        // Not every system can limit that; there it runs all the same.
        let script = format!("ulimit -v {} 2>/dev/null; exec \"$0\" \"$@\"", mebibytes * 1024);
        command.args(["-c", &script]).arg(&self.binary).args(args);
        let mut command = self.at_home(command);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::start(command, self.folder.path()).finish()
    }

    /// Starts the binary and does not wait for it.
    pub fn start(&self, args: &[&str]) -> Running {
        self.start_with(args, |command| command)
    }

    /// Starts it as `nohup` does: born deaf to SIGHUP.
    pub fn start_without_hangup(&self, args: &[&str]) -> Running {
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(&self.binary).args(args);
        let mut command = self.at_home(command);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::start(command, self.folder.path())
    }

    /// Starts it with standard output or error set by the test.
    pub fn start_with(
        &self,
        args: &[&str],
        set: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Running {
        let mut command = self.command(args);
        set(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        Running::start(command, self.folder.path())
    }

    /// The folders of all runs, oldest first; none where nothing was ever run.
    pub fn runs(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.path(".agentv/results")) else {
            return Vec::new();
        };
        let mut runs: Vec<PathBuf> = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.'))
            .collect();
        runs.sort();
        runs
    }

    /// The folder of the newest run.
    pub fn newest_run(&self) -> PathBuf {
        self.runs().pop().expect("something was run")
    }

    /// The rows of the newest run, in the order in which they were written.
    pub fn rows_text(&self) -> String {
        fs::read_to_string(self.newest_run().join("results.jsonl")).unwrap()
    }

    /// Fails the test if a run left a process or a temporary file behind.
    pub fn assert_nothing_is_left(&self) {
        assert_no_process_with(&self.folder.path().to_string_lossy());
        assert_eq!(self.temporary_files(), Vec::<PathBuf>::new(), "temporary files are left");
    }

    /// Temporary files that a run left behind.
    pub fn temporary_files(&self) -> Vec<PathBuf> {
        fs::read_dir(self.path("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Project {
    /// A test that failed half-way leaves nothing running all the same.
    fn drop(&mut self) {
        if std::thread::panicking() {
            kill_processes_with(&self.folder.path().to_string_lossy());
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// What a run of the binary gave, with the paths of this machine taken out.
#[derive(Debug)]
pub struct Run {
    /// None where it was ended by a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn of(output: &Output, folder: &Path) -> Self {
        let clean = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            without_run_ids(&text.replace(&*folder.to_string_lossy(), "[PROJECT]"))
        };
        Self {
            code: output.status.code(),
            stdout: clean(&output.stdout),
            stderr: clean(&output.stderr),
        }
    }

    /// Everything a user sees, for a snapshot.
    pub fn seen(&self) -> String {
        let code = self.code.map_or("signal".to_owned(), |code| code.to_string());
        format!("exit: {code}\n--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr)
    }
}

/// The text with `[RUN]` for the id of each run folder, and of each run that is to be run again: it is
/// made of the time.
fn without_run_ids(text: &str) -> String {
    const FLAGS: [&str; 2] = ["--rerun-failed ", "--rerun-errors "];
    let lines = text.split_inclusive('\n').map(|line| {
        let flag = FLAGS.iter().find_map(|flag| line.split_once(flag).map(|it| (flag, it)));
        match flag {
            Some((flag, (start, rest))) if rest.starts_with("20") => {
                let end = rest.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(rest.len());
                format!("{start}{flag}[RUN]{}", rest.get(end..).unwrap_or_default())
            }
            _ => line.to_owned(),
        }
    });
    without_folder_ids(&lines.collect::<String>())
}

fn without_folder_ids(text: &str) -> String {
    const BEFORE: &str = ".agentv/results/";
    let mut pieces = text.split(BEFORE);
    let mut cleaned = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        cleaned.push_str(BEFORE);
        match piece.split_once('/') {
            Some((id, rest)) if id.contains('T') && !id.contains(char::is_whitespace) => {
                cleaned.push_str("[RUN]/");
                cleaned.push_str(rest);
            }
            _ => cleaned.push_str(piece),
        }
    }
    cleaned
}
