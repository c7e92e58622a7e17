//! What every test of the suite needs: a runner with a token of its own, and a description of a
//! process to start from.

#![allow(dead_code, reason = "each of the two test programs uses a part")]

use std::{
    path::Path,
    time::{Duration, Instant},
};

use agentv_base::{
    ProcessFault, ProcessLimits, ProcessOutput, ProcessRunner as _, ProcessSpec, Program, Stdin,
    Stdout, Stop,
};
use agentv_exec::{
    process::{Processes, Sweep},
    scratch::Scratch,
};
use agentv_testkit::{assert_no_process_with, fake_agent};
use tempfile::TempDir;
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A sweep ends every child of this process that carries no marker, also one that another test is
/// about to look at. Tests with such children have the house to themselves.
static HOUSE: RwLock<()> = RwLock::const_new(());

#[expect(dead_code, reason = "held, not read")]
enum Turn {
    Common(RwLockReadGuard<'static, ()>),
    Alone(RwLockWriteGuard<'static, ()>),
}

pub struct Sandbox {
    pub stop: Stop,
    pub processes: Processes,
    pub folder: TempDir,
    scratch: Scratch,
    _turn: Turn,
}

impl Sandbox {
    pub async fn shared() -> Self {
        Self::new(Turn::Common(HOUSE.read().await))
    }

    pub async fn alone() -> Self {
        Self::new(Turn::Alone(HOUSE.write().await))
    }

    fn new(turn: Turn) -> Self {
        if env!("CARGO_CRATE_NAME") == "process_without_lists" {
            agentv_exec::process::find_children_without_lists();
        }
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(folder.path()).unwrap();
        let stop = Stop::default();
        let processes =
            Processes::new(stop.clone(), scratch.token().to_owned(), scratch.path().to_owned());
        Self { stop, processes, folder, scratch, _turn: turn }
    }

    pub fn token(&self) -> &str {
        self.scratch.token()
    }

    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    pub fn shell(&self, line: impl Into<String>) -> ProcessSpec {
        self.spec(Program::Shell(line.into()))
    }

    /// A fake agent that does these words, as the leader of its group: some shells would start a
    /// child for it otherwise.
    pub fn agent(&self, words: &str) -> ProcessSpec {
        self.agents(&format!("exec AGENT {words}"))
    }

    /// A line for the shell in which AGENT stands for the fake agent.
    pub fn agents(&self, line: &str) -> ProcessSpec {
        let agent = format!("'{}'", fake_agent().display());
        self.shell(line.replace("AGENT", &agent))
    }

    pub fn spec(&self, program: Program) -> ProcessSpec {
        ProcessSpec {
            program,
            cwd: self.folder.path().to_owned(),
            env: Vec::new(),
            stdin: Stdin::Null,
            stdout: Stdout::Capture,
            deadline: Some(Duration::from_mins(2)),
            limits: ProcessLimits::default(),
        }
    }

    pub async fn run(&self, spec: ProcessSpec) -> ProcessOutput {
        self.processes.run(spec).await.unwrap()
    }

    /// Runs into a deadline something that writes the file `ready` once it is where the test wants
    /// it. On a machine that is too slow for the deadline it is tried again with a later one.
    pub async fn run_late(&self, mut spec: ProcessSpec) -> (ProcessOutput, Duration) {
        let ready = self.folder.path().join("ready");
        let mut deadline = Duration::from_millis(400);
        loop {
            spec.deadline = Some(deadline);
            let output = self.run(spec.clone()).await;
            if ready.exists() {
                return (output, deadline);
            }
            deadline *= 3;
        }
    }

    pub async fn fault(&self, spec: ProcessSpec) -> ProcessFault {
        self.processes.run(spec).await.unwrap_err()
    }

    /// Ends the run: after it no process of it is left.
    pub async fn close(self) -> Sweep {
        let sweep = self.processes.sweep().await;
        assert_eq!(sweep.leaked, []);
        assert_no_process_with(self.token());
        sweep
    }
}

/// Waits until something is so; fails where that does not come about in a long time.
pub async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_mins(1), "never: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
