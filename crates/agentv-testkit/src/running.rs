//! A run of the binary that is still under way: to be watched, interrupted, and waited for.

use std::{
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    thread::JoinHandle,
};

use nix::{
    sys::signal::{Signal, kill, killpg},
    unistd::Pid,
};

use crate::{project::Run, waiting::wait_for_some};

/// A started command.
pub struct Running {
    child: Child,
    folder: PathBuf,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
}

impl Running {
    /// Starts a command of the project in `folder`; what it prints is kept, but for streams that
    /// were set otherwise before.
    pub(crate) fn start(mut command: Command, folder: &Path) -> Self {
        let mut child = command.spawn().expect("the binary can be started");
        let stdout = child.stdout.take().map(keep);
        let stderr = child.stderr.take().map(keep);
        Self { child, folder: folder.to_owned(), stdout, stderr }
    }

    pub fn signal(&self, signal: Signal) {
        kill(self.pid(), signal).expect("the run is still there");
    }

    /// Signals all of its process group, as a terminal does; it must have been started in one of
    /// its own.
    pub fn signal_group(&self, signal: Signal) {
        killpg(self.pid(), signal).expect("the group is still there");
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().try_into().expect("a pid"))
    }

    /// Waits for its end.
    pub fn finish(mut self) -> Run {
        let status: ExitStatus =
            wait_for_some("the run ends", || self.child.try_wait().expect("it can be waited for"));
        let said = |stream: Option<JoinHandle<Vec<u8>>>| {
            stream.map_or_else(Vec::new, |kept| kept.join().expect("a reader of a stream"))
        };
        let (stdout, stderr) = (said(self.stdout.take()), said(self.stderr.take()));
        Run::of(&Output { status, stdout, stderr }, &self.folder)
    }
}

/// Reads in a thread of its own, so that no pipe is ever full.
fn keep(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

/// The writing end of a pipe that nobody reads.
pub fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}
