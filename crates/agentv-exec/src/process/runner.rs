//! The process runner that the rest of AgentV is handed.

use std::path::{Path, PathBuf};

use agentv_base::{
    BoxFuture, ProcessFault, ProcessOutput, ProcessRunner, ProcessSpec, Stop, WriteInput,
};

use super::{
    household::HOUSEHOLD,
    invocation,
    leftovers::{self, Sweep},
    system,
};

/// Runs the processes of one run.
pub struct Processes {
    stop: Stop,
    run_token: String,
    scripts: PathBuf,
}

impl Processes {
    /// `run_token` marks every process of the run. `scripts` is a private folder for command lines
    /// that are too long to be arguments and for long inputs; it is touched only when there is one.
    pub fn new(stop: Stop, run_token: String, scripts: PathBuf) -> Self {
        HOUSEHOLD.open_run(&run_token);
        system::adopt_orphans();
        Self {
            stop,
            run_token,
            // Processes run in folders of their own, where a relative path means something else.
            scripts: std::path::absolute(&scripts).unwrap_or(scripts),
        }
    }

    /// Ends everything that is still ours, marked or not. To be called when all invocations of the
    /// run are over. On systems other than Linux there is nothing that it could find.
    pub async fn sweep(&self) -> Sweep {
        leftovers::end_unknown_children(&self.run_token, &self.stop).await
    }

    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    pub(super) fn run_token(&self) -> &str {
        &self.run_token
    }

    pub(super) fn scripts(&self) -> &Path {
        &self.scripts
    }
}

impl ProcessRunner for Processes {
    fn run(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessOutput, ProcessFault>> {
        Box::pin(invocation::run(self, spec, None))
    }

    fn run_reading<'a>(
        &'a self,
        spec: ProcessSpec,
        input: WriteInput<'a>,
    ) -> BoxFuture<'a, Result<ProcessOutput, ProcessFault>> {
        Box::pin(invocation::run(self, spec, Some(input)))
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        HOUSEHOLD.close_run(&self.run_token);
    }
}
