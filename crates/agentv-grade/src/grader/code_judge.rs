//! `code_judge`: a program of the user's reads what is known about an answer and prints a score.
//!
//! This file runs the program; `settings.rs` reads the keys, `payload.rs` is what the program is
//! told, `reply.rs` what it says, `fault.rs` how it can fail, `manual.rs` its manual. A judge that
//! fails is a fault with its cause, never a score.

mod fault;
mod manual;
mod payload;
mod reply;
mod settings;

use std::{io::Write, path::PathBuf, sync::Arc, time::Duration};

use agentv_base::{
    BoxFuture, Fields, GradeContext, Grader, GraderFault, GraderResult, Key, MAX_CPU_SECONDS,
    MAX_MEMORY_MB, Problems, ProcessLimits, ProcessRunner, ProcessSpec, Program, Score, Shape,
    Stdin, Stdout,
};
use serde_json::Value;

use self::settings::{read_config, read_cwd, read_deadline, read_program};
use crate::{
    kind::{BuildContext, GraderKind},
    manual::Manual,
};

pub(crate) struct CodeJudge;

/// A score with its hits and misses is a few KiB; what is longer than this is not one.
const MOST_OUTPUT: usize = 1024 * 1024;

pub(super) const PROGRAM: Shape = Shape::Either(&[Shape::Name, Shape::List(&Shape::Scalar)]);

const CALLS_BY_ITSELF: &str =
    "a judge that asks a model does so by itself; it has your environment, and `config`";

impl GraderKind for CodeJudge {
    fn name(&self) -> &'static str {
        "code_judge"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["code_grader", "script"]
    }

    fn description(&self) -> &'static str {
        "A program of yours reads the case and the answer as JSON and prints `{score, hits?, \
         misses?, reasoning?}`"
    }

    fn manual(&self) -> Manual {
        manual::MANUAL
    }

    fn keys(&self) -> &'static [Key] {
        const {
            &[
                Key::new("script", PROGRAM, "A line for the shell, or a program and its arguments"),
                Key::new("command", PROGRAM, "The same as `script`; one of the two is needed"),
                Key::new("cwd", Shape::Name, "Where it runs").default("the suite's folder"),
                Key::new("config", Shape::Any, "Handed to the judge as it stands"),
                Key::new("timeout_seconds", Shape::Positive, "Its deadline")
                    .default("`--agent-timeout`"),
                MAX_MEMORY_MB,
                MAX_CPU_SECONDS,
                Key::later("timeout_ms", "say it in seconds: `timeout_seconds: 1.5`"),
                Key::later("target", CALLS_BY_ITSELF),
                Key::later("max_calls", CALLS_BY_ITSELF),
            ]
        }
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        Some(Arc::new(Judge::read(fields, context, problems)?))
    }
}

/// A program that is asked for a score.
pub(super) struct Judge {
    program: Program,
    cwd: PathBuf,
    config: Value,
    deadline: Option<Duration>,
    limits: ProcessLimits,
    processes: Arc<dyn ProcessRunner>,
}

impl Judge {
    /// The program that the keys of a code judge name.
    pub(super) fn read(
        fields: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let program = read_program(fields, problems);
        let cwd = read_cwd(fields, context, problems);
        let deadline = read_deadline(fields, context, problems);
        let limits = ProcessLimits::read(fields, problems);
        let config = read_config(fields, problems);
        Some(Self {
            program: program?,
            cwd: cwd?,
            deadline: deadline?,
            limits: limits?,
            config: config?,
            processes: Arc::clone(context.processes),
        })
    }

    /// Runs it. `results` is what other graders said, where it adds up their scores.
    pub(super) async fn ask(
        &self,
        context: &GradeContext<'_>,
        results: Option<&[GraderResult]>,
    ) -> Result<Score, GraderFault> {
        let spec = ProcessSpec {
            program: self.program.clone(),
            cwd: self.cwd.clone(),
            env: Vec::new(),
            // What it reads is written when its turn has come.
            stdin: Stdin::Null,
            stdout: Stdout::CaptureHead(MOST_OUTPUT),
            deadline: self.deadline,
            limits: self.limits,
        };
        let told = |out: &mut dyn Write| payload::write(context, &self.config, results, out);
        let ran = self.processes.run_reading(spec, &told).await;
        let output = ran.map_err(|fault| fault::of_run(&fault, &self.program, &self.cwd))?;
        let score = fault::check_end(&output, self.deadline, MOST_OUTPUT)
            .and_then(reply::read)
            .map_err(|reason| {
                fault::of_output(&format!("{reason}{}", self.limits.explain(output.exit)), &output)
            })?;
        Ok(fault::note_leaks(Score { stderr: fault::said_beside(&output), ..score }, &output))
    }
}

impl Grader for Judge {
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(self.ask(context, None))
    }

    /// It is told of everything; what of it counts, nobody else knows.
    fn looks_at_trail(&self) -> bool {
        true
    }
}

/// The score that a text of a judge's holds, or what is wrong with it.
pub(super) fn read_score(text: &str) -> Result<Score, String> {
    reply::read(text)
}

#[cfg(test)]
#[path = "code_judge_tests.rs"]
mod tests;
