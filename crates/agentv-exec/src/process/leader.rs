//! The process that an invocation starts, the leader of its group, from its start until it is
//! reaped. Dropping it early, when nobody waits for the answer any more, kills its group.

use std::{
    io, mem,
    process::{ExitStatus, Stdio},
};

use agentv_base::ProcessSpec;
use nix::sys::signal::Signal;
use tempfile::NamedTempFile;
use tokio::process::Child;

use super::{
    command::{Prepared, explain_spawn_error, prepare},
    household::{Abandoned, HOUSEHOLD, Membership, Number, signal_leader},
    runner::Processes,
    streams::Streams,
};

pub(super) struct Leader {
    membership: Membership,
    run: String,
    /// What is in the environment of all that comes from it.
    marker: String,
    pid: i32,
    /// None once it was reaped.
    child: Option<Child>,
    /// The shell reads it while it runs.
    _script: Option<NamedTempFile>,
}

impl Leader {
    pub(super) fn start(
        processes: &Processes,
        spec: &ProcessSpec,
        stdin: Stdio,
    ) -> io::Result<Self> {
        let membership = HOUSEHOLD.enter();
        let marker = format!("{}.{}", processes.run_token(), membership.number());
        let Prepared { mut command, script } = prepare(spec, stdin, &marker, processes.scripts())?;
        let (child, pid) = HOUSEHOLD
            .spawn(membership.number(), &mut command)
            .map_err(|error| explain_spawn_error(spec, error))?;
        Ok(Self {
            membership,
            run: processes.run_token().to_owned(),
            marker,
            pid,
            child: Some(child),
            _script: script,
        })
    }

    pub(super) fn number(&self) -> Number {
        self.membership.number()
    }

    pub(super) fn marker(&self) -> &str {
        &self.marker
    }

    pub(super) fn pid(&self) -> i32 {
        self.pid
    }

    /// Its streams, once.
    pub(super) fn streams(&mut self) -> Streams {
        match &mut self.child {
            Some(child) => Streams {
                stdin: child.stdin.take(),
                stdout: child.stdout.take(),
                stderr: child.stderr.take(),
            },
            None => Streams::default(),
        }
    }

    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let Some(child) = &mut self.child else {
            return Err(io::Error::other("the process was waited for before"));
        };
        let status = child.wait().await;
        // Where waiting fails there is no such child any more, and its id may be another's.
        self.child = None;
        HOUSEHOLD.leader_ended(self.number(), true);
        status
    }

    /// To it and all of its group; nothing once it was reaped, when its id may be another's.
    pub(super) fn signal(&self, signal: Signal) {
        if self.child.is_some() {
            signal_leader(self.pid, signal);
        }
    }

    /// It was killed and does not end: what it left behind is looked for without it.
    pub(super) fn give_up(&self) {
        HOUSEHOLD.leader_ended(self.number(), false);
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
        if let Some(child) = self.child.take() {
            HOUSEHOLD.members().abandoned.push(Abandoned {
                run: mem::take(&mut self.run),
                pid: self.pid,
                child,
            });
        }
    }
}
