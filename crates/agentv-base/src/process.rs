//! The seam to the process code, which is handed to those who must start something. What is here
//! only describes a process; nothing here starts one.

use std::{
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

use crate::{future::BoxFuture, process_limits::ProcessLimits};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A line for the shell, of any length.
    Shell(String),
    /// A program and its arguments, without a shell.
    Argv(Vec<String>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    Null,
    /// What it reads; a process that does not read it is fine.
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdout {
    /// Kept in memory up to a limit, head and tail.
    Capture,
    /// Kept in memory up to this many bytes from the start; more is counted and left out.
    CaptureHead(usize),
    /// Written to this file, which must not exist yet.
    File(PathBuf),
}

/// One process to be run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSpec {
    pub program: Program,
    pub cwd: PathBuf,
    /// Added to the environment of the runner.
    pub env: Vec<(String, String)>,
    pub stdin: Stdin,
    pub stdout: Stdout,
    /// None: it may take as long as it likes.
    pub deadline: Option<Duration>,
    /// What it and each process that comes from it may take.
    pub limits: ProcessLimits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    /// It reached its deadline and was ended by us.
    TimedOut,
}

/// What a stream brought, within its limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    pub head: Vec<u8>,
    /// What followed the gap; empty where nothing was cut.
    pub tail: Vec<u8>,
    /// How many bytes between the two were let go.
    pub cut: u64,
}

impl Captured {
    /// The text with the gap marked. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        let head = String::from_utf8_lossy(&self.head);
        if self.cut == 0 {
            return if self.tail.is_empty() {
                head.into_owned()
            } else {
                let mut whole = self.head.clone();
                whole.extend_from_slice(&self.tail);
                String::from_utf8_lossy(&whole).into_owned()
            };
        }
        format!("{head}\n[… {} bytes cut …]\n{}", self.cut, String::from_utf8_lossy(&self.tail))
    }

    pub fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty() && self.cut == 0
    }
}

/// A process that outlived its invocation and could not be ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeakedProcess {
    pub pid: i32,
    pub command: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessOutput {
    pub exit: Exit,
    /// Empty where it went to a file.
    pub stdout: Captured,
    pub stderr: Captured,
    pub duration: Duration,
    /// How many processes it left behind that were ended for it.
    pub ended_leftovers: usize,
    pub leaked: Vec<LeakedProcess>,
}

#[derive(Debug, thiserror::Error)]
pub enum ProcessFault {
    #[error("cannot start: {0}")]
    Spawn(#[source] std::io::Error),
    #[error("lost track of the process: {0}")]
    Io(#[source] std::io::Error),
    /// The run was stopped.
    #[error("interrupted")]
    Interrupted,
}

/// Writes what a process is to read.
pub type WriteInput<'a> = &'a (dyn Fn(&mut dyn Write) -> io::Result<()> + Send + Sync);

/// Runs processes to their end, leaving none behind.
pub trait ProcessRunner: Send + Sync {
    fn run(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessOutput, ProcessFault>>;

    /// Runs a process that reads what `input` writes, whatever `spec` says of its standard input.
    /// `input` is called when the process is about to start, so that one which must wait for its
    /// turn costs no memory, and a runner may keep what is long out of memory.
    fn run_reading<'a>(
        &'a self,
        spec: ProcessSpec,
        input: WriteInput<'a>,
    ) -> BoxFuture<'a, Result<ProcessOutput, ProcessFault>> {
        let mut bytes = Vec::new();
        match input(&mut bytes) {
            Ok(()) => self.run(ProcessSpec { stdin: Stdin::Bytes(bytes), ..spec }),
            Err(error) => Box::pin(async { Err(ProcessFault::Spawn(error)) }),
        }
    }
}
