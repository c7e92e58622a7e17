//! `code_judge`: a program of the user's reads what is known about an answer and prints a score.
//!
//! This file reads the keys and runs the program; `payload.rs` is what the program is told,
//! `reply.rs` what it says, `fault.rs` how it can fail. A judge that fails is a fault with its
//! cause, never a score.

mod fault;
mod payload;
mod reply;

use std::{path::PathBuf, sync::Arc, time::Duration};

use agentv_base::{
    BoxFuture, Diagnostic, Fields, GradeContext, Grader, GraderFault, Key, Node, NodeValue,
    Problems, ProcessRunner, ProcessSpec, Program, Score, Shape, Stdin, Stdout,
};
use serde_json::Value;

use crate::{
    kind::{BuildContext, GraderKind},
    manual::{Answer, Elsewhere, Example, Manual},
};

pub(crate) struct CodeJudge;

/// A score with its hits and misses is a few KiB; what is longer than this is not one.
const MOST_OUTPUT: usize = 1024 * 1024;

const PROGRAM: Shape = Shape::Either(&[Shape::Name, Shape::List(&Shape::Scalar)]);

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
        MANUAL
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
            ]
        }
    }

    fn build(
        &self,
        fields: &Fields<'_>,
        context: &BuildContext<'_>,
        problems: &mut Problems,
    ) -> Option<Arc<dyn Grader>> {
        let program = read_program(fields, problems);
        let cwd = read_cwd(fields, context, problems);
        let deadline = read_deadline(fields, context, problems);
        Some(Arc::new(Judge {
            program: program?,
            cwd: cwd?,
            deadline: deadline?,
            config: fields.get("config").map_or(Value::Null, Node::to_json),
            processes: Arc::clone(context.processes),
        }))
    }
}

const MANUAL: Manual = Manual {
    text: "Any program of yours. It reads one JSON object from standard input and writes one to \
           standard output.",
    examples: &[
        Example::new(
            "A line for the shell",
            "type: code_judge\nscript: sh judge.sh",
            &[Answer::text("Paris", 1.0)],
        )
        .with(&[("judge.sh", "echo '{\"score\": 1, \"hits\": [\"it is there\"]}'\n")]),
        Example::new(
            "A program and its arguments, with a configuration, a folder and a deadline of its own",
            "type: code_judge\ncommand: [sh, judge.sh]\ncwd: judges\nconfig: {least: 3}\n\
             timeout_seconds: 10",
            &[Answer::text("Paris", 0.5)],
        )
        .with(&[("judges/judge.sh", "echo '{\"score\": 0.5}'\n")]),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`javascript`, `python`, `ruby`",
        inspect_ai: "`@scorer`",
        deepeval: "`BaseMetric`",
        original: "`code_judge`",
    },
};

/// `script` or `command`: a string for the shell, or a list of a program and its arguments.
fn read_program(fields: &Fields<'_>, problems: &mut Problems) -> Option<Program> {
    let node = match (fields.get("script"), fields.get("command")) {
        (Some(node), None) | (None, Some(node)) => node,
        (Some(_), Some(_)) => {
            let command = fields.entry("command").map(|entry| entry.key_span);
            problems.push(
                Diagnostic::error("`script` and `command` are two ways to say the same; give one")
                    .code("duplicate-key")
                    .at(command.unwrap_or(fields.span())),
            );
            return None;
        }
        (None, None) => {
            problems.push(
                Diagnostic::error("code_judge needs `script` or `command`")
                    .code("missing-key")
                    .at(fields.span())
                    .hint("add `script: python3 judge.py` or `command: [python3, judge.py]`"),
            );
            return None;
        }
    };
    if let Some(items) = node.as_list() {
        return read_argv(items, node, problems);
    }
    match node.as_str() {
        Some(line) if !line.trim().is_empty() => Some(Program::Shell(line.to_owned())),
        Some(_) => {
            problems.error(node.span, "the command of code_judge is blank");
            None
        }
        None => {
            problems.push(
                Diagnostic::error(format!(
                    "the command of code_judge must be a string or a list, not {}",
                    node.kind_name()
                ))
                .code("wrong-type")
                .at(node.span),
            );
            None
        }
    }
}

fn read_argv(items: &[Node], list: &Node, problems: &mut Problems) -> Option<Program> {
    let read: Vec<Option<String>> = items
        .iter()
        .map(|item| {
            let argument = match &item.value {
                NodeValue::String(text) => Some(text.to_string()),
                NodeValue::Integer(value) => Some(value.to_string()),
                NodeValue::Bool(value) => Some(value.to_string()),
                // How a decimal was written is not known any more: `1.10` would become `1.1`.
                NodeValue::Float(_) | NodeValue::Null | NodeValue::List(_) | NodeValue::Map(_) => {
                    None
                }
            };
            if argument.is_none() {
                problems.push(
                    Diagnostic::error(format!(
                        "an argument must be a string, not {}",
                        item.kind_name()
                    ))
                    .code("wrong-type")
                    .at(item.span)
                    .hint("put it in quotes"),
                );
            }
            argument
        })
        .collect();
    let argv = read.into_iter().collect::<Option<Vec<String>>>()?;
    if argv.first().is_none_or(|program| program.trim().is_empty()) {
        problems.error(list.span, "the list of code_judge names no program");
        return None;
    }
    Some(Program::Argv(argv))
}

fn read_cwd(
    fields: &Fields<'_>,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<PathBuf> {
    let Some(node) = fields.get("cwd") else {
        return Some(context.suite_dir.to_owned());
    };
    let typed = fields.non_blank("cwd", problems)?;
    let cwd = context.suite_dir.join(typed);
    if cwd.is_dir() {
        return Some(cwd);
    }
    let what = if cwd.exists() { "is not a folder" } else { "does not exist" };
    problems.push(
        Diagnostic::error(format!("`cwd` {what}: {typed}"))
            .code("missing-file")
            .at(node.span)
            .hint("`cwd` starts at the folder of the suite"),
    );
    None
}

/// Nothing where what is said is wrong; `Some(None)` is a judge without a deadline.
#[expect(clippy::option_option, reason = "absent and wrong are two things")]
fn read_deadline(
    fields: &Fields<'_>,
    context: &BuildContext<'_>,
    problems: &mut Problems,
) -> Option<Option<Duration>> {
    let Some(node) = fields.get("timeout_seconds") else {
        return Some(context.agent_timeout);
    };
    let seconds = fields.positive("timeout_seconds", problems)?;
    if let Ok(deadline) = Duration::try_from_secs_f64(seconds) {
        return Some(Some(deadline));
    }
    problems.error(node.span, "`timeout_seconds` is longer than time can be told");
    None
}

/// A program that is asked for a score.
struct Judge {
    program: Program,
    cwd: PathBuf,
    config: Value,
    deadline: Option<Duration>,
    processes: Arc<dyn ProcessRunner>,
}

impl Grader for Judge {
    fn grade<'a>(
        &'a self,
        context: &'a GradeContext<'a>,
    ) -> BoxFuture<'a, Result<Score, GraderFault>> {
        Box::pin(async move {
            let payload = payload::write(context, &self.config).map_err(|error| {
                GraderFault::new(format!("what the judge reads could not be written: {error}"))
            })?;
            let ran = self
                .processes
                .run(ProcessSpec {
                    program: self.program.clone(),
                    cwd: self.cwd.clone(),
                    env: Vec::new(),
                    stdin: Stdin::Bytes(payload),
                    stdout: Stdout::CaptureHead(MOST_OUTPUT),
                    deadline: self.deadline,
                })
                .await;
            let output = ran.map_err(|fault| fault::of_run(&fault))?;
            let score = fault::check_end(&output, self.deadline, MOST_OUTPUT)
                .and_then(reply::read)
                .map_err(|reason| fault::of_output(&reason, &output))?;
            Ok(fault::note_leaks(score, &output))
        })
    }
}

#[cfg(test)]
#[path = "code_judge_tests.rs"]
mod tests;
