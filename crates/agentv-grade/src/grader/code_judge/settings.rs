//! Reads the keys of a code judge: what is run, where, for how long, and what it is told of its own.

use std::{path::PathBuf, time::Duration};

use agentv_base::{Diagnostic, Fields, Node, NodeValue, Problems, Program};
use serde_json::Value;

use crate::kind::BuildContext;

/// `script` or `command`: a string for the shell, or a list of a program and its arguments.
pub(super) fn read_program(fields: &Fields<'_>, problems: &mut Problems) -> Option<Program> {
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

pub(super) fn read_cwd(
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
pub(super) fn read_deadline(
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

/// `config` as JSON. What JSON has no word for would be null there without a sign.
pub(super) fn read_config(fields: &Fields<'_>, problems: &mut Problems) -> Option<Value> {
    fields.get("config").map_or(Some(Value::Null), |node| node.checked_json(problems))
}
