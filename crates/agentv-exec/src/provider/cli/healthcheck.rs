//! Whether a target is fit to be asked: one request or one command, before the first case.

use std::time::Duration;

use agentv_base::{
    Exit, Failure, FailureKind, ProcessFault, ProcessSpec, Program, Stdin, Stdout, StopLevel,
    ended_by, exited,
};

use super::{
    CliProvider, invocation,
    settings::{Healthcheck, HealthcheckKind},
    template::CommandTemplate,
};

impl CliProvider {
    pub(super) async fn run_healthcheck(&self, check: &Healthcheck) -> Result<(), Failure> {
        let deadline = check.timeout.or(self.services.agent_timeout);
        let fault = match &check.how {
            HealthcheckKind::Http { url } => {
                let stopped = self.services.stop.reached(StopLevel::Terminate);
                tokio::select! {
                    result = ask(url, deadline) => result.err(),
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
        };
        let output = self.services.processes.run(spec).await?;
        let said = invocation::end_of_output(&output.stderr.text(), &output.stdout.text());
        Ok(match output.exit {
            Exit::Code(0) => None,
            Exit::Code(code) => Some(format!("the command {}{said}", exited(code))),
            Exit::Signal(signal) => Some(format!("the command {}{said}", ended_by(signal))),
            Exit::TimedOut => Some(invocation::timed_out(deadline)),
        })
    }
}

fn interrupted() -> Failure {
    Failure::new(FailureKind::Interrupted, "interrupted")
}

/// A GET that must be answered with a success.
async fn ask(url: &str, deadline: Option<Duration>) -> Result<(), String> {
    let client = client(url).map_err(|error| {
        format!("no HTTP client: {} (SSL_CERT_FILE names certificates)", innermost(&error))
    })?;
    let mut request = client.get(url);
    if let Some(deadline) = deadline {
        request = request.timeout(deadline);
    }
    match request.send().await {
        Ok(answer) if answer.status().is_success() => Ok(()),
        Ok(answer) => Err(format!("GET {url} answered {}", answer.status())),
        Err(error) if error.is_timeout() => {
            Err(format!("GET {url} {}", invocation::timed_out(deadline)))
        }
        Err(error) => Err(format!("GET {url}: {}", innermost(&error))),
    }
}

/// Built when first needed: most runs have no use for one, and setting up TLS takes a while.
fn client(url: &str) -> Result<reqwest::Client, reqwest::Error> {
    // A second installation is refused, which is as good as the first.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().build();
    if client.is_err() && url.starts_with("http://") {
        // A machine without certificates of authorities, as small containers are, can still speak
        // plain HTTP.
        return reqwest::Client::builder().tls_certs_only([]).build();
    }
    client
}

/// The cause at the bottom says more ("connection refused") than the sentences around it.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
