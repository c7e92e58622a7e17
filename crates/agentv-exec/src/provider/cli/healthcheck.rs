//! Whether a target is fit to be asked: one request or one command, before the first case.

use std::time::Duration;

use agentv_base::{
    Exit, Failure, FailureKind, ProcessFault, ProcessSpec, Program, Stdin, Stdout, StopLevel,
    ended_by, exited,
};
use reqwest::{Url, header::LOCATION};

use super::{
    CliProvider, invocation,
    settings::{Healthcheck, HealthcheckKind},
    template::CommandTemplate,
};
use crate::provider::network::{CONNECT_TIMEOUT, Network, innermost};

impl CliProvider {
    pub(super) async fn run_healthcheck(&self, check: &Healthcheck) -> Result<(), Failure> {
        let deadline = check.timeout.or(self.services.agent_timeout);
        let fault = match &check.how {
            HealthcheckKind::Http { url } => {
                let stopped = self.services.stop.reached(StopLevel::Terminate);
                tokio::select! {
                    result = ask(&self.services.network, url, deadline) => result.err(),
                    () = stopped => return Err(interrupted()),
                }
            }
            HealthcheckKind::Command { command, cwd } => {
                let cwd = cwd.as_ref().or(self.settings.cwd.as_ref());
                let cwd = self.project.join(cwd.map_or(std::path::Path::new(""), |cwd| cwd));
                match self.run_command_check(command, cwd, deadline).await {
                    Err(ProcessFault::Interrupted) => return Err(interrupted()),
                    Err(fault) => Some(fault.to_string()),
                    Ok(fault) => fault,
                }
            }
        };
        match fault {
            None => Ok(()),
            Some(fault) => {
                let message = format!("healthcheck of target `{}` failed: {fault}", self.name);
                let message = self.services.redactor.redact(&message).into_owned();
                Err(Failure::new(FailureKind::Healthcheck, message))
            }
        }
    }

    async fn run_command_check(
        &self,
        command: &CommandTemplate,
        cwd: std::path::PathBuf,
        deadline: Option<Duration>,
    ) -> Result<Option<String>, ProcessFault> {
        let spec = ProcessSpec {
            program: Program::Shell(command.render(&invocation::healthcheck_values())),
            cwd,
            env: self.settings.env.clone(),
            stdin: Stdin::Null,
            stdout: Stdout::Capture,
            deadline,
            limits: self.settings.limits,
        };
        let output = self.services.processes.run(spec).await?;
        let said = invocation::end_of_output(&output.stderr.text(), &output.stdout.text());
        let limits = self.settings.limits.explain(output.exit);
        Ok(match output.exit {
            Exit::Code(0) => None,
            Exit::Code(code) => Some(format!("the command {}{limits}{said}", exited(code))),
            Exit::Signal(signal) => Some(format!("the command {}{limits}{said}", ended_by(signal))),
            Exit::TimedOut => Some(invocation::timed_out(deadline)),
        })
    }
}

fn interrupted() -> Failure {
    Failure::new(FailureKind::Interrupted, "interrupted")
}

/// Most redirects that a check follows.
const MOST_REDIRECTS: usize = 10;

/// A GET that must be answered with a success, perhaps somewhere else.
async fn ask(network: &Network, url: &str, deadline: Option<Duration>) -> Result<(), String> {
    let asked = async {
        let mut at = Url::parse(url).map_err(|error| format!("GET {url}: {error}"))?;
        for _ in 0..=MOST_REDIRECTS {
            let client = network.client(at.as_str(), CONNECT_TIMEOUT);
            let client = client.map_err(|fault| fault.to_string())?;
            let answer = client.get(at.clone()).send().await;
            let answer = answer.map_err(|error| format!("GET {at}: {}", innermost(&error)))?;
            let status = answer.status();
            let elsewhere = answer.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            match elsewhere.filter(|_| status.is_redirection()).and_then(|to| at.join(to).ok()) {
                Some(to) => at = to,
                None if status.is_success() => return Ok(()),
                None => return Err(format!("GET {at} answered {status}")),
            }
        }
        Err(format!("GET {url} is redirected for ever"))
    };
    match deadline {
        None => asked.await,
        Some(time) => tokio::time::timeout(time, asked)
            .await
            .unwrap_or_else(|_| Err(format!("GET {url} {}", invocation::timed_out(deadline)))),
    }
}
