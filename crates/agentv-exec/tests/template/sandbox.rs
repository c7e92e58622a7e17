//! A folder in which a shell can do no harm: its programs are a few stubs, and one that leaves
//! proof of having been run.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use tempfile::TempDir;

/// The program that leaves the proof, for values that end up where a program is named.
pub const MAKER: &str = "CANARYMAKER";

/// The file that is the proof, for values that end up as commands: `>CANARY` makes it.
const CANARY: &str = "CANARY";

pub struct Sandbox {
    root: TempDir,
    /// Each with the arguments that come before its script.
    shells: Vec<(PathBuf, Vec<&'static str>)>,
}

impl Sandbox {
    pub fn new() -> Self {
        let root = TempDir::new().unwrap();
        let bin = root.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let sh = find_program("sh").unwrap();
        let stub = |name: &str, body: &str| {
            let path = bin.join(name);
            fs::write(&path, format!("#!{}\n{body}\n", sh.display())).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        };
        stub("tool", ":");
        stub("first", "printf %s \"$1\"");
        stub("variable", "printf %s \"$P\"");
        stub(MAKER, ": > \"$PROOF\"");
        for name in ["cat", "env", "timeout", "nice", "xargs", "sh", "bash"] {
            if let Some(path) = find_program(name) {
                std::os::unix::fs::symlink(path, bin.join(name)).unwrap();
            }
        }
        let mut shells = vec![(sh, vec![])];
        if let Some(bash) = find_program("bash") {
            shells.push((bash.clone(), vec![]));
            shells.push((bash, vec!["--posix"]));
        }
        let sandbox = Self { root, shells };
        sandbox.empty();
        sandbox
    }

    /// The folder that commands run in.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    pub fn shells(&self) -> usize {
        self.shells.len()
    }

    /// Makes the folder empty but for the file of a prompt.
    fn empty(&self) {
        let work = self.work();
        if work.exists() {
            fs::remove_dir_all(&work).unwrap();
        }
        fs::create_dir(&work).unwrap();
        fs::write(work.join("prompt-file"), ">CANARY\nCANARYMAKER\n").unwrap();
    }

    /// Runs a script in the empty folder. True where something was run that should not.
    pub fn runs_a_value(&self, shell: usize, script: &str, eval_id: &str) -> bool {
        self.empty();
        let path = self.root.path().join("script");
        fs::write(&path, script).unwrap();
        let (program, arguments) = &self.shells[shell];
        // No file of a wild loop may fill the disk.
        let mut child = Command::new("/bin/sh")
            .args(["-c", "ulimit -f 4096; exec \"$@\"", "sh"])
            .arg(program)
            .args(arguments)
            .arg(&path)
            .current_dir(self.work())
            .env_clear()
            .env("PATH", self.root.path().join("bin"))
            .env("PROOF", self.work().join(CANARY))
            .env("AGENTV_EVAL_ID", eval_id)
            .env("AGENTV_PROMPT_FILE", self.work().join("prompt-file"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let group = Pid::from_raw(i32::try_from(child.id()).unwrap());
        let (ended, wait) = mpsc::channel::<()>();
        let watchdog = thread::spawn(move || {
            if wait.recv_timeout(Duration::from_secs(3)) == Err(mpsc::RecvTimeoutError::Timeout) {
                killpg(group, Signal::SIGKILL).ok();
            }
        });
        child.wait().unwrap();
        drop(ended);
        watchdog.join().unwrap();
        // Jobs in the background are ended too; where there are none, so is the group.
        killpg(group, Signal::SIGKILL).ok();
        self.work().join(CANARY).exists()
    }
}

fn find_program(name: &str) -> Option<PathBuf> {
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        .into_iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.exists())
}
